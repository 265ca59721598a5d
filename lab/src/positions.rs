//! Random positions of four in a row.

use fastrand::Rng;
use tengen_engine::{Evaluator, Game, MoveOrdering, Prover, Score, Window};
use tengen_games::cfour::{Board, CfourEvaluator, Classic};

/// Returns a position of 7x6 with so many plies left in which neither side has a line in two plies.
/// Both sides have played at random, but completed and stopped lines where they could and given
/// none away.
pub fn open_position(rng: &mut Rng, plies: u32) -> Board<Classic> {
    loop {
        if let Some(board) = game_down_to(rng, plies) {
            return board;
        }
    }
}

/// Plays a random game down to so many plies left; `None` when it is decided too soon.
fn game_down_to(rng: &mut Rng, plies: u32) -> Option<Board<Classic>> {
    let mut board = Board::new(Classic);
    let mut threats = CfourEvaluator::new();
    let mut moves = Vec::new();
    threats.reset(&board);
    loop {
        let (low, high) = threats.static_bounds(&board, Window::FULL);
        if low >= Score::win_in(2) || high <= Score::loss_in(2) {
            return None;
        }
        if board.plies_left() == plies {
            return Some(board);
        }
        moves.clear();
        threats.candidates(&board, &mut moves);
        let mv = moves[rng.usize(..moves.len())];
        board.play(mv);
        threats.played(&board, mv);
    }
}
