//! The UCI dialect.

pub mod client;
mod go;
pub mod server;
mod vampirc;
mod write;

pub use self::write::{explanation, total_line};
