//! The server side of UCI. A library (`vampirc`) reads `setoption`, `debug` and `register`. This crate
//! reads all others, also single words, where clients wait for the answer, and writes all replies.
//!
//! Moves and positions stay text.

use tengen_engine::text::quotable;

pub(crate) use super::write::{Words, encode};
use super::{go, vampirc};

use crate::command::{Command, Reply, Setup};
use crate::dialect::kind::{BoardContext, Dialect, Kind, OverlongLine, Speech};
use crate::dialect::words::{number, split_word, trim};

/// The keyword before a list of moves.
const MOVES: &str = "moves";

/// The registration of UCI.
pub static KIND: Kind = Kind {
    name: "uci",
    openings: "uci",
    program_prefix: None,
    variant: None,
    speech: Speech::Commands(|| Box::new(Uci)),
};

/// The Universal Chess Interface, for games other than chess.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uci;

impl Dialect for Uci {
    fn decode(&mut self, line: &str, out: &mut dyn FnMut(Command)) {
        let line = skip_unknown(trim(line), &["uci", "ucinewgame"], out);
        report_extra_words(line, ["uci", "ucinewgame"], out);
        decode(line, &Words::UCI, out);
    }

    fn decode_overlong(&mut self, line: OverlongLine<'_>, out: &mut dyn FnMut(Command)) {
        out(overlong(line, &["position"]));
    }

    fn encode(&mut self, reply: &Reply, context: &BoardContext<'_>, out: &mut dyn FnMut(String)) {
        encode(reply, &Words::UCI, context, out);
    }

    fn writes_drops(&self) -> bool {
        true
    }
}

/// Returns the command for a line that was too long. If it begins with a word of `setups`, the
/// position is bad from then on; else the line is only refused.
pub(crate) fn overlong(line: OverlongLine<'_>, setups: &[&str]) -> Command {
    let (word, _) = split_word(trim(line.beginning));
    if setups.iter().any(|known| word.eq_ignore_ascii_case(known)) {
        return Command::Position(Setup::Unreadable(line.message()));
    }
    Command::Refused(line.message())
}

/// Commands without arguments, beside the greeting and the new game.
const LONE_WORDS: [&str; 9] =
    ["isready", "stop", "ponderhit", "quit", "d", "eval", "flip", "compiler", "help"];

/// Commands of the standard in both dialects, beside the greeting and the new game. Unknown words may
/// stand before them.
const STANDARD: [&str; 9] =
    ["debug", "isready", "setoption", "register", "position", "go", "stop", "ponderhit", "quit"];

/// Other commands of Tengen that take arguments.
const EXTENSIONS: [&str; 1] = ["bench"];

/// Skips unknown words before a command of the standard, as UCI demands, and reports them. `own` are
/// the other commands of the dialect. Returns the rest of the line, or the whole line if no command
/// is in it. Only commands of the standard are looked for: the other ones are usual words and names.
pub(crate) fn skip_unknown<'a>(
    line: &'a str,
    own: &[&str],
    out: &mut dyn FnMut(Command),
) -> &'a str {
    let is_in = |list: &[&str], word: &str| list.iter().any(|it| word.eq_ignore_ascii_case(it));
    let (first, mut rest) = split_word(line);
    let is_known = [&STANDARD[..], own, &LONE_WORDS, &EXTENSIONS].iter().any(|it| is_in(it, first));
    if is_known || first.starts_with('#') {
        return line;
    }
    while !rest.is_empty() {
        let (word, tail) = split_word(rest);
        if is_in(&STANDARD, word) || is_in(own, word) {
            let skipped = quotable(line[..line.len() - rest.len()].trim_ascii_end());
            out(Command::Refused(format!("unknown \"{skipped}\" before \"{word}\" ignored")));
            return rest;
        }
        rest = tail;
    }
    line
}

/// Reports words after a command without arguments; `own` are such commands of the dialect. `line` is
/// trimmed. The command is still carried out.
pub(crate) fn report_extra_words(line: &str, own: [&str; 2], out: &mut dyn FnMut(Command)) {
    let (word, rest) = split_word(line);
    let known = LONE_WORDS.iter().chain(&own).find(|known| word.eq_ignore_ascii_case(known));
    if let Some(known) = known.filter(|_| !rest.is_empty()) {
        let found = quotable(rest);
        out(Command::Refused(format!("{known}: nothing expected, \"{found}\" ignored")));
    }
}

/// Passes the commands of a trimmed line to `out`. `clock_words` are the keywords of `go` for
/// clocks.
pub(crate) fn decode(line: &str, words: &Words, out: &mut dyn FnMut(Command)) {
    let (word, rest) = split_word(line);
    if word.is_empty() || word.starts_with('#') {
        return out(Command::Nothing);
    }
    if vampirc::reads(word) {
        return out(vampirc::decode(line));
    }
    let word_is = |name| word.eq_ignore_ascii_case(name);
    let command = match () {
        () if word_is("isready") => Command::Ready,
        () if word_is("stop") => Command::Stop,
        () if word_is("ponderhit") => Command::Ponderhit,
        () if word_is("uci") => Command::Identify,
        () if word_is("ucinewgame") => Command::NewGame,
        () if word_is("quit") => Command::Quit,
        () if word_is("position") => Command::Position(position(rest)),
        () if word_is("go") => return go::decode(rest, words, out),
        () if word_is("d") => Command::Show,
        () if word_is("eval") => Command::Evaluate,
        () if word_is("bench") => bench(rest, out),
        () if word_is("flip") => Command::Flip,
        () if word_is("compiler") => Command::Compiler,
        () if word_is("help") => Command::Help,
        () => Command::Unknown(line.to_owned()),
    };
    out(command);
}

fn position(rest: &str) -> Setup {
    let (kind, tail) = split_word(rest);
    if kind.eq_ignore_ascii_case("fen") {
        return Setup::Text { text: tail.to_owned(), keyword: MOVES };
    }
    if !kind.eq_ignore_ascii_case("startpos") {
        let found = quotable(rest);
        return Setup::Unreadable(format!("\"startpos\" or \"fen\" expected, found \"{found}\""));
    }
    let (keyword, moves) = split_word(tail);
    if keyword.is_empty() || keyword.eq_ignore_ascii_case(MOVES) {
        return Setup::Start { moves: moves.to_owned() };
    }
    Setup::Unreadable(format!("\"moves\" expected, found \"{}\"", quotable(tail)))
}

fn bench(rest: &str, out: &mut dyn FnMut(Command)) -> Command {
    if rest.is_empty() {
        return Command::Bench { depth: None };
    }
    let found = quotable(rest);
    let Some(depth) = number(rest) else {
        return Command::Refused(format!("bench: depth \"{found}\" is not a number"));
    };
    if depth < 1 {
        out(Command::Refused(format!("bench: depth {found} counts as 1")));
    }
    Command::Bench { depth: Some(u32::try_from(depth.max(1)).unwrap_or(u32::MAX)) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(line: &str) -> Command {
        let mut commands = decode_all(line);
        assert_eq!(commands.len(), 1, "{line}: {commands:?}");
        commands.remove(0)
    }

    fn decode_all(line: &str) -> Vec<Command> {
        let mut commands = Vec::new();
        super::decode(trim(line), &Words::UCI, &mut |command| commands.push(command));
        commands
    }

    #[test]
    fn case_is_ignored_and_any_ascii_blank_separates_words() {
        assert_eq!(decode("  D\r"), Command::Show);
        assert_eq!(decode("\u{feff}uci"), Command::Identify);
        assert_eq!(decode("EVAL"), Command::Evaluate);
        assert_eq!(decode("bench\t7 \r"), Command::Bench { depth: Some(7) });
        assert_eq!(decode("bench 99999999999999999999"), Command::Bench { depth: Some(u32::MAX) });
        for depth in ["0", "-3"] {
            let why = format!("bench: depth {depth} counts as 1");
            let expected = [Command::Refused(why), Command::Bench { depth: Some(1) }];
            assert_eq!(decode_all(&format!("bench {depth}")), expected);
        }
        assert!(matches!(decode("bench deep"), Command::Refused(why) if why.contains("\"deep\"")));
        assert_eq!(decode("help me"), Command::Help);
        assert_eq!(decode("compiler"), Command::Compiler);
        assert_eq!(decode("flip"), Command::Flip);
    }

    #[test]
    fn single_words_are_commands_whatever_follows() {
        for (line, command) in [
            ("uci", Command::Identify),
            ("UCI", Command::Identify),
            ("uci now", Command::Identify),
            ("uci\x0cnow", Command::Identify),
            ("isready", Command::Ready),
            ("IsReady  \t", Command::Ready),
            ("isready\r", Command::Ready),
            ("isready \r x", Command::Ready),
            ("ucinewgame", Command::NewGame),
            ("stop stop", Command::Stop),
            ("ponderhit", Command::Ponderhit),
            ("quit", Command::Quit),
            ("quit 1", Command::Quit),
        ] {
            assert_eq!(decode(line), command, "{line}");
        }
    }

    #[test]
    fn unknown_words_before_a_command_are_skipped() {
        let decode = |line: &str| {
            let mut commands = Vec::new();
            Uci.decode(line, &mut |command| commands.push(command));
            commands
        };
        let skipped = |words: &str, command: &str| {
            Command::Refused(format!("unknown \"{words}\" before \"{command}\" ignored"))
        };
        assert_eq!(decode("joho isready"), [skipped("joho", "isready"), Command::Ready]);
        assert_eq!(decode(" joho\tDebug  on"), [skipped("joho", "Debug"), Command::Debug(true)]);
        assert_eq!(decode("a b quit\r"), [skipped("a b", "quit"), Command::Quit]);
        let start = Command::Position(Setup::Start { moves: "h8".into() });
        let position = decode("x position startpos moves h8");
        assert_eq!(position, [skipped("x", "position"), start]);
        // A command takes its own words, and usual words are no commands.
        assert!(matches!(&decode("debug joho on")[..], [Command::Refused(_)]));
        for line in ["load d", "what is eval", "joho", "export bench", "goto quits"] {
            assert_eq!(decode(line), [Command::Unknown(line.into())]);
        }
        assert_eq!(decode("# stop"), [Command::Nothing]);
    }

    #[test]
    fn comments_and_blank_lines_are_ignored() {
        for line in ["", " \t \r", "# go infinite", "#go"] {
            assert_eq!(decode(line), Command::Nothing);
        }
    }

    #[test]
    fn a_command_must_be_a_whole_word() {
        for line in
            ["uciok", "isreadyx", "stopp", "quit!", "god", "positions", "ucinewgames", "\0uci"]
        {
            assert_eq!(decode(line), Command::Unknown(line.into()));
        }
    }

    #[test]
    fn a_position_is_split_only_where_no_game_is_needed() {
        let start = |moves: &str| Command::Position(Setup::Start { moves: moves.into() });
        assert_eq!(decode("position startpos"), start(""));
        assert_eq!(decode("position startpos moves"), start(""));
        assert_eq!(decode("position\tSTARTPOS  moves  h8 \t i9\r"), start("h8 \t i9"));
        let text = "7/7 w moves d1".to_owned();
        assert_eq!(
            decode("position fen 7/7 w moves d1"),
            Command::Position(Setup::Text { text, keyword: "moves" })
        );
        for line in ["position", "position here", "position startpos d1", "position moves d1"] {
            assert!(matches!(decode(line), Command::Position(Setup::Unreadable(_))), "{line}");
        }
    }

    const WORDS: &[&str] = &[
        "uci",
        "isready",
        "ucinewgame",
        "stop",
        "ponderhit",
        "quit",
        "debug",
        "on",
        "off",
        "register",
        "later",
        "name",
        "code",
        "setoption",
        "value",
        "Hash",
        "go",
        "depth",
        "position",
        "startpos",
        "fen",
        "moves",
        "d1",
        "P@d1",
        "infinite",
        "ponder",
        "wtime",
        "-5",
        "0",
        "x",
        "99999999999999999999",
        "searchmoves",
        "mate",
        "perft",
        "bench",
        "movestogo",
        "<empty>",
        "é",
        "\0",
        "\u{feff}",
        "#",
    ];

    proptest! {
        #[test]
        fn no_text_makes_the_decoder_panic(line in any::<String>()) {
            decode_all(&line);
        }

        #[test]
        fn no_mix_of_known_words_makes_the_decoder_panic(
            words in proptest::collection::vec(proptest::sample::select(WORDS), 0..12),
            blanks in proptest::collection::vec(proptest::sample::select(vec![" ", "\t", "  ", "\r", "\u{c}", ""]), 12),
        ) {
            let line: String = words.iter().zip(&blanks).flat_map(|(w, b)| [*w, *b]).collect();
            decode_all(&line);
        }
    }
}
