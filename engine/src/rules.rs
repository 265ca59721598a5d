//! The rules of a game: the trait [`Game`].
//!
//! What a position is worth is for an [`Evaluator`](crate::Evaluator).

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::hash::mix64;
use crate::side::{Outcome, Side};

/// The largest code [`Game::pack`] may return. The table keeps a move in 20 bits.
pub const MAX_MOVE_CODE: u32 = (1 << 20) - 2;

/// Marks the moves that a window at the ends of the score range leaves in the table. Proven games
/// have move codes below it.
pub const OUTER_WINDOW_MARK: u32 = 1 << (MAX_MOVE_CODE.ilog2() - 1);

const _: () = assert!(2 * OUTER_WINDOW_MARK - 1 <= MAX_MOVE_CODE, "a marked code fits");

/// How many slots the history has, unless a game says.
const HISTORY_SLOTS: usize = 1 << 10;

/// The rules of a game for two players who move in turn.
///
/// Seven methods are required. The others have sound defaults, which a fast game replaces:
/// [`unpack`](Self::unpack), which the search calls at most nodes, lists all moves by default. A
/// game whose key knows a symmetry writes [`pack`](Self::pack) and `unpack` itself.
///
/// The order in which [`moves`](Self::moves) lists moves is part of the contract. Equal positions
/// list their moves in equal order, whatever path led to them.
pub trait Game: Clone + Send + 'static {
    /// A move. Two legal moves of one position compare equal only when they are the same.
    type Move: Copy + Eq + Hash + fmt::Debug + Send + 'static;
    /// What [`play`](Self::play) overwrites and [`undo`](Self::undo) restores.
    type Undo: Clone + Send + 'static;
    /// The symmetry that maps this position to the frame of its [`key`](Self::key).
    type Symmetry: Copy + Send + 'static;

    /// The fewest plies after which the side to move of a game that goes on can have lost, and the
    /// fewest after which it can have won. It is (2, 1) where the last ply wins: the side loses by
    /// the opponent's next ply, or wins by its own. It is (1, 2) where completing a line loses.
    const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (2, 1);

    /// Returns the side to move; still defined when the game is over.
    fn turn(&self) -> Side;

    /// Returns how the game ended, or `None` while it goes on. O(1): [`play`](Self::play) keeps it up
    /// to date.
    fn outcome(&self) -> Option<Outcome>;

    /// Appends every legal move to `out`; none when the game is over.
    fn moves(&self, out: &mut Vec<Self::Move>);

    /// Plays a legal move.
    fn play(&mut self, mv: Self::Move) -> Self::Undo;

    /// Undoes `mv`, the last move played, with what [`play`](Self::play) returned for it.
    fn undo(&mut self, mv: Self::Move, undo: Self::Undo);

    /// Returns an upper bound on the plies that can still be played; 0 when the game is over.
    fn plies_left(&self) -> u32;

    /// Returns the code of this position under the symmetry that it names. Positions of equal key have
    /// equal value for the side to move. Where the code is not injective it is a well-mixed 64-bit
    /// hash.
    fn key(&self) -> (u64, Self::Symmetry);

    /// Returns the code that the table stores for `mv`: one from 0 to [`MAX_MOVE_CODE`] in the frame of
    /// `symmetry`.
    ///
    /// By default it is computed from the move's `Hash`. It tells moves apart that are numbers below
    /// 2^18, or pairs of numbers below 256.
    fn pack(&self, mv: Self::Move, _symmetry: Self::Symmetry) -> u32 {
        const { assert!(size_of::<Self::Symmetry>() == 0, "a game with a symmetry packs moves itself") };
        code_of(mv)
    }

    /// Returns the move that `code` stands for here; `None` when it is not legal in this position, so that
    /// a torn or colliding entry does no harm.
    fn unpack(&self, code: u32, symmetry: Self::Symmetry) -> Option<Self::Move> {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        moves.into_iter().find(|mv| self.pack(*mv, symmetry) == code)
    }

    /// Returns how many slots [`history_slot`](Self::history_slot) uses.
    fn history_slots(&self) -> usize {
        HISTORY_SLOTS
    }

    /// Returns the slot of `mv` in the history table, below [`history_slots`](Self::history_slots). Moves
    /// that share a slot share their history.
    fn history_slot(&self, mv: Self::Move) -> usize {
        code_of(mv) as usize % HISTORY_SLOTS
    }
}

/// Returns a number below [`OUTER_WINDOW_MARK`] for a move: the move itself if it is such a number.
fn code_of(mv: impl Hash) -> u32 {
    let mut hasher = CodeHasher(0);
    mv.hash(&mut hasher);
    let mark = u64::from(OUTER_WINDOW_MARK);
    let code = if hasher.0 < mark { hasher.0 } else { mix64(hasher.0) % mark };
    code as u32
}

/// Keeps small moves apart: a number is its own hash, and pairs of numbers below 256 differ.
struct CodeHasher(u64);

impl CodeHasher {
    fn add(&mut self, value: u64) {
        self.0 = self.0.wrapping_mul(256).wrapping_add(value);
    }
}

impl Hasher for CodeHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.add(byte.into()));
    }

    fn write_u8(&mut self, value: u8) {
        self.add(value.into());
    }

    fn write_u16(&mut self, value: u16) {
        self.add(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.add(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn small_moves_have_codes_of_their_own() {
        assert_eq!([code_of(0_u8), code_of(7_u32), code_of(484_usize)], [0, 7, 484]);
        assert_eq!([code_of(7_i32), code_of(7_i64)], [7, 7]);
        let pairs = (0..1000_u16).flat_map(|a| (0..256_u16).map(move |b| code_of((a, b))));
        assert_eq!(pairs.collect::<HashSet<_>>().len(), 256_000);
        let points = (0..=255_u8).flat_map(|a| (0..=255_u8).map(move |b| code_of([a, b])));
        assert_eq!(points.collect::<HashSet<_>>().len(), 65_536);
        for large in [u64::MAX, 1 << 40, OUTER_WINDOW_MARK.into()] {
            assert!(code_of(large) < OUTER_WINDOW_MARK);
        }
    }
}
