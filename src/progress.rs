//! Progress of long work on standard error: nothing in the first second, then a line that is
//! overwritten. Without a terminal nothing is shown.

use std::io::{self, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tengen_engine::text::printable;

/// Work that ends sooner shows no progress.
const DELAY: Duration = Duration::from_secs(1);
/// How often the elapsed time is redrawn.
const TICK: Duration = Duration::from_millis(200);

const BAR: &str = "{bar:40} {pos}/{len}  {elapsed} gone, {eta} left  {wide_msg}";
const COUNT: &str = "{spinner} {pos}  {elapsed} gone  {wide_msg}";

/// A bar, or a counter if the number of steps is unknown.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Dropping this stops the thread that shows the bar.
    _work: Sender<()>,
}

impl Progress {
    /// Creates the progress of `steps` steps; `None` if their number is unknown.
    pub(crate) fn new(steps: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::hidden());
        let template = if steps.is_some() { BAR } else { COUNT };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let (work, end) = channel::<()>();
        let shown = bar.clone();
        // Without a thread the work goes on unseen.
        let _ = Builder::new().name("progress".to_owned()).spawn(move || {
            if end.recv_timeout(DELAY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            shown.set_draw_target(ProgressDrawTarget::stderr());
            shown.tick();
            while end.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                shown.tick();
            }
        });
        Self { bar, _work: work }
    }

    /// Shows what is done at the moment.
    pub(crate) fn show(&self, what: impl Into<String>) {
        self.bar.set_message(what.into());
    }

    /// Counts steps that were done by an earlier run. The estimate of the time left ignores them.
    #[cfg(feature = "arena")]
    pub(crate) fn start_at(&self, steps: u64) {
        self.bar.set_position(steps);
        self.bar.reset_eta();
    }

    /// Counts several steps.
    #[cfg(feature = "arena")]
    pub(crate) fn count(&self, steps: u64) {
        self.bar.inc(steps);
    }

    /// Counts a step.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }

    /// Runs `write` with the bar hidden.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Writes a message to standard error. A closed standard error is ignored, since the exit
    /// status shows the problem too.
    pub(crate) fn print_error(&self, message: &str) {
        let message = printable(&tengen_runs::without_passwords(message));
        let _ = self.suspend(|| writeln!(io::stderr(), "{message}"));
    }
}

impl tengen_prover::Progress for Progress {
    fn step(&self) {
        self.step();
    }

    fn show(&self, what: String) {
        self.show(what);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
