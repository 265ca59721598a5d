//! [`Code`]: the kinds of errors. [`Problem`]: an error with its message.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of errors. Their names are stable.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The line is not a JSON object, or has a duplicate field.
    BadJson,
    /// The line or message is too long.
    TooLarge,
    /// No action has this name.
    UnknownAction,
    /// A field is missing, of another type or out of its range.
    BadField,
    /// A query of this `id` is open.
    DuplicateId,
    /// No variant has this name.
    UnknownVariant,
    /// The variant is not played on this board.
    BadBoard,
    /// The position cannot be read.
    BadPosition,
    /// The record cannot be read.
    BadRecord,
    /// A move cannot be read or played.
    BadMove,
    /// This server does not support the query.
    Unsupported,
    /// The search of this game proves nothing.
    NotExact,
    /// This session has no permission for the query.
    Forbidden,
    /// The server requires an access token.
    Unauthorized,
    /// The queue is full.
    TooMany,
    /// There is no such session to resume.
    UnknownSession,
    /// The query took too long, or was terminated.
    Interrupted,
    /// The server is shutting down.
    ShuttingDown,
    /// There is no memory for the table, or no thread for the search.
    NoMemory,
    /// The search failed.
    Internal,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Makes the [`Problem`] of a kind with a field; its message is written as for [`format!`].
macro_rules! problem {
    ($code:ident, $field:expr, $($message:tt)+) => {
        $crate::dialect::json::Problem::with(
            $crate::dialect::json::Code::$code,
            $field,
            format!($($message)+),
        )
    };
}
pub(crate) use problem;

/// Why a query or one of its positions is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The kind of error.
    pub code: Code,
    /// The wrong field; `None` when there is no single one.
    pub field: Option<String>,
    /// A human-readable line.
    pub message: String,
    /// After how many milliseconds the client may try again; `None` if that would not help.
    pub retry_after_ms: Option<u64>,
}

impl Problem {
    /// Returns a problem with the field `field`.
    pub fn with(code: Code, field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(code, message) }
    }

    /// Returns a problem without a field.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, field: None, message: message.into(), retry_after_ms: None }
    }
}
