//! [`KeptWins`]: the proven wins of a game, kept from move to move.
//!
//! They are data only. `proof_tree.rs` proves them, and `recall.rs` plays them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A proven win of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KeptWin {
    /// The code of the winning move.
    pub(crate) code: u32,
    /// The largest number of plies to the end of the game, against any defence.
    pub(crate) plies: u32,
}

/// Proven wins of a game by the key of their position. After a winning move, each reply leads to a
/// position that is here too, or that the prover of the game wins in time.
///
/// Clones share the wins, so that several searches of a game keep them together.
#[derive(Clone, Debug)]
pub struct KeptWins {
    memory: Arc<Mutex<GameMemory>>,
    /// The maximum number of positions.
    room: usize,
}

/// What the searches of a game keep, by the key of a position.
#[derive(Debug, Default)]
struct GameMemory {
    wins: HashMap<u64, KeptWin>,
    /// The positions that were searched.
    searched: HashSet<u64>,
}

impl Default for KeptWins {
    fn default() -> Self {
        Self::with_room(Self::ROOM)
    }
}

impl KeptWins {
    /// The usual maximum number of positions: about 10 MiB.
    pub const ROOM: usize = 1 << 18;

    /// Returns no wins yet, with room for this many `positions`.
    pub fn with_room(positions: usize) -> Self {
        Self { memory: Arc::default(), room: positions }
    }

    fn lock(&self) -> MutexGuard<'_, GameMemory> {
        // After a panic each entry is still a proven win.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, key: u64) -> Option<KeptWin> {
        self.lock().wins.get(&key).copied()
    }

    /// Keeps the win of a position, unless a win that is not longer is kept. Returns false if there
    /// is no room.
    pub(crate) fn put(&self, key: u64, win: KeptWin) -> bool {
        let wins = &mut self.lock().wins;
        if wins.get(&key).is_some_and(|known| known.plies <= win.plies) {
            return true;
        }
        if wins.len() >= self.room {
            return false;
        }
        wins.insert(key, win);
        true
    }

    /// Forgets all wins if they take half of the room. Call it when no kept win is being played.
    pub(crate) fn make_room(&self) {
        let mut memory = self.lock();
        if memory.wins.len().max(memory.searched.len()) > self.room / 2 {
            *memory = GameMemory::default();
        }
    }

    /// Remembers that a position was searched.
    pub(crate) fn note_search(&self, key: u64) {
        self.lock().searched.insert(key);
    }

    pub(crate) fn was_searched(&self, key: u64) -> bool {
        self.lock().searched.contains(&key)
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        *self.lock() = GameMemory::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_is_replaced_only_by_a_shorter_one() {
        let wins = KeptWins::default();
        let win = |code, plies| KeptWin { code, plies };
        for (new, kept) in [(win(1, 9), win(1, 9)), (win(2, 9), win(1, 9)), (win(3, 7), win(3, 7))]
        {
            assert!(wins.put(5, new));
            assert_eq!(wins.get(5), Some(kept));
        }
        wins.make_room();
        assert_eq!(wins.get(5), Some(win(3, 7)));
        wins.clear();
        assert_eq!(wins.get(5), None);
    }
}
