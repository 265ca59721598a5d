//! One line of input: the moves it names. The game decides whether they can be played.

use tengen_engine::Position;

/// The first word of a line and the moves in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line<'a> {
    /// The moves as they were written.
    pub(super) text: &'a str,
    pub(super) moves: Vec<&'a str>,
}

/// Returns the first line of a text without the mark that some editors put before it.
pub(super) fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line)
}

/// Returns whether there is no position in a line.
pub(super) fn is_skipped(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start(), [] | [b'#', ..])
}

impl<'a> Line<'a> {
    /// Reads a line that is not skipped, as moves from `position` on.
    pub(super) fn read(line: &'a str, position: &dyn Position) -> Self {
        let text = line.split_ascii_whitespace().next().unwrap_or_default();
        let is_start = matches!(text, "-" | "startpos");
        let moves = if is_start { Vec::new() } else { position.split_moves(text) };
        Self { text, moves }
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::Chosen;
    use tengen_engine::backend::Catalog;
    use tengen_games::CATALOG;

    use super::*;

    fn moves(line: &str) -> Vec<&str> {
        let spec = CATALOG.describe("cfour", &Chosen::new()).unwrap();
        Line::read(line, &*CATALOG.position(&spec)).moves
    }

    #[test]
    fn the_first_word_is_read_in_every_spelling() {
        assert_eq!(moves("44152 -3 and more"), ["4", "4", "1", "5", "2"]);
        assert_eq!(moves(" d1d2a10\r\n"), ["d1", "d2", "a10"]);
        assert_eq!(moves("dDa"), ["d", "D", "a"]);
        assert_eq!(moves("4d2,e"), ["4", "d2", "e"]);
        assert!(moves("- 1").is_empty() && moves("startpos 1").is_empty());
    }

    #[test]
    fn blank_lines_and_remarks_hold_no_position() {
        for line in ["", "\n", " \t\r\n", "# 44", "  #"] {
            assert!(is_skipped(line.as_bytes()), "{line:?}");
        }
        assert!(!is_skipped(b"-\n") && !is_skipped(b"4 # won"));
    }
}
