//! The opening book: the exact score of every position of the first plies.
//!
//! A book holds scores only. The index of a score, its slot, is computed from the stones of the
//! position. Slots of unreachable positions are empty, so a lookup is exact. Solving positions is
//! not part of this module.

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
pub use journal::{BookJournal, BookJournalError, Contents};
pub use layers::Layers;
