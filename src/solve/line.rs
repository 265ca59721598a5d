//! Reads the moves of one line of input. The game decides whether they can be played.

use tengen_engine::Position;

/// The first word of a line and the moves in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ListedPosition<'a> {
    /// The moves as they were written.
    pub(super) text: &'a str,
    pub(super) moves: Vec<&'a str>,
    /// Whether the words after the first look like more moves.
    pub(super) has_unread_moves: bool,
}

/// Returns whether a line has no position: it is blank or a comment.
pub(super) fn is_skipped(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start(), [] | [b'#', ..])
}

impl<'a> ListedPosition<'a> {
    /// Reads a line that is not skipped, as moves from `position` on.
    pub(super) fn read(line: &'a str, position: &dyn Position) -> Self {
        let mut words = line.split_ascii_whitespace();
        let text = words.next().unwrap_or_default();
        let is_start = matches!(text, "-" | "startpos");
        let moves = if is_start { Vec::new() } else { position.split_moves(text) };
        let rest: Vec<&str> = words.take_while(|word| !word.starts_with('#')).collect();
        // In lists of solvers a score follows the moves, so that one more word may not be a move.
        let has_unread_moves = moves.len() == 1
            && rest.len() >= 2
            && rest.iter().all(|word| is_one_move(word, position));
        Self { text, moves, has_unread_moves }
    }
}

/// Returns whether a word looks like one move: `4`, `d`, `d10`.
fn is_one_move(word: &str, position: &dyn Position) -> bool {
    word.len() <= 3
        && word
            .starts_with(|first: char| first.is_ascii_alphabetic() || ('1'..='9').contains(&first))
        && position.split_moves(word).len() == 1
}

#[cfg(test)]
mod tests {
    use tengen_engine::Chosen;
    use tengen_engine::backend::Catalog;
    use tengen_games::CATALOG;

    use super::*;

    fn moves(line: &str) -> Vec<&str> {
        let spec = CATALOG.describe("cfour", &Chosen::new()).unwrap();
        ListedPosition::read(line, &*CATALOG.position(&spec)).moves
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
    fn moves_with_blanks_between_them_are_noticed() {
        let spec = CATALOG.describe("cfour", &Chosen::new()).unwrap();
        let has_unread_moves =
            |line| ListedPosition::read(line, &*CATALOG.position(&spec)).has_unread_moves;
        assert!(has_unread_moves("4 4 5 5") && has_unread_moves("d1 d2 e1 # won"));
        for line in ["4455 18 0 371", "4 3", "4 -3 12 4", "4 a remark", "- 4 4 5", "44 # 4 4"] {
            assert!(!has_unread_moves(line), "{line}");
        }
    }

    #[test]
    fn blank_lines_and_remarks_hold_no_position() {
        for line in ["", "\n", " \t\r\n", "# 44", "  #"] {
            assert!(is_skipped(line.as_bytes()), "{line:?}");
        }
        assert!(!is_skipped(b"-\n") && !is_skipped(b"4 # won"));
    }
}
