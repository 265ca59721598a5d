//! How a command ends: with input that it refuses, or output that nobody reads any more.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind, Write};

use anyhow::Context;

/// What went wrong where output is lost.
pub(crate) const UNPRINTED: &str = "cannot write to standard output";

/// Input that cannot be used, and why. The program's status is then 2, as for a command line that
/// it cannot read.
#[derive(Debug)]
pub(crate) struct Refusal(pub(crate) String);

impl Refusal {
    /// The status of a program that was given this.
    pub(crate) const STATUS: u8 = 2;
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Refusal {}

/// Writes to standard output; a reader who left has read enough.
pub(crate) fn print(text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    unless_closed(out.write_all(text.as_ref()).and_then(|()| out.flush())).context(UNPRINTED)
}

/// What became of the output: a reader who left has read enough.
pub(crate) fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Tells the user something beside the output, which goes on.
pub(crate) fn warn(text: &str) {
    // Whoever closed standard error does not want to know.
    let _ = writeln!(io::stderr().lock(), "tengen: warning: {text}");
}
