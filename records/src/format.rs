//! [`FormatEntry`]: what the module of a format tells the [registry](crate::registry).

use std::borrow::Cow;

use tengen_engine::{GameSpec, GridNotation};
use thiserror::Error;

use crate::encoding::TextEncoding;
use crate::fault::Fault;
use crate::options::ReadOptions;
use crate::tree::{Collection, Format, Record};

/// A format of records.
pub(crate) struct FormatEntry {
    pub(crate) format: Format,
    /// Its name in a sentence, such as `a list of moves`.
    pub(crate) title: &'static str,
    /// Its files in a sentence, such as `lists of moves`.
    pub(crate) files: &'static str,
    /// What is written, as the help of options says it.
    pub(crate) summary: &'static str,
    /// The extensions of its files in lower case, the usual one first.
    pub(crate) extensions: &'static [&'static str],
    /// How its files begin, for the message about an unknown file; empty if it is not to be named.
    pub(crate) beginning: &'static str,
    /// Whether points are read as they are written, until [`Record::settle`] knows the board.
    pub(crate) keeps_points: bool,
    pub(crate) recognize: Recognize,
    pub(crate) read: fn(&[u8], &ReadOptions) -> Result<Collection, Fault>,
    /// Returns the indices in a text where games begin, to cut a large file there; `None` if its games
    /// belong together.
    pub(crate) game_starts: Option<fn(&str) -> Vec<usize>>,
    /// How it is written; `None` if it is only read.
    pub(crate) write: Option<Write>,
    /// Returns whether a file holds a property of a game, besides moves.
    pub(crate) holds: fn(&Record, &str) -> bool,
    pub(crate) holds_variations: bool,
    pub(crate) holds_several_games: bool,
    /// Whether readers of a file have to know its encoding.
    pub(crate) hides_encoding: bool,
}

impl FormatEntry {
    /// Creates a format that is only read, and whose files have no extension of their own.
    pub(crate) const fn read_only(
        format: Format,
        title: &'static str,
        recognize: Recognize,
        read: fn(&[u8], &ReadOptions) -> Result<Collection, Fault>,
    ) -> Self {
        Self {
            format,
            title,
            files: title,
            summary: title,
            extensions: &[],
            beginning: "",
            keeps_points: false,
            recognize,
            read,
            game_starts: None,
            write: None,
            holds: |_, _| false,
            holds_variations: false,
            holds_several_games: true,
            hides_encoding: false,
        }
    }
}

/// How files of a format are recognized.
#[derive(Clone, Copy)]
pub(crate) enum Recognize {
    /// A binary format. Such formats are asked first.
    Bytes(fn(&[u8], &ReadOptions) -> bool),
    Text(fn(&Sample<'_>) -> Recognized),
}

/// A text of unknown format.
pub(crate) struct Sample<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) options: &'a ReadOptions,
}

impl Sample<'_> {
    /// Returns the text without blanks before it.
    pub(crate) fn begin(&self) -> &str {
        self.text.trim_start()
    }
}

/// How surely a text is in a format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Recognized {
    No,
    /// The text may be in this format.
    Perhaps,
    /// Something in the text is of this format.
    Likely,
    /// The name of the file says so.
    Named,
    /// The beginning of the file says so.
    Surely,
}

impl Recognized {
    /// Returns this value if `is` holds, else `other`.
    pub(crate) fn when(self, is: bool, other: Self) -> Self {
        if is { self } else { other }
    }
}

/// How games are written in a format.
#[derive(Clone, Copy)]
pub(crate) enum Write {
    /// The whole collection at once, also with games of unknown variants.
    Whole(fn(&Collection) -> Vec<u8>),
    /// Game by game, each with some of its properties.
    Text(fn(&Record, &Played<'_>) -> Result<String, Fault>),
    /// Game by game, in this encoding.
    Bytes(fn(&Record, &Played<'_>, TextEncoding) -> Result<Vec<u8>, Fault>),
}

/// The game that a record belongs to.
pub(crate) struct Played<'a> {
    pub(crate) spec: &'a GameSpec,
    pub(crate) notation: GridNotation,
}

/// Why a collection is not written.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The format is only read.
    #[error("{0} is read, and not written")]
    OnlyRead(&'static str),
    /// The format holds one game.
    #[error("there are {games} games, and {title} holds one")]
    SeveralGames {
        /// The name of the format in a sentence.
        title: &'static str,
        /// The number of games.
        games: usize,
    },
    /// The game has no board of points.
    #[error("a game without a board of points has no record")]
    NoBoard,
    /// The format does not name its encoding, so somebody has to choose it.
    #[error("{0} does not name the encoding of its texts")]
    NoEncoding(&'static str),
    /// The encoding lacks a character.
    #[error("{0} lacks a character of the text")]
    Character(TextEncoding),
    /// A game cannot be written.
    #[error(transparent)]
    Record(#[from] Fault),
}

/// Returns the indices of the lines that begin a game. `begins` gets the last line before that is not
/// blank, and the line.
pub(crate) fn line_starts(text: &str, begins: impl Fn(&str, &str) -> bool) -> Vec<usize> {
    let (mut starts, mut at, mut before) = (Vec::new(), 0, "");
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            if begins(before, line.trim_start()) {
                starts.push(at);
            }
            before = line;
        }
        at += line.len();
    }
    starts
}
