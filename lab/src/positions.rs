//! Random positions of four in a row.

use fastrand::Rng;
use tengen_engine::{Evaluator, Game, MoveOrdering, Prover, Score, Window};
use tengen_games::cfour::{Board, CfourEvaluator, Classic};

/// Returns a position of 7x6 with `plies` plies left in which neither side wins within two plies.
/// Both sides played at random, but completed and blocked lines where they could and gave none
/// away.
pub fn open_position(rng: &mut Rng, plies: u32) -> Board<Classic> {
    loop {
        if let Some(board) = game_down_to(rng, plies) {
            return board;
        }
    }
}

/// Plays a random game until `plies` plies are left; `None` if the game is decided before.
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
