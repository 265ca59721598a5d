//! Runs of many tasks that survive a kill.
//!
//! A [`Run`] chooses tasks and journals their results. [`drive()`] submits the tasks to a
//! [`Transport`], whose workers return an [`Outcome`] for each. A killed run continues from its
//! [`Journal`](journal::Journal). This crate knows no game and no query. [`files`] writes the files of
//! users, for all commands.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod connect;
pub mod contract;
mod drive;
pub mod files;
mod ids;
pub mod journal;
mod list;
#[cfg(feature = "nats")]
pub mod nats;
mod pipe;
mod remote;
mod settings;
mod slots;
mod summary;
mod task;
mod threads;
mod transport;
mod trust;

pub use self::connect::host;
pub use self::drive::{Control, End, NextTask, Run, Watcher, drive};
pub use self::ids::Ids;
pub use self::list::{TaskList, Tasks};
pub use self::pipe::Pipe;
pub use self::remote::{Arrival, Carrier, Codec, Remote};
pub use self::settings::{
    Access, Progress, RunInfo, TransportKind, TransportSettings, without_password,
    without_passwords,
};
pub use self::slots::{Job, Slot, start_slot};
pub use self::summary::{Summary, WorkerSummary, purge};
pub use self::task::{MAX_ATTEMPTS, Outcome, OutcomeOf, Task, TaskSignal, Work};
pub use self::threads::{NO_THREAD, Threads, View, Worker};
pub use self::transport::{Event, Events, RefusedResult, Transport};
use std::io;
use std::path::{Path, PathBuf};

/// Why a run could not continue.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process has locked the run folder.
    #[error("{}: {holder} in this folder", folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
        /// What the other process does, for the message.
        holder: &'static str,
    },
    /// A line of the journal before the last one is damaged.
    #[error(
        "{}:{line}: the journal is damaged: {why}; without this line {without}",
        path.display()
    )]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with the line.
        why: String,
        /// What happens after the user has removed the line.
        without: &'static str,
    },
    /// The journal was written anew while it was read, as by a purge.
    #[error("{}: the file was written anew while it was read: open it again", .0.display())]
    Replaced(PathBuf),
    /// The journal belongs to another run, for this reason.
    #[error("{0}")]
    OtherRun(String),
    /// The file system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// The transport that the user has chosen cannot be used, for this reason.
    #[error("{0}")]
    NoTransport(String),
    /// The workers have failed, for this reason.
    #[error("{0}")]
    Broken(String),
}

impl Error {
    /// Returns a function that makes an error of the file system an error about `path`.
    pub fn at(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Io { path: path.clone(), error }
    }
}

/// Replaces a file as a whole, so that a failure leaves the old file. See [`files::write`].
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    files::write(path, bytes).map_err(Error::at(path))
}
