//! Text for moves and positions. Every game brings its own; the search never looks.

use std::error::Error;
use std::fmt;

use crate::rules::Game;

/// How moves are written. Reading accepts every style at any time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// `h8`.
    #[default]
    Plain,
    /// `P@h8`, as drop moves are written in UCI.
    Drop,
    /// `4`, where the column says it all; plain elsewhere.
    Column,
}

/// Text that names no move or no position. The message quotes it and says where it went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotationError {
    /// Not a legal move here.
    Move {
        /// What was read.
        text: String,
        /// Why it is no move, in a few lower-case words.
        reason: String,
    },
    /// Not a position of this game.
    Position {
        /// What was read.
        text: String,
        /// The character where reading ended, from 1.
        at: usize,
        /// Why, in a few lower-case words.
        reason: String,
    },
    /// This game has no such notion (flipping a tree, say).
    Unsupported {
        /// What was asked.
        what: &'static str,
    },
}

impl NotationError {
    /// `text` is no move here, for this reason.
    pub fn mv(text: &str, reason: impl Into<String>) -> Self {
        Self::Move { text: quotable(text), reason: reason.into() }
    }

    /// `text` is no position, for this reason, found at character `at` (from 1).
    pub fn position(text: &str, at: usize, reason: impl Into<String>) -> Self {
        Self::Position { text: quotable(text), at, reason: reason.into() }
    }
}

/// Input as an error message can carry it: on one line, not too long, and what cannot be seen
/// escaped, as in `\u{feff}`.
pub fn quotable(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut out = String::new();
    for c in text.chars().take(LONGEST) {
        match c {
            '"' | '\'' | '\\' => out.push(c),
            _ => out.extend(c.escape_debug()),
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        out.push_str("...");
    }
    out
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move { text, reason } => write!(f, "move \"{text}\": {reason}"),
            Self::Position { text, at, reason } => {
                write!(f, "position \"{text}\": {reason} at character {at}")
            }
            Self::Unsupported { what } => write!(f, "this game knows no {what}"),
        }
    }
}

impl Error for NotationError {}

/// Text to moves and positions of a game, and back.
///
/// `self` always supplies the rules (board size, row length); only [`Notation::read_position`]
/// ignores its stones.
pub trait Notation: Game {
    /// Reads a move of this position in any style: a legal one, or one that [`Game::moves`] leaves
    /// out because whoever plays it has lost by the rules.
    fn read_move(&self, text: &str) -> Result<Self::Move, NotationError>;

    /// Writes a legal move of this position.
    fn write_move(&self, mv: Self::Move, style: Style) -> String;

    /// The position that every game under these rules starts from.
    fn start(&self) -> Self;

    /// Reads a position under the same rules from the whole of `text`.
    fn read_position(&self, text: &str) -> Result<Self, NotationError>;

    /// Writes the position, with the stones in hand (`pocket`) or without.
    fn write_position(&self, pocket: bool) -> String;

    /// Where the position at the start of `text` ends and a list of moves may begin: the byte
    /// offset of the blank-separated word
    /// `keyword`, else the end.
    fn position_end(&self, text: &str, keyword: &str) -> usize {
        word_offset(text, keyword).unwrap_or(text.len())
    }

    /// The same position with the players exchanged, the side to move included.
    fn flipped(&self) -> Result<Self, NotationError> {
        Err(NotationError::Unsupported { what: "flip" })
    }

    /// A drawing of the board with coordinates, several lines, none of them blank.
    fn draw(&self) -> String;

    /// What belongs beside an evaluation: lines about the position for people.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// The rules in force in a few words, such as `7x6 board, 4 in a row, stones fall`.
    fn rules(&self) -> String;
}

/// The byte offset of the first blank-separated word of `text` that equals `word`.
fn word_offset(text: &str, word: &str) -> Option<usize> {
    text.split_ascii_whitespace()
        .find(|candidate| *candidate == word)
        .map(|found| found.as_ptr() as usize - text.as_ptr() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_quoted_so_that_it_can() {
        assert_eq!(quotable("44152"), "44152");
        assert_eq!(quotable(r#"a"b'c\ü名"#), r#"a"b'c\ü名"#);
        let hidden = "\u{feff}4\t\0\x1b[2J\u{200b}\u{202e}\u{a0}";
        let shown = r"\u{feff}4\t\0\u{1b}[2J\u{200b}\u{202e}\u{a0}";
        assert_eq!(quotable(hidden), shown);
        assert_eq!(quotable(shown), shown);
        assert_eq!(quotable(&"4".repeat(81)), format!("{}...", "4".repeat(80)));
    }
}
