//! The command line of `tengen arena`: its subcommands, their results and exit statuses.
//!
//! It prints nothing: a command returns its text and its status.

mod counts;

pub use self::counts::{elo, sprt};

/// How a command ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Everything was done; in a test, H1 was accepted.
    Done,
    /// Nothing was played: the command line, a file, an engine or an opening was refused.
    Refused,
}

impl Status {
    /// Returns the exit status of the program.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
        }
    }
}

/// Why a command failed, in one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What the program ends with.
    pub status: Status,
    /// The message for the user.
    pub message: String,
}

impl Failure {
    /// Returns a refusal of the command line or of something that it names.
    pub fn refused(message: impl Into<String>) -> Self {
        Self { status: Status::Refused, message: message.into() }
    }
}
