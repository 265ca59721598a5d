//! [`KeptWins`]: the proven wins of a game, kept from move to move.
//!
//! They are data only. `proof_tree.rs` proves them, and `recall.rs` plays them.

use std::collections::HashMap;

/// A proven win of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KeptWin {
    /// The code of the winning move.
    pub(crate) code: u32,
    /// The largest number of plies to the end of the game, against any defence.
    pub(crate) plies: u32,
}

/// Proven wins by the key of their position. After a winning move, each reply leads to a position
/// that is here too, or that the prover of the game wins in time.
#[derive(Debug, Default)]
pub(crate) struct KeptWins(HashMap<u64, KeptWin>);

impl KeptWins {
    /// The maximum number of positions: about 10 MiB.
    const MAX: usize = 1 << 18;

    pub(crate) fn get(&self, key: u64) -> Option<KeptWin> {
        self.0.get(&key).copied()
    }

    /// Keeps the win of a position, unless a win that is not longer is kept. Returns false if there
    /// is no room.
    pub(crate) fn put(&mut self, key: u64, win: KeptWin) -> bool {
        if self.get(key).is_some_and(|known| known.plies <= win.plies) {
            return true;
        }
        if self.0.len() >= Self::MAX {
            return false;
        }
        self.0.insert(key, win);
        true
    }

    /// Forgets all wins if they take half of the room. Call it when no kept win is being played.
    pub(crate) fn make_room(&mut self) {
        if self.0.len() > Self::MAX / 2 {
            self.clear();
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_is_replaced_only_by_a_shorter_one() {
        let mut wins = KeptWins::default();
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
