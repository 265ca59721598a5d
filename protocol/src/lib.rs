//! Tengen's protocol layer: it turns lines of clients into calls of a [`Backend`], and events of
//! the backend into lines.
//!
//! It uses the engine's interface (`tengen_engine::backend`) and does not depend on a game. The
//! path of a line:
//!
//! ```text
//! io -> server -> session -> dialect (text to Command)
//!                    |
//!                    v
//! io <- server <- effects <- dialect (Reply to text)
//! ```
//!
//! The session is deterministic: it reads no clock, starts no thread and prints nothing.
//!
//! Without the feature `service` there is no tokio, and [`serve`] speaks UCI, UGI, Gomocup and GTP at
//! standard input and output. The feature `json` alone has JSON and the pool of workers, for a
//! program with an event loop of its own.
//!
//! [`Backend`]: tengen_engine::backend::Backend

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod client;
pub mod command;
pub mod dialect;
#[cfg(feature = "json")]
pub mod explorer;
pub mod io;
pub mod judge;
mod log;
mod options;
pub mod plain;
#[cfg(feature = "json")]
pub mod pool;
#[cfg(feature = "json")]
pub mod queries;
#[cfg(feature = "service")]
pub mod server;
#[cfg(feature = "json")]
pub mod service;
pub mod session;

pub use log::LINES;
#[cfg(not(feature = "service"))]
pub use plain::serve;
#[cfg(feature = "service")]
pub use server::serve;

/// The product's name and version, as a client shows it.
pub const PRODUCT: &str = concat!("Tengen ", env!("CARGO_PKG_VERSION"));
