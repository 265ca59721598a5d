//! Tests of the rules and searches of the real games: laws, second implementations, counts and
//! published answers.

mod bench;
mod book_end;
mod gomoku;
#[cfg(feature = "arena")]
mod kept_inputs;
mod known;
mod language;
mod laws;
mod many_sessions;
mod openings;
mod proofs;
mod published_answers;
mod queries;
mod reasons;
mod renju;
#[cfg(feature = "arena")]
mod statistics;
mod structure;
#[path = "../support/mod.rs"]
mod support;
mod tactics;
mod textbook;
