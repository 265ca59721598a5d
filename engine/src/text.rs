//! Text of moves and positions: its style, quoting and errors.
//!
//! It knows no game and no board.

use std::error::Error;
use std::fmt;

/// How moves are written. Reading accepts every style at any time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// `h8`.
    #[default]
    Plain,
    /// `P@h8`, as drop moves are written in UCI.
    Drop,
    /// `4`, where the column is enough; plain elsewhere.
    Column,
}

/// The error of text that names no move or no position. The message quotes the text and says where
/// it went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
    /// The game does not have this operation, such as flipping a tree.
    Unsupported {
        /// The operation.
        what: &'static str,
    },
}

impl NotationError {
    /// Creates the error of a `text` that is no move here, for this reason.
    pub fn mv(text: &str, reason: impl Into<String>) -> Self {
        Self::Move { text: quotable(text), reason: reason.into() }
    }

    /// Creates the error of a `text` that is no position, for this reason, found at character `at`
    /// (from 1).
    pub fn position(text: &str, at: usize, reason: impl Into<String>) -> Self {
        Self::Position { text: quotable(text), at, reason: reason.into() }
    }
}

/// Quotes input for an error message: on one line, not too long, with invisible characters escaped,
/// as in `\u{feff}`.
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

/// Returns the byte offset of the first blank-separated word of `text` that equals `word`.
pub(crate) fn word_offset(text: &str, word: &str) -> Option<usize> {
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
