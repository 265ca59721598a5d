//! Work that consists of many tasks: batches of queries, searches for puzzles, and the worker that does
//! tasks of other machines.
//!
//! The command line says what to do, and shows what happens by a [`Console`]. Runs, journals and
//! transports are those of `tengen-runs`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod batch;
mod console;
pub mod puzzles;
pub mod work;

pub use self::console::{Console, Failure, Progress};
