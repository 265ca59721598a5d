//! Ctrl-C: the first one stops the command, which prints its results so far; the second one ends
//! the program.

use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, OnceLock};

use tengen_engine::Signal;

use crate::exit_status::{NO_THREAD, Unfinished};

/// Whether running work checks the signal.
static IS_INTERRUPTIBLE: AtomicBool = AtomicBool::new(false);

static SIGNAL: LazyLock<Signal> = LazyLock::new(Signal::default);

/// The handler, set at most once; the message if it cannot be set.
static HANDLER: LazyLock<Result<(), String>> = LazyLock::new(|| {
    let handler = || {
        if SIGNAL.is_stopped() || !IS_INTERRUPTIBLE.load(Ordering::Relaxed) {
            exit(Unfinished::INTERRUPTED.into());
        }
        SIGNAL.stop();
        if let Some(callback) = CALLBACK.get() {
            callback();
        }
    };
    ctrlc::set_handler(handler).map_err(|error| match error {
        ctrlc::Error::System(error) => format!("{NO_THREAD}: {error}"),
        other => other.to_string(),
    })
});

/// Sets the handler. Without its thread Ctrl-C would do nothing, so that no work may begin.
fn set_handler() -> anyhow::Result<()> {
    HANDLER.clone().map_err(anyhow::Error::msg)
}

/// The callback for the first Ctrl-C.
static CALLBACK: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Sets the callback for the first Ctrl-C. Only the first call of this function counts.
#[cfg(any(feature = "arena", feature = "shelf"))]
pub(crate) fn on_interrupt(callback: Box<dyn Fn() + Send + Sync>) -> anyhow::Result<()> {
    set_handler()?;
    let _ = CALLBACK.set(callback);
    IS_INTERRUPTIBLE.store(true, Ordering::Relaxed);
    Ok(())
}

/// Runs `work`, which must end when its signal is stopped. Outside of such work Ctrl-C ends the
/// program immediately.
pub(crate) fn interruptible<T>(
    work: impl FnOnce(&'static Signal) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    set_handler()?;
    let before = IS_INTERRUPTIBLE.swap(true, Ordering::Relaxed);
    let done = work(&SIGNAL);
    IS_INTERRUPTIBLE.store(before, Ordering::Relaxed);
    done
}

/// Returns whether Ctrl-C was typed.
pub(crate) fn is_interrupted() -> bool {
    SIGNAL.is_stopped()
}
