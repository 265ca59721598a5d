//! The dialects. Each decodes text to a [`Command`] and encodes a [`Reply`] as text.
//!
//! [`Command`]: crate::command::Command
//! [`Reply`]: crate::command::Reply

pub mod gomocup;
pub mod gtp;
#[cfg(feature = "json")]
pub mod json;
pub mod kind;
pub mod registry;
#[cfg(test)]
mod tests;
pub mod uci;
pub mod ugi;
pub(crate) mod words;

pub use self::kind::{BoardContext, Dialect, Kind, OverlongLine, Speech};
pub use self::registry::{DIALECTS, by_first_line, by_name, by_program, foreign};
