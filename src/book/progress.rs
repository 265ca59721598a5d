//! The progress of a build: a bar on a terminal, else a line from time to time.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How often a line is written if there is no terminal.
const INTERVAL: Duration = Duration::from_secs(60);

/// The progress of a build.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    begin: Instant,
    /// When the last line was written.
    last_report: Instant,
    done: usize,
    all: usize,
    nodes: u64,
}

impl Progress {
    /// Creates the progress for `all` positions still to be solved.
    pub(super) fn new(all: usize) -> Self {
        let bar = stderr().is_terminal().then(|| ProgressBar::new(all as u64));
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed} (eta {eta})");
        if let (Some(bar), Ok(style)) = (&bar, style) {
            bar.set_style(style);
        }
        let begin = Instant::now();
        Self { bar, begin, last_report: begin, done: 0, all, nodes: 0 }
    }

    /// Counts a solved position.
    pub(super) fn step(&mut self, nodes: u64) {
        self.done += 1;
        self.nodes += nodes;
        if let Some(bar) = &self.bar {
            bar.inc(1);
        } else if self.last_report.elapsed() >= INTERVAL {
            self.last_report = Instant::now();
            self.line();
        }
    }

    /// Ends the progress: all positions are solved.
    pub(super) fn end(self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.line();
    }

    fn line(&self) {
        let spent = self.begin.elapsed();
        let left = spent.mul_f64((self.all - self.done) as f64 / self.done.max(1) as f64);
        let (done, all, mean) = (self.done, self.all, self.nodes / self.done.max(1) as u64);
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
