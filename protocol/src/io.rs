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

#[cfg(feature = "service")]
pub use self::connection::{Connection, MemoryClient};
pub(crate) use self::output::Output;
