//! Misère four in a row: the side that completes a line loses. Stones fall, and a full board
//! without a line is a draw.
//!
//! Rules that were proven for normal play do not hold here, and none is used.

#[cfg(test)]
mod tests;

use tengen_engine::{
    Coverage, Evaluator, Game, MoveOrdering, Outcome, ProofTuning, Prover, RootSchedule, Score,
    Selectivity, Side, Term, Window,
};

use super::bits::Bits;
use super::shape::Shape;
use super::{Board, Drop, Mirrored, runs};

/// What a line is worth that can still be forced upon the opponent.
const OPEN_LINE: i32 = 3;
/// A cell that the opponent may not take any more.
const LOSING_CELL: i32 = 40;
/// A move that can be made without losing by it.
const WAITING_MOVE: i32 = 12;

/// A position in which a line loses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Misere<S: Shape>(Board<S>);

impl<S: Shape> Misere<S> {
    /// Returns the empty board.
    pub fn new(shape: S) -> Self {
        Self(Board::new(shape))
    }

    /// Returns the board and its stones, with the outcome that normal play would have.
    pub fn board(&self) -> &Board<S> {
        &self.0
    }
}

impl<S: Shape> Game for Misere<S> {
    type Move = Drop;
    type Undo = ();
    type Symmetry = Mirrored;

    /// The last ply loses: the side to move by its own, or wins by the opponent's.
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

/// Evaluation of [`Misere`]: which cells each side may not take any more.
///
/// A side loses on a cell when its stone there would complete a line of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MisereEvaluator<S: Shape> {
    /// Empty cells on which the side to move would lose.
    own: S::Bits,
    /// Empty cells on which the opponent would lose.
    theirs: S::Bits,
}

impl<S: Shape> MisereEvaluator<S> {
    /// Returns an evaluator; [`reset`](Evaluator::reset) it before use.
    pub fn new() -> Self {
        Self { own: S::Bits::NONE, theirs: S::Bits::NONE }
    }

    /// Returns the moves that complete no line of the side to move.
    #[inline(always)]
    fn clean(&self, board: &Board<S>) -> S::Bits {
        board.playable() & !self.own
    }

    /// Returns the parts of the evaluation: losing cells, waiting moves, open lines.
    fn parts(&self, board: &Board<S>) -> [i32; 3] {
        let shape = board.shape();
        let count = |cells: S::Bits| cells.count() as i32;
        let losing = count(self.theirs) - count(self.own);
        let waiting = |losing: S::Bits| count(board.playable() & !losing);
        let moves = waiting(self.own) - waiting(self.theirs);
        // A line free of one side's stones can only harm the other.
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
    /// The state before the move.
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
        let clean = self.clean(game.board());
        let is_one = !clean.is_empty() && clean.without_lowest().is_empty();
        is_one.then(|| Drop::lowest(clean))
    }

    /// Appends the moves that complete no line: a move that does loses at once, and no other loses
    /// sooner. When all do, one stands for all.
    #[inline]
    fn candidates(&self, game: &Misere<S>, out: &mut Vec<Drop>) -> Coverage {
        let board = game.board();
        let clean = self.clean(board);
        if clean.is_empty() {
            out.push(Drop::lowest(board.playable()));
            return Coverage::Complete;
        }
        // From the edge inwards: fewer lines pass there.
        let shape = board.shape();
        for place in (0..shape.width()).rev() {
            let cell = clean & shape.column(shape.centre_first(place));
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
        super::tuning::PROOF_TUNING
    }
}

impl<S: Shape> Prover<Misere<S>> for MisereEvaluator<S> {
    // A line is completed by the stone that is placed last, so a game is lost by a ply of the loser:
    // the side to move loses with its 1st, 3rd, .. ply from here, and wins with the opponent's, the
    // 2nd, 4th, .. Hence:
    // - when every move completes a line, the game is lost in 1;
    // - else the side to move makes a move that does not, and loses with its next, the 3rd ply, at
    //   the soonest; for that three cells must be empty, and two for a win;
    // - a side can only complete a line that the opponent has no stone in. Where there is none, it
    //   never loses;
    // - the side to move wins in 2 if after one of its clean moves all cells that the opponent can
    //   play are losing for it. The move leaves the other playable cells and opens the one above it.
    //   The stone itself makes no cell losing for the opponent: only its own stones do.
    #[inline]
    fn static_bounds(&self, game: &Misere<S>, _wanted: Window) -> (Score, Score) {
        let board = game.board();
        let clean = self.clean(board);
        if clean.is_empty() {
            return (Score::loss_in(1), Score::loss_in(1));
        }
        let playable = board.playable();
        if self.wins_in_two(board, clean, playable) {
            return (Score::win_in(2), Score::win_in(2));
        }
        let left = board.plies_left();
        let shape = board.shape();
        let is_a_line_free_of = |stones| runs::has_line(shape, shape.board() ^ stones);
        let can_lose = left >= 3 && is_a_line_free_of(board.theirs());
        // The opponent does not lose with the 2nd ply against a defence, so not before the 4th.
        let can_win = left >= 4 && is_a_line_free_of(board.own());
        let low = if can_lose { Score::loss_in(3) } else { Score::DRAW };
        let high = if can_win { Score::win_in(4) } else { Score::DRAW };
        (low, high)
    }
}

impl<S: Shape> MisereEvaluator<S> {
    /// Returns whether a clean move leaves the opponent nothing but losing cells.
    #[inline(always)]
    fn wins_in_two(&self, board: &Board<S>, clean: S::Bits, playable: S::Bits) -> bool {
        // A cell that is not losing for the opponent must be taken by the move: at most one cell.
        let harmless = playable & !self.theirs;
        if !harmless.without_lowest().is_empty() {
            return false;
        }
        let takers = if harmless.is_empty() { clean } else { clean & harmless };
        // The cell above must be losing too, or outside the board; and the board must not be full.
        let above_is_harmless = (board.empty() & !self.theirs).down(1);
        let wins = takers & !above_is_harmless;
        !wins.is_empty() && board.plies_left() >= 2
    }
}
