//! The two signals that reach a running search from outside: stop, and ponderhit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The signals of one search, shared with its caller. Each search has new ones.
#[derive(Debug, Default)]
pub struct Signal {
    stop: AtomicBool,
    ponderhit: OnceLock<Instant>,
}

impl Signal {
    /// Asks the search to end; the search notices at its next node.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the search was asked to end. One relaxed load.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Tells the search that the opponent played the expected move at this instant: the time budget
    /// starts there.
    pub fn ponderhit(&self, at: Instant) {
        // A second ponderhit says nothing new.
        let _ = self.ponderhit.set(at);
    }

    /// Returns when ponderhit came; `None` before it.
    pub fn ponderhit_at(&self) -> Option<Instant> {
        self.ponderhit.get().copied()
    }
}

/// A handle on one running search. Dropping it does not stop the search.
#[derive(Clone, Debug)]
pub struct Control(Arc<Signal>);

impl Control {
    /// Creates a handle on the search that listens to `signal`.
    pub fn new(signal: Arc<Signal>) -> Self {
        Self(signal)
    }

    /// Asks the search to end. Its answer comes through its sink.
    pub fn stop(&self) {
        self.0.stop();
    }

    /// Starts the time budget of a pondering search at `at`.
    pub fn ponderhit(&self, at: Instant) {
        self.0.ponderhit(at);
    }
}
