//! [`GridNotation`]: moves, positions and drawings of every game on a grid.
//!
//! The caller tells which points are taken. Gravity is the only rule in this module.

use std::fmt::Write;

use crate::game::side::Side;
use crate::text::coords::{Grid, Point};
use crate::text::fen::{self, Placement};
use crate::text::typed_move::Move;
use crate::text::{NotationError, Style};

/// The text form of moves and positions on one grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridNotation {
    grid: Grid,
    falls: bool,
}

impl GridNotation {
    /// Creates the notation of a game on `grid`. If stones fall, a column is enough for a move.
    pub const fn new(grid: Grid, falls: bool) -> Self {
        Self { grid, falls }
    }

    /// Returns the grid.
    pub const fn grid(self) -> Grid {
        self.grid
    }

    /// Returns whether a stone falls to the lowest empty point of its column.
    pub const fn falls(self) -> bool {
        self.falls
    }

    /// Returns the [`Move`] to a point of the grid.
    pub const fn move_to(self, point: Point) -> Move {
        Move::from_code(point.row * self.grid.width() + point.column)
    }

    /// Returns the point of a move; `None` when it is not on the grid.
    pub const fn point_of(self, mv: Move) -> Option<Point> {
        match self.grid.at(mv.code() as usize) {
            Some(cell) => Some(self.grid.point(cell)),
            None => None,
        }
    }

    /// Writes the move to a point. [`Style::Column`] is the plain style if stones do not fall.
    pub fn write_move(self, point: Point, style: Style) -> String {
        match style {
            Style::Column if self.falls => (point.column + 1).to_string(),
            Style::Plain | Style::Column => point.to_string(),
            Style::Drop => format!("P@{point}"),
        }
    }

    /// Reads the point of a move: `h8`, `P@h8` or `p@h8`, or a column and a row from the top, such
    /// as `7,7`. If stones fall, a column is enough: `h` or `8`.
    pub fn read_move(
        self,
        text: &str,
        is_taken: impl Fn(Point) -> bool,
    ) -> Result<Point, NotationError> {
        if self.falls {
            return self.read_drop(text, is_taken);
        }
        let point = self.read_point(text)?;
        if is_taken(point) {
            return Err(NotationError::mv(text, format!("{point} is taken")));
        }
        Ok(point)
    }

    /// Cuts a list of moves into single moves: `h8 i9`, `h8i9`, `h8,i9`, `P@h8`, `7,7 8,6` (a
    /// column and a row from the top, both from 0). If stones fall, also `4455` or `ddee`. On
    /// boards with more than nine columns, a number is one column. Left out are numbers of moves
    /// (`1. h8 i9`), brackets (`(7,7)`, `["h8","i9"]`), dashes and bars between moves, marks (`h8!`),
    /// and the words `position startpos moves` before them. Text that is not a move is kept unchanged.
    pub fn split_moves(self, text: &str) -> Vec<&str> {
        let mut moves = Vec::new();
        let mut rest = after_start(unwrapped(text)).trim_start_matches(is_separator);
        while !rest.is_empty() {
            if let Some((mv, tail)) = bracketed(rest) {
                moves.push(mv);
                rest = after_move(tail);
                continue;
            }
            let number = number_length(rest);
            if number > 0 {
                rest = rest[number..].trim_start_matches(is_separator);
                continue;
            }
            let (mv, tail) = rest.split_at(self.move_length(rest));
            moves.push(mv);
            rest = after_move(tail);
        }
        moves
    }

    /// Returns the length in bytes of the move at the start of `text`.
    fn move_length(self, text: &str) -> usize {
        let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
        let prefix = if text.starts_with("P@") || text.starts_with("p@") { 2 } else { 0 };
        if prefix == 0 && self.begins_with_a_word(text) {
            return text.find(is_separator).unwrap_or(text.len());
        }
        let length = match text[prefix..].bytes().next() {
            Some(letter) if letter.is_ascii_alphabetic() => prefix + 1 + digits(prefix + 1),
            Some(digit) if digit.is_ascii_digit() && prefix == 0 => {
                if self.falls && self.grid.width() <= MAX_DIGIT_COLUMNS {
                    return 1;
                }
                let number = digits(0);
                let is_pair = !self.falls && text[number..].starts_with(',');
                let row = if is_pair { digits(number + 1) } else { 0 };
                if row > 0 { number + 1 + row } else { number }
            }
            _ => 0,
        };
        match without_marks(&text[length..]).chars().next() {
            Some(c) if length > 0 && (is_separator(c) || c.is_ascii_alphanumeric()) => length,
            Some('(' | '[' | '{') if length > 0 => length,
            Some(c)
                if length > 0 && is_dash(c) && after_move(&text[length..]) != &text[length..] =>
            {
                length
            }
            None if length > 0 => length,
            // This is not a move: take the text up to the next separator.
            _ => text.find(is_separator).unwrap_or(text.len()),
        }
    }

    /// Returns whether `text` begins with letters that are neither columns nor the letter of a
    /// point.
    fn begins_with_a_word(self, text: &str) -> bool {
        let is_column = |letter: u8| {
            self.falls && u32::from(letter.to_ascii_lowercase() - b'a') < self.grid.width()
        };
        let letters = text.bytes().take(MAX_LOOKAHEAD).take_while(u8::is_ascii_alphabetic);
        letters.clone().count() > 1 && !letters.clone().all(is_column)
    }

    fn read_drop(
        self,
        text: &str,
        is_taken: impl Fn(Point) -> bool,
    ) -> Result<Point, NotationError> {
        let (column, named_row) = match self.read_column(text)? {
            Some(column) => (column, None),
            None => {
                let point = self.read_point(text)?;
                (point.column, Some(point.row))
            }
        };
        let rows = 0..self.grid.height();
        let landing = rows.map(|row| Point { column, row }).find(|point| !is_taken(*point));
        let Some(point) = landing else {
            let file = Point { column, row: 0 }.file();
            return Err(NotationError::mv(text, format!("column {file} is full")));
        };
        if named_row.is_some_and(|named| named != point.row) {
            let reason = format!("a stone in this column falls to {point}");
            return Err(NotationError::mv(text, reason));
        }
        Ok(point)
    }

    /// Reads the number or the letter of a column; `None` if the text has another form.
    fn read_column(self, text: &str) -> Result<Option<u32>, NotationError> {
        let column = match text.as_bytes() {
            [letter] if letter.is_ascii_alphabetic() => {
                u32::from(letter.to_ascii_lowercase() - b'a')
            }
            [first, ..] if first.is_ascii_digit() => {
                let number: u32 = text
                    .parse()
                    .map_err(|_| NotationError::mv(text, "not the number of a column"))?;
                number.wrapping_sub(1)
            }
            _ => return Ok(None),
        };
        let width = self.grid.width();
        if column < width {
            return Ok(Some(column));
        }
        Err(NotationError::mv(text, format!("column out of range ({})", self.columns())))
    }

    /// Returns the range of columns for a message.
    fn columns(self) -> String {
        let width = self.grid.width();
        let last = Point { column: width - 1, row: 0 }.file();
        format!("a to {last} or 1 to {width}")
    }

    /// Returns whether `text` names a point that is not on the grid.
    pub fn is_outside(self, text: &str) -> bool {
        without_drop(text).parse().is_ok_and(|point: Point| self.grid.cell_at(point).is_none())
    }

    /// Reads a point, with or without the `P@` of a drop, or a column and a row from the top.
    fn read_point(self, text: &str) -> Result<Point, NotationError> {
        if let Some([column, row]) = numbers(text) {
            let last = format!("{},{}", self.grid.width() - 1, self.grid.height() - 1);
            let outside = || NotationError::mv(text, format!("outside the board (0,0 to {last})"));
            return self.grid.point_from_top(column, row).ok_or_else(outside);
        }
        let point: Point = without_drop(text).parse().map_err(|why| {
            let reason = match self.falls {
                true => format!("neither a column ({}) nor a point (as in d1)", self.columns()),
                false => format!("{why}"),
            };
            NotationError::mv(text, reason)
        })?;
        if self.grid.cell_at(point).is_some() {
            return Ok(point);
        }
        let corner = Point { column: self.grid.width() - 1, row: self.grid.height() - 1 };
        Err(NotationError::mv(text, format!("outside the board (a1 to {corner})")))
    }

    /// Reads a position; see [`fen::read`].
    pub fn read_position(self, text: &str) -> Result<Placement, NotationError> {
        fen::read(self.grid, self.falls, text)
    }

    /// Reads the position at the beginning of a text; see [`fen::read_beginning`].
    pub fn read_beginning(self, text: &str) -> Result<(Placement, fen::Rest<'_>), NotationError> {
        fen::read_beginning(self.grid, self.falls, text)
    }

    /// Writes a position; see [`fen::write`].
    pub fn write_position(
        self,
        stone: impl Fn(Point) -> Option<Side>,
        turn: Side,
        pocket: bool,
    ) -> String {
        fen::write(self.grid, |cell| stone(self.grid.point(cell)), turn, pocket)
    }

    /// Draws the board: `X` is the first player, `O` the second. The last line has no line break.
    pub fn draw(self, stone: impl Fn(Point) -> Option<Side>) -> String {
        let mut out = String::new();
        let columns = 0..self.grid.width();
        for row in (0..self.grid.height()).rev() {
            let _ = write!(out, "{:>2}", row + 1);
            for column in columns.clone() {
                let symbol = match stone(Point { column, row }) {
                    Some(Side::First) => 'X',
                    Some(Side::Second) => 'O',
                    None => '.',
                };
                let _ = write!(out, " {symbol}");
            }
            out.push('\n');
        }
        out.push_str("  ");
        for column in columns {
            let _ = write!(out, " {}", Point { column, row: 0 }.file());
        }
        out
    }

    /// Returns the rules in a few words: the size of the board and the length of the line to
    /// complete. `overline`: whether a longer line wins, too.
    pub fn line_rules(self, connect: u32, overline: bool) -> String {
        let (width, height) = (self.grid.width(), self.grid.height());
        let exactly = if overline { "" } else { "exactly " };
        let fall = if self.falls { ", stones fall" } else { "" };
        format!("{width}x{height} board, {exactly}{connect} in a row{fall}")
    }
}

/// On boards with at most this many columns, each digit is a column.
const MAX_DIGIT_COLUMNS: u32 = 9;

/// Returns a point without the `P@` of a drop.
fn without_drop(text: &str) -> &str {
    text.strip_prefix("P@").or_else(|| text.strip_prefix("p@")).unwrap_or(text)
}

/// How many bytes are searched for the end of a word, of brackets and of a move's number. Without a
/// limit, a long line would take a time that grows with the square of its length.
const MAX_LOOKAHEAD: usize = 64;

/// Returns whether `c` may be between two moves.
fn is_separator(c: char) -> bool {
    c.is_ascii_whitespace() || matches!(c, ',' | ';' | '|' | '_' | '"' | '\'')
}

/// Returns a list of moves without brackets around it as a whole.
fn unwrapped(text: &str) -> &str {
    let mut text = text.trim_matches(is_separator);
    // Brackets around the first move are no brackets around the list.
    while bracketed(text).is_none()
        && let Some(inside) = text.strip_prefix(['[', '(', '{'])
        && let Some(inside) = inside.strip_suffix([']', ')', '}'])
    {
        text = inside.trim_matches(is_separator);
    }
    text
}

/// Returns a list of moves without the words of UCI before it.
fn after_start(text: &str) -> &str {
    let after = |text: &'_ str, word: &str| -> Option<usize> {
        let rest = text.strip_prefix(word)?;
        rest.chars().next().is_none_or(is_separator).then(|| text.len() - rest.trim_start().len())
    };
    let begin = after(text, "position").unwrap_or(0);
    let Some(start) = after(&text[begin..], "startpos") else { return text };
    let rest = &text[begin + start..];
    &rest[after(rest, "moves").unwrap_or(0)..]
}

/// Returns the text after the marks that judge a move, such as `!?`.
fn without_marks(text: &str) -> &str {
    text.trim_start_matches(['!', '?'])
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2013}' | '\u{2014}' | '\u{2192}')
}

/// Returns the text after a move without separators, and without a dash before the next move.
fn after_move(text: &str) -> &str {
    let text = without_marks(text);
    let rest = text.trim_start_matches(is_separator);
    let next = rest.trim_start_matches(is_dash);
    // A dash before a number alone is a minus sign.
    if !text.starts_with(is_dash) && !next.starts_with(is_separator) {
        return rest;
    }
    let next = next.trim_start_matches(is_separator);
    let is_move = next.starts_with(|c: char| c.is_ascii_alphanumeric() || "([{".contains(c));
    if is_move { next } else { rest }
}

/// Returns the point or the pair of numbers in brackets at the start of `text`, and the text after
/// the brackets; `None` if it begins with something else.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix(['(', '[', '{'])?;
    let end = inside.char_indices().take(MAX_LOOKAHEAD).find(|(_, c)| matches!(c, ')' | ']' | '}'));
    let (close, _) = end?;
    let mv = inside[..close].trim();
    let is_point = || mv.parse::<Point>().is_ok();
    (numbers(mv).is_some() || is_point()).then(|| (mv, &inside[close + 1..]))
}

/// Returns the length of the number of a move at the start of `text`, such as `12.` or `12...`; 0
/// if there is none.
fn number_length(text: &str) -> usize {
    let digits = text.bytes().take(MAX_LOOKAHEAD).take_while(u8::is_ascii_digit).count();
    let dots = text[digits..].bytes().take_while(|byte| *byte == b'.').count();
    let sign = text[digits..].starts_with([':', ')']);
    match (digits, dots, sign) {
        (0, ..) | (_, 0, false) => 0,
        (digits, 0, true) => digits + 1,
        (digits, dots, _) => digits + dots,
    }
}

/// Reads two numbers with a comma between them; `None` for other text. A number that is too large
/// saturates.
fn numbers(text: &str) -> Option<[u32; 2]> {
    let (column, row) = text.split_once(',')?;
    let row = row.trim_start();
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().unwrap_or(u32::MAX))
    };
    Some([number(column)?, number(row)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notation(width: u32, height: u32, falls: bool) -> GridNotation {
        GridNotation::new(Grid::new(width, height).unwrap(), falls)
    }

    #[test]
    fn a_drop_is_read_in_every_style() {
        let notation = notation(12, 6, true);
        let taken = |point: Point| point.row < point.column % 2;
        for text in ["d2", "D2", "P@d2", "p@d2", "p@D2", "d", "D", "4"] {
            assert_eq!(notation.read_move(text, taken), Ok(Point { column: 3, row: 1 }), "{text}");
        }
        assert_eq!(notation.read_move("11", taken), Ok(Point { column: 10, row: 0 }));
    }

    #[test]
    fn a_bad_drop_is_quoted_with_its_reason() {
        let notation = notation(7, 6, true);
        let message = |text: &str| {
            notation.read_move(text, |point| point.column == 0).unwrap_err().to_string()
        };
        assert_eq!(message("a"), "move \"a\": column a is full");
        assert_eq!(message("d3"), "move \"d3\": a stone in this column falls to d1");
        assert_eq!(message("8"), "move \"8\": column out of range (a to g or 1 to 7)");
        assert_eq!(message("0"), "move \"0\": column out of range (a to g or 1 to 7)");
        assert_eq!(message("h"), "move \"h\": column out of range (a to g or 1 to 7)");
        assert_eq!(message("h1"), "move \"h1\": outside the board (a1 to g6)");
        for text in ["", "P@", "P@4", "@d1", "d1d2", "d01", "d0", "4x", "-1", "é1", "99999999999"]
        {
            assert!(!message(text).is_empty());
        }
    }

    #[test]
    fn a_placement_needs_an_empty_point() {
        let notation = notation(15, 15, false);
        let taken = |point: Point| point.column == 7 && point.row == 7;
        let read = |text: &str| notation.read_move(text, taken);
        assert_eq!(read("P@o15"), Ok(Point { column: 14, row: 14 }));
        assert_eq!(read("h8").unwrap_err().to_string(), "move \"h8\": h8 is taken");
        assert!(read("8").is_err() && read("h").is_err() && read("p15").is_err());
    }

    #[test]
    fn lists_of_moves_are_cut_however_they_are_written() {
        let free = notation(15, 15, false);
        for text in ["h8 i9 j10", "h8i9j10", "h8,i9,j10", " h8;i9 \t j10\n", "h8, i9 , j10"] {
            assert_eq!(free.split_moves(text), ["h8", "i9", "j10"], "{text}");
        }
        assert_eq!(free.split_moves("7,7 8,6 14,0"), ["7,7", "8,6", "14,0"]);
        assert_eq!(free.split_moves("P@h8p@i9 P@j10"), ["P@h8", "p@i9", "P@j10"]);
        let falling = notation(7, 6, true);
        for text in ["4455", "4 4 5 5", "4,4,5,5"] {
            assert_eq!(falling.split_moves(text), ["4", "4", "5", "5"], "{text}");
        }
        assert_eq!(falling.split_moves("ddee"), ["d", "d", "e", "e"]);
        assert_eq!(falling.split_moves("d1d2e1"), ["d1", "d2", "e1"]);
        assert_eq!(falling.split_moves("P@d14"), ["P@d14"]);
        assert_eq!(notation(12, 6, true).split_moves("11 12,a"), ["11", "12", "a"]);
        for text in [" , ;", "startpos", "position startpos", "startpos moves ", "[]"] {
            assert!(free.split_moves(text).is_empty(), "{text}");
        }
        assert_eq!(free.split_moves("moves h8 startpos"), ["moves", "h8", "startpos"]);
    }

    #[test]
    fn numbers_brackets_and_dashes_between_moves_are_left_out() {
        let free = notation(15, 15, false);
        for text in [
            "1. h8 i9 2. j10",
            "1.h8 i9 2.j10",
            "1.h8 1...i9 2.j10",
            "1) h8 2) i9 3) j10",
            "h8-i9-j10",
            "h8 - i9 \u{2013} j10",
            "h8\u{2192}i9\u{2192}j10",
            "(h8) (i9) (j10)",
            "[h8][i9][j10]",
            "h8_i9_j10",
            "h8|i9 | j10",
            "h8! i9?? j10!?",
            "h8!i9?j10",
            "[\"h8\",\"i9\",\"j10\"]",
            "['h8', 'i9', 'j10']",
            "[h8, i9, j10]",
            "{h8 i9 j10}",
            "startpos moves h8 i9 j10",
            "position startpos moves h8 i9 j10\n",
        ] {
            assert_eq!(free.split_moves(text), ["h8", "i9", "j10"], "{text}");
        }
        for text in [
            "(7,7) (8,6)",
            "(7, 7), (8, 6)",
            "[(7,7),(8,6)]",
            "[[7, 7], [8, 6]]",
            "((7,7),(8,6))",
            "{{7,7},{8,6}}",
            "1. (7,7) (8,6)",
        ] {
            let points: Vec<Point> = free
                .split_moves(text)
                .into_iter()
                .map(|mv| free.read_move(mv, |_| false).unwrap())
                .collect();
            assert_eq!(
                points,
                [Point { column: 7, row: 7 }, Point { column: 8, row: 8 }],
                "{text}"
            );
        }
        let falling = notation(7, 6, true);
        assert_eq!(falling.split_moves("1. 4 4 2. 5"), ["4", "4", "5"]);
        assert_eq!(falling.split_moves("4-4-5"), ["4", "4", "5"]);
    }

    #[test]
    fn text_that_is_no_move_is_kept_unchanged() {
        let free = notation(15, 15, false);
        assert_eq!(free.split_moves("h8 ?9 -1 é1,x"), ["h8", "?9", "-1", "é1", "x"]);
        assert_eq!(free.split_moves("h8 Q@d1 h8-? P@"), ["h8", "Q@d1", "h8-?", "P@"]);
        assert_eq!(free.split_moves("7 7,8,9"), ["7", "7,8", "9"]);
        let message = |text: &str| free.read_move(text, |_| false).unwrap_err().to_string();
        assert_eq!(message("15,0"), "move \"15,0\": outside the board (0,0 to 14,14)");
        assert_eq!(free.read_move("7,0", |_| false), Ok(Point { column: 7, row: 14 }));
        for text in ["7,", ",7", "7,x", "1,2,3", "-1,2", "99999999999,1"] {
            assert!(!message(text).is_empty());
        }
    }

    #[test]
    fn moves_are_written_in_three_styles() {
        let point = Point { column: 3, row: 0 };
        let write = |falls| {
            let notation = notation(7, 6, falls);
            [Style::Plain, Style::Drop, Style::Column]
                .map(|style| notation.write_move(point, style))
        };
        assert_eq!(write(true), ["d1", "P@d1", "4"]);
        assert_eq!(write(false), ["d1", "P@d1", "d1"]);
    }

    #[test]
    fn points_and_typed_moves_convert_to_each_other() {
        let notation = notation(5, 3, false);
        for cell in notation.grid().all() {
            let point = notation.grid().point(cell);
            assert_eq!(notation.point_of(notation.move_to(point)), Some(point));
        }
        assert_eq!(notation.point_of(Move::from_code(15)), None);
    }

    #[test]
    fn the_drawing_has_a_line_for_each_rank_and_one_for_the_files() {
        let drawing = notation(3, 2, false).draw(|point| match (point.column, point.row) {
            (0, 0) => Some(Side::First),
            (1, 1) => Some(Side::Second),
            _ => None,
        });
        assert_eq!(drawing, " 2 . O .\n 1 X . .\n   a b c");
    }
}
