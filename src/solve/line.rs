//! One line of input: which moves it names. Whether they can be played, the game knows.

/// Digits name columns up to this one.
const LAST_DIGIT: usize = 9;

/// The first word of a line and the moves in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line<'a> {
    /// As it was written.
    pub(super) text: &'a str,
    pub(super) moves: Vec<&'a str>,
}

/// The first line of a text without the mark that some editors put before it.
pub(super) fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line)
}

/// Whether there is no position in a line.
pub(super) fn is_skipped(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start(), [] | [b'#', ..])
}

impl<'a> Line<'a> {
    /// Reads a line that is not skipped, for a board of `columns` where stones fall. The error says
    /// why it cannot be read.
    pub(super) fn read(line: &'a str, columns: Option<usize>) -> Result<Self, String> {
        let text = line.split_ascii_whitespace().next().unwrap_or_default();
        if matches!(text, "-" | "startpos") {
            return Ok(Self { text, moves: Vec::new() });
        }
        let moves = split(text);
        let is_digit = |mv: &&str| mv.as_bytes()[0].is_ascii_digit();
        if columns.is_some_and(|columns| columns > LAST_DIGIT)
            && let Some(place) = moves.iter().position(is_digit)
        {
            let (number, mv) = (place + 1, moves[place]);
            let why = "columns of a board wider than nine are letters, as in ajb";
            return Err(format!("move {number} \"{mv}\": {why}"));
        }
        Ok(Self { text, moves })
    }
}

/// Cuts a word into moves: a letter with the digits that follow it, or any other character alone.
fn split(word: &str) -> Vec<&str> {
    let mut moves = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            'a'..='z' | 'A'..='Z' => 1 + rest[1..].bytes().take_while(u8::is_ascii_digit).count(),
            other => other.len_utf8(),
        };
        let (mv, left) = rest.split_at(length);
        moves.push(mv);
        rest = left;
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(line: &str) -> Vec<&str> {
        Line::read(line, Some(7)).unwrap().moves
    }

    #[test]
    fn digits_are_columns_and_letters_take_the_digits_after_them() {
        assert_eq!(moves("44152 -3 and more"), ["4", "4", "1", "5", "2"]);
        assert_eq!(moves(" d1d2a10\r\n"), ["d1", "d2", "a10"]);
        assert_eq!(moves("dDa"), ["d", "D", "a"]);
        assert_eq!(moves("4d2e"), ["4", "d2", "e"]);
        assert_eq!(moves("é@1"), ["é", "@", "1"]);
        assert!(moves("- 1").is_empty() && moves("startpos 1").is_empty());
    }

    #[test]
    fn digits_are_refused_where_they_name_too_few_columns() {
        let why = "move 2 \"4\": columns of a board wider than nine are letters, as in ajb";
        assert_eq!(Line::read("a4", Some(9)).map(|line| line.moves), Ok(vec!["a4"]));
        assert_eq!(Line::read("J4", Some(10)).map(|line| line.moves), Ok(vec!["J4"]));
        assert_eq!(Line::read("-4", Some(10)), Err(why.to_owned()));
        assert_eq!(Line::read("4", None).map(|line| line.moves), Ok(vec!["4"]));
    }

    #[test]
    fn blank_lines_and_remarks_hold_no_position() {
        for line in ["", "\n", " \t\r\n", "# 44", "  #"] {
            assert!(is_skipped(line.as_bytes()), "{line:?}");
        }
        assert!(!is_skipped(b"-\n") && !is_skipped(b"4 # won"));
    }
}
