//! Long exact work: [`proof`] searches for strategies that `tengen-proofs` checks, [`book`] solves the
//! positions of opening books, and [`count`] counts small games.
//!
//! The command line says what to do, and watches by a [`Monitor`].

pub mod book;
pub mod count;
pub mod proof;

use tengen_engine::{SearchError, Signal};
use thiserror::Error;

/// How long work is ended and shown.
#[derive(Clone, Copy)]
pub struct Monitor<'a> {
    /// Stopped when the user wants the work to end.
    pub signal: &'a Signal,
    /// Shows what is done.
    pub progress: &'a dyn Progress,
}

/// Shows the progress of long work.
pub trait Progress: Sync {
    /// Counts a position.
    fn step(&self);

    /// Shows what is done at the moment.
    fn show(&self, what: String);
}

/// Why long work ended early.
#[derive(Debug, Error)]
pub enum Error {
    /// The work cannot be done as it was asked for.
    #[error("{0}")]
    Refused(String),
    /// The signal was stopped. The text says how far the work came.
    #[error("{0}")]
    Interrupted(String),
    /// No proof was found, which does not say who wins.
    #[error(
        "no proof was found after {after}, with {nodes} nodes; the journal keeps what was found"
    )]
    Unproven {
        /// The moves to the position.
        after: String,
        /// The nodes of the search.
        nodes: u64,
    },
    /// A search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] tengen_runs::Error),
    /// Something else failed.
    #[error("{0}")]
    Failed(String),
}
