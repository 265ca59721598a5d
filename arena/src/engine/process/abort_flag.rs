//! [`AbortFlag`]: aborts all games of a run immediately.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// A shared flag that aborts a run.
#[derive(Clone, Debug)]
pub(super) struct AbortFlag {
    raised: Arc<AtomicBool>,
    /// An event descriptor that becomes readable when the flag is raised. Every wait polls it.
    pub(super) wake: Arc<OwnedFd>,
}

impl AbortFlag {
    /// Creates a flag that is not raised.
    pub(super) fn new() -> io::Result<Self> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { raised: Arc::default(), wake: Arc::new(wake) })
    }

    /// Raises the flag, so that every game ends at once.
    pub(super) fn raise(&self) {
        self.raised.store(true, Ordering::SeqCst);
        let _ = rustix::io::write(&*self.wake, &1_u64.to_ne_bytes());
    }

    /// Returns whether the flag is raised.
    pub(super) fn is_raised(&self) -> bool {
        self.raised.load(Ordering::SeqCst)
    }
}
