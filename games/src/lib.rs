//! The games of Tengen: rules, notation and judgement, and the list of variants that clients choose
//! from.
//!
//! Knows the engine's traits and no protocol.

mod bench;
mod catalog;
pub mod four_in_a_row;
pub mod gomoku;
pub mod grid;
mod keys;
pub mod mnk;
mod odds;
pub mod tree;

pub use catalog::Games;

/// All the games there are.
pub static CATALOG: Games = Games;
