//! The front: what the threads of one search have proven of the root together.

use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use crate::score::Score;
use crate::window::Window;

/// `low <= value <= high`, for the side to move at the root. It only ever narrows.
#[derive(Debug)]
pub(crate) struct Front {
    low: AtomicI32,
    high: AtomicI32,
}

impl Default for Front {
    fn default() -> Self {
        let (low, high) = (Score::LOWEST.raw(), Score::HIGHEST.raw());
        Self { low: AtomicI32::new(low), high: AtomicI32::new(high) }
    }
}

impl Front {
    /// The highest score that the value is known to reach.
    pub(super) fn low(&self) -> Score {
        Score::from_raw(self.low.load(Relaxed))
    }

    /// The lowest score that the value is known not to exceed.
    pub(super) fn high(&self) -> Score {
        Score::from_raw(self.high.load(Relaxed))
    }

    /// Tells the other threads what one has proven.
    pub(super) fn narrow(&self, low: Score, high: Score) {
        self.low.fetch_max(low.raw(), Relaxed);
        self.high.fetch_min(high.raw(), Relaxed);
    }

    /// Whether a search in this window can tell nothing new.
    pub(super) fn settles(&self, window: Window) -> bool {
        self.low() >= window.beta || self.high() <= window.alpha
    }
}
