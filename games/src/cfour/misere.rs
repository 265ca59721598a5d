//! Misère four in a row: the side that completes a line loses. Stones fall, and a full board
//! without a line is a draw.
//!
//! The proofs for normal play, such as the parity rule, do not hold here.

#[cfg(test)]
mod tests;

use tengen_engine::{
    Coverage, Evaluator, Game, MoveOrdering, Outcome, ProofTuning, Prover, RootSchedule, Score,
    Selectivity, Side, Term, Window,
};

use super::bits::Bits;
use super::eval::PROOF_TUNING;
use super::shape::Shape;
use super::{Board, Drop, Mirrored, runs};

/// The score of a line that the opponent may still have to complete.
const OPEN_LINE: i32 = 3;
/// The score of a cell where the opponent would lose.
const LOSING_CELL: i32 = 40;
/// The score of a move that does not lose immediately.
const WAITING_MOVE: i32 = 12;

/// A position of misère four in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Misere<S: Shape>(Board<S>);

impl<S: Shape> Misere<S> {
    /// Returns the empty board.
    pub fn new(shape: S) -> Self {
        Self(Board::new(shape))
    }

    /// Returns the board and its stones. Its outcome is that of normal play.
    pub fn board(&self) -> &Board<S> {
        &self.0
    }
}

impl<S: Shape> Game for Misere<S> {
    type Move = Drop;
    type Undo = ();
    type Symmetry = Mirrored;

    /// The side that makes the last ply loses: a loss in 1 at the earliest, a win in 2.
    const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (1, 2);

    #[inline(always)]
    fn turn(&self) -> Side {
        self.0.turn()
    }

    /// Returns the outcome: the side without a line wins.
    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        match self.0.outcome() {
            Some(Outcome::Win(side)) => Some(Outcome::Win(side.other())),
            other => other,
        }
    }

    fn moves(&self, out: &mut Vec<Drop>) {
        self.0.moves(out);
    }

    #[inline]
    fn play(&mut self, mv: Drop) {
        self.0.play(mv);
    }

    #[inline]
    fn undo(&mut self, mv: Drop, undo: ()) {
        self.0.undo(mv, undo);
    }

    #[inline]
    fn plies_left(&self) -> u32 {
        self.0.plies_left()
    }

    #[inline]
    fn key(&self) -> (u64, Mirrored) {
        self.0.key()
    }

    #[inline]
    fn pack(&self, mv: Drop, mirrored: Mirrored) -> u32 {
        self.0.pack(mv, mirrored)
    }

    #[inline]
    fn unpack(&self, code: u32, mirrored: Mirrored) -> Option<Drop> {
        self.0.unpack(code, mirrored)
    }

    fn history_slots(&self) -> usize {
        self.0.history_slots()
    }

    #[inline]
    fn history_slot(&self, mv: Drop) -> usize {
        self.0.history_slot(mv)
    }
}

impl<S: Shape> From<Board<S>> for Misere<S> {
    fn from(board: Board<S>) -> Self {
        Self(board)
    }
}

/// An evaluator of [`Misere`] by the cells where each side loses.
///
/// A side loses on a cell if its stone there completes a line of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MisereEvaluator<S: Shape> {
    /// Empty cells where the side to move loses.
    own: S::Bits,
    /// Empty cells where the opponent loses.
    theirs: S::Bits,
}

impl<S: Shape> MisereEvaluator<S> {
    /// Creates an evaluator. Call [`reset`](Evaluator::reset) before use.
    pub fn new() -> Self {
        Self { own: S::Bits::NONE, theirs: S::Bits::NONE }
    }

    /// Returns the moves that complete no line of the side to move.
    #[inline(always)]
    fn safe(&self, board: &Board<S>) -> S::Bits {
        board.playable() & !self.own
    }

    /// Returns the parts of the evaluation: losing cells, waiting moves, open lines.
    fn parts(&self, board: &Board<S>) -> [i32; 3] {
        let shape = board.shape();
        let count = |cells: S::Bits| cells.count() as i32;
        let losing = count(self.theirs) - count(self.own);
        let waiting = |losing: S::Bits| count(board.playable() & !losing);
        let moves = waiting(self.own) - waiting(self.theirs);
        // A line without stones of one side can be completed only by the other side, which then
        // loses.
        let open = |stones: S::Bits| runs::count_lines(shape, shape.board() ^ stones) as i32;
        let lines = open(board.own()) - open(board.theirs());
        [LOSING_CELL * losing, WAITING_MOVE * moves, OPEN_LINE * lines]
    }
}

impl<S: Shape> Default for MisereEvaluator<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Shape> Evaluator<Misere<S>> for MisereEvaluator<S> {
    /// The evaluator before the move.
    type Undo = Self;

    fn reset(&mut self, game: &Misere<S>) {
        let board = game.board();
        self.own = runs::completing(board.shape(), board.own()) & board.empty();
        self.theirs = runs::completing(board.shape(), board.theirs()) & board.empty();
    }

    #[inline]
    fn played(&mut self, game: &Misere<S>, _mv: Drop) -> Self {
        let (before, board) = (*self, game.board());
        self.own = before.theirs & board.empty();
        self.theirs = runs::completing(board.shape(), board.theirs()) & board.empty();
        before
    }

    #[inline]
    fn undone(&mut self, _game: &Misere<S>, _mv: Drop, undo: Self) {
        *self = undo;
    }

    fn evaluate(&mut self, game: &Misere<S>) -> Score {
        Score::heuristic(self.parts(game.board()).iter().sum())
    }

    fn terms(&mut self, game: &Misere<S>) -> Vec<Term> {
        let names = ["losing cells", "waiting moves", "open lines"];
        let parts = self.parts(game.board());
        names.iter().zip(parts).map(|(name, value)| Term { name, value }).collect()
    }
}

impl<S: Shape> MoveOrdering<Misere<S>> for MisereEvaluator<S> {
    #[inline]
    fn only_move(&self, game: &Misere<S>) -> Option<Drop> {
        let safe = self.safe(game.board());
        let is_one = !safe.is_empty() && safe.without_lowest().is_empty();
        is_one.then(|| Drop::lowest(safe))
    }

    /// Appends the moves that complete no line. A move that completes a line loses immediately. If
    /// all moves do, appends one of them.
    #[inline]
    fn candidates(&self, game: &Misere<S>, out: &mut Vec<Drop>) -> Coverage {
        let board = game.board();
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
    fn rank(&self, game: &Misere<S>, mv: Drop) -> i32 {
        let board = game.board();
        let own = board.own() | mv.stone();
        -((runs::completing(board.shape(), own) & board.empty()).count() as i32)
    }

    #[inline]
    fn rank_played(&self, before: &Misere<S>, game: &Misere<S>, _: bool) -> i32 {
        let losing = if game.turn() == before.turn() { self.own } else { self.theirs };
        -(losing.count() as i32)
    }
}

impl<S: Shape> Selectivity<Misere<S>> for MisereEvaluator<S> {
    fn schedule(&self) -> RootSchedule {
        RootSchedule::Proving
    }

    fn proof_tuning(&self) -> ProofTuning {
        PROOF_TUNING
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
    fn static_bounds(&self, game: &Misere<S>, _wanted: Window) -> (Score, Score) {
        let board = game.board();
        let safe = self.safe(board);
        if safe.is_empty() {
            return (Score::loss_in(1), Score::loss_in(1));
        }
        let playable = board.playable();
        if self.wins_in_two(board, safe, playable) {
            return (Score::win_in(2), Score::win_in(2));
        }
        let left = board.plies_left();
        let shape = board.shape();
        let is_a_line_free_of = |stones| runs::has_line(shape, shape.board() ^ stones);
        let can_lose = left >= 3 && is_a_line_free_of(board.theirs());
        // The opponent has a defence in ply 2, so the earliest win is in 4.
        let can_win = left >= 4 && is_a_line_free_of(board.own());
        let low = if can_lose { Score::loss_in(3) } else { Score::DRAW };
        let high = if can_win { Score::win_in(4) } else { Score::DRAW };
        (low, high)
    }
}

impl<S: Shape> MisereEvaluator<S> {
    /// Returns whether a safe move leaves the opponent only losing cells.
    #[inline(always)]
    fn wins_in_two(&self, board: &Board<S>, safe: S::Bits, playable: S::Bits) -> bool {
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
