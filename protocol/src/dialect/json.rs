//! The JSON dialect: one object a line, a query of the client or a reply of the server.
//!
//! [`query`](mod@query) and [`reply`] define both; [`read`] reads a query and tells what is wrong with
//! it, [`schema`](schema::schema) describes all. What a query does is the business of
//! [`crate::analysis`].

pub mod code;
mod field_value;
pub mod number;
pub mod query;
pub mod read;
pub mod reply;
pub mod schema;
mod shapes;
#[cfg(test)]
mod tests;

pub use self::code::{Code, Problem};
pub use self::field_value::clipped;
pub use self::shapes::{MAX_MOVES, SideName};

use super::kind::{Kind, Speech};

/// How the dialect is chosen.
pub static KIND: Kind = Kind {
    name: "json",
    openings: &[],
    program_prefix: None,
    variant: None,
    speech: Speech::Queries,
};

/// What the first line of a client begins with, as that of no other dialect does.
pub(super) const OPENING: char = '{';

/// The version of the protocol.
pub const VERSION: i64 = 1;
