//! Commands of several lines: rows of cells up to `DONE`.
//!
//! A bad row makes the whole command bad. The first bad row is reported after `DONE`.

use super::read;
use crate::command::{Command, GameCommand, OpeningStep, Owner, Stone, Xy};

/// The maximum number of rows of a command: a board has at most 26x26 cells.
const MAX_ROWS: usize = 26 * 26;

/// The command before the rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Header {
    /// A position to play in.
    Board,
    /// A position to analyse.
    YxBoard,
    /// A Swap2 opening to decide in.
    Swap2,
    /// A step of Soosorv-8, and the number of offers.
    Soosorv(u32, u32),
    /// Cells on which we must not play.
    Block,
    /// Cells on which we may play again.
    BlockUndo,
    /// A path whose last move we must not play.
    BlockPath,
    /// A path whose last move we may play again.
    BlockPathUndo,
    /// An ignored command.
    Ignored,
}

const WORDS: [(&str, Header); 7] = [
    ("BOARD", Header::Board),
    ("YXBOARD", Header::YxBoard),
    ("SWAP2BOARD", Header::Swap2),
    ("YXBLOCK", Header::Block),
    ("YXBLOCKUNDO", Header::BlockUndo),
    ("YXBLOCKPATH", Header::BlockPath),
    ("YXBLOCKPATHUNDO", Header::BlockPathUndo),
];

/// The steps of Soosorv-8 with rows, from step 2.
const SOOSORV_STEPS: [&str; 5] =
    ["YXSOOSORVSTEP2", "YXSOOSORVSTEP3", "YXSOOSORVSTEP4", "YXSOOSORVSTEP5", "YXSOOSORVSTEP6"];

impl Header {
    /// Returns the step of Soosorv-8 with this name, and the first rows in `rest`. Steps 4 and 5
    /// have the number of offers before the rows. The error says what is missing. `None` for another
    /// command.
    pub(super) fn soosorv<'a>(
        word: &str,
        rest: &'a str,
    ) -> Option<Result<(Self, &'a str), String>> {
        let index = SOOSORV_STEPS.iter().position(|name| word.eq_ignore_ascii_case(name))?;
        let step = index as u32 + 2;
        if !matches!(step, 4 | 5) {
            return Some(Ok((Self::Soosorv(step, 0), rest)));
        }
        let (number, rows) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let usage = format!("{} N", SOOSORV_STEPS[index]);
        let number = number.parse().map_err(|_| read::expected(&usage, word, rest));
        Some(number.map(|number| (Self::Soosorv(step, number), rows)))
    }

    /// Returns the command with this name; `None` if it has no rows.
    pub(super) fn by_name(word: &str) -> Option<Self> {
        WORDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, kind)| *kind)
    }

    fn name(self) -> &'static str {
        if let Self::Soosorv(step, _) = self {
            return SOOSORV_STEPS[step as usize - 2];
        }
        WORDS.iter().find(|(_, kind)| *kind == self).map_or("rows", |(name, _)| name)
    }
}

/// A command with the rows read so far.
pub(super) struct Rows {
    kind: Header,
    stones: Vec<Stone>,
    /// The message about the first bad row.
    error: Option<String>,
    /// Whether `DONE` was read.
    pub(super) is_done: bool,
}

impl Rows {
    pub(super) fn new(kind: Header) -> Self {
        Self { kind, stones: Vec::new(), error: None, is_done: false }
    }

    /// Divides a line into rows. Blanks may stand around commas, and instead of commas.
    pub(super) fn split(&self, line: &str) -> Vec<String> {
        let parts: Vec<&str> = line.split(',').map(str::trim).collect();
        let tight = parts.join(",");
        let words: Vec<&str> = tight.split_ascii_whitespace().collect();
        let done = words.iter().position(|word| word.eq_ignore_ascii_case("done"));
        let (rows, rest) = words.split_at(done.unwrap_or(words.len()));
        let fields = self.fields();
        let is_row = |word: &&str| word.split(',').count() == fields;
        let is_number =
            |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let numbers: Vec<&str> = rows.iter().flat_map(|word| word.split(',')).collect();
        let is_regular = numbers.len().is_multiple_of(fields) && numbers.iter().all(is_number);
        let mut split: Vec<String> = match rows {
            [] => Vec::new(),
            rows if rows.iter().all(is_row) => rows.iter().map(|row| (*row).to_owned()).collect(),
            [_, _, ..] if is_regular => numbers.chunks(fields).map(|row| row.join(",")).collect(),
            rows => vec![rows.join(" ")],
        };
        split.extend(rest.iter().map(|word| (*word).to_owned()));
        split
    }

    /// Returns how many numbers a row has.
    fn fields(&self) -> usize {
        if self.has_owners() { 3 } else { 2 }
    }

    /// Reads a row, or `DONE`.
    pub(super) fn read(&mut self, row: &str) {
        if row.eq_ignore_ascii_case("done") {
            self.is_done = true;
            return;
        }
        if self.kind == Header::Ignored || self.error.is_some() {
            return;
        }
        match self.stone(row) {
            Some(_) if self.stones.len() == MAX_ROWS => {
                self.refuse(&format!("more than {MAX_ROWS} rows"));
            }
            Some(stone) => self.stones.push(stone),
            None => self.refuse(&read::row_error(self.usage(), row)),
        }
    }

    /// Refuses the command for the reason `why`. The first reason is kept.
    pub(super) fn refuse(&mut self, why: &str) {
        self.error.get_or_insert_with(|| why.to_owned());
    }

    /// Returns the message when the command `word` comes instead of `DONE`; `None` for an ignored
    /// command.
    pub(super) fn missing_done(&self, word: &str) -> Option<String> {
        let name = self.kind.name();
        let why = || format!("{name}: \"DONE\" expected, found \"{}\"", word.to_ascii_uppercase());
        (self.kind != Header::Ignored).then(why)
    }

    /// Returns the refusal of `word` after `DONE`.
    pub(super) fn refuse_after_done(&self, word: &str) -> Command {
        let (name, found) = (self.kind.name(), tengen_engine::text::quotable(word));
        Command::Refused(format!("{name}: nothing expected after DONE, found \"{found}\""))
    }

    /// Returns the command with its rows; `None` for an ignored command.
    pub(super) fn finish(self) -> Option<Command> {
        if let Some(why) = self.error.filter(|_| self.kind != Header::Ignored) {
            return Some(Command::Refused(format!("{}: {why}", self.kind.name())));
        }
        let points = || self.stones.iter().map(|stone| stone.at).collect::<Vec<Xy>>();
        Some(Command::Game(match self.kind {
            Header::Board => GameCommand::SetUp { stones: self.stones, reply: true },
            Header::YxBoard => GameCommand::SetUp { stones: self.stones, reply: false },
            Header::Swap2 => {
                GameCommand::Opening { step: OpeningStep::Swap2Board, stones: Some(points()) }
            }
            Header::Soosorv(step, offers) => {
                let step = OpeningStep::YixinSoosorv(step, offers);
                GameCommand::Opening { step, stones: Some(points()) }
            }
            Header::Block => GameCommand::Block(points()),
            Header::BlockUndo => GameCommand::Unblock(points()),
            Header::BlockPath => GameCommand::BlockPath(points()),
            Header::BlockPathUndo => GameCommand::UnblockPath(points()),
            Header::Ignored => return None,
        }))
    }

    /// Returns whether rows have a third field, the owner of the stone.
    fn has_owners(&self) -> bool {
        matches!(self.kind, Header::Board | Header::YxBoard)
    }

    fn usage(&self) -> &'static str {
        if self.has_owners() { "X,Y,FIELD" } else { "X,Y" }
    }

    fn stone(&self, row: &str) -> Option<Stone> {
        if !self.has_owners() {
            return read::point(row).map(|at| Stone { at, owner: Owner::Nobody });
        }
        read::stone(row)
    }
}
