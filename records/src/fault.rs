//! [`Fault`]: the error of a file or a record, and its place.

use tengen_engine::text::{printable, quotable};
use tengen_engine::{NoPoint, Outcome, Side};
use thiserror::Error;

use crate::place::Place;

/// The error of a file that cannot be read, or of a record whose game cannot be played.
///
/// Its text names the place, quotes the file and says what is allowed. The caller puts the name of
/// the file in front: `game.sgf: line 2, character 4: expected ...`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}{kind}", .place.map(|place| format!("{place}: ")).unwrap_or_default())]
pub struct Fault {
    place: Option<Place>,
    kind: FaultKind,
}

/// The kind of a [`Fault`].
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// The file is too large for the memory, or one game of it is too large.
    #[error("{}", too_large(*.nodes))]
    TooLarge {
        /// The number of nodes that were read; 0 if none was.
        nodes: usize,
    },
    /// The file is in no known format.
    #[error("\"{}\" begins no record: {known}", quotable(.line))]
    UnknownFormat {
        /// The first line.
        line: String,
        /// How files of known formats begin.
        known: String,
    },
    /// The bytes are not valid in the encoding of this name.
    #[error("this is not {0}")]
    NotText(&'static str),
    /// The file has other text than expected here.
    #[error("expected {expected}, found {}", found_text(.found))]
    Expected {
        /// What the format requires here.
        expected: &'static str,
        /// What was found instead; empty at the end of the file.
        found: String,
    },
    /// A value that is not valid for its property.
    #[error("{property}[{}] is {what}", quotable(.value))]
    Value {
        /// The property.
        property: String,
        /// The value of the property.
        value: String,
        /// The error of the value.
        what: &'static str,
    },
    /// The board of the record has another size than the board of its game.
    #[error("{property}[{}]: this game is played on {width}x{height} points", quotable(.value))]
    Size {
        /// The property.
        property: String,
        /// The value of the property.
        value: String,
        /// Columns of the game's board.
        width: u32,
        /// Rows of the game's board.
        height: u32,
    },
    /// An illegal move.
    #[error("move {number} \"{}\": {why}", quotable(.text))]
    Move {
        /// The number of the move in the game, from 1.
        number: usize,
        /// The move as it is written.
        text: String,
        /// The reason, in a few lower-case words.
        why: String,
    },
    /// Digits in a list of moves on a board of points: numbers of columns.
    #[error("move {number} \"{}\": {NoPoint}", quotable(.text))]
    Columns {
        /// The number of the move in the game, from 1.
        number: usize,
        /// The digits.
        text: String,
    },
    /// A point of a list of moves that names no board, outside the board that is taken.
    #[error("move {number} \"{}\": {why}", quotable(.text))]
    OutsideUsualBoard {
        /// The number of the move in the game, from 1.
        number: usize,
        /// The move as it is written.
        text: String,
        /// The reason, in a few lower-case words.
        why: String,
    },
    /// A stone that cannot be set up.
    #[error("{property}[{}]: {why}", quotable(.text))]
    Stone {
        /// The property that sets it up.
        property: String,
        /// The value of the property.
        text: String,
        /// The reason, in a few lower-case words.
        why: String,
    },
    /// Stones are set up or removed in the middle of the game.
    #[error("{property}: stones set up after move {moves}")]
    ChangedByHand {
        /// The property that does this.
        property: String,
        /// The number of moves before.
        moves: usize,
    },
    /// The record names no game, or an unknown one.
    #[error("{0}")]
    UnknownGame(String),
    /// The game does not support a board of this size.
    #[error("{0}")]
    Board(String),
    /// A warning: the rules of the record are unknown, and others are used instead.
    #[error("{given}: the game is taken as {taken}")]
    RulesTaken {
        /// What the record says, and why it is not enough.
        given: String,
        /// The variant that is used instead.
        taken: &'static str,
    },
    /// A warning: the name of the rules is used for other rules, too.
    #[error("{given} is read as {taken}; many programs mean {other} by it")]
    AmbiguousRules {
        /// What the record says.
        given: String,
        /// The variant that is used.
        taken: &'static str,
        /// The variant that others mean.
        other: &'static str,
    },
    /// A warning: the file names no encoding, and this one was guessed.
    #[error("the file names no encoding: its text is read as {0}")]
    GuessedEncoding(&'static str),
    /// A warning: the file names an unknown encoding.
    #[error("CA[{}] is not a known encoding: the text is read as {taken}", quotable(.label))]
    UnknownEncoding {
        /// What the file names.
        label: String,
        /// The encoding that was guessed.
        taken: &'static str,
    },
    /// A warning: the text is not in the encoding that the file names.
    #[error("CA[{}] does not fit the text, which is read as {taken}", quotable(.label))]
    OtherEncoding {
        /// What the file names.
        label: String,
        /// The encoding that was guessed.
        taken: &'static str,
    },
    /// A warning: the text is valid in the encoding that the file names, and in UTF-8.
    #[error("CA[{}]: the text is read as {encoding}; it is valid UTF-8, too", quotable(.label))]
    AlsoUtf8 {
        /// What the file names.
        label: String,
        /// Its encoding.
        encoding: &'static str,
    },
    /// A warning: places of the text are not valid in its encoding.
    #[error("{}", lost_text(*.count, .encoding))]
    LostText {
        /// The number of such places.
        count: usize,
        /// The encoding.
        encoding: &'static str,
    },
    /// A warning: a text of the file has two usual readings.
    #[error("{} is read as {taken}", printable(.given))]
    Reading {
        /// What the file says.
        given: String,
        /// How it was read, and what else it may mean.
        taken: String,
    },
    /// A warning: the record goes on after the end of its game.
    #[error("{}; {}: {count}", end_text(*.after, *.rule), if *.is_kept { "moves after it" } else { "moves left out" })]
    GoesOn {
        /// The number of moves in the game.
        after: usize,
        /// The rule that forbids the last one, if this move lost the game.
        rule: Option<&'static str>,
        /// The number of moves after it.
        count: usize,
        /// Whether these moves are kept.
        is_kept: bool,
    },
    /// A warning: the record names another result than the board shows.
    #[error("the record says {}, and the board shows {}", outcome_text(*.said), outcome_text(*.shown))]
    WrongResult {
        /// The result that the record names.
        said: Outcome,
        /// The result on the board.
        shown: Outcome,
    },
    /// A warning: the result is not known, and kept as it is.
    #[error("the result \"{}\" is not known, and kept as text", quotable(.0))]
    UnknownResult(String),
    /// A warning: the parts of a game name different results.
    #[error("the results {} contradict each other: none is taken", printable(&.0.join(" and ")))]
    Contradiction(Vec<String>),
    /// A warning: a tag stands twice with different values.
    #[error("the tag {0} stands twice: its last value is taken")]
    RepeatedTag(String),
    /// A warning: a sign is not known, and left out.
    #[error("the sign \"{}\" is not known, and left out", quotable(.0))]
    UnknownSign(String),
    /// A warning: the number of a move does not follow the number before it.
    #[error("the number {number} stands where {due} is due: a move may be missing")]
    Numbering {
        /// The number.
        number: usize,
        /// The number that follows from the moves before.
        due: usize,
    },
    /// A warning: the text after the last game is left out.
    #[error("\"{}\" after the last game is left out", quotable(.0))]
    TextAfter(String),
    /// A warning: variations have moves that cannot be played.
    #[error("{first}: variations that cannot be played are kept: {count}")]
    Variations {
        /// The error of the first one.
        first: Box<FaultKind>,
        /// The number of such moves.
        count: usize,
    },
    /// A RenLib library of an unknown version.
    #[error("RenLib version {0}.{1}: versions up to 3 are read")]
    Version(u8, u8),
    /// The file of a library ends too early.
    #[error("the file ends where {0} was expected")]
    Truncated(&'static str),
    /// The record has something that the format cannot hold.
    #[error("{format} cannot hold {what}")]
    CannotHold {
        /// The format to write.
        format: &'static str,
        /// What the record has.
        what: String,
    },
}

fn lost_text(count: usize, encoding: &str) -> String {
    match count {
        1 => format!("1 character is not {encoding}, and is lost"),
        _ => format!("{count} characters are not {encoding}, and are lost"),
    }
}

fn end_text(after: usize, rule: Option<&str>) -> String {
    match rule {
        None => format!("the game is over after move {after}"),
        Some(rule) => format!("move {after} is forbidden ({rule}) and loses the game"),
    }
}

/// Returns an outcome in words.
pub(crate) fn outcome_text(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Side::First) => "a win of the first player",
        Outcome::Win(Side::Second) => "a win of the second player",
        Outcome::Draw | Outcome::Value(_) => "a draw",
    }
}

fn too_large(nodes: usize) -> String {
    match nodes {
        0 => "there is no memory for the file: split it".to_owned(),
        nodes => format!("the file is too large: after {nodes} nodes there is no room for more"),
    }
}

fn found_text(found: &str) -> String {
    if found.is_empty() {
        return "the end of the file".to_owned();
    }
    format!("\"{}\"", quotable(found))
}

impl Fault {
    /// Creates an error at `place`; `None` for a record that was not read from a file.
    pub fn new(place: impl Into<Option<Place>>, kind: FaultKind) -> Self {
        Self { place: place.into(), kind }
    }

    /// Creates the error of a record that has something that `format` cannot hold.
    pub(crate) fn cannot_hold(format: &'static str, what: &str) -> Self {
        Self::new(None, FaultKind::CannotHold { format, what: what.to_owned() })
    }

    /// Returns the place of the error; `None` if it concerns the whole file or a record that was
    /// not read from a file.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// Returns whether the file is too large, so that no other way to read it helps.
    pub fn is_too_large(&self) -> bool {
        matches!(self.kind, FaultKind::TooLarge { .. })
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> &FaultKind {
        &self.kind
    }
}
