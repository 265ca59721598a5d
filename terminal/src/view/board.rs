//! Draws the board: points, stones, marks and coordinates, in cells as large as fit. A board that
//! does not fit is shown around the cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use tengen_engine::opening::PendingKind;
use tengen_engine::{Grid, Point};

use crate::app::{App, Ghost};
use crate::board_layout::BoardLayout;
use crate::look::Look;
use crate::search_summary::BestLine;
use crate::view::style::{MoveLoss, Theme};

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
        for point in self.layout.points() {
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

    fn draw_labels(&self, buffer: &mut Buffer) {
        let theme = self.theme;
        let style = |is_marked| match is_marked {
            true => theme.marked_coordinate(),
            false => theme.coordinate(),
        };
        let bottom = self.layout.area.bottom().saturating_sub(1);
        for point in self.layout.points() {
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
        for point in self.layout.points() {
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
    let layout = BoardLayout::smallest(notation.grid());
    let view = layout.and_then(|layout| BoardView::new(app, Look::PLAIN, layout, None));
    let Some(view) = view.map(|view| BoardView { shows_lines: false, ..view }) else {
        return Vec::new();
    };
    let area = view.layout.area;
    let mut buffer = Buffer::empty(area);
    view.draw(&mut buffer);
    let line = |y: u16| -> String {
        (0..area.width).filter_map(|x| Some(buffer.cell((x, y))?.symbol())).collect()
    };
    (0..area.height).map(|y| line(y).trim_end().to_owned()).collect()
}
