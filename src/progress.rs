//! Progress of long work on standard error: nothing in the first second, then a line that is
//! overwritten. Nothing if standard error is no terminal.

use std::io::{self, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter work shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the time is written anew.
const TICK: Duration = Duration::from_millis(200);

const BAR: &str = "{bar:40} {pos}/{len}  {elapsed} gone, {eta} left  {wide_msg}";
const COUNT: &str = "{spinner} {pos}  {elapsed} gone  {wide_msg}";

/// A bar, or a count where the end is not known.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Its end stops the thread that shows the bar.
    _work: Sender<()>,
}

impl Progress {
    /// Creates the progress of so many steps, if that is known.
    pub(crate) fn new(steps: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::hidden());
        let template = if steps.is_some() { BAR } else { COUNT };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let (work, end) = channel::<()>();
        let shown = bar.clone();
        thread::spawn(move || {
            if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK);
            }
        });
        Self { bar, _work: work }
    }

    /// Shows what is being done.
    pub(crate) fn tell(&self, what: impl Into<String>) {
        self.bar.set_message(what.into());
    }

    /// Counts steps that were done before, which tell nothing of the time that is left.
    #[cfg(feature = "arena")]
    pub(crate) fn begin_at(&self, steps: u64) {
        self.bar.set_position(steps);
        self.bar.reset_eta();
    }

    /// Counts several steps.
    #[cfg(feature = "arena")]
    pub(crate) fn steps(&self, steps: u64) {
        self.bar.inc(steps);
    }

    /// Counts a step.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }

    /// Writes while the bar is off the terminal.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Writes a complaint to standard error. If nobody reads it, the exit status still shows it.
    pub(crate) fn complain(&self, complaint: &str) {
        let _ = self.suspend(|| writeln!(io::stderr(), "{complaint}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
