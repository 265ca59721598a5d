//! The proven bounds of the root, shared by all threads of one search, and the last iteration of
//! the main thread.

use crate::game::score::Score;
use crate::game::window::Window;
use crate::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

/// The shared bounds of the root's value, `low <= value <= high`, for the side to move. They only
/// become narrower.
#[derive(Debug)]
pub(crate) struct SharedRoot {
    low: AtomicI32,
    high: AtomicI32,
    /// The last complete iteration of the main thread: depth, code of the best move and score in
    /// 12, 20 and 32 bits; 0 before the first iteration.
    iterated: AtomicU64,
}

impl Default for SharedRoot {
    fn default() -> Self {
        let (low, high) = (Score::LOWEST.raw(), Score::HIGHEST.raw());
        Self { low: AtomicI32::new(low), high: AtomicI32::new(high), iterated: AtomicU64::new(0) }
    }
}

impl SharedRoot {
    /// Returns the proven lower bound.
    pub(crate) fn low(&self) -> Score {
        Score::from_raw(self.low.load(Relaxed))
    }

    /// Returns the proven upper bound.
    pub(crate) fn high(&self) -> Score {
        Score::from_raw(self.high.load(Relaxed))
    }

    /// Narrows the bounds for all threads.
    pub(crate) fn narrow(&self, low: Score, high: Score) {
        self.low.fetch_max(low.raw(), Relaxed);
        self.high.fetch_min(high.raw(), Relaxed);
    }

    /// Publishes an iteration of the main thread to the helpers. `code` is the best move.
    pub(crate) fn set_iteration(&self, depth: u32, code: u32, score: Score) {
        let score = u64::from(score.raw() as u32);
        self.iterated.store(u64::from(depth) << 52 | u64::from(code) << 32 | score, Relaxed);
    }

    /// Returns depth, code of the best move and score of the last complete iteration; depth 0
    /// before the first iteration.
    pub(crate) fn iteration(&self) -> (u32, u32, Score) {
        let word = self.iterated.load(Relaxed);
        let score = Score::from_raw(word as u32 as i32);
        ((word >> 52) as u32, (word >> 32) as u32 & 0xF_FFFF, score)
    }

    /// Returns whether the bounds make a search in `window` needless.
    pub(crate) fn settles(&self, window: Window) -> bool {
        let (low, high) = (self.low(), self.high());
        low >= high || low >= window.beta || high <= window.alpha
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_value_settles_every_window_and_a_bound_settles_some() {
        let root = SharedRoot::default();
        let around = Window::new(Score::DRAW.previous(), Score::DRAW.next());
        assert!(!root.settles(around));
        root.narrow(Score::DRAW, Score::HIGHEST);
        assert!(!root.settles(around));
        assert!(root.settles(Window::scout(Score::DRAW.previous())));
        root.narrow(Score::LOWEST, Score::DRAW);
        assert!(root.settles(around));
    }

    #[test]
    fn an_iteration_reads_back_as_it_was_set() {
        let root = SharedRoot::default();
        assert_eq!(root.iteration().0, 0, "none yet");
        for (depth, code, score) in
            [(1, 0, Score::DRAW), (255, 0xF_FFFE, Score::loss_in(4)), (9, 7, Score::win_in(3))]
        {
            root.set_iteration(depth, code, score);
            assert_eq!(root.iteration(), (depth, code, score));
        }
    }
}
