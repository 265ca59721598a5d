//! Four in a row, and every m,n,k game in which stones fall and the board fits in 128 bits.
//!
//! [`Board`] has the rules, on bitboards; a line of `connect` stones or more wins. `eval` has the
//! evaluation.

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
pub(crate) mod variants;

pub use bits::Bits;
pub use board::{Board, Drop, Mirrored};
pub use eval::CfourEvaluator;
pub use misere::{Misere, MisereEvaluator};
pub use shape::{AnySize, Classic, Shape};

#[cfg(test)]
mod tests {
    mod brute_force;
    pub(super) mod minimax;
}
