//! Explicit game trees: a literal gives the tree, the moves are the children, the leaves carry
//! values.
//!
//! [`parse`] reads the literal into a [`Tree`].

mod arena;
mod game;
mod literal;
mod notation;

use tengen_engine::Variant;
use tengen_engine::opener::TypedOpener;

use crate::entry::Entry;

pub use arena::{Node, Tree};
pub use game::{TreeEvaluator, TreeGame, TreeMove};
pub use literal::{LiteralError, LiteralFault, MAX_CHILDREN, MAX_NESTING, MAX_VALUE, parse};
pub use notation::EXAMPLE;

/// The variant that the catalogue offers.
pub(crate) const VARIANTS: [Entry; 1] = [Entry {
    variant: Variant::new("tree", "an explicit game tree, set up by \"position fen <literal>\""),
    // It has no model of chances: the values of leaves have any unit.
    make: |_| Ok(Box::new(TypedOpener::new(TreeGame::example(), |_| TreeEvaluator, true))),
    bench: &[],
}];
