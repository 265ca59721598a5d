//! Parts that the programs of this package share: positions, players, and the fits of weights.
//!
//! The programs find the numbers that stand in the source of the games, and the figures of the
//! manuals. Nothing that is shipped depends on this package.

pub mod claims;
pub mod gomoku;
pub mod matches;
pub mod order;
pub mod playing;
pub mod positions;
