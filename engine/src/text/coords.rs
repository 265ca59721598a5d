//! Grids: cells, points and their names.
//!
//! Columns are `a`, `b`, ... from the left, rows `1`, `2`, ... from the bottom. This module has no
//! stones and no rules.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// The size of a board: `width` by `height` cells, both from 1 to [`Grid::MAX_SIDE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    width: u8,
    height: u8,
}

/// A cell of a grid, by its index: row by row from the bottom, each row from the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(u16);

/// A point of a grid: a column and a row, both from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point {
    /// The column, from the left.
    pub column: u32,
    /// The row, from the bottom.
    pub row: u32,
}

impl Cell {
    /// Returns the index of the cell, below [`Grid::cells`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Grid {
    /// The maximum of width and height, because each column is a letter of the alphabet.
    pub const MAX_SIDE: u32 = 26;

    /// Creates a grid; `None` if a side is not from 1 to [`Grid::MAX_SIDE`].
    pub const fn new(width: u32, height: u32) -> Option<Self> {
        if width == 0 || height == 0 || width > Self::MAX_SIDE || height > Self::MAX_SIDE {
            return None;
        }
        Some(Self { width: width as u8, height: height as u8 })
    }

    /// Returns the number of columns.
    pub const fn width(self) -> u32 {
        self.width as u32
    }

    /// Returns the number of rows.
    pub const fn height(self) -> u32 {
        self.height as u32
    }

    /// Returns the number of cells.
    pub const fn cells(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Returns the cell in this column and row, both from 0. It must be on the board.
    pub const fn cell(self, column: u32, row: u32) -> Cell {
        debug_assert!(column < self.width() && row < self.height());
        Cell((row * self.width() + column) as u16)
    }

    /// Returns the cell with this index; `None` if there is none.
    pub const fn at(self, index: usize) -> Option<Cell> {
        if index < self.cells() { Some(Cell(index as u16)) } else { None }
    }

    /// Returns the column of a cell, from 0.
    pub const fn column(self, cell: Cell) -> u32 {
        cell.0 as u32 % self.width()
    }

    /// Returns the row of a cell, from 0.
    pub const fn row(self, cell: Cell) -> u32 {
        cell.0 as u32 / self.width()
    }

    /// Returns the cell of a point; `None` when the point is not on the board.
    pub const fn cell_at(self, point: Point) -> Option<Cell> {
        if point.column < self.width() && point.row < self.height() {
            return Some(self.cell(point.column, point.row));
        }
        None
    }

    /// Returns the point of a cell.
    pub const fn point(self, cell: Cell) -> Point {
        Point { column: self.column(cell), row: self.row(cell) }
    }

    /// Returns the point in this column and row, with the row counted from the top from 0; `None`
    /// if it is not on the board.
    pub const fn point_from_top(self, column: u32, row: u32) -> Option<Point> {
        if column < self.width() && row < self.height() {
            return Some(Point { column, row: self.height() - 1 - row });
        }
        None
    }

    /// Returns the column of a point, and its row counted from the top from 0.
    pub const fn from_top(self, point: Point) -> (u32, u32) {
        (point.column, self.height() - 1 - point.row)
    }

    /// Returns the distance of two cells in steps of a chess king.
    pub const fn distance(self, one: Cell, other: Cell) -> u32 {
        let columns = self.column(one).abs_diff(self.column(other));
        let rows = self.row(one).abs_diff(self.row(other));
        if columns > rows { columns } else { rows }
    }

    /// Returns all cells in the order of their indices.
    pub fn all(self) -> impl Iterator<Item = Cell> {
        (0..self.cells() as u16).map(Cell)
    }

    /// Returns the cell at `steps` times the direction (`across`, `up`) from the cell `from`;
    /// `None` if it is not on the board.
    pub fn step(self, from: Cell, (across, up): (i32, i32), steps: i32) -> Option<Cell> {
        let column = self.column(from).checked_add_signed(across * steps)?;
        let row = self.row(from).checked_add_signed(up * steps)?;
        (column < self.width() && row < self.height()).then(|| self.cell(column, row))
    }

    /// Returns the cell above; `None` at the top.
    pub fn above(self, cell: Cell) -> Option<Cell> {
        self.at(cell.index() + self.width as usize)
    }

    /// Returns the cell below; `None` at the bottom.
    pub fn below(self, cell: Cell) -> Option<Cell> {
        cell.0.checked_sub(u16::from(self.width)).map(Cell)
    }
}

impl Point {
    /// Returns the letter of the column: `a` is the leftmost. The column must be below
    /// [`Grid::MAX_SIDE`].
    pub fn file(self) -> char {
        char::from(b'a' + self.column as u8)
    }
}

impl fmt::Display for Point {
    /// Writes the name of the point, such as `h8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file(), self.row + 1)
    }
}

impl FromStr for Point {
    type Err = NoPoint;

    /// Reads a letter in upper or lower case, and a number from 1 without leading zeros. A number
    /// that is too large saturates.
    fn from_str(name: &str) -> Result<Self, NoPoint> {
        let (&letter, digits) = name.as_bytes().split_first().ok_or(NoPoint)?;
        let is_number =
            !digits.is_empty() && digits[0] != b'0' && digits.iter().all(u8::is_ascii_digit);
        if !letter.is_ascii_alphabetic() || !is_number {
            return Err(NoPoint);
        }
        let rank: u32 = name[1..].parse().unwrap_or(u32::MAX);
        Ok(Self { column: u32::from(letter.to_ascii_lowercase() - b'a'), row: rank - 1 })
    }
}

/// The error of text that is not the name of a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoPoint;

impl fmt::Display for NoPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a point (a letter and a number, as in h8)")
    }
}

impl Error for NoPoint {}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(width: u32, height: u32) -> Grid {
        Grid::new(width, height).unwrap()
    }

    #[test]
    fn the_distance_of_two_cells_is_the_larger_of_columns_and_rows() {
        let grid = Grid::new(9, 7).unwrap();
        let distance = |one: (u32, u32), other: (u32, u32)| {
            grid.distance(grid.cell(one.0, one.1), grid.cell(other.0, other.1))
        };
        assert_eq!(distance((3, 3), (3, 3)), 0);
        assert_eq!(distance((3, 3), (4, 2)), 1);
        assert_eq!(distance((0, 6), (8, 5)), 8);
        assert_eq!(distance((8, 0), (7, 6)), 6);
    }

    #[test]
    fn a_grid_has_one_to_twenty_six_files_and_ranks() {
        for (width, height) in [(0, 5), (5, 0), (27, 1), (1, 27)] {
            assert_eq!(Grid::new(width, height), None);
        }
        assert_eq!(grid(26, 26).cells(), 676);
    }

    #[test]
    fn neighbours_of_a_cell_are_on_the_board() {
        let grid = grid(7, 6);
        let corner = grid.cell(6, 5);
        assert_eq!(grid.above(corner), None);
        assert_eq!(grid.below(corner), Some(grid.cell(6, 4)));
        assert_eq!(grid.step(corner, (-1, -1), 5), Some(grid.cell(1, 0)));
        assert_eq!(grid.step(corner, (-1, -1), 6), None);
        assert_eq!(grid.step(corner, (1, 0), 1), None);
    }

    #[test]
    fn every_point_is_read_back_from_its_name_and_from_its_row_below_the_top() {
        let grid = grid(26, 22);
        for cell in grid.all() {
            let point = grid.point(cell);
            assert_eq!(point.to_string().parse(), Ok(point));
            assert_eq!(point.to_string().to_uppercase().parse(), Ok(point));
            let (column, row) = grid.from_top(point);
            assert_eq!(grid.point_from_top(column, row), Some(point));
            assert_eq!(grid.cell_at(point), Some(cell));
        }
        assert_eq!(Point { column: 7, row: 0 }.to_string(), "h1");
        assert_eq!(grid.point_from_top(7, 0), Some(Point { column: 7, row: 21 }));
        assert_eq!(grid.point_from_top(26, 0), None);
        assert_eq!(grid.cell_at(Point { column: 0, row: 22 }), None);
    }

    #[test]
    fn other_text_names_no_point() {
        for name in ["", "h", "8", "h0", "h08", "h-1", "hh", "h8 ", "(none)", "é1", "@h8"] {
            assert_eq!(name.parse::<Point>(), Err(NoPoint), "{name}");
        }
        assert_eq!("a99999999999".parse(), Ok(Point { column: 0, row: u32::MAX - 1 }));
    }
}
