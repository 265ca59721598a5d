//! x
mod context;
pub use context::{Context, Stopped};
