//! Positions and moves of five in a row as text, by [`GridGame`].

use tengen_engine::grid_game::GridGame;
use tengen_engine::{Cell, GridNotation, Placement, Point, Side};

use super::Board;

impl GridGame for Board {
    fn layout(&self) -> GridNotation {
        GridNotation::new(self.grid(), false)
    }

    fn describe(&self) -> String {
        let grid = self.grid();
        format!("{}x{} board, {}", grid.width(), grid.height(), self.rule().words())
    }

    fn stone_at(&self, at: Point) -> Option<Side> {
        self.stone(self.move_at(at))
    }

    fn move_at(&self, at: Point) -> Cell {
        self.grid().cell(at.column, at.row)
    }

    fn point_of(&self, mv: Cell) -> Point {
        self.grid().point(mv)
    }

    fn with(&self, placement: &Placement) -> Option<Self> {
        let mut board = Self::empty(self.setting());
        for cell in self.grid().all() {
            if let Some(side) = placement.stones[cell.index()] {
                board.put(cell, side);
            }
        }
        board.turn = placement.turn;
        board.outcome = board.scanned_outcome()?;
        Some(board)
    }

    fn forbidden_points(&self) -> Option<Vec<(Point, &'static str)>> {
        if !self.rule().forbids(Side::First) {
            return None;
        }
        let grid = self.grid();
        let named = |(cell, kind): (Cell, super::Forbidden)| (grid.point(cell), kind.name());
        Some(Board::forbidden_points(self).map(named).collect())
    }
}
