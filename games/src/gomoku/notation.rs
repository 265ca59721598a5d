//! Moves and positions of five in a row as text.

use tengen_engine::{Notation, NotationError, Side, Style};

use super::{Board, Forbidden};
use crate::grid::{Cell, Point, fen};

impl Board {
    /// The points that are forbidden to the first player, each with what `note` says of it.
    fn list_forbidden(&self, note: impl Fn(Forbidden) -> String) -> String {
        let grid = self.grid();
        let name = |cell| grid.point_name(grid.column(cell), grid.row(cell));
        let points = self.forbidden_points();
        let points: String =
            points.map(|(cell, kind)| format!(" {}{}", name(cell), note(kind))).collect();
        format!("forbidden:{}", if points.is_empty() { " -" } else { &points })
    }
}

impl Notation for Board {
    /// A point that renju forbids is read too: who plays there has lost.
    fn read_move(&self, text: &str) -> Result<Cell, NotationError> {
        if self.outcome.is_some() {
            return Err(NotationError::mv(text, "the game is over"));
        }
        let grid = self.grid();
        let is_taken = |at: Point| self.stone(grid.cell(at.column, at.row)).is_some();
        let point = grid.read_placement(text, is_taken)?;
        Ok(grid.cell(point.column, point.row))
    }

    fn write_move(&self, mv: Cell, style: Style) -> String {
        let grid = self.grid();
        grid.write_move(Point { column: grid.column(mv), row: grid.row(mv) }, false, style)
    }

    fn start(&self) -> Self {
        self.emptied()
    }

    fn read_position(&self, text: &str) -> Result<Self, NotationError> {
        let placement = fen::read(self.grid(), false, text)?;
        self.with(&placement).ok_or_else(|| NotationError::position(text, 1, "both sides have won"))
    }

    fn write_position(&self, pocket: bool) -> String {
        fen::write(self.grid(), |cell| self.stone(cell), self.turn, pocket)
    }

    /// Renju has another rule for each side, so that its players cannot be exchanged.
    fn flipped(&self) -> Result<Self, NotationError> {
        const UNSUPPORTED: NotationError = NotationError::Unsupported { what: "flip" };
        if self.rule().forbids(Side::First) {
            return Err(UNSUPPORTED);
        }
        let stones = self.grid().all().map(|cell| self.stone(cell).map(Side::other)).collect();
        let placement = fen::Placement { stones, turn: self.turn.other() };
        self.with(&placement).ok_or(UNSUPPORTED)
    }

    /// The board and, in renju, the points that are forbidden to the first player.
    fn draw(&self) -> String {
        let grid = self.grid();
        let board = grid.draw(|cell| self.stone(cell));
        if !self.rule().forbids(Side::First) {
            return board;
        }
        format!("{board}\n{}", self.list_forbidden(|_| String::new()))
    }

    /// In renju, the points that are forbidden to the first player, and why.
    fn remarks(&self) -> Vec<String> {
        if !self.rule().forbids(Side::First) {
            return Vec::new();
        }
        vec![self.list_forbidden(|kind| format!(" ({})", kind.name()))]
    }

    fn rules(&self) -> String {
        let grid = self.grid();
        format!("{}x{} board, {}", grid.width(), grid.height(), self.rule().words())
    }
}
