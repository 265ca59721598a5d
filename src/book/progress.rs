//! The progress of a build: a bar on a terminal, else a line from time to time.

use std::io::{Write, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How often a line is written if there is no terminal.
const INTERVAL: Duration = Duration::from_secs(60);

/// The progress of a build.
pub(super) struct Progress {
    /// Hidden without a terminal.
    bar: ProgressBar,
    /// When the last line was written.
    last_report: Instant,
    nodes: u64,
}

impl Progress {
    /// Creates the progress for `all` positions still to be solved.
    pub(super) fn new(all: usize) -> Self {
        let bar = ProgressBar::new(all as u64);
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed} (eta {eta})");
        let bar = style.map_or(bar.clone(), |style| bar.with_style(style));
        Self { bar, last_report: Instant::now(), nodes: 0 }
    }

    /// Counts a solved position.
    pub(super) fn step(&mut self, nodes: u64) {
        self.nodes += nodes;
        self.bar.inc(1);
        if self.bar.is_hidden() && self.last_report.elapsed() >= INTERVAL {
            self.last_report = Instant::now();
            self.line();
        }
    }

    /// Ends the progress: all positions are solved.
    pub(super) fn end(self) {
        self.bar.finish_and_clear();
        self.line();
    }

    fn line(&self) {
        let (spent, done) = (self.bar.elapsed(), self.bar.position());
        let all = self.bar.length().unwrap_or_default();
        let left = spent.mul_f64((all - done) as f64 / done.max(1) as f64);
        let mean = self.nodes / done.max(1);
        note(&format!(
            "{done} of {all} positions solved in {}, {mean} nodes each; {} to go",
            readable(spent),
            readable(left),
        ));
    }
}

/// Writes to standard error. If it is closed, the work continues.
pub(super) fn note(text: &str) {
    let _ = writeln!(stderr(), "{text}");
}

/// Returns a time for people.
pub(super) fn readable(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..120 => format!("{:.1} s", time.as_secs_f64()),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{:.1} h", time.as_secs_f64() / 3600.0),
    }
}
