//! The command line, as a shell runs it, with one module for each command, and the documents.
//!
//! Without the feature `book`, only the module `no_book` is tested.

#[cfg(feature = "book")]
mod analyze;
#[cfg(all(feature = "book", feature = "arena", target_os = "linux"))]
mod arena;
#[cfg(all(feature = "book", feature = "arena"))]
mod batch;
#[cfg(feature = "book")]
mod book;
#[cfg(feature = "book")]
mod help;
#[cfg(feature = "book")]
mod messages;
#[cfg(not(feature = "book"))]
mod no_book;
#[cfg(feature = "book")]
mod objects;
#[cfg(feature = "book")]
mod pages;
#[cfg(all(feature = "book", feature = "play"))]
mod play;
#[cfg(feature = "book")]
mod proofs;
#[cfg(all(feature = "book", feature = "arena"))]
mod puzzles;
#[cfg(feature = "book")]
mod records;
#[cfg(feature = "book")]
mod records_campaign;
#[cfg(feature = "book")]
mod scratch;
#[cfg(feature = "shelf")]
mod shelf;
#[cfg(feature = "shelf")]
mod shelf_service;
#[cfg(feature = "book")]
mod solve;
#[cfg(all(feature = "book", feature = "play", feature = "arena"))]
mod statuses;
#[cfg(feature = "book")]
#[path = "../support/mod.rs"]
mod support;
#[cfg(feature = "book")]
mod terminal;
#[cfg(feature = "book")]
mod tree;
#[cfg(all(feature = "book", feature = "arena"))]
mod work;
