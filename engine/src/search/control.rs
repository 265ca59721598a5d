//! The two signals to a running search: stop and ponderhit.

use std::sync::{Arc, OnceLock};

use crate::clock::Instant;
use crate::sync::atomic::{AtomicBool, Ordering};

/// The signals to one search, shared with its caller. Each search has a new one.
#[derive(Debug, Default)]
pub struct Signal {
    stop: AtomicBool,
    ponderhit: OnceLock<Instant>,
}

impl Signal {
    /// Stops the search at its next node.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the search was stopped. It costs one relaxed load.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Tells the search that the opponent played the expected move at the instant `at`: the time
    /// budget starts there.
    pub fn ponderhit(&self, at: Instant) {
        // A second ponderhit is ignored.
        let _ = self.ponderhit.set(at);
    }

    /// Returns the instant of the ponderhit; `None` if there was none yet.
    pub fn ponderhit_at(&self) -> Option<Instant> {
        self.ponderhit.get().copied()
    }
}

/// A handle on one running search. Dropping it does not stop the search.
#[derive(Clone, Debug)]
pub struct Control(Arc<Signal>);

impl Control {
    /// Creates a handle on the search that uses `signal`.
    pub fn new(signal: Arc<Signal>) -> Self {
        Self(signal)
    }

    /// Stops the search. Its answer goes to its sink.
    pub fn stop(&self) {
        self.0.stop();
    }

    /// Starts the time budget of a pondering search at `at`.
    pub fn ponderhit(&self, at: Instant) {
        self.0.ponderhit(at);
    }
}
