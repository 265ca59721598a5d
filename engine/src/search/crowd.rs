//! The crowd: where the threads of one search are, so that they do not all do the same.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How many positions it can tell apart; those that share a place hide one another, which costs
/// some work done twice and nothing else.
const PLACES: usize = 1 << 10;

/// The positions that some thread is searching.
// Simplified ABDADA
// CITE: Tom Kerrigan, "Simplified ABDADA", http://www.tckerrigan.com/Chess/Parallel_Chess/
#[derive(Debug)]
pub(crate) struct Crowd {
    keys: Box<[AtomicU64]>,
}

impl Default for Crowd {
    fn default() -> Self {
        Self { keys: (0..PLACES).map(|_| AtomicU64::new(0)).collect() }
    }
}

impl Crowd {
    /// A thread begins to search the position with this key.
    pub(super) fn enter(&self, key: u64) {
        self.place(key).store(key, Relaxed);
    }

    /// A thread has searched it.
    pub(super) fn leave(&self, key: u64) {
        let _ = self.place(key).compare_exchange(key, 0, Relaxed, Relaxed);
    }

    /// Whether some thread is searching it.
    pub(super) fn is_at(&self, key: u64) -> bool {
        self.place(key).load(Relaxed) == key
    }

    fn place(&self, key: u64) -> &AtomicU64 {
        &self.keys[key as usize % PLACES]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_searched_until_it_is_left() {
        let crowd = Crowd::default();
        assert!(!crowd.is_at(7));
        crowd.enter(7);
        assert!(crowd.is_at(7) && !crowd.is_at(7 + PLACES as u64));
        crowd.leave(7 + PLACES as u64);
        assert!(crowd.is_at(7));
        crowd.leave(7);
        assert!(!crowd.is_at(7));
    }
}
