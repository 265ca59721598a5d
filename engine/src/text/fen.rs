//! Positions as text in the form of a chess FEN: rows, stones in hand, side to move.
//!
//! The reader accepts any stones and either side to move. The game checks whether a position is
//! won.

use std::fmt::Write;
use std::iter::{Enumerate, Peekable};
use std::str::Chars;

use crate::game::side::Side;
use crate::text::NotationError;
use crate::text::coords::{Cell, Grid, Point};

/// The stones on a board and the side to move.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Placement {
    /// The stone on each cell, by [`Cell::index`]; `None` for an empty cell.
    pub stones: Vec<Option<Side>>,
    /// The side to move.
    pub turn: Side,
}

impl Placement {
    /// Creates an empty board of the size `grid` with the first player to move.
    pub fn empty(grid: Grid) -> Self {
        Self { stones: vec![None; grid.cells()], turn: Side::First }
    }

    /// Returns the stone on the point `at`; `None` if there is none. `grid` must be the grid of the
    /// placement.
    pub fn stone(&self, grid: Grid, at: Point) -> Option<Side> {
        grid.cell_at(at).and_then(|cell| self.stones[cell.index()])
    }

    /// Returns the number of stones.
    pub fn count(&self) -> usize {
        self.stones.iter().flatten().count()
    }
}

/// Reads `text` as a position on `grid`: `rows[pocket] side - - 0 1`. The text after the side is
/// optional. If `falls` is true, each stone needs a stone below it.
pub fn read(grid: Grid, falls: bool, text: &str) -> Result<Placement, NotationError> {
    let (placement, rest) = read_beginning(grid, falls, text)?;
    if rest.words.is_empty() {
        return Ok(placement);
    }
    Err(NotationError::position(text, rest.at, rest.reason))
}

/// The words after a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rest<'a> {
    /// The words; empty if there are none.
    pub words: &'a str,
    /// The number of their first character, from 1.
    pub at: usize,
    /// Why the first word does not belong to the position, in a few lower-case words.
    pub reason: &'static str,
}

/// Reads the position at the beginning of `text`, as [`read`] does. Returns it, and the words after
/// it: they begin after the fields `- - 0 1`, or with the first other word.
pub fn read_beginning(
    grid: Grid,
    falls: bool,
    text: &str,
) -> Result<(Placement, Rest<'_>), NotationError> {
    let mut reader = Reader::new(grid, text);
    reader.skip_blanks();
    let stones = reader.rows(falls)?;
    reader.pocket()?;
    let turn = reader.side()?;
    Ok((Placement { stones, turn }, reader.rest()))
}

/// Writes a position on `grid`. `pocket` adds the stones in hand: each side begins with a stone for
/// half of the cells, the first player with one more if the number of cells is odd.
pub fn write(grid: Grid, stone: impl Fn(Cell) -> Option<Side>, turn: Side, pocket: bool) -> String {
    let mut out = String::new();
    for row in (0..grid.height()).rev() {
        write_row(&mut out, (0..grid.width()).map(|column| stone(grid.cell(column, row))));
        if row > 0 {
            out.push('/');
        }
    }
    let placed = [Side::First, Side::Second]
        .map(|side| grid.all().filter(|&cell| stone(cell) == Some(side)).count());
    if pocket {
        let cells = grid.cells();
        let first = cells.div_ceil(2).saturating_sub(placed[0]);
        let second = (cells / 2).saturating_sub(placed[1]);
        let _ = write!(out, "[{}{}]", "P".repeat(first), "p".repeat(second));
    }
    let side = match turn {
        Side::First => 'w',
        Side::Second => 'b',
    };
    let _ = write!(out, " {side} - - 0 {}", 1 + (placed[0] + placed[1]) / 2);
    out
}

fn write_row(out: &mut String, stones: impl Iterator<Item = Option<Side>>) {
    let mut empties = 0;
    let flush = |out: &mut String, empties: &mut u32| {
        if *empties > 0 {
            let _ = write!(out, "{empties}");
        }
        *empties = 0;
    };
    for stone in stones {
        let Some(side) = stone else {
            empties += 1;
            continue;
        };
        flush(out, &mut empties);
        out.push(letter(side));
    }
    flush(out, &mut empties);
}

const fn letter(side: Side) -> char {
    match side {
        Side::First => 'P',
        Side::Second => 'p',
    }
}

const fn owner(letter: char) -> Option<Side> {
    match letter {
        'P' => Some(Side::First),
        'p' => Some(Side::Second),
        _ => None,
    }
}

/// A reader of the characters of a text, which counts them from 1 for error messages.
struct Reader<'a> {
    grid: Grid,
    text: &'a str,
    chars: Peekable<Enumerate<Chars<'a>>>,
    length: usize,
}

impl<'a> Reader<'a> {
    fn new(grid: Grid, text: &'a str) -> Self {
        Self {
            grid,
            text,
            chars: text.chars().enumerate().peekable(),
            length: text.chars().count(),
        }
    }

    fn fail<T>(&self, at: usize, reason: impl Into<String>) -> Result<T, NotationError> {
        Err(NotationError::position(self.text, at, reason))
    }

    /// Returns the number of the next character, and the character; `None` at the end of the text.
    fn peek(&mut self) -> (usize, Option<char>) {
        match self.chars.peek() {
            Some(&(index, char)) => (index + 1, Some(char)),
            None => (self.length + 1, None),
        }
    }

    fn skip_blanks(&mut self) {
        while self.chars.next_if(|(_, char)| char.is_whitespace()).is_some() {}
    }

    fn word(&mut self) -> (usize, String) {
        self.skip_blanks();
        let (at, _) = self.peek();
        let mut word = String::new();
        while let Some((_, char)) = self.chars.next_if(|(_, char)| !char.is_whitespace()) {
            word.push(char);
        }
        (at, word)
    }

    fn rows(&mut self, falls: bool) -> Result<Vec<Option<Side>>, NotationError> {
        let grid = self.grid;
        let mut stones = vec![None; grid.cells()];
        // For each column, the number of the character of the stone in the row above.
        let mut hanging = vec![None; grid.width() as usize];
        for row in (0..grid.height()).rev() {
            let read = self.row(row)?;
            for (column, (stone, above)) in read.into_iter().zip(&mut hanging).enumerate() {
                if let (None, Some(at)) = (stone, *above)
                    && falls
                {
                    return self.fail(at, "the stone floats");
                }
                *above = stone.map(|(_, at)| at);
                stones[grid.cell(column as u32, row).index()] = stone.map(|(side, _)| side);
            }
            self.end_of_row(row)?;
        }
        Ok(stones)
    }

    /// Reads the cells of one row, each stone with the number of its character.
    fn row(&mut self, row: u32) -> Result<Vec<Option<(Side, usize)>>, NotationError> {
        let width = self.grid.width() as usize;
        let mut cells = Vec::with_capacity(width);
        loop {
            let (at, char) = self.peek();
            match char {
                Some(letter) if owner(letter).is_some() => {
                    self.chars.next();
                    cells.push(owner(letter).map(|side| (side, at)));
                }
                Some(digit) if digit.is_ascii_digit() => {
                    let empties = self.number();
                    if empties == 0 {
                        return self.fail(at, "a run of 0 empty cells");
                    }
                    cells.resize(cells.len() + empties.min(width + 1), None);
                }
                Some('/' | '[') | None => return self.check_row(row, cells, at),
                Some(blank) if blank.is_whitespace() => return self.check_row(row, cells, at),
                Some(other) => return self.fail(at, format!("unknown character {other:?}")),
            }
            if cells.len() > width {
                return self.fail(at, format!("row {} has more than {width} cells", row + 1));
            }
        }
    }

    fn check_row<T>(&self, row: u32, cells: Vec<T>, at: usize) -> Result<Vec<T>, NotationError> {
        let width = self.grid.width() as usize;
        if cells.len() == width {
            return Ok(cells);
        }
        let reason = format!("row {} has {} of {width} cells", row + 1, cells.len());
        self.fail(at, reason)
    }

    fn end_of_row(&mut self, row: u32) -> Result<(), NotationError> {
        let height = self.grid.height();
        let (at, char) = self.peek();
        match (row, char) {
            (0, Some('/')) => self.fail(at, format!("more than {height} rows")),
            (0, _) => Ok(()),
            (_, Some('/')) => {
                self.chars.next();
                Ok(())
            }
            _ => self.fail(at, format!("{} of {height} rows", height - row)),
        }
    }

    /// Reads digits. A number that is too large saturates.
    fn number(&mut self) -> usize {
        let mut value: usize = 0;
        while let Some((_, char)) = self.chars.next_if(|(_, char)| char.is_ascii_digit()) {
            let digit = char.to_digit(10).unwrap_or(0) as usize;
            value = value.saturating_mul(10).saturating_add(digit);
        }
        value
    }

    /// Skips the stones in hand. Their number follows from the board.
    fn pocket(&mut self) -> Result<(), NotationError> {
        if self.chars.next_if(|&(_, char)| char == '[').is_none() {
            return Ok(());
        }
        loop {
            let (at, char) = self.peek();
            match char {
                Some(']') => break,
                Some('P' | 'p' | '-') => {}
                Some(other) if !other.is_whitespace() => {
                    return self
                        .fail(at, format!("unknown character {other:?} among stones in hand"));
                }
                _ => return self.fail(at, "the stones in hand do not end with ]"),
            }
            self.chars.next();
        }
        self.chars.next();
        Ok(())
    }

    fn side(&mut self) -> Result<Side, NotationError> {
        let (at, char) = self.peek();
        if let Some(char) = char
            && !char.is_whitespace()
        {
            return self.fail(at, format!("unknown character {char:?}"));
        }
        let (at, word) = self.word();
        match word.as_str() {
            "w" => Ok(Side::First),
            "b" => Ok(Side::Second),
            "" => self.fail(at, "the side to move (w or b) is missing"),
            _ => self.fail(at, "the side to move is neither w nor b"),
        }
    }

    /// Skips the fields that chess tools write after the side: `- - 0 1` or a part of it. Returns
    /// the words after them.
    fn rest(&mut self) -> Rest<'a> {
        let mut reason = "text after the position";
        let mut place = self.word();
        for _ in 0..4 {
            if place.1 != "-" && !place.1.bytes().all(|byte| byte.is_ascii_digit()) {
                reason = "neither - nor a number";
                break;
            }
            place = self.word();
        }
        let at = place.0;
        let start = self.text.char_indices().nth(at - 1).map_or("", |(from, _)| &self.text[from..]);
        Rest { words: start.trim_end(), at, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FALLS: bool = true;

    fn grid(width: u32, height: u32) -> Grid {
        Grid::new(width, height).unwrap()
    }

    fn round_trip(grid: Grid, text: &str, pocket: bool) -> String {
        let placement = read(grid, false, text).unwrap();
        write(grid, |cell| placement.stones[cell.index()], placement.turn, pocket)
    }

    #[test]
    fn positions_of_other_tools_are_written_as_they_were_read() {
        let pocket = format!("[{}{}]", "P".repeat(19), "p".repeat(20));
        let full = format!("7/7/7/7/3p3/3PP2{pocket} b - - 0 2");
        let plain = "7/7/7/7/3p3/3PP2 b - - 0 2";
        let board = grid(7, 6);
        for text in [full.as_str(), plain] {
            assert_eq!(round_trip(board, text, true), full);
            assert_eq!(round_trip(board, text, false), plain);
        }
        let start = "3/3/3[PPPPPpppp] w - - 0 1";
        assert_eq!(round_trip(grid(3, 3), start, true), start);
    }

    #[test]
    fn wide_boards_and_short_forms_are_read() {
        let wide = grid(12, 2);
        assert_eq!(round_trip(wide, "12/10Pp w", false), "12/10Pp w - - 0 2");
        assert_eq!(round_trip(wide, "  12/10Pp[]   b\t- -\n", false), "12/10Pp b - - 0 2");
    }

    #[test]
    fn a_side_with_too_many_stones_has_none_in_hand() {
        assert_eq!(round_trip(grid(2, 2), "PP/PP w", true), "PP/PP[pp] w - - 0 3");
    }

    #[test]
    fn errors_quote_the_text_and_name_the_character() {
        let message = |text: &str| read(grid(3, 3), FALLS, text).unwrap_err().to_string();
        let cases = [
            ("", "row 3 has 0 of 3 cells at character 1"),
            ("3/3", "2 of 3 rows at character 4"),
            ("3/3/3/3 w", "more than 3 rows at character 6"),
            ("3/4/3 w", "row 2 has more than 3 cells at character 3"),
            ("3/2/3 w", "row 2 has 2 of 3 cells at character 4"),
            ("3/12/3 w", "row 2 has more than 3 cells at character 3"),
            ("3/99999999999999999999999/3 w", "row 2 has more than 3 cells at character 3"),
            ("3/0/3 w", "a run of 0 empty cells at character 3"),
            ("3/1x1/3 w", "unknown character 'x' at character 4"),
            ("3/PP1/pP1x w", "unknown character 'x' at character 10"),
            ("3/P2/1P1 w", "the stone floats at character 3"),
            ("3/3/3[Pq] w", "unknown character 'q' among stones in hand at character 8"),
            ("3/3/3[Pp w", "the stones in hand do not end with ] at character 9"),
            ("3/3/3[Pp]x w", "unknown character 'x' at character 10"),
            ("3/3/3", "the side to move (w or b) is missing at character 6"),
            ("3/3/3 x", "the side to move is neither w nor b at character 7"),
            ("3/3/3 w KQ", "neither - nor a number at character 9"),
            ("3/3/3 w - - 0 1 7", "text after the position at character 17"),
        ];
        for (text, expected) in cases {
            assert_eq!(message(text), format!("position \"{text}\": {expected}"));
        }
    }

    #[test]
    fn the_words_after_a_position_begin_where_its_fields_end() {
        let rest = |text: &'static str| {
            let (_, rest) = read_beginning(grid(3, 3), false, text).unwrap();
            (rest.at, rest.words)
        };
        assert_eq!(rest("3/3/3 w"), (8, ""));
        assert_eq!(rest("3/3/3 w - - 0 1 "), (17, ""));
        assert_eq!(rest("3/3/3 w 2:1 x"), (9, "2:1 x"));
        assert_eq!(rest("3/3/3 b - - 0 1  4 7 "), (18, "4 7"));
    }

    #[test]
    fn a_stone_may_float_if_stones_do_not_fall() {
        assert!(read(grid(3, 3), false, "P2/3/3 w").is_ok());
    }
}
