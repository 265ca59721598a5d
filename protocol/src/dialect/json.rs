//! The JSON dialect. Each line is one object: a query of the client or a reply of the server.
//!
//! [`query`](mod@query) and [`reply`] define the objects. [`read`] reads a query and reports
//! errors. [`schema`](schema::schema) describes all objects. [`crate::queries`] answers the
//! queries.

mod boards;
pub mod code;
mod field_value;
pub mod number;
mod parts;
pub mod query;
pub mod read;
mod reason;
pub mod reply;
pub mod rooms;
pub mod schema;
mod shapes;
pub mod shelf;
#[cfg(test)]
mod tests;

pub(crate) use self::code::problem;
pub use self::code::{Code, Problem};
pub use self::field_value::clipped;
pub use self::shapes::{MAX_MOVES, SideName};

use super::kind::{Kind, Speech};

/// The registration of the dialect.
pub static KIND: Kind = Kind {
    name: "json",
    openings: "",
    program_prefix: None,
    variant: None,
    speech: Speech::Queries,
};

/// The first character of a client's first line. It chooses this dialect.
pub(super) const OPENING: char = '{';

/// The version of the protocol.
pub const VERSION: i64 = 1;
