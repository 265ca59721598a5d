//! [`BoardLayout`]: where the points of a board are on the screen. It knows no game and draws nothing.

use ratatui::layout::Rect;
use tengen_engine::{Grid, Point};

/// The columns of a row's name.
const LABEL: u16 = 2;
/// Sizes of a point in columns and rows, the largest first.
const CELLS: [(u16, u16); 3] = [(4, 2), (3, 1), (2, 1)];

/// Where the points of a board are on the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BoardLayout {
    /// The area of the board with its coordinates.
    pub(crate) area: Rect,
    /// The columns and rows of the screen that a point takes.
    pub(crate) cell: (u16, u16),
    /// The columns that are shown: the first one, and their number.
    pub(crate) columns: (u32, u32),
    /// The rows that are shown, from the bottom: the lowest one, and their number.
    pub(crate) rows: (u32, u32),
    pub(crate) has_top_labels: bool,
}

impl BoardLayout {
    /// Lays out a board in `area`, with cells as large as fit. If the smallest cells do not fit,
    /// the part around `around` is shown. `None` if no point fits.
    pub(crate) fn fit(grid: Grid, area: Rect, around: Point) -> Option<Self> {
        let smallest = CELLS[CELLS.len() - 1];
        let fits = |cell: &(u16, u16)| {
            width(grid.width(), *cell) <= area.width
                && height(grid.height(), *cell, 1) <= area.height
        };
        let cell = CELLS.into_iter().find(fits).unwrap_or(smallest);
        let has_top_labels = height(grid.height(), cell, 2) <= area.height;
        let labels = if has_top_labels { 2 } else { 1 };
        let across = area.width.checked_sub(LABEL + 1)? / cell.0;
        let down = area.height.checked_sub(labels)?.div_ceil(cell.1);
        let columns = window(grid.width(), u32::from(across), around.column);
        let rows = window(grid.height(), u32::from(down), around.row);
        if columns.1 == 0 || rows.1 == 0 {
            return None;
        }
        let area =
            Rect { width: width(columns.1, cell), height: height(rows.1, cell, labels), ..area };
        Some(Self { area, cell, columns, rows, has_top_labels })
    }

    /// Lays out a whole board with the smallest cells. `None` if it has no point.
    pub(crate) fn smallest(grid: Grid) -> Option<Self> {
        let cell = CELLS[CELLS.len() - 1];
        let (width, height) = (width(grid.width(), cell), height(grid.height(), cell, 1));
        Self::fit(grid, Rect::new(0, 0, width, height), Point { column: 0, row: 0 })
    }

    /// Returns the points that are shown.
    pub(crate) fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let (columns, rows) = (self.columns, self.rows);
        (rows.0..rows.0 + rows.1).flat_map(move |row| {
            (columns.0..columns.0 + columns.1).map(move |column| Point { column, row })
        })
    }

    /// Returns whether a part of the board is not shown.
    pub(crate) fn is_cut(&self, grid: Grid) -> bool {
        self.columns.1 < grid.width() || self.rows.1 < grid.height()
    }

    /// Returns the screen position of a point; `None` if the point is not shown.
    pub(crate) fn screen_position(&self, point: Point) -> Option<(u16, u16)> {
        let column = point.column.checked_sub(self.columns.0).filter(|it| *it < self.columns.1)?;
        let row = point.row.checked_sub(self.rows.0).filter(|it| *it < self.rows.1)?;
        let from_top = self.rows.1 - 1 - row;
        let x = self.area.x + LABEL + column as u16 * self.cell.0 + 1;
        let y = self.area.y + u16::from(self.has_top_labels) + from_top as u16 * self.cell.1;
        Some((x, y))
    }

    /// Returns the point at a screen position; `None` between points and outside the board.
    pub(crate) fn point_at(&self, x: u16, y: u16) -> Option<Point> {
        let x = x.checked_sub(self.area.x + LABEL)?;
        let y = y.checked_sub(self.area.y + u16::from(self.has_top_labels))?;
        let (column, row) = (u32::from(x / self.cell.0), u32::from(y / self.cell.1));
        let is_on_point = y % self.cell.1 == 0 && x % self.cell.0 < 3;
        if !is_on_point || column >= self.columns.1 || row >= self.rows.1 {
            return None;
        }
        Some(Point { column: self.columns.0 + column, row: self.rows.0 + self.rows.1 - 1 - row })
    }
}

fn width(columns: u32, cell: (u16, u16)) -> u16 {
    LABEL + columns as u16 * cell.0 + 1
}

fn height(rows: u32, cell: (u16, u16), labels: u16) -> u16 {
    (rows as u16 * cell.1 + labels).saturating_sub(cell.1 - 1)
}

/// Returns which of `all` rows or columns are shown if only `room` fit: the first one, and their
/// number. `around` is among them.
fn window(all: u32, room: u32, around: u32) -> (u32, u32) {
    let count = all.min(room);
    (around.saturating_sub(count / 2).min(all - count), count)
}
