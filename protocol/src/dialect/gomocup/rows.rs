//! Commands of many lines: rows of cells up to `DONE`.
//!
//! One bad row makes the whole command bad. The first bad row is reported when the rows end.

use super::read;
use crate::command::{Command, GameCommand, Owner, Stone, Xy};

/// The most rows that are kept: a board has no more cells.
const MAX_ROWS: usize = 26 * 26;

/// A command that rows belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Header {
    /// A position to play in.
    Board,
    /// A position to analyse.
    YxBoard,
    /// An opening to choose in.
    Swap2,
    /// Cells that may not be played.
    Block,
    /// Cells that may be played again.
    BlockUndo,
    /// A sequence whose last move may not be played.
    BlockPath,
    /// A sequence whose last move may be played again.
    BlockPathUndo,
    /// A command that is ignored.
    Swallowed,
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

impl Header {
    /// Returns the command of this name.
    pub(super) fn by(word: &str) -> Option<Self> {
        WORDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, kind)| *kind)
    }

    fn name(self) -> &'static str {
        WORDS.iter().find(|(_, kind)| *kind == self).map_or("rows", |(name, _)| name)
    }
}

/// The rows so far.
pub(super) struct Rows {
    kind: Header,
    stones: Vec<Stone>,
    fault: Option<String>,
    done: bool,
}

impl Rows {
    pub(super) fn of(kind: Header) -> Self {
        Self { kind, stones: Vec::new(), fault: None, done: false }
    }

    /// Creates rows that are ignored.
    pub(super) fn swallowed() -> Self {
        Self::of(Header::Swallowed)
    }

    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// Reads a row, or the word that ends the rows.
    pub(super) fn read(&mut self, row: &str) {
        if row.eq_ignore_ascii_case("done") {
            self.done = true;
            return;
        }
        if self.kind == Header::Swallowed || self.fault.is_some() {
            return;
        }
        match self.stone(row) {
            Some(_) if self.stones.len() == MAX_ROWS => {
                self.spoil(&format!("more than {MAX_ROWS} rows"));
            }
            Some(stone) => self.stones.push(stone),
            None => self.spoil(&read::row_error(self.usage(), row)),
        }
    }

    /// Marks the rows as bad, unless one before was bad already.
    pub(super) fn spoil(&mut self, why: &str) {
        self.fault.get_or_insert_with(|| why.to_owned());
    }

    /// Returns why the rows are given up, when a command comes instead of their end.
    pub(super) fn broken_off(&self, word: &str) -> Option<String> {
        let name = self.kind.name();
        let why = || format!("{name}: \"DONE\" expected, found \"{}\"", word.to_ascii_uppercase());
        (self.kind != Header::Swallowed).then(why)
    }

    /// Returns why a word after the end of the rows on one line is wrong.
    pub(super) fn superfluous(&self, word: &str) -> String {
        let found = tengen_engine::text::quotable(word);
        format!("{}: nothing expected after DONE, found \"{found}\"", self.kind.name())
    }

    /// Returns the command with its rows; `None` when it is ignored.
    pub(super) fn finish(self) -> Option<Command> {
        if let Some(why) = self.fault.filter(|_| self.kind != Header::Swallowed) {
            return Some(Command::Refused(format!("{}: {why}", self.kind.name())));
        }
        let points = || self.stones.iter().map(|stone| stone.at).collect::<Vec<Xy>>();
        Some(Command::Game(match self.kind {
            Header::Board => GameCommand::SetUp { stones: self.stones, reply: true },
            Header::YxBoard => GameCommand::SetUp { stones: self.stones, reply: false },
            Header::Swap2 => GameCommand::Swap(points()),
            Header::Block => GameCommand::Block(points()),
            Header::BlockUndo => GameCommand::Unblock(points()),
            Header::BlockPath => GameCommand::BlockPath(points()),
            Header::BlockPathUndo => GameCommand::UnblockPath(points()),
            Header::Swallowed => return None,
        }))
    }

    fn has_fields(&self) -> bool {
        matches!(self.kind, Header::Board | Header::YxBoard)
    }

    fn usage(&self) -> &'static str {
        if self.has_fields() { "X,Y,FIELD" } else { "X,Y" }
    }

    fn stone(&self, row: &str) -> Option<Stone> {
        if !self.has_fields() {
            return read::point(row).map(|at| Stone { at, owner: Owner::Nobody });
        }
        read::stone(row)
    }
}
