//! Places in a file.

use std::fmt;

/// A place in a file, for error messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Place {
    /// A character of a text; line and character count from 1.
    Text {
        /// The line.
        line: usize,
        /// The character in its line.
        character: usize,
    },
    /// A byte of a binary file, from 0.
    Byte(usize),
}

impl Place {
    /// Returns the place of the character at byte `at` of `text`.
    pub fn in_text(text: &str, at: usize) -> Self {
        Self::START.after(&text[..at])
    }

    /// The first character of a text.
    pub(crate) const START: Self = Self::Text { line: 1, character: 1 };

    /// Returns the place at the end of `text`, which begins at this place.
    pub(crate) fn after(self, text: &str) -> Self {
        let Self::Text { mut line, mut character } = self else { return self };
        let mut last = '\0';
        for c in text.chars() {
            // A line may end with CR, LF, or CR and LF.
            if c == '\r' || (c == '\n' && last != '\r') {
                (line, character) = (line + 1, 1);
            } else if c != '\n' {
                character += 1;
            }
            last = c;
        }
        Self::Text { line, character }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { line, character } => write!(f, "line {line}, character {character}"),
            Self::Byte(at) => write!(f, "byte {at}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_cr_lf_or_both() {
        let text = "ab\ncd\r\nef\rgh";
        for (at, place) in [(0, (1, 1)), (1, (1, 2)), (3, (2, 1)), (8, (3, 2)), (11, (4, 2))] {
            let (line, character) = place;
            assert_eq!(Place::in_text(text, at), Place::Text { line, character });
        }
        assert_eq!(Place::in_text("\u{e4}(", 2).to_string(), "line 1, character 2");
        assert_eq!(Place::Byte(20).to_string(), "byte 20");
    }
}
