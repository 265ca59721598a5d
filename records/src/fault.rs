//! [`Fault`]: why a file holds no record, or a record no game, and where.

use std::error::Error;
use std::fmt;

use tengen_engine::text::quotable;

use crate::place::Place;

/// Why a file holds no record, or a record no game that can be played.
///
/// Its text names the place, quotes what stands there and says what is allowed. Whoever knows the
/// name of the file puts it in front: `game.sgf: line 2, character 4: expected ...`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    place: Option<Place>,
    kind: FaultKind,
}

/// What a [`Fault`] is about.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// There is nothing to read.
    #[error("the file is empty")]
    Empty,
    /// No format that is read looks like this.
    #[error(
        "\"{}\" begins no record: SGF begins with \"(;\", PSQ with \"Piskvorky 15x15\", a list of moves with a move such as h8",
        quotable(.0)
    )]
    UnknownFormat(String),
    /// The encoding that the file names is not known.
    #[error(
        "CA[{}] is no encoding known here: UTF-8, ISO-8859-1, GB18030, Big5, Shift_JIS, EUC-KR, windows-1251 and the like are read",
        quotable(.0)
    )]
    UnknownEncoding(String),
    /// The bytes are no text in the encoding of this name.
    #[error("this is not {0}")]
    NotText(&'static str),
    /// Something else was expected.
    #[error("expected {expected}, found {}", found_text(.found))]
    Expected {
        /// What the format has here.
        expected: &'static str,
        /// What stands here; nothing at the end of the file.
        found: String,
    },
    /// A value that says nothing that its property can mean.
    #[error("{property}[{}] is {what}", quotable(.value))]
    Value {
        /// The property.
        property: String,
        /// Its value.
        value: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The record is of a board of another size than its game is played on.
    #[error("{property}[{}]: this game is played on {width}x{height} points", quotable(.value))]
    Size {
        /// The property.
        property: String,
        /// Its value.
        value: String,
        /// Columns of the game's board.
        width: u32,
        /// Rows of the game's board.
        height: u32,
    },
    /// A move that cannot be made.
    #[error("move {number} \"{}\": {why}", quotable(.text))]
    Move {
        /// Its number in the game, from 1.
        number: usize,
        /// The move as it is written.
        text: String,
        /// Why, in a few lower-case words.
        why: String,
    },
    /// A stone that cannot be put down.
    #[error("{property}[{}]: {why}", quotable(.text))]
    Stone {
        /// The property that puts it down.
        property: String,
        /// Its value.
        text: String,
        /// Why, in a few lower-case words.
        why: String,
    },
    /// The board is changed by hand in the middle of the game.
    #[error("{property} after move {moves}: a game whose board is changed by hand")]
    ChangedByHand {
        /// The property that changes it.
        property: String,
        /// How many moves were made.
        moves: usize,
    },
    /// The record does not say which game it is, or names one that is not known.
    #[error("{0}")]
    UnknownGame(String),
    /// The game is not played on a board of this size.
    #[error("{0}")]
    Board(String),
    /// The rules of the record are not known; others are taken in their place.
    #[error("{given}: the game is taken as {taken}")]
    RulesTaken {
        /// What the record says, and why it is no answer.
        given: String,
        /// The variant in its place.
        taken: &'static str,
    },
    /// A library in a version that is not known.
    #[error("RenLib version {0}.{1}: versions up to 3 are read")]
    Version(u8, u8),
    /// The file ends in the middle of a library's tree.
    #[error("the file ends where {0} was expected")]
    Truncated(&'static str),
    /// What a format cannot hold.
    #[error("{format} cannot hold {what}")]
    CannotHold {
        /// The format to be written.
        format: &'static str,
        /// What the record has.
        what: String,
    },
}

fn found_text(found: &str) -> String {
    if found.is_empty() {
        return "the end of the file".to_owned();
    }
    format!("\"{}\"", quotable(found))
}

impl Fault {
    /// Returns a fault at a place; nowhere when the record was not read from a file.
    pub fn new(place: impl Into<Option<Place>>, kind: FaultKind) -> Self {
        Self { place: place.into(), kind }
    }

    /// Returns the place of the fault; `None` if it concerns the whole file or a record that was
    /// not read.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// Returns the kind of the fault.
    pub fn kind(&self) -> &FaultKind {
        &self.kind
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(f, "{place}: {}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl Error for Fault {}
