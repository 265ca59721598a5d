//! Tests of the program from the view of a client: processes, pipes and conversations in all
//! dialects.

mod dialects;
// Two of the dialogues use the book.
#[cfg(feature = "book")]
mod dialogues;
mod hostile;
mod lifecycle;
mod queries;
mod queries_as_commands;
mod random_queries;
#[cfg(all(unix, feature = "serve"))]
mod serve_health;
#[cfg(all(unix, feature = "serve"))]
mod serve_log;
mod services;
#[path = "../support/mod.rs"]
mod support;
mod swap2;
mod talk;
