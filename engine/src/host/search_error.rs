//! [`SearchError`]: why a backend did not do what it was asked for.

use std::error::Error;
use std::fmt;

/// Why a backend did not do what it was asked for. The message is one line.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SearchError {
    /// A table of so many MiB does not fit into memory. The old table is kept.
    Table(usize),
    /// The system gives no thread for any search. The answer of a search is the first legal move.
    NoThreads,
    /// The system gives no memory for a search. The answer is the first legal move.
    NoMemory,
    /// The system gives no thread for a search. The answer is the first legal move.
    NoThread,
    /// The search panicked. The answer is the first legal move.
    Failed,
    /// The position belongs to another game than the backend.
    OtherGame {
        /// The variant of the backend.
        own: &'static str,
        /// The variant of the position.
        other: &'static str,
    },
    /// There is no answer: the search thread has ended.
    Ended,
}

impl SearchError {
    /// Returns what happened, without its consequence and its remedy.
    pub fn cause(&self) -> String {
        match self {
            Self::Table(mib) => format!("hash {mib} MiB: not enough memory"),
            Self::NoThreads => "no thread for searches: the system allows no more".to_owned(),
            Self::NoMemory => "no memory for a search".to_owned(),
            Self::NoThread => "no thread for a search".to_owned(),
            Self::Failed => "the search failed".to_owned(),
            Self::OtherGame { own, other } => {
                format!("a position of {other} cannot be searched by the backend of {own}")
            }
            Self::Ended => "the search thread has ended".to_owned(),
        }
    }
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LIMITS: &str = "Raise the system's limits of processes and memory";
        let cause = self.cause();
        match self {
            Self::Table(_) => write!(f, "{cause}; the old table is kept. Choose a smaller Hash"),
            Self::NoThreads => {
                write!(f, "{cause}; a search answers with the first legal move. {LIMITS}")
            }
            Self::NoMemory => write!(f, "{cause}: this is the first legal move. Reduce Hash"),
            Self::NoThread => write!(f, "{cause}: this is the first legal move. {LIMITS}"),
            Self::Failed => write!(f, "{cause}: this is the first legal move"),
            Self::OtherGame { .. } | Self::Ended => f.write_str(&cause),
        }
    }
}

impl Error for SearchError {}
