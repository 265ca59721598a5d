//! Proofs of game values as files: the format `tengen-proof 1` and its checker.
//!
//! A proof is a strategy of one side. [`check`] follows it against every reply, by a
//! [`Position`](tengen_engine::Position) alone: this crate has no search. The manual page `proofs.md`
//! describes the format for other checkers and provers.

mod board;
mod book;
mod check;
mod fault;
mod head;
mod plan;
mod rows;
mod rule;

pub use board::Board;
pub use book::{ProofBook, WithProofs, is_proof};
pub use check::{Checked, ProofLine, Visit, check};
pub use fault::Fault;
pub use head::{Claim, Head, OPEN, write};
pub use plan::{Plan, Unnamed};
pub use rule::{Failure, Item, Owner};
