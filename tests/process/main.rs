//! The program as a client meets it: processes, pipes and conversations in every dialect.

mod dialects;
// Two of the dialogues ask the book.
#[cfg(feature = "book")]
mod dialogues;
mod hostile;
mod lifecycle;
mod queries;
mod queries_as_commands;
mod random_queries;
#[cfg(all(unix, feature = "serve"))]
mod serve_log;
mod services;
#[path = "../support/mod.rs"]
mod support;
mod swap2;
mod talk;
