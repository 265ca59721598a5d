//! The games of Tengen: rules, notation and evaluation, and the list of variants that clients
//! choose from.
//!
//! It knows the engine's traits and no protocol.

mod catalog;
mod cellset;
pub mod cfour;
mod entry;
pub mod gomoku;
pub mod mnk;
pub mod tree;

pub use catalog::Games;

/// All the games there are.
pub static CATALOG: Games = Games;
