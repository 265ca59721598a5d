//! The rules of a game: the trait [`Game`].
//!
//! An [`Evaluator`](crate::Evaluator) estimates the value of a position.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::game::hash::mix64;
use crate::game::side::{Outcome, Side};

/// The maximum code [`Game::pack`] may return. The table keeps a move in 20 bits.
pub const MAX_MOVE_CODE: u32 = (1 << 20) - 2;

/// The bit that marks a move in the table as found by a search in an outer window, near an end of
/// the score range. Games with [`RootSchedule::Proving`](crate::RootSchedule::Proving) have move
/// codes below it.
pub const OUTER_WINDOW_MARK: u32 = 1 << (MAX_MOVE_CODE.ilog2() - 1);

const _: () = assert!(2 * OUTER_WINDOW_MARK - 1 <= MAX_MOVE_CODE, "a marked code fits");

/// The default number of history slots.
const HISTORY_SLOTS: usize = 1 << 10;

/// The rules of a game for two players who move in turn.
///
/// Seven methods are required. The others have correct defaults. A fast game replaces
/// [`unpack`](Self::unpack): the search calls it at most nodes, and the default lists all moves. A
/// game with a [`Symmetry`](Self::Symmetry) must implement [`pack`](Self::pack) and `unpack`
/// itself.
///
/// The order in which [`moves`](Self::moves) lists moves is part of the contract. Equal positions
/// list their moves in the same order, no matter which moves led to them.
///
/// An example: a move takes one, two or three stones from a heap. The player who takes the last one
/// wins.
///
/// ```
/// use tengen_engine::{Game, Outcome, Side};
///
/// #[derive(Clone)]
/// struct Nim { stones: u32, turn: Side }
///
/// impl Game for Nim {
///     type Move = u32;
///     type Undo = ();
///     type Symmetry = ();
///     const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (2, 1);
///     fn turn(&self) -> Side { self.turn }
///     fn outcome(&self) -> Option<Outcome> {
///         (self.stones == 0).then(|| Outcome::Win(self.turn.other()))
///     }
///     fn moves(&self, out: &mut Vec<u32>) { out.extend(1..=self.stones.min(3)) }
///     fn play(&mut self, taken: u32) { self.stones -= taken; self.turn = self.turn.other(); }
///     fn undo(&mut self, taken: u32, _: ()) { self.stones += taken; self.turn = self.turn.other(); }
///     fn plies_left(&self) -> u32 { self.stones }
///     fn key(&self) -> (u64, ()) { (2 * u64::from(self.stones) + self.turn.index() as u64, ()) }
/// }
/// ```
///
/// A player who must pass plays a move that passes: the turn changes with every move. What a move
/// destroys, such as captured stones, goes into [`Undo`](Self::Undo).
pub trait Game: Clone + Send + 'static {
    /// A move. Two legal moves of one position compare equal only when they are the same.
    type Move: Copy + Eq + Hash + fmt::Debug + Send + 'static;
    /// The data that [`play`](Self::play) overwrites and [`undo`](Self::undo) restores.
    type Undo: Clone + Send + 'static;
    /// The symmetry that maps this position to the frame of its [`key`](Self::key).
    type Symmetry: Copy + Send + 'static;

    /// The minimum plies to a loss, and the minimum plies to a win, of the side to move in a game
    /// that is not over.
    ///
    /// (2, 1) if only the player of the last move can win: the side to move wins by its own next
    /// move, or loses by the reply. (1, 2) if only the player of the last move can lose, as where
    /// completing a line loses. (1, 1), the default, holds for every game, also for one that
    /// counts points at its end. The other values let the search cut off a little more.
    /// [`Law::SoonestEnd`](crate::laws::Law::SoonestEnd) finds wrong numbers.
    const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (1, 1);

    /// Returns the side to move; still defined when the game is over.
    fn turn(&self) -> Side;

    /// Returns how the game ended, or `None` while it is not over. It must be O(1):
    /// [`play`](Self::play) keeps it up to date.
    fn outcome(&self) -> Option<Outcome>;

    /// Appends every legal move to `out`; none when the game is over.
    fn moves(&self, out: &mut Vec<Self::Move>);

    /// Plays a legal move.
    fn play(&mut self, mv: Self::Move) -> Self::Undo;

    /// Undoes `mv`, the last move played. `undo` is what [`play`](Self::play) returned for it.
    fn undo(&mut self, mv: Self::Move, undo: Self::Undo);

    /// Returns an upper bound on the plies that can still be played; 0 when the game is over. It
    /// falls with every move, and is at most [`Score::MAX_PLIES`](crate::Score::MAX_PLIES).
    fn plies_left(&self) -> u32;

    /// Returns the key of this position, and the symmetry that maps the position to the frame of
    /// the key. Positions with equal keys are equal but for this symmetry: the key covers the side
    /// to move and all that the rules depend on, also what is not on the board, such as captures. A
    /// key that is not unique must be a well-mixed 64-bit hash, as
    /// [`mix64`](crate::hash::mix64) makes it.
    fn key(&self) -> (u64, Self::Symmetry);

    /// Returns the code that the table stores for `mv`, from 0 to [`MAX_MOVE_CODE`], in the frame
    /// of `symmetry`.
    ///
    /// The default computes it from the move's `Hash`. Moves that are numbers below 2^18, or pairs
    /// of numbers below 256, have different codes. It costs little.
    fn pack(&self, mv: Self::Move, _symmetry: Self::Symmetry) -> u32 {
        const { assert!(size_of::<Self::Symmetry>() == 0, "a game with a symmetry packs moves itself") };
        code_of(mv)
    }

    /// Returns the legal move with this `code` in the frame of `symmetry`; `None` if there is none.
    /// The check makes torn and colliding table entries harmless. The search calls this at most
    /// nodes. The default lists all moves, which is slow if there are many.
    fn unpack(&self, code: u32, symmetry: Self::Symmetry) -> Option<Self::Move> {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        moves.into_iter().find(|mv| self.pack(*mv, symmetry) == code)
    }

    /// Returns the number of slots that [`history_slot`](Self::history_slot) uses. The default is
    /// 1,024.
    fn history_slots(&self) -> usize {
        HISTORY_SLOTS
    }

    /// Returns the slot of `mv` in the history table, below [`history_slots`](Self::history_slots).
    /// Moves that share a slot share their history. The default comes from the move's `Hash`, as
    /// for [`pack`](Self::pack).
    fn history_slot(&self, mv: Self::Move) -> usize {
        code_of(mv) as usize % HISTORY_SLOTS
    }
}

/// Returns a number below [`OUTER_WINDOW_MARK`] for a move. A move that is such a number is its own
/// code.
fn code_of(mv: impl Hash) -> u32 {
    let mut hasher = CodeHasher(0);
    mv.hash(&mut hasher);
    let mark = u64::from(OUTER_WINDOW_MARK);
    let code = if hasher.0 < mark { hasher.0 } else { mix64(hasher.0) % mark };
    code as u32
}

/// A hasher without collisions between small moves: a number is its own hash, and different pairs
/// of numbers below 256 have different hashes.
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
    fn small_moves_have_different_codes() {
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
