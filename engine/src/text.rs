//! Text of moves and positions: styles, quoting and errors.
//!
//! It uses no game and no board.

pub(crate) mod coords;
pub mod fen;
pub mod grid_game;
pub(crate) mod grid_notation;
pub(crate) mod notation;
pub(crate) mod symmetry;
pub(crate) mod typed_move;

use std::error::Error;
use std::fmt;

/// The style in which moves are written. Reading accepts every style.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// `h8`.
    #[default]
    Plain,
    /// `P@h8`, as drop moves are written in UCI.
    Drop,
    /// `4`, if the column is enough for a move; else the plain style.
    Column,
}

/// The error of text that is not a valid move or position. The message quotes the text and gives
/// the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NotationError {
    /// The text is not a legal move here.
    Move {
        /// The text.
        text: String,
        /// The reason, in a few lower-case words.
        reason: String,
    },
    /// The text is not a position of this game.
    Position {
        /// The text.
        text: String,
        /// The number of the wrong character, from 1.
        at: usize,
        /// The reason, in a few lower-case words.
        reason: String,
    },
    /// The game does not support this operation.
    Unsupported {
        /// The operation.
        what: &'static str,
    },
}

impl NotationError {
    /// Creates the error of a `text` that is not a legal move.
    pub fn mv(text: &str, reason: impl Into<String>) -> Self {
        Self::Move { text: quotable(text), reason: reason.into() }
    }

    /// Creates the error of a `text` that is not a position. The character with the number `at`,
    /// from 1, is wrong.
    ///
    /// ```
    /// use tengen_engine::NotationError;
    ///
    /// // What `Notation::read_position` of a game of heaps returns for a letter.
    /// fn read_heaps(text: &str) -> Result<Vec<u32>, NotationError> {
    ///     let heap = |(index, c): (usize, char)| {
    ///         let wrong = || NotationError::position(text, index + 1, "a digit is expected");
    ///         c.to_digit(10).ok_or_else(wrong)
    ///     };
    ///     text.chars().enumerate().map(heap).collect()
    /// }
    ///
    /// assert_eq!(read_heaps("345"), Ok(vec![3, 4, 5]));
    /// let error = read_heaps("3x5").unwrap_err();
    /// assert_eq!(error.to_string(), "position \"3x5\": a digit is expected at character 2");
    /// ```
    pub fn position(text: &str, at: usize, reason: impl Into<String>) -> Self {
        Self::Position { text: quotable(text), at, reason: reason.into() }
    }

    /// Returns the reason why a move is not legal, without its text; the whole message of another error.
    pub fn reason(self) -> String {
        match self {
            Self::Move { reason, .. } => reason,
            other => other.to_string(),
        }
    }
}

/// Makes input fit for an error message: on one line, at most 80 characters, with invisible
/// characters escaped, as in `\u{feff}`.
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

/// Makes text of others fit for a terminal: control characters, such as those of escape sequences, and
/// characters that change the direction of text become U+FFFD. Line breaks stay.
pub fn printable(text: &str) -> String {
    let tame = |c: char| match c {
        '\t' => ' ',
        _ if is_printable(c) => c,
        _ => '\u{fffd}',
    };
    text.chars().map(tame).collect()
}

/// Returns whether a character of others' text neither controls a terminal nor changes the direction
/// of text. Line breaks and tabs do not.
pub fn is_printable(c: char) -> bool {
    let turns = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    !turns && (matches!(c, '\n' | '\t') || !c.is_control())
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move { text, reason } => write!(f, "move \"{text}\": {reason}"),
            Self::Position { text, at, reason } => {
                write!(f, "position \"{text}\": {reason} at character {at}")
            }
            Self::Unsupported { what } => write!(f, "this game does not support {what}"),
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
    fn text_of_others_moves_no_cursor_and_turns_no_line() {
        let text = "\u{1b}]0;own\u{7}\u{202e}evil\ta\n五\u{301}\u{9b}2J";
        assert_eq!(printable(text), "\u{fffd}]0;own\u{fffd}\u{fffd}evil a\n五\u{301}\u{fffd}2J");
    }

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(quotable("44152"), "44152");
        assert_eq!(quotable(r#"a"b'c\ü名"#), r#"a"b'c\ü名"#);
        let hidden = "\u{feff}4\t\0\x1b[2J\u{200b}\u{202e}\u{a0}";
        let shown = r"\u{feff}4\t\0\u{1b}[2J\u{200b}\u{202e}\u{a0}";
        assert_eq!(quotable(hidden), shown);
        assert_eq!(quotable(shown), shown);
        assert_eq!(quotable(&"4".repeat(81)), format!("{}...", "4".repeat(80)));
    }
}
