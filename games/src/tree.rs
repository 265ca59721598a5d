//! An explicit game tree: the rules are a literal, the moves are the children, the leaves carry
//! their values.
//!
//! The nodes are in a [`Tree`], which [`parse`] reads from the literal.

mod arena;
mod game;
mod literal;
mod notation;
pub(crate) mod variants;

pub use arena::{Node, Tree};
pub use game::{TreeEvaluator, TreeGame, TreeMove};
pub use literal::{LiteralError, LiteralFault, MAX_CHILDREN, MAX_NESTING, MAX_VALUE, parse};
pub use notation::EXAMPLE;
