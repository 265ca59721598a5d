//! Reads the moves of one line of a list of positions, as solvers write them. The game decides whether
//! they can be played.

use std::borrow::Cow;

use tengen_engine::text::quotable;
use tengen_engine::{Grid, Point, Position};

/// The words that stand for the starting position.
const START: [&str; 2] = ["-", "startpos"];

/// The position of one line of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedPosition<'a> {
    /// The moves in one word.
    pub text: Cow<'a, str>,
    /// The words of the moves.
    pub moves: Vec<&'a str>,
    /// What the user has to know: how words were read that may be moves or values.
    pub note: Option<String>,
}

impl<'a> ListedPosition<'a> {
    /// Returns whether a line has no position: it is blank or a comment.
    #[must_use]
    pub fn is_skipped(line: &[u8]) -> bool {
        matches!(line.trim_ascii_start(), [] | [b'#', ..])
    }

    /// Reads a line that is not skipped, as moves from `position` on: its first word, or the whole line
    /// if the other words are moves, too. In lists of solvers, a score and other values follow the
    /// moves.
    ///
    /// # Errors
    ///
    /// The error says what is wrong.
    pub fn read(line: &'a str, position: &dyn Position) -> Result<Self, String> {
        let line = line.find(" #").map_or(line, |end| &line[..end]).trim();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let first = words.first().copied().unwrap_or_default();
        let first = if first == "1:" { first } else { first.trim_end_matches(':') };
        let is_in_words = first == "position" || words.get(1) == Some(&"moves");
        if START.contains(&first) && !is_in_words {
            return Ok(Self { text: first.into(), moves: Vec::new(), note: None });
        }
        let reading =
            if is_in_words || is_number(first) { Reading::Line } else { reading(&words, position) };
        let text = if reading == Reading::Word { first } else { line };
        let moves = position.split_moves(text);
        if moves.is_empty() && !is_in_words {
            let line = quotable(line);
            return Err(format!("\"{line}\" has no move: \"-\" is the position without moves"));
        }
        let text = if reading == Reading::Word { first.into() } else { joined(&moves) };
        let note = (reading == Reading::Guessed)
            .then(|| format!("\"{}\" is read as the moves {}", quotable(line), quotable(&text)));
        Ok(Self { text, moves, note })
    }
}

/// How much of a line is moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The first word. What follows are values.
    Word,
    Line,
    /// The whole line, although it may have values.
    Guessed,
}

/// Returns how much of a line of words is moves.
fn reading(words: &[&str], position: &dyn Position) -> Reading {
    let Some(grid) = position.spec().grid.map(|notation| notation.grid()) else {
        return Reading::Word;
    };
    let are_moves = |word: &&str| position.split_moves(word).iter().all(|mv| is_move(mv, grid));
    let [first, rest @ ..] = words else { return Reading::Word };
    let [second, others @ ..] = rest else { return Reading::Word };
    if !words.iter().all(are_moves) {
        return Reading::Word;
    }
    if rest.iter().all(|word| word.contains(|c: char| c.is_ascii_alphabetic())) {
        return Reading::Line;
    }
    // A score is at most half the number of the points.
    let is_score = second.parse().is_ok_and(|score: usize| score <= grid.cells() / 2);
    let are_alike = !others.is_empty() && rest.iter().all(|word| word.len() == first.len());
    if is_score && !are_alike { Reading::Word } else { Reading::Guessed }
}

/// Returns whether a text has the form of a column or of a point on the grid.
fn is_move(text: &str, grid: Grid) -> bool {
    let column = match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => {
            Some(u32::from(letter.to_ascii_lowercase() - b'a') + 1)
        }
        _ => text.parse().ok(),
    };
    column.is_some_and(|column| (1..=grid.width()).contains(&column))
        || text.parse().is_ok_and(|point: Point| grid.cell_at(point).is_some())
}

/// Returns whether a word begins with the number of a move, such as `1.`.
fn is_number(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    // Some lists have a colon between the moves and their score: `4455: 18`.
    word == "1:" || (rest.len() < word.len() && rest.starts_with(['.', ')']))
}

/// Returns moves in one word, which can be read again.
fn joined<'a>(moves: &[&str]) -> Cow<'a, str> {
    if moves.is_empty() {
        return START[1].into();
    }
    let is_long_number = |mv: &&str| mv.len() > 1 && mv.bytes().all(|byte| byte.is_ascii_digit());
    moves.join(if moves.iter().any(is_long_number) { "," } else { "" }).into()
}

#[cfg(test)]
mod tests {
    use tengen_engine::Chosen;
    use tengen_engine::backend::Catalog;
    use tengen_games::CATALOG;

    use super::*;

    fn read(line: &str) -> Result<(String, bool), String> {
        let spec = CATALOG.describe("cfour", &Chosen::new()).unwrap();
        let read = ListedPosition::read(line, &*CATALOG.position(&spec))?;
        Ok((read.text.into_owned(), read.note.is_some()))
    }

    #[test]
    fn the_first_word_is_read_in_every_spelling() {
        for (line, text) in [
            ("44152 -3 and more", "44152"),
            (" d1d2a10\r\n", "d1d2a10"),
            ("dDa", "dDa"),
            ("4d2,e", "4d2,e"),
            ("- 1", "-"),
            ("startpos 1", "startpos"),
            // Scores, nodes and times follow.
            ("4455 18 0 371", "4455"),
            ("4 3", "4"),
            ("4 -3 12 4", "4"),
            ("4 a remark", "4"),
            ("44 # 4 4", "44"),
            ("44 12", "44"),
            ("4455: 18", "4455"),
            ("4455 ? 1 2", "4455"),
        ] {
            assert_eq!(read(line), Ok((text.to_owned(), false)), "{line}");
        }
    }

    #[test]
    fn moves_with_blanks_between_them_are_read() {
        for (line, text, is_noted) in [
            ("4 4 5 5", "4455", true),
            ("44 55", "4455", true),
            ("44 15 62", "441562", true),
            ("444 444 1", "4444441", true),
            ("d1d2 e1e2", "d1d2e1e2", false),
            ("dd ee", "ddee", false),
            ("d1 d2 e1 # won", "d1d2e1", false),
            ("1. 4 4 2. 5", "445", false),
            ("1) 44", "44", false),
            ("1: 4 4", "44", false),
            ("startpos moves d1 d2", "d1d2", false),
            ("position startpos moves 4 4", "44", false),
            ("position startpos", "startpos", false),
        ] {
            assert_eq!(read(line), Ok((text.to_owned(), is_noted)), "{line}");
        }
        for line in [", ;", "1.", "[]"] {
            assert!(read(line).unwrap_err().contains("has no move"), "{line}");
        }
    }

    #[test]
    fn blank_lines_and_remarks_hold_no_position() {
        for line in ["", "\n", " \t\r\n", "# 44", "  #"] {
            assert!(ListedPosition::is_skipped(line.as_bytes()), "{line:?}");
        }
        assert!(!ListedPosition::is_skipped(b"-\n") && !ListedPosition::is_skipped(b"4 # won"));
    }
}
