//! Draws the board: points, stones, marks and coordinates, in cells as large as fit. A board that
//! does not fit is shown around the cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use tengen_engine::opening::PendingKind;
use tengen_engine::{Grid, Point};

use crate::app::{App, Ghost};
use crate::look::Look;
use crate::search_summary::BestLine;
use crate::view::style::{MoveLoss, Theme};

/// The columns of a row's name.
const LABEL: u16 = 2;
/// Sizes of a point in columns and rows, the largest first.
const CELLS: [(u16, u16); 3] = [(4, 2), (3, 1), (2, 1)];

/// Where the points of a board are on the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BoardLayout {
    /// The area of the board with its coordinates.
    pub(crate) area: Rect,
    cell: (u16, u16),
    /// The columns that are shown: the first one, and their number.
    columns: (u32, u32),
    /// The rows that are shown, from the bottom: the lowest one, and their number.
    rows: (u32, u32),
    has_top_labels: bool,
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

/// A view of the board of an app.
pub(crate) struct BoardView<'a> {
    app: &'a App,
    look: Look,
    theme: Theme,
    layout: BoardLayout,
    grid: Grid,
    falls: bool,
    cursor: Option<Point>,
    /// Whether values and hints are drawn.
    shows_lines: bool,
}

impl<'a> BoardView<'a> {
    /// Creates the view of the board of `app` in `layout`; `None` if its game has no grid.
    pub(crate) fn new(
        app: &'a App,
        look: Look,
        layout: BoardLayout,
        cursor: Option<Point>,
    ) -> Option<Self> {
        let notation = app.game().spec().grid?;
        let theme = Theme::new(look, notation.falls());
        let (grid, falls) = (notation.grid(), notation.falls());
        Some(Self { app, look, theme, layout, grid, falls, cursor, shows_lines: true })
    }

    /// Draws the board.
    pub(crate) fn draw(&self, buffer: &mut Buffer) {
        self.draw_labels(buffer);
        self.draw_empty(buffer);
        let game = self.app.game();
        for point in self.points() {
            if let Some(side) = game.position().stone(point) {
                self.put(buffer, point, self.look.stone(side), self.theme.stone(side));
            }
        }
        self.draw_allowed(buffer);
        let cross = if self.look.is_ascii { "#" } else { "×" };
        for (point, _) in game.forbidden() {
            self.put(buffer, point, cross, self.theme.forbidden());
        }
        if self.shows_lines {
            self.draw_lines(buffer);
        }
        for point in game.winning_line() {
            self.style(buffer, point, self.theme.winning());
        }
        if let Some(last) = game.last_point() {
            // Without a cursor, the brackets are those that other commands print.
            let signs = if self.cursor.is_some() { ("(", ")") } else { ("[", "]") };
            self.bracket(buffer, last, signs, self.theme.last());
        }
        if let Some(cursor) = self.cursor {
            self.bracket(buffer, cursor, ("[", "]"), self.theme.cursor());
        }
    }

    /// Marks the points that the opening allows, if it does not allow every empty point.
    fn draw_allowed(&self, buffer: &mut Buffer) {
        let game = self.app.game();
        let Some(pending) = game.pending() else { return };
        let (mark, points) = match &pending.kind {
            PendingKind::Place { allowed, .. } => ("+", allowed.clone()),
            PendingKind::Offer { offered, .. } => ("*", offered.clone()),
            PendingKind::Keep { among } => ("*", among.clone()),
            PendingKind::MaySwap { .. } | PendingKind::Declare { .. } => return,
        };
        let is_mark = |point: &Point| self.layout.screen_position(*point).is_some();
        let empty = self.grid.cells() - game.tree().ply();
        if points.len() < empty {
            for point in points.into_iter().filter(is_mark) {
                self.put(buffer, point, mark, self.theme.title());
            }
        }
    }

    /// Draws the values of moves, and the stones of a hint.
    fn draw_lines(&self, buffer: &mut Buffer) {
        let (values, ghosts) = (self.app.values(), self.app.ghosts());
        for (rank, (point, line)) in values.iter().enumerate() {
            if ghosts.iter().all(|ghost| ghost.point != *point) {
                self.draw_value(buffer, *point, rank, line, values[0].1);
            }
        }
        for ghost in &ghosts {
            self.draw_ghost(buffer, ghost, ghosts.len() > 1);
        }
    }

    fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let (columns, rows) = (self.layout.columns, self.layout.rows);
        (rows.0..rows.0 + rows.1).flat_map(move |row| {
            (columns.0..columns.0 + columns.1).map(move |column| Point { column, row })
        })
    }

    fn draw_labels(&self, buffer: &mut Buffer) {
        let theme = self.theme;
        let style = |is_marked| match is_marked {
            true => theme.marked_coordinate(),
            false => theme.coordinate(),
        };
        let bottom = self.layout.area.bottom().saturating_sub(1);
        for point in self.points() {
            let Some((x, y)) = self.layout.screen_position(point) else { continue };
            if point.column == self.layout.columns.0 {
                let is_marked = self.cursor.is_some_and(|cursor| cursor.row == point.row);
                buffer.set_string(
                    self.layout.area.x,
                    y,
                    format!("{:>2}", point.row + 1),
                    style(is_marked),
                );
            }
            if point.row == self.layout.rows.0 {
                let is_marked = self.cursor.is_some_and(|cursor| cursor.column == point.column);
                let name = point.file().to_string();
                buffer.set_string(x, bottom, &name, style(is_marked));
                if self.layout.has_top_labels {
                    buffer.set_string(x, self.layout.area.y, &name, style(is_marked));
                }
            }
        }
    }

    /// Draws the board without stones: lines that cross, or dots where stones fall.
    fn draw_empty(&self, buffer: &mut Buffer) {
        let style = self.theme.board();
        for point in self.points() {
            let Some((x, y)) = self.layout.screen_position(point) else { continue };
            let is_last_row = point.row == self.layout.rows.0;
            let is_last = point.column + 1 == self.layout.columns.0 + self.layout.columns.1;
            let width = self.layout.cell.0 + u16::from(is_last);
            let height = if is_last_row { 1 } else { self.layout.cell.1 };
            let area = Rect { x: x - 1, y, width, height };
            buffer.set_style(area, style);
            buffer.set_string(x, y, self.crossing(point), style);
            if self.look.is_ascii || self.falls {
                continue;
            }
            if point.column > 0 {
                buffer.set_string(x - 1, y, "─", style);
            }
            if point.column + 1 < self.grid.width() {
                let line = "─".repeat(usize::from(width).saturating_sub(2));
                buffer.set_string(x + 1, y, line, style);
            }
            for below in 1..height {
                buffer.set_string(x, y + below, "│", style);
            }
        }
    }

    /// Returns the sign of an empty point.
    fn crossing(&self, point: Point) -> &'static str {
        if self.look.is_ascii {
            return ".";
        }
        if self.falls {
            return "·";
        }
        let is_left = point.column == 0;
        let is_right = point.column + 1 == self.grid.width();
        let is_bottom = point.row == 0;
        let is_top = point.row + 1 == self.grid.height();
        match (is_left, is_right, is_bottom, is_top) {
            (true, false, false, true) => "┌",
            (false, true, false, true) => "┐",
            (true, false, true, false) => "└",
            (false, true, true, false) => "┘",
            (true, false, false, false) => "├",
            (false, true, false, false) => "┤",
            (false, false, true, false) => "┴",
            (false, false, false, true) => "┬",
            (false, false, false, false) => "┼",
            _ => "+",
        }
    }

    fn put(&self, buffer: &mut Buffer, point: Point, sign: &str, style: Style) {
        if let Some((x, y)) = self.layout.screen_position(point) {
            buffer.set_string(x, y, sign, style);
        }
    }

    fn style(&self, buffer: &mut Buffer, point: Point, style: Style) {
        if let Some((x, y)) = self.layout.screen_position(point) {
            buffer.set_style(Rect { x, y, width: 1, height: 1 }, style);
        }
    }

    fn bracket(&self, buffer: &mut Buffer, point: Point, signs: (&str, &str), style: Style) {
        if let Some((x, y)) = self.layout.screen_position(point) {
            buffer.set_string(x - 1, y, signs.0, style);
            buffer.set_string(x + 1, y, signs.1, style);
        }
    }

    /// Draws the value of a move, or its rank if the value is too long.
    fn draw_value(
        &self,
        buffer: &mut Buffer,
        point: Point,
        rank: usize,
        line: &BestLine,
        best: &BestLine,
    ) {
        let Some((x, y)) = self.layout.screen_position(point) else { return };
        let style = self.theme.value(move_loss(rank, line, best));
        let value = line.short();
        // In the smallest cells two characters would touch the next point.
        let room = if self.layout.cell.0 > 2 { 3 } else { 1 };
        match value.chars().count() {
            length if length == 1 || length < room => buffer.set_string(x, y, value, style),
            length if length == room => buffer.set_string(x - 1, y, value, style),
            _ if rank < 9 => buffer.set_string(x, y, (rank + 1).to_string(), style),
            _ => buffer.set_string(x, y, "*", style),
        }
    }

    /// Draws a stone of a hint: its number in the line, or a star for a single stone.
    fn draw_ghost(&self, buffer: &mut Buffer, ghost: &Ghost, has_number: bool) {
        let sign = match has_number {
            true => (ghost.number % 10).to_string(),
            false => "*".to_owned(),
        };
        self.put(buffer, ghost.point, &sign, self.theme.ghost(ghost.side));
    }
}

/// Returns how much a move loses against the best one.
pub(crate) fn move_loss(rank: usize, line: &BestLine, best: &BestLine) -> MoveLoss {
    let given = match (best.expected(), line.expected()) {
        _ if rank == 0 => return MoveLoss::Best,
        (Some(best), Some(this)) => best.saturating_sub(this),
        _ => return MoveLoss::Close,
    };
    match given {
        400.. => MoveLoss::Bad,
        100.. => MoveLoss::Doubtful,
        _ => MoveLoss::Close,
    }
}

/// Returns the board as lines of plain text.
pub(crate) fn plain_lines(app: &App) -> Vec<String> {
    let Some(notation) = app.game().spec().grid else {
        return app.game().position().draw().lines().map(str::to_owned).collect();
    };
    let grid = notation.grid();
    let cell = CELLS[CELLS.len() - 1];
    let area = Rect::new(0, 0, width(grid.width(), cell), height(grid.height(), cell, 1));
    let origin = Point { column: 0, row: 0 };
    let layout = BoardLayout::fit(grid, area, origin);
    let view = layout.and_then(|layout| BoardView::new(app, Look::PLAIN, layout, None));
    let Some(view) = view.map(|view| BoardView { shows_lines: false, ..view }) else {
        return Vec::new();
    };
    let mut buffer = Buffer::empty(area);
    view.draw(&mut buffer);
    let line = |y: u16| -> String {
        (0..area.width).filter_map(|x| Some(buffer.cell((x, y))?.symbol())).collect()
    };
    (0..area.height).map(|y| line(y).trim_end().to_owned()).collect()
}
