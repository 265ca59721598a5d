//! [`Error`]: why a shelf cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use tengen_engine::text::quotable;

/// The version of the schema.
pub(crate) const VERSION: i64 = 3;

/// Why a shelf cannot be read or written. What was stored before is not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system starts no thread.
    #[error("no thread can be started: {0}: raise the system's limits of processes and memory")]
    NoThread(io::Error),
    /// There is no such file.
    #[error("{}: there is no shelf: \"tengen shelf import\" makes one", .0.display())]
    Missing(PathBuf),
    /// The file is not a shelf.
    #[error("{}: this file is not a shelf", .0.display())]
    NotAShelf(PathBuf),
    /// The file cannot be opened.
    #[error("{}: {why}", path.display())]
    NotOpened {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A newer Tengen made the shelf.
    #[error("{}: this shelf has schema {version}, and this program knows up to {}: use a newer Tengen", path.display(), VERSION)]
    Newer {
        /// The shelf.
        path: PathBuf,
        /// The version of its schema.
        version: i64,
    },
    /// Parts of the file are lost.
    #[error("{}: the shelf is damaged: {why}. Import its files into a new shelf", path.display())]
    Damaged {
        /// The shelf.
        path: PathBuf,
        /// What SQLite found.
        why: String,
    },
    /// Another program is writing.
    #[error("{}: another program writes to this shelf: try again when it has ended", .0.display())]
    Busy(PathBuf),
    /// There is no room on the disk.
    #[error("{}: no room on the disk; everything stored before is kept. The same command continues", .0.display())]
    Full(PathBuf),
    /// The file system refused.
    #[error("{}: {why}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        why: String,
    },
    /// Input that does not fit, and why.
    #[error("{0}")]
    Refused(String),
    /// A part of the input that does not fit.
    #[error("{why}")]
    Wrong {
        /// Which, such as `date` or `game`.
        what: String,
        /// Why.
        why: String,
    },
    /// The caller stopped the work.
    #[error("stopped")]
    Stopped,
}

impl Error {
    /// Returns the error of a text that the user gave.
    pub(crate) fn refused(what: &str, given: &str, why: &str) -> Self {
        Self::wrong(what, format!("{what} \"{}\": {why}", quotable(given)))
    }

    /// Returns the error of the number of a game.
    pub(crate) fn no_game(id: i64) -> Self {
        Self::wrong("game", format!("game {id}: the shelf has no such game"))
    }

    /// Returns the error of a part of the input.
    pub(crate) fn wrong(what: &str, why: String) -> Self {
        Self::Wrong { what: what.to_owned(), why }
    }

    /// Returns the error of SQLite as one about the shelf at `path`.
    pub(crate) fn of(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotAShelf(path),
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, why: error.to_string() },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy(path),
            Some(ErrorCode::DiskFull) => Self::Full(path),
            Some(ErrorCode::OperationInterrupted) => Self::Stopped,
            _ => Self::Io { path, why: error.to_string() },
        }
    }
}
