//! Four in a row, and every line game in which stones fall and the board fits in 128 bits.
//!
//! The rules are on bitboards, in [`Board`]; a line of `connect` stones or more wins. The
//! evaluation is in `eval`.

mod bits;
mod board;
pub mod book;
mod eval;
pub mod learned;
mod misere;
mod notation;
mod parity;
mod runs;
mod shape;
mod tuning;
pub(crate) mod variants;

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod minimax;

pub use bits::Bits;
pub use board::{Board, Drop, Mirrored};
pub use eval::CfourEvaluator;
pub use misere::{Misere, MisereEvaluator};
pub use shape::{AnySize, Classic, Shape};
