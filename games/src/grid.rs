//! Boards of squares: coordinates, points and moves as text, and the drawing of a board.
//!
//! Files run `a..` from the left, ranks `1..` from the bottom. Knows nothing of lines, turns or
//! whose move it is; the text of whole positions lives in [`fen`].

pub mod fen;

use std::fmt::Write;

use tengen_engine::{NotationError, Side, Style};

/// A board of `width` by `height` cells, both from 1 to [`Grid::MAX_SIDE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    width: u8,
    height: u8,
}

/// A cell of a grid: its index, row by row from the bottom, each row from the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(u16);

/// A column and a row, both from 0, that lie on the board they were read for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// From the left.
    pub column: u32,
    /// From the bottom.
    pub row: u32,
}

impl Cell {
    /// The index of the cell, below [`Grid::cells`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Grid {
    /// The longest side: one letter of the alphabet for each file.
    pub const MAX_SIDE: u32 = 26;

    /// The grid of this size; `None` when a side is not from 1 to [`Grid::MAX_SIDE`].
    pub const fn new(width: u32, height: u32) -> Option<Self> {
        if width == 0 || height == 0 || width > Self::MAX_SIDE || height > Self::MAX_SIDE {
            return None;
        }
        Some(Self { width: width as u8, height: height as u8 })
    }

    /// How many columns there are.
    pub const fn width(self) -> u32 {
        self.width as u32
    }

    /// How many rows there are.
    pub const fn height(self) -> u32 {
        self.height as u32
    }

    /// How many cells there are.
    pub const fn cells(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// The cell in this column and row, both from 0 and on the board.
    pub const fn cell(self, column: u32, row: u32) -> Cell {
        debug_assert!(column < self.width() && row < self.height());
        Cell((row * self.width() + column) as u16)
    }

    /// The cell with this index; `None` past the end.
    pub const fn at(self, index: usize) -> Option<Cell> {
        if index < self.cells() { Some(Cell(index as u16)) } else { None }
    }

    /// The column of a cell, from 0.
    pub const fn column(self, cell: Cell) -> u32 {
        cell.0 as u32 % self.width()
    }

    /// The row of a cell, from 0.
    pub const fn row(self, cell: Cell) -> u32 {
        cell.0 as u32 / self.width()
    }

    /// Every cell in the order of its index.
    pub fn all(self) -> impl Iterator<Item = Cell> {
        (0..self.cells() as u16).map(Cell)
    }

    /// The cell `steps` further on in the direction (`across`, `up`), if it is on the board.
    pub fn step(self, from: Cell, (across, up): (i32, i32), steps: i32) -> Option<Cell> {
        let column = self.column(from).checked_add_signed(across * steps)?;
        let row = self.row(from).checked_add_signed(up * steps)?;
        (column < self.width() && row < self.height()).then(|| self.cell(column, row))
    }

    /// The cell above, if there is one.
    pub fn above(self, cell: Cell) -> Option<Cell> {
        self.at(cell.index() + self.width as usize)
    }

    /// The cell below, if there is one.
    pub fn below(self, cell: Cell) -> Option<Cell> {
        cell.0.checked_sub(u16::from(self.width)).map(Cell)
    }

    /// The name of a column: `a` is the leftmost.
    pub fn file_name(self, column: u32) -> char {
        char::from(b'a' + column as u8)
    }

    /// The name of a point, such as `h8`.
    pub fn point_name(self, column: u32, row: u32) -> String {
        format!("{}{}", self.file_name(column), row + 1)
    }

    /// Writes the move to a point. Only where stones fall does the column say it all.
    pub fn write_move(self, point: Point, falls: bool, style: Style) -> String {
        let name = self.point_name(point.column, point.row);
        match style {
            Style::Column if falls => (point.column + 1).to_string(),
            Style::Plain | Style::Column => name,
            Style::Drop => format!("P@{name}"),
        }
    }

    /// Reads a move of a board on which a stone is put on any empty point: `h8`, `P@h8` or `p@h8`.
    pub fn read_placement(
        self,
        text: &str,
        is_taken: impl Fn(Point) -> bool,
    ) -> Result<Point, NotationError> {
        let point = self.read_point(text)?;
        if is_taken(point) {
            let name = self.point_name(point.column, point.row);
            return Err(NotationError::mv(text, format!("{name} is taken")));
        }
        Ok(point)
    }

    /// Reads a move of a board on which stones fall: `d1`, `P@d1`, `p@d1`, `d` or `4`, all of the
    /// fourth column.
    /// `landing` gives the row on which a stone comes to rest, or `None` when the column is full.
    pub fn read_drop(
        self,
        text: &str,
        landing: impl Fn(u32) -> Option<u32>,
    ) -> Result<Point, NotationError> {
        let (column, named_row) = match self.read_column(text)? {
            Some(column) => (column, None),
            None => {
                let point = self.read_point(text)?;
                (point.column, Some(point.row))
            }
        };
        let Some(row) = landing(column) else {
            let file = self.file_name(column);
            return Err(NotationError::mv(text, format!("column {file} is full")));
        };
        if named_row.is_some_and(|named| named != row) {
            let name = self.point_name(column, row);
            return Err(NotationError::mv(text, format!("a stone in this column falls to {name}")));
        }
        Ok(Point { column, row })
    }

    /// Reads a column by its number or its letter alone; `None` when the text has another form.
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
        if column < self.width() {
            return Ok(Some(column));
        }
        let last = self.width() - 1;
        let reason =
            format!("column out of range (a to {} or 1 to {})", self.file_name(last), self.width);
        Err(NotationError::mv(text, reason))
    }

    /// Reads a point, with or without a drop's `P@`.
    fn read_point(self, text: &str) -> Result<Point, NotationError> {
        let name = text.strip_prefix("P@").or_else(|| text.strip_prefix("p@")).unwrap_or(text);
        let Some((column, row)) = split_point(name) else {
            return Err(NotationError::mv(text, "not a point (a letter and a number, as in h8)"));
        };
        if column < self.width() && (1..=self.height()).contains(&row) {
            return Ok(Point { column, row: row - 1 });
        }
        let corner = self.point_name(self.width() - 1, self.height() - 1);
        Err(NotationError::mv(text, format!("outside the board (a1 to {corner})")))
    }

    /// Draws the board: `X` is the first player, `O` the second. Lines end without a line break.
    pub fn draw(self, stone: impl Fn(Cell) -> Option<Side>) -> String {
        let mut out = String::new();
        for row in (0..self.height()).rev() {
            let _ = write!(out, "{:>2}", row + 1);
            for column in 0..self.width() {
                let symbol = match stone(self.cell(column, row)) {
                    Some(Side::First) => 'X',
                    Some(Side::Second) => 'O',
                    None => '.',
                };
                let _ = write!(out, " {symbol}");
            }
            out.push('\n');
        }
        out.push_str("  ");
        for column in 0..self.width() {
            let _ = write!(out, " {}", self.file_name(column));
        }
        out
    }

    /// The rules of a line game on this board in a few words.
    pub fn rules(self, connect: u32, falls: bool, overline: bool) -> String {
        let exactly = if overline { "" } else { "exactly " };
        let fall = if falls { ", stones fall" } else { "" };
        format!("{}x{} board, {exactly}{connect} in a row{fall}", self.width, self.height)
    }
}

/// Splits `h8` into column 7 and rank 8; `None` when it has another form.
fn split_point(name: &str) -> Option<(u32, u32)> {
    let (&letter, digits) = name.as_bytes().split_first()?;
    let is_number =
        !digits.is_empty() && digits[0] != b'0' && digits.iter().all(u8::is_ascii_digit);
    if !letter.is_ascii_alphabetic() || !is_number {
        return None;
    }
    // A rank too long for a number is off every board all the same.
    let rank = name[1..].parse().unwrap_or(u32::MAX);
    Some((u32::from(letter.to_ascii_lowercase() - b'a'), rank))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(width: u32, height: u32) -> Grid {
        Grid::new(width, height).unwrap()
    }

    #[test]
    fn a_grid_has_one_to_twenty_six_files_and_ranks() {
        for (width, height) in [(0, 5), (5, 0), (27, 1), (1, 27)] {
            assert_eq!(Grid::new(width, height), None);
        }
        assert_eq!(grid(26, 26).cells(), 676);
    }

    #[test]
    fn cells_know_their_neighbours() {
        let grid = grid(7, 6);
        let corner = grid.cell(6, 5);
        assert_eq!(grid.above(corner), None);
        assert_eq!(grid.below(corner), Some(grid.cell(6, 4)));
        assert_eq!(grid.step(corner, (-1, -1), 5), Some(grid.cell(1, 0)));
        assert_eq!(grid.step(corner, (-1, -1), 6), None);
        assert_eq!(grid.step(corner, (1, 0), 1), None);
    }

    #[test]
    fn a_drop_is_read_in_every_style() {
        let grid = grid(12, 6);
        let landing = |column| Some(column % 2);
        for text in ["d2", "D2", "P@d2", "p@d2", "p@D2", "d", "D", "4"] {
            assert_eq!(grid.read_drop(text, landing), Ok(Point { column: 3, row: 1 }), "{text}");
        }
        assert_eq!(grid.read_drop("11", landing), Ok(Point { column: 10, row: 0 }));
    }

    #[test]
    fn a_bad_drop_is_quoted_with_its_reason() {
        let grid = grid(7, 6);
        let message = |text: &str| {
            let landing = |column| (column != 0).then_some(0);
            grid.read_drop(text, landing).unwrap_err().to_string()
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
        let grid = grid(15, 15);
        let taken = |point: Point| point.column == 7 && point.row == 7;
        let read = |text: &str| grid.read_placement(text, taken);
        assert_eq!(read("P@o15"), Ok(Point { column: 14, row: 14 }));
        assert_eq!(read("h8").unwrap_err().to_string(), "move \"h8\": h8 is taken");
        assert!(read("8").is_err() && read("h").is_err() && read("p15").is_err());
    }

    #[test]
    fn moves_are_written_in_three_styles() {
        let grid = grid(7, 6);
        let point = Point { column: 3, row: 0 };
        let write = |falls| {
            [Style::Plain, Style::Drop, Style::Column].map(|s| grid.write_move(point, falls, s))
        };
        assert_eq!(write(true), ["d1", "P@d1", "4"]);
        assert_eq!(write(false), ["d1", "P@d1", "d1"]);
    }

    #[test]
    fn the_drawing_has_a_line_for_each_rank_and_one_for_the_files() {
        let grid = grid(3, 2);
        let drawing = grid.draw(|cell| match cell.index() {
            0 => Some(Side::First),
            4 => Some(Side::Second),
            _ => None,
        });
        assert_eq!(drawing, " 2 . O .\n 1 X . .\n   a b c");
    }
}
