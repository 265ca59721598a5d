//! What the search needs to know of a game's rules: the trait [`Game`].
//!
//! Rules say nothing of what a position is worth; that is for an [`Evaluator`](crate::Evaluator).

use std::fmt;

use crate::side::{Outcome, Side};

/// The largest code [`Game::pack`] may return. The table keeps a move in 20 bits.
pub const MAX_MOVE_CODE: u32 = (1 << 20) - 2;

/// Marks the moves that a window at the ends of the score range leaves in the table. Proven games
/// have move codes below it.
pub const OUTER_WINDOW_MARK: u32 = 1 << (MAX_MOVE_CODE.ilog2() - 1);

const _: () = assert!(2 * OUTER_WINDOW_MARK - 1 <= MAX_MOVE_CODE, "a marked code fits");

/// The rules of a game for two players who move in turn.
///
/// The order in which [`moves`](Self::moves) lists moves is part of the contract: the same position
/// always lists them in the same order, whatever path led to it.
pub trait Game: Clone + Send + 'static {
    /// A move. Two legal moves of one position compare equal only when they are the same.
    type Move: Copy + Eq + fmt::Debug + Send + 'static;
    /// What [`play`](Self::play) destroys and [`undo`](Self::undo) needs back.
    type Undo: Clone + Send + 'static;
    /// The transformation that carries this position into the frame of its [`key`](Self::key).
    type Symmetry: Copy + Send + 'static;

    /// After how many plies, at the soonest, the side to move of a game that goes on can have lost
    /// and won. It is (2, 1) where the last ply wins: the opponent's next ply, or the own one. It is
    /// (1, 2) where completing a line loses.
    const SOONEST: (u32, u32);

    /// Returns the side to move; still defined when the game is over.
    fn turn(&self) -> Side;

    /// Returns how the game ended, or `None` while it goes on. O(1): [`play`](Self::play) keeps it up
    /// to date.
    fn outcome(&self) -> Option<Outcome>;

    /// Appends every legal move to `out`; none when the game is over.
    fn moves(&self, out: &mut Vec<Self::Move>);

    /// Plays a legal move.
    fn play(&mut self, mv: Self::Move) -> Self::Undo;

    /// Takes back `mv`, the last move played, with what [`play`](Self::play) returned for it.
    fn undo(&mut self, mv: Self::Move, undo: Self::Undo);

    /// Returns an upper bound on the plies that can still be played; 0 when the game is over.
    fn plies_left(&self) -> u32;

    /// Returns the code of this position under the symmetry that it names. Positions of equal key have
    /// equal value for the side to move. Where the code is not injective it is a well-mixed 64-bit
    /// hash.
    fn key(&self) -> (u64, Self::Symmetry);

    /// Returns the code that the table stores for `mv`: one from 0 to [`MAX_MOVE_CODE`] in the frame of
    /// `symmetry`.
    fn pack(&self, mv: Self::Move, symmetry: Self::Symmetry) -> u32;

    /// Returns the move that `code` stands for here; `None` when it is not legal in this position, so that
    /// a torn or colliding entry does no harm.
    fn unpack(&self, code: u32, symmetry: Self::Symmetry) -> Option<Self::Move>;

    /// Returns how many slots [`history_slot`](Self::history_slot) uses.
    fn history_slots(&self) -> usize;

    /// Returns the slot of `mv` in the history table, below [`history_slots`](Self::history_slots). Moves
    /// that share a slot share their history.
    fn history_slot(&self, mv: Self::Move) -> usize;
}
