//! The opening book: the exact score of every position of the first plies.
//!
//! A book holds scores only. The place of a score follows from the stones of its position. Places
//! of positions that cannot be reached are empty, so a lookup is exact. This module does not know
//! who solves the positions.

mod embedded;
mod file;
mod format;
mod in_memory;
mod journal;
mod layers;
mod places;

#[cfg(test)]
mod tests;

pub use embedded::{CLASSIC, EmbeddedBook};
pub use file::{LoadError, load};
pub use format::{BookError, Header};
pub use in_memory::{Book, Flaw, in_words};
pub use journal::{Contents, Journal, JournalError};
pub use layers::Layers;
