//! Misère four in a row: the side that completes a line loses. Stones fall, and a full board
//! without a line is a draw.
//!
//! The proofs for normal play, such as the parity rule, do not hold here.

#[cfg(test)]
mod tests;

use tengen_engine::{Coverage, Game, MoveOrdering, Prover, Score, Term, Window};

use super::bits::Bits;
use super::eval::CfourEvaluator;
use super::shape::Shape;
use super::{Board, Drop, runs};

/// The score of a line that the opponent may still have to complete.
const OPEN_LINE: i32 = 3;
/// The score of a cell where the opponent would lose.
const LOSING_CELL: i32 = 40;
/// The score of a move that does not lose immediately.
const WAITING_MOVE: i32 = 12;

/// A position of misère four in a row.
pub type Misere<S> = Board<S, true>;

/// The evaluator of misère four in a row. Its threats are losing cells: a stone there loses.
pub type MisereEvaluator<S> = CfourEvaluator<S, true>;

impl<S: Shape> Misere<S> {
    /// Returns the empty board.
    pub fn misere(shape: S) -> Self {
        Self::without_stones(shape)
    }
}

impl<S: Shape, const MISERE: bool> CfourEvaluator<S, MISERE> {
    /// Returns the parts of the evaluation in misère play.
    pub(super) fn misere_parts(&self, board: &Board<S, MISERE>) -> [Term; 3] {
        let shape = board.shape();
        let count = |cells: S::Bits| cells.count() as i32;
        let losing = count(self.theirs) - count(self.own);
        let waiting = |losing: S::Bits| count(board.playable() & !losing);
        let moves = waiting(self.own) - waiting(self.theirs);
        // A line without stones of one side can be completed only by the other side, which then
        // loses.
        let open = |stones: S::Bits| runs::count_lines(shape, shape.board() ^ stones) as i32;
        let lines = open(board.own()) - open(board.theirs());
        [
            Term { name: "losing cells", value: LOSING_CELL * losing },
            Term { name: "waiting moves", value: WAITING_MOVE * moves },
            Term { name: "open lines", value: OPEN_LINE * lines },
        ]
    }
}

impl<S: Shape> MoveOrdering<Misere<S>> for MisereEvaluator<S> {
    #[inline]
    fn only_move(&self, board: &Misere<S>) -> Option<Drop> {
        Drop::only(self.safe(board))
    }

    /// Appends the moves that complete no line. A move that completes a line loses immediately. If
    /// all moves do, appends one of them.
    #[inline]
    fn candidates(&self, board: &Misere<S>, out: &mut Vec<Drop>) -> Coverage {
        let safe = self.safe(board);
        if safe.is_empty() {
            out.push(Drop::lowest(board.playable()));
            return Coverage::Complete;
        }
        // From the edge inwards: fewer lines pass through the edge.
        let shape = board.shape();
        for index in (0..shape.width()).rev() {
            let cell = safe & shape.column(shape.centre_first(index));
            if !cell.is_empty() {
                out.push(Drop::lowest(cell));
            }
        }
        Coverage::Complete
    }

    /// Ranks a move higher the fewer cells it makes losing for the side that plays it.
    fn rank(&self, board: &Misere<S>, mv: Drop) -> i32 {
        let own = board.own() | mv.stone();
        -((runs::completing(board.shape(), own) & board.empty()).count() as i32)
    }

    #[inline]
    fn rank_played(&self, before: &Misere<S>, board: &Misere<S>, _: bool) -> i32 {
        let losing = if board.turn() == before.turn() { self.own } else { self.theirs };
        -(losing.count() as i32)
    }
}

impl<S: Shape> Prover<Misere<S>> for MisereEvaluator<S> {
    // The loser completes the line with the last stone: the side to move loses in plies 1, 3, ...
    // from here and wins in plies 2, 4, ... Hence:
    // - when every move completes a line, the game is lost in 1;
    // - otherwise the side to move has a safe move and loses in 3 plies at the earliest. A loss in
    //   3 needs three empty cells, a win in 2 needs two;
    // - a side can complete only a line without a stone of the opponent. Without such a line it
    //   never loses;
    // - the side to move wins in 2 if after one of its safe moves the opponent loses on all
    //   playable cells. The move leaves the other playable cells and makes the cell above playable.
    //   Only the opponent's own stones make a cell losing for the opponent.
    #[inline]
    fn static_bounds(&self, board: &Misere<S>, _wanted: Window) -> (Score, Score) {
        let safe = self.safe(board);
        if safe.is_empty() {
            return (Score::loss_in(1), Score::loss_in(1));
        }
        let playable = board.playable();
        if self.wins_in_two(board, safe, playable) {
            return (Score::win_in(2), Score::win_in(2));
        }
        let left = board.plies_left();
        let can_lose = left >= 3 && Self::has_line_free_of(board, board.theirs());
        // The opponent has a defence in ply 2, so the earliest win is in 4.
        let can_win = left >= 4 && Self::has_line_free_of(board, board.own());
        let low = if can_lose { Score::loss_in(3) } else { Score::DRAW };
        let high = if can_win { Score::win_in(4) } else { Score::DRAW };
        (low, high)
    }
}

impl<S: Shape> MisereEvaluator<S> {
    /// Returns the moves that complete no line of the side to move.
    #[inline(always)]
    fn safe(&self, board: &Misere<S>) -> S::Bits {
        board.playable() & !self.own
    }

    /// Returns whether a safe move leaves the opponent only losing cells.
    #[inline(always)]
    fn wins_in_two(&self, board: &Misere<S>, safe: S::Bits, playable: S::Bits) -> bool {
        // The move must take the cells where the opponent does not lose: at most one.
        let safe_for_opponent = playable & !self.theirs;
        if !safe_for_opponent.without_lowest().is_empty() {
            return false;
        }
        let moves = if safe_for_opponent.is_empty() { safe } else { safe & safe_for_opponent };
        // The opponent must lose on the cell above too, or the cell is outside the board. The board
        // must not be full.
        let below_safe_for_opponent = (board.empty() & !self.theirs).down(1);
        let wins = moves & !below_safe_for_opponent;
        !wins.is_empty() && board.plies_left() >= 2
    }
}
