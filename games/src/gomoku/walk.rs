//! How the solvers play a move and take it back: on the board and in its judge alike.

use tengen_engine::Game;

use super::{Board, GomokuEvaluator};
use tengen_engine::Cell;

/// Who walks through positions.
pub(super) trait Walk: Sized {
    /// The board that is played on, and the judge that follows it.
    fn ground(&mut self) -> (&mut Board, &mut GomokuEvaluator);

    /// Plays `mv`, runs `body` and takes it back, whatever comes of it.
    fn after<R>(&mut self, mv: Cell, body: impl FnOnce(&mut Self) -> R) -> R {
        let (board, judge) = self.ground();
        board.play(mv);
        judge.points.played(board, mv);
        let result = body(self);
        let (board, judge) = self.ground();
        board.undo(mv, ());
        judge.points.undone();
        result
    }
}
