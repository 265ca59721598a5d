//! Connections to a client: standard input and output, or memory. A connection carries bytes and
//! does not depend on commands.
//!
//! Pipes and sockets are read without a thread of their own, when they are ready. Any other input
//! is read by a thread, which sends the bytes through a channel.

#[cfg(feature = "service")]
mod connection;
#[cfg(feature = "service")]
mod input;
pub mod lines;
mod output;

use std::io::{ErrorKind, Result};
use std::time::Duration;

#[cfg(feature = "service")]
pub use self::connection::{Connection, MemoryClient};
pub(crate) use self::output::Output;

/// After `quit`, how long to wait for a client that does not read the remaining output.
pub(crate) const QUIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the result of a write. An output that its reader closed is not an error.
pub fn ignore_broken_pipe(result: Result<()>) -> Result<()> {
    result.or_else(|error| match error.kind() {
        ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })
}
