//! Positions of four in a row at random, the same in every run.

use tengen_engine::{Evaluator, Game, Score, Window};
use tengen_games::four_in_a_row::{Board, Classic, Threats};

/// A fixed sequence of numbers that look random.
// CITE: George Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (14), 2003.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn seeded(seed: u32) -> Self {
        Self(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(u64::from(2 * seed + 1)))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    /// A position of 7x6 with so many plies left in which neither side has a line in two plies.
    /// Both sides have played at random, but completed and stopped lines where they could and given
    /// none away.
    pub(crate) fn open_position(&mut self, plies: u32) -> Board<Classic> {
        loop {
            if let Some(board) = self.game_down_to(plies) {
                return board;
            }
        }
    }

    /// A game at random; `None` when it is decided too soon.
    fn game_down_to(&mut self, plies: u32) -> Option<Board<Classic>> {
        let mut board = Board::new(Classic);
        let mut threats = Threats::new();
        let mut moves = Vec::new();
        threats.reset(&board);
        loop {
            let (low, high) = threats.bounds(&board, Window::FULL);
            if low >= Score::win_in(2) || high <= Score::loss_in(2) {
                return None;
            }
            if board.plies_left() == plies {
                return Some(board);
            }
            moves.clear();
            threats.candidates(&board, &mut moves);
            let mv = moves[self.below(moves.len())];
            board.play(mv);
            threats.played(&board, mv);
        }
    }
}
