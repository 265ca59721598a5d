//! Playing and undoing moves in the solvers, on the board and in its evaluator.

use tengen_engine::Game;

use crate::gomoku::{Board, GomokuEvaluator};
use tengen_engine::Cell;

/// A solver that plays and undoes moves.
pub(crate) trait PlayUndo: Sized {
    /// Returns the board and its evaluator.
    fn board_and_evaluator(&mut self) -> (&mut Board, &mut GomokuEvaluator);

    /// Plays `mv`, calls `body`, undoes `mv` and returns the result of `body`.
    fn with_move<R>(&mut self, mv: Cell, body: impl FnOnce(&mut Self) -> R) -> R {
        let (board, evaluator) = self.board_and_evaluator();
        board.play(mv);
        evaluator.points.played(board, mv);
        let result = body(self);
        let (board, evaluator) = self.board_and_evaluator();
        board.undo(mv, ());
        evaluator.points.undone();
        result
    }
}
