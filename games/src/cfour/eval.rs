//! Evaluation of four in a row by the threats of each side.
//!
//! A threat of a side is an empty cell where its stone completes a line. The cell need not be
//! playable yet. All threats are computed in parallel on bitboards.

use std::hint::select_unpredictable as select;

use tengen_engine::{
    Coverage, Evaluator, Game, MoveOrdering, ProofTuning, Prover, RootSchedule, Score, Selectivity,
    Term, Window,
};

use super::bits::Bits;
use super::parity::{Controller, parity_bound};
use super::shape::Shape;
use super::{Board, Drop, learned, runs};

/// The score of a threat that zugzwang forces the opponent to give to its owner.
const TIMELY_THREAT: i32 = 60;
/// The score of another threat. Its owner never gets this cell; the threat only deters the opponent
/// from playing below it.
const UNTIMELY_THREAT: i32 = 16;
/// The score of a line that can still be completed.
const OPEN_LINE: i32 = 3;
/// The bonus of the side to move (tempo).
const INITIATIVE: i32 = 15;

/// The parameters of the proof schedule, tuned on 7x6. Values of `open_windows_from` from 28 to 34 differ little. With several threads,
/// 38 takes the same time.
const PROOF_TUNING: ProofTuning = {
    let mut tuning = ProofTuning::PLAIN;
    tuning.near_end = 20;
    tuning.near_end_in_batch = 8;
    tuning.outer_windows_above = 14;
    tuning.open_windows_from = 32;
    tuning.open_windows_of_threads_from = 40;
    tuning
};

/// An evaluator that keeps the threats of both sides: the empty cells where a stone completes a
/// line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CfourEvaluator<S: Shape, const MISERE: bool = false> {
    /// The threats of the side to move.
    pub(super) own: S::Bits,
    /// The threats of the opponent.
    pub(super) theirs: S::Bits,
}

impl<S: Shape> CfourEvaluator<S> {
    /// Creates an evaluator. Call [`reset`](Evaluator::reset) before use.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the moves after which the opponent cannot win immediately. All other moves lose in
    /// two plies. The side to move must not have an immediate win.
    #[inline(always)]
    fn defences(&self, board: &Board<S>) -> S::Bits {
        let playable = board.playable();
        // A stone blocks only one cell, and makes the cell above it playable.
        let forced = playable & self.theirs;
        let cells = select(forced.is_empty(), playable, forced);
        let safe = cells & !self.theirs.down(1);
        select(forced.without_lowest().is_empty(), safe, S::Bits::NONE)
    }

    /// Returns the rank of the move that led from `before` to `board`, possibly with forced moves
    /// after it: two for each threat of the mover, and one more if the mover has the move again. A
    /// threat directly above a threat of the opponent does not count, because that cell is taken
    /// first.
    #[inline(always)]
    pub fn rank_by_threats(&self, before: &Board<S>, board: &Board<S>) -> i32 {
        let has_the_move_again = board.turn() == before.turn();
        let (movers, others) =
            if has_the_move_again { (self.own, self.theirs) } else { (self.theirs, self.own) };
        2 * (movers & !others.up(1)).count() as i32 + i32::from(has_the_move_again)
    }
}

impl<S: Shape, const MISERE: bool> CfourEvaluator<S, MISERE> {
    /// Returns the cells that the side to move gets when all other columns are full.
    // With e empty cells, the side to move places the stone after which e - 1, e - 3, .. are left.
    // In the last column a stone on row r (from 0) leaves height - 1 - r. It is ours if height - r
    // and e are both odd or both even.
    // CITE: zugzwang and odd and even threats, Victor Allis, "A Knowledge-based Approach of
    // Connect-Four", 1988.
    #[inline(always)]
    fn timely(board: &Board<S, MISERE>) -> S::Bits {
        let shape = board.shape();
        let is_odd_for_us = (board.empty().count() + shape.height()).is_multiple_of(2);
        if is_odd_for_us { shape.odd_rows() } else { shape.board() ^ shape.odd_rows() }
    }

    /// Returns the parts of the evaluation.
    #[inline(always)]
    fn parts(&self, board: &Board<S, MISERE>) -> [Term; 4] {
        let shape = board.shape();
        let ours = Self::timely(board);
        let balance = |own: S::Bits, theirs: S::Bits| own.count() as i32 - theirs.count() as i32;
        let timely = balance(self.own & ours, self.theirs & !ours);
        let untimely = balance(self.own & !ours, self.theirs & ours);
        let open = |stones: S::Bits| runs::count_lines(shape, shape.board() ^ stones) as i32;
        let lines = open(board.theirs()) - open(board.own());
        [
            Term { name: "timely threats", value: TIMELY_THREAT * timely },
            Term { name: "other threats", value: UNTIMELY_THREAT * untimely },
            Term { name: "open lines", value: OPEN_LINE * lines },
            Term { name: "the move", value: INITIATIVE },
        ]
    }

    /// Returns whether a line is free of `stones`.
    #[inline(always)]
    pub(super) fn has_line_free_of(board: &Board<S, MISERE>, stones: S::Bits) -> bool {
        runs::has_line(board.shape(), board.shape().board() ^ stones)
    }
}

impl<S: Shape, const MISERE: bool> Default for CfourEvaluator<S, MISERE> {
    fn default() -> Self {
        Self { own: S::Bits::NONE, theirs: S::Bits::NONE }
    }
}

impl<S: Shape, const MISERE: bool> Evaluator<Board<S, MISERE>> for CfourEvaluator<S, MISERE> {
    /// The evaluator before the move.
    type Undo = Self;

    fn reset(&mut self, board: &Board<S, MISERE>) {
        self.own = runs::completing(board.shape(), board.own()) & board.empty();
        self.theirs = runs::completing(board.shape(), board.theirs()) & board.empty();
    }

    #[inline]
    fn played(&mut self, board: &Board<S, MISERE>, _mv: Drop) -> Self {
        let before = *self;
        // The mover's stones are now the opponent's, and so are its threats.
        self.own = before.theirs & board.empty();
        self.theirs = runs::completing(board.shape(), board.theirs()) & board.empty();
        before
    }

    #[inline]
    fn undone(&mut self, _board: &Board<S, MISERE>, _mv: Drop, undo: Self) {
        *self = undo;
    }

    #[inline]
    fn evaluate(&mut self, board: &Board<S, MISERE>) -> Score {
        let sum = |terms: &[Term]| -> i32 { terms.iter().map(|term| term.value).sum() };
        let value = if MISERE { sum(&self.misere_parts(board)) } else { sum(&self.parts(board)) };
        Score::heuristic(value)
    }

    fn terms(&mut self, board: &Board<S, MISERE>) -> Vec<Term> {
        if MISERE { self.misere_parts(board).to_vec() } else { self.parts(board).to_vec() }
    }
}

impl<S: Shape> MoveOrdering<Board<S>> for CfourEvaluator<S> {
    #[inline(always)]
    fn only_move(&self, board: &Board<S>) -> Option<Drop> {
        Drop::only(self.defences(board))
    }

    #[inline]
    fn candidates(&self, board: &Board<S>, out: &mut Vec<Drop>) -> Coverage {
        let playable = board.playable();
        let wins = playable & self.own;
        let forced = playable & self.theirs;
        let urgent = if wins.is_empty() { forced } else { wins };
        if !urgent.is_empty() {
            // One winning move is enough. A move that does not block loses in two plies, the
            // shortest loss.
            out.push(Drop::lowest(urgent));
            return Coverage::Complete;
        }
        let defences = self.defences(board);
        let cells = if defences.is_empty() { playable } else { defences };
        let shape = board.shape();
        // Every column writes its cell, and the next column overwrites an empty one: a branch on
        // empty columns is hard to predict.
        let mut end = out.len();
        out.resize(end + shape.width() as usize, Drop(0));
        for index in 0..shape.width() {
            let cell = cells & shape.column(shape.centre_first(index));
            out[end] = Drop(cell.lowest() as u8);
            end += usize::from(!cell.is_empty());
        }
        out.truncate(end);
        Coverage::Complete
    }

    /// Returns the number of threats that the side to move has after the move.
    #[inline]
    fn rank(&self, board: &Board<S>, mv: Drop) -> i32 {
        let own = board.own() | mv.stone();
        (runs::completing(board.shape(), own) & board.empty()).count() as i32
    }

    /// Returns the learned rank far from the end. Near the end, and in outer windows, returns the
    /// rank by threats.
    #[inline]
    fn rank_played(&self, before: &Board<S>, board: &Board<S>, outer_window: bool) -> i32 {
        let rank = self.rank_by_threats(before, board);
        if outer_window || before.plies_left() < learned::MIN_PLIES_LEFT {
            return rank;
        }
        let has_the_move_again = board.turn() == before.turn();
        let (own, theirs) = (board.own(), board.theirs());
        let (movers, others) = if has_the_move_again { (own, theirs) } else { (theirs, own) };
        let set = before.empty() & !board.empty();
        board.shape().learned_rank(before.turn(), rank, movers, others, set).unwrap_or(rank)
    }
}

impl<S: Shape, const MISERE: bool> Selectivity<Board<S, MISERE>> for CfourEvaluator<S, MISERE> {
    fn exact(&self) -> bool {
        true
    }

    fn schedule(&self) -> RootSchedule {
        RootSchedule::Proving
    }

    fn proof_tuning(&self) -> ProofTuning {
        PROOF_TUNING
    }
}

impl<S: Shape> Prover<Board<S>> for CfourEvaluator<S> {
    #[inline(always)]
    fn static_bounds(&self, board: &Board<S>, wanted: Window) -> (Score, Score) {
        let playable = board.playable();
        if playable.meets(self.own) {
            return (Score::win_in(1), Score::win_in(1));
        }
        let defences = self.defences(board);
        if defences.is_empty() {
            return (Score::loss_in(2), Score::loss_in(2));
        }
        // Neither side has a win within two plies. The earliest wins are in plies 3 and 4, unless
        // the board is full by then or the other side has a stone in every line.
        let left = board.plies_left();
        let (mut can_win, mut can_lose) = (left >= 3, left >= 4);
        // Open lines are checked only late in the game, and only for a bound that a draw settles.
        if left <= board.shape().cells() / 2 {
            let (asks_win, asks_loss) = (wanted.alpha >= Score::DRAW, wanted.beta <= Score::DRAW);
            let blockers = select(asks_win, board.theirs(), board.own());
            let is_open = Self::has_line_free_of(board, blockers);
            can_win &= is_open | !asks_win;
            can_lose &= is_open | !asks_loss;
        }
        let low = select(can_lose, Score::loss_in(4), Score::DRAW);
        let high = select(can_win, Score::win_in(3), Score::DRAW);
        let is_forced = defences.without_lowest().is_empty();
        if low >= wanted.beta || high <= wanted.alpha || is_forced {
            return (low, high);
        }
        // The parity rule is slow, so it comes last.
        let low = low.max(parity_bound(board, Controller::Mover, self.own, wanted.beta.min(high)));
        if low >= wanted.beta {
            return (low, high);
        }
        let needed = -wanted.alpha.max(low);
        (low, high.min(-parity_bound(board, Controller::Opponent, self.theirs, needed)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::Classic;
    use super::*;
    use tengen_engine::Notation;

    fn set_up(position: &str) -> (Board<Classic>, CfourEvaluator<Classic>) {
        let board = Board::new(Classic).read_position(position).unwrap();
        let mut threats = CfourEvaluator::new();
        threats.reset(&board);
        (board, threats)
    }

    fn candidates(position: &str) -> String {
        let (board, threats) = set_up(position);
        let mut out = Vec::new();
        assert_eq!(threats.candidates(&board, &mut out), Coverage::Complete);
        let names: Vec<String> =
            out.into_iter().map(|mv| board.write_move(mv, Default::default())).collect();
        names.join(" ")
    }

    #[test]
    fn the_centre_is_tried_first() {
        assert_eq!(candidates("7/7/7/7/7/7 w"), "d1 c1 e1 b1 f1 a1 g1");
    }

    #[test]
    fn a_win_then_a_block_comes_before_everything_else() {
        assert_eq!(candidates("7/7/7/P6/P5p/P5p w"), "a4");
        assert_eq!(candidates("7/7/7/7/6p/PPP3p b"), "d1");
        assert_eq!(candidates("7/7/7/P6/P6/P5p b"), "a4");
    }

    #[test]
    fn a_move_below_a_threat_is_not_tried() {
        // The first player threatens d2; a stone on d1 makes d2 playable.
        let position = "7/7/7/7/PPP4/ppPp3 b";
        assert_eq!(candidates("7/7/7/7/PPP4/pPp4 b"), "c3 e1 b3 f1 a3 g1");
        assert_eq!(
            set_up(position).1.static_bounds(&set_up(position).0, Window::FULL).0,
            Score::loss_in(4)
        );
    }

    #[test]
    fn an_open_three_is_lost_in_two() {
        let (board, threats) = set_up("7/7/7/7/7/2PPP2 b");
        assert_eq!(
            threats.static_bounds(&board, Window::FULL),
            (Score::loss_in(2), Score::loss_in(2))
        );
    }

    #[test]
    fn odd_threats_favour_the_first_player_and_even_ones_the_second() {
        let timely = |position| {
            let (board, mut threats) = set_up(position);
            threats.terms(&board)[0].value
        };
        // d3 is on an odd row: the first player gets it when the other columns are full.
        assert_eq!(timely("7/7/7/PPP4/ppP4/Ppp4 b"), -TIMELY_THREAT);
        // One stone more, and the second player gets d3.
        assert_eq!(timely("7/7/7/PPP4/ppP4/Ppp4 w"), 0);
        // The second player gets d2.
        assert_eq!(timely("7/7/7/7/ppp4/PPp4 w"), -TIMELY_THREAT);
    }

    #[test]
    fn terms_add_up_to_the_evaluation() {
        let (board, mut threats) = set_up("7/7/7/PPP4/ppp4/PpP4 b");
        let sum: i32 = threats.terms(&board).iter().map(|term| term.value).sum();
        assert_eq!(Score::heuristic(sum), threats.evaluate(&board));
    }
}
