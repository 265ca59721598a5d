//! How far a long list has got, on standard error when that is a terminal, and the lines that are
//! written beside it.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A list of fewer positions than this shows no progress.
const MANY: u64 = 100;
const BAR: &str = "{bar:40} {pos}/{len}  {elapsed} gone, {eta} left";
const COUNT: &str = "{spinner} {pos}  {elapsed} gone";

/// A bar, or a count where the end is not known.
pub(super) struct Progress {
    bar: ProgressBar,
    done: u64,
    /// Whether answers and the bar share a terminal.
    shares_terminal: bool,
}

impl Progress {
    /// For a list of so many positions, if that is known.
    pub(super) fn new(positions: Option<u64>) -> Self {
        let bar = match positions {
            Some(positions) if positions >= MANY => ProgressBar::new(positions),
            _ => ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
        };
        let template = if positions.is_some() { BAR } else { COUNT };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, done: 0, shares_terminal: io::stdout().is_terminal() }
    }

    /// One more position is done.
    pub(super) fn step(&mut self) {
        self.done += 1;
        if self.done == MANY {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }

    /// Writes an answer, on its own line where the bar is on the same terminal.
    pub(super) fn answer(&self, answer: &str) -> io::Result<()> {
        let write = || writeln!(io::stdout().lock(), "{answer}");
        if self.shares_terminal { self.bar.suspend(write) } else { write() }
    }

    /// Writes to standard error, which the bar may be on. Where nobody listens the status must do.
    pub(super) fn complain(&self, complaint: &str) {
        let _ = self.bar.suspend(|| writeln!(io::stderr(), "{complaint}"));
    }

    /// Leaves nothing behind.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
