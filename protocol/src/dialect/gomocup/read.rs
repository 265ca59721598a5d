//! Reads commands of one line, cells and numbers.

use tengen_engine::text::quotable;

use crate::command::{Command, GameCommand, OpeningStep, Owner, Stone, Xy};
use crate::dialect::words;

/// Returns the command `word` if it is carried out immediately, even between rows; else `None`.
pub(super) fn urgent(word: &str) -> Option<Command> {
    let is = |name: &str| word.eq_ignore_ascii_case(name);
    match () {
        () if is("end") => Some(Command::Quit),
        () if is("stop") || is("yxstop") => Some(Command::Stop),
        () => None,
    }
}

/// Returns the command `word` with the arguments `rest`; `None` for an unknown word. `is_analysis`:
/// the client is an analysis GUI.
pub(super) fn command(word: &str, rest: &str, is_analysis: bool) -> Option<Command> {
    let name = word.to_ascii_lowercase();
    let lone_game = |command| lone(word, rest, Command::Game(command));
    Some(match name.as_str() {
        "about" => lone(word, rest, Command::Identify),
        "yxshowinfo" => lone_game(GameCommand::Capacity),
        "yxhashclear" => {
            let name = "Clear Hash".to_owned();
            lone(word, rest, Command::SetOption { name, value: None })
        }
        "start" => start(word, rest, is_analysis),
        "rectstart" => rect_start(word, rest, is_analysis),
        "restart" => lone_game(GameCommand::Open { size: None, analyses: is_analysis }),
        "begin" => lone_game(GameCommand::Begin),
        "turn" => cell(word, rest, GameCommand::Turn),
        "play" => cell(word, rest, GameCommand::Play),
        "takeback" => cell(word, rest, GameCommand::TakeBack),
        "yxnbest" => rank(word, rest),
        "yxswap2step1" => lone_game(opening(OpeningStep::YixinSwap2(1))),
        "yxswap2step2" => lone_game(opening(OpeningStep::YixinSwap2(2))),
        "yxswap2step3" => lone_game(opening(OpeningStep::YixinSwap2(3))),
        "yxsoosorvstep1" => lone_game(opening(OpeningStep::YixinSoosorv(1, 0))),
        "yxshowforbid" => lone_game(GameCommand::Forbidden),
        "yxblockreset" => lone_game(GameCommand::UnblockAll),
        "yxblockpathreset" => lone_game(GameCommand::UnblockPaths),
        _ => return None,
    })
}

/// Returns the command to decide in an opening with the stones of the managed game.
const fn opening(step: OpeningStep) -> GameCommand {
    GameCommand::Opening { step, stones: None }
}

/// Returns the first word of a line and the rest. A comma may stand between them, as in `START,15`.
pub(super) fn split_command(line: &str) -> (&str, &str) {
    match line.find(is_separator) {
        Some(end) if end > 0 => {
            let rest = line[end..].trim_ascii_start();
            (&line[..end], rest.strip_prefix(',').unwrap_or(rest).trim_ascii_start())
        }
        _ => words::split_word(line),
    }
}

fn game(command: Option<GameCommand>, usage: &str, word: &str, rest: &str) -> Command {
    command.map_or_else(|| Command::Refused(refusal(usage, word, rest)), Command::Game)
}

/// Returns the message about bad numbers after a command.
fn refusal(usage: &str, word: &str, rest: &str) -> String {
    let is_digits = |text: &str| text.trim().bytes().all(|byte| byte.is_ascii_digit());
    let mut numbers = rest.split(is_separator);
    if rest.split(is_separator).all(is_digits) && numbers.any(|number| number.len() > 9) {
        return format!("{}: no board is that large", quotable(&format!("{word} {rest}")));
    }
    expected(usage, word, rest)
}

/// Returns `command`, which takes no arguments; a refusal if `rest` is not empty.
fn lone(word: &str, rest: &str, command: Command) -> Command {
    if rest.is_empty() {
        return command;
    }
    Command::Refused(expected(&word.to_ascii_uppercase(), word, rest))
}

fn cell(word: &str, rest: &str, command: fn(Xy) -> GameCommand) -> Command {
    let usage = format!("{} X,Y", word.to_ascii_uppercase());
    game(point(rest).map(command), &usage, word, rest)
}

/// Reads `START SIZE`, and `start 20 20`, as Yixin's board writes it: columns and rows.
fn start(word: &str, rest: &str, analyses: bool) -> Command {
    let open = |size| GameCommand::Open { size: Some(size), analyses };
    let size = number(rest).map(|side| (side, side));
    game(size.or_else(|| numbers(rest).map(<_>::from)).map(open), "START SIZE", word, rest)
}

fn rect_start(word: &str, rest: &str, analyses: bool) -> Command {
    let open =
        |[width, height]: [u32; 2]| GameCommand::Open { size: Some((width, height)), analyses };
    game(numbers(rest).map(open), "RECTSTART WIDTH,HEIGHT", word, rest)
}

fn rank(word: &str, rest: &str) -> Command {
    let lines = words::number(rest).and_then(|lines| usize::try_from(lines).ok());
    game(lines.filter(|&lines| lines > 0).map(GameCommand::BestMoves), "YXNBEST N", word, rest)
}

/// Reads a cell: `X,Y`, with a comma, blanks or both between the numbers.
pub(super) fn point(text: &str) -> Option<Xy> {
    numbers(text).map(|[x, y]| Xy { x, y })
}

/// Reads a stone: `X,Y,FIELD`. In `FIELD` 1 is our stone, 2 the opponent's, and 3 a wall.
pub(super) fn stone(row: &str) -> Option<Stone> {
    let [x, y, field] = numbers(row)?;
    let owner = match field {
        1 => Owner::Own,
        2 => Owner::Opponent,
        3 => Owner::Nobody,
        _ => return None,
    };
    Some(Stone { at: Xy { x, y }, owner })
}

/// Returns whether `c` may stand between numbers, and between a command and its first number.
pub(super) fn is_separator(c: char) -> bool {
    c == ',' || c.is_ascii_whitespace()
}

/// Reads `N` numbers with a comma, blanks or both between them.
pub(super) fn numbers<const N: usize>(text: &str) -> Option<[u32; N]> {
    // A part without a number, as in `7,,7`, is an empty word.
    let words = |part: &str| part.trim().split_ascii_whitespace().map(number).collect::<Vec<_>>();
    let part = |part| Some(words(part)).filter(|words| !words.is_empty());
    let fields: Vec<_> = text.split(',').map(part).collect::<Option<_>>()?;
    let mut fields = fields.into_iter().flatten();
    let mut read = [0; N];
    for value in &mut read {
        *value = fields.next()??;
    }
    fields.next().is_none().then_some(read)
}

/// Reads a number of digits only. Returns `None` for a number that is too large for any board: it
/// is not saturated, so a message never shows another number than the client sent.
fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the message about a bad row. `usage` is the expected form.
pub(super) fn row_error(usage: &str, row: &str) -> String {
    format!("\"{usage}\" expected, found \"{}\"", quotable(row))
}

/// Returns the message that `usage` was expected but the line has `word` and `rest`.
pub(super) fn expected(usage: &str, word: &str, rest: &str) -> String {
    row_error(usage, format!("{word} {rest}").trim())
}
