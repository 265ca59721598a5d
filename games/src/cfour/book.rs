//! The opening book: the exact score of every position of the first plies.
//!
//! A book holds scores only. Where the score of a position stands follows from its stones, and the
//! places of positions that play does not lead to are empty: a lookup is exact. This module does
//! not know who solves the positions.

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
