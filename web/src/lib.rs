//! Tengen as a network server: sessions over WebSocket, HTTP and TCP, with one shared pool of
//! workers.
//!
//! [`serve`] runs until the process gets a signal to end. The crate uses the sessions and the pool
//! of the protocol and does not depend on a game.
//!
//! Everything except the searches runs on one thread. An idle session has no thread and no table,
//! and only the task of its connection.
//!
//! A connection is a task that reads and writes. Each line that it reads is one call of the hub.
//! Connections take turns with their lines, in fair share of processor time.
//!
//! Queries in JSON are searched with the tables of the workers. A session of UCI, UGI or Gomocup
//! has a table of its own from its first search on. The pool lends it to the worker that searches
//! for the session. All these tables together stay within a limit in MiB. The table that has been
//! idle longest is dropped for another session. `ucinewgame` and `Clear Hash` empty the session's
//! own table before its next search.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod accept;
mod access;
mod connection;
mod guard;
mod health;
mod hub;
mod limits;
mod line_queue;
mod metrics;
mod outbox;
mod page;
mod places;
mod process;
mod rooms;
mod routes;
mod run_page;
mod tcp;
#[cfg(test)]
mod tests;
mod websocket;

pub use self::accept::{Addresses, ServeError, Server, ServerConfig};
pub use self::access::{Access, AccessError, Token};
pub use self::health::health_status;
pub use self::limits::{LimitError, ServerLimits};
pub use self::process::serve;
pub use self::rooms::qr_code;
pub use self::run_page::{RunAnswers, TextAnswers, run_file, serve_run, serve_texts};
