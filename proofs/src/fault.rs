//! [`Fault`]: why a file is no proof, and where.

use std::io;

use thiserror::Error;

/// Why a file is not a proof, with the place.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file cannot be read.
    #[error("line {line}: cannot be read: {error}")]
    Unreadable {
        /// The number of the line, from 1.
        line: u64,
        /// The error of the system or of the decompression.
        error: io::Error,
    },
    /// A line of the head is not as the format says.
    #[error("line {line}: {why}")]
    Head {
        /// The number of the line, from 1.
        line: u64,
        /// What is wrong.
        why: String,
    },
    /// The strategy does not do what the file claims.
    #[error("line {line}, after {}: {why}", if moves.is_empty() { "no moves" } else { moves })]
    Strategy {
        /// The number of the line, from 1.
        line: u64,
        /// The moves to the position in question.
        moves: String,
        /// What is wrong.
        why: String,
    },
}
