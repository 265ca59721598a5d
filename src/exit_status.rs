//! Exit statuses, and the messages for refused input, unfinished work and closed output.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use anyhow::Context;
use tengen_engine::text::printable;
pub(crate) use tengen_protocol::io::ignore_broken_pipe;
pub(crate) use tengen_runs::NO_THREAD;
use thiserror::Error;

/// The statuses, as `--help` and the manual list them.
pub(crate) const STATUSES: &str = include_str!("help/exit_status.txt").trim_ascii_end();

/// The message when standard output cannot be written.
pub(crate) const WRITE_FAILED: &str = "cannot write to standard output";

/// Returns a [`Refusal`] from the function; its text is written as for [`format!`].
macro_rules! refuse {
    ($($text:tt)+) => {
        return Err($crate::exit_status::Refusal(format!($($text)+)).into())
    };
}
pub(crate) use refuse;

/// Refused input, and why. The exit status is 2, as for a command line that cannot be read.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Refusal(pub(crate) String);

impl Refusal {
    /// The exit status for refused input.
    const STATUS: u8 = 2;

    /// Creates the refusal of a file that cannot be read.
    pub(crate) fn unreadable(path: &Path, error: &dyn fmt::Display) -> Self {
        Self(format!("cannot read {}: {error}", path.display()))
    }
}

/// Work that ended early, and why.
#[derive(Debug, Error)]
pub(crate) enum Unfinished {
    /// A limit of the command line ended the work.
    #[error("{0}")]
    Limited(String),
    /// Ctrl-C ended the work.
    #[error("interrupted: {0}")]
    Interrupted(String),
}

impl Unfinished {
    /// The exit status after Ctrl-C, as in shells.
    pub(crate) const INTERRUPTED: u8 = 130;

    const fn status(&self) -> u8 {
        match self {
            Self::Limited(_) => 3,
            Self::Interrupted(_) => Self::INTERRUPTED,
        }
    }
}

/// The exit status of a command that has statuses of its own, and its message.
#[derive(Debug, Error)]
#[error("{}", why.as_deref().unwrap_or_default())]
pub(crate) struct Ended {
    pub(crate) status: u8,
    /// The message; `None` if it was printed before.
    pub(crate) why: Option<String>,
}

/// Returns whether the message of an error was printed before, so that only the exit status is
/// left.
pub(crate) fn is_reported(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Ended>().is_some_and(|ended| ended.why.is_none())
}

/// Returns the exit status for an error.
pub(crate) fn status_of(error: &anyhow::Error) -> u8 {
    if error.is::<Refusal>() {
        return Refusal::STATUS;
    }
    if let Some(ended) = error.downcast_ref::<Ended>() {
        return ended.status;
    }
    error.downcast_ref().map_or(1, Unfinished::status)
}

/// Writes to standard output. A closed output is not an error.
pub(crate) fn print(text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    ignore_broken_pipe(out.write_all(text.as_ref()).and_then(|()| out.flush()))
        .context(WRITE_FAILED)
}

/// Returns whether the reader of an output closed it, which is not an error.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// Makes a text with words of others fit for a line on a terminal. Addresses in it show no password.
pub(crate) fn one_line(text: &str) -> String {
    printable(&tengen_runs::without_passwords(&text.replace('\n', " ")))
}

/// Writes the refusal of a part of the input to standard error. The command continues.
pub(crate) fn report(text: &str) {
    // A closed standard error is ignored.
    let _ = writeln!(io::stderr().lock(), "tengen: {}", one_line(text));
}

/// Writes a warning to standard error. The command continues.
pub(crate) fn warn(text: &str) {
    // A closed standard error is ignored.
    let _ = writeln!(io::stderr().lock(), "tengen: warning: {}", one_line(text));
}
