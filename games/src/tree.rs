//! Explicit game trees: a literal gives the tree, the moves are the children, the leaves carry
//! values.
//!
//! [`parse`] reads the literal into a [`Tree`].

mod arena;
mod game;
mod literal;
mod notation;
pub(crate) mod variants;

pub use arena::{Node, Tree};
pub use game::{TreeEvaluator, TreeGame, TreeMove};
pub use literal::{LiteralError, LiteralFault, MAX_CHILDREN, MAX_NESTING, MAX_VALUE, parse};
pub use notation::EXAMPLE;
