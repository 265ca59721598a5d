//! Ctrl-C: the first one stops the command, which prints its results so far; the second one ends
//! the program.

use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, OnceLock};

use tengen_engine::Signal;

use crate::exit_status::Unfinished;

/// Whether running work checks the signal.
static IS_INTERRUPTIBLE: AtomicBool = AtomicBool::new(false);

static SIGNAL: LazyLock<Signal> = LazyLock::new(|| {
    // If no handler can be set, Ctrl-C ends the program immediately, as usual.
    let _ = ctrlc::set_handler(|| {
        if SIGNAL.is_stopped() || !IS_INTERRUPTIBLE.load(Ordering::Relaxed) {
            exit(Unfinished::INTERRUPTED.into());
        }
        SIGNAL.stop();
        if let Some(callback) = CALLBACK.get() {
            callback();
        }
    });
    Signal::default()
});

/// The callback for the first Ctrl-C.
static CALLBACK: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Sets the callback for the first Ctrl-C. Only the first call of this function counts.
#[cfg(feature = "arena")]
pub(crate) fn on_interrupt(callback: Box<dyn Fn() + Send + Sync>) {
    let _ = CALLBACK.set(callback);
    LazyLock::force(&SIGNAL);
    IS_INTERRUPTIBLE.store(true, Ordering::Relaxed);
}

/// Runs `work`, which must end when its signal is stopped. Outside of such work Ctrl-C ends the
/// program immediately.
pub(crate) fn interruptible<T>(work: impl FnOnce(&'static Signal) -> T) -> T {
    let signal = &*SIGNAL;
    let before = IS_INTERRUPTIBLE.swap(true, Ordering::Relaxed);
    let done = work(signal);
    IS_INTERRUPTIBLE.store(before, Ordering::Relaxed);
    done
}

/// Returns whether Ctrl-C was typed.
pub(crate) fn is_interrupted() -> bool {
    SIGNAL.is_stopped()
}
