//! How the solvers play a move and take it back: on the board and in the evaluator that follows it.

use tengen_engine::Game;

use super::{Board, GomokuEvaluator};
use tengen_engine::Cell;

/// A solver that plays through positions.
pub(super) trait Walk: Sized {
    /// Returns the board that is played on, and the evaluator that follows it.
    fn ground(&mut self) -> (&mut Board, &mut GomokuEvaluator);

    /// Plays `mv`, runs `body` and takes it back, whatever comes of it.
    fn after<R>(&mut self, mv: Cell, body: impl FnOnce(&mut Self) -> R) -> R {
        let (board, evaluator) = self.ground();
        board.play(mv);
        evaluator.points.played(board, mv);
        let result = body(self);
        let (board, evaluator) = self.ground();
        board.undo(mv, ());
        evaluator.points.undone();
        result
    }
}
