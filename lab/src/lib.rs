//! Code that the programs of this package share: positions, players, and the fits of weights.
//!
//! The programs compute the learned numbers in the source of the games, and the figures of the
//! manuals. No released program depends on this package.

pub mod claims;
pub mod gomoku;
pub mod matches;
pub mod order;
pub mod playing;
pub mod positions;
