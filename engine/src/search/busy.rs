//! The positions that the threads of one search are searching (ABDADA). Other threads defer them.

use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The number of slots for positions. Two positions in one slot overwrite each other. Then some
/// work is done twice, but the result does not change. A model has few.
const SLOTS: usize = if cfg!(loom) { 4 } else { 1 << 10 };

/// The keys of the positions that a thread is searching.
// Simplified ABDADA
// CITE: Tom Kerrigan, "Simplified ABDADA", http://www.tckerrigan.com/Chess/Parallel_Chess/
#[derive(Debug)]
pub(crate) struct Busy {
    keys: Box<[AtomicU64]>,
}

impl Default for Busy {
    fn default() -> Self {
        Self { keys: (0..SLOTS).map(|_| AtomicU64::new(0)).collect() }
    }
}

impl Busy {
    /// Marks the position with this key as busy.
    pub(crate) fn mark(&self, key: u64) {
        self.slot(key).store(key, Relaxed);
    }

    /// Removes the mark of the position with this key.
    pub(crate) fn unmark(&self, key: u64) {
        let _ = self.slot(key).compare_exchange(key, 0, Relaxed, Relaxed);
    }

    /// Returns whether the position with this key is marked.
    pub(crate) fn is_marked(&self, key: u64) -> bool {
        self.slot(key).load(Relaxed) == key
    }

    fn slot(&self, key: u64) -> &AtomicU64 {
        &self.keys[key as usize % SLOTS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_marked_until_its_own_mark_is_removed() {
        let busy = Busy::default();
        assert!(!busy.is_marked(7));
        busy.mark(7);
        assert!(busy.is_marked(7) && !busy.is_marked(7 + SLOTS as u64));
        busy.unmark(7 + SLOTS as u64);
        assert!(busy.is_marked(7));
        busy.unmark(7);
        assert!(!busy.is_marked(7));
    }
}
