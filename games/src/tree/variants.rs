//! The variant of explicit trees that the catalogue offers.

use tengen_engine::Variant;
use tengen_engine::opener::TypedOpener;

use super::{TreeEvaluator, TreeGame};
use crate::entry::{BoardOptions, Entry};

pub(crate) const VARIANTS: [Entry; 1] = [Entry {
    variant: Variant::new("tree", "an explicit game tree, set up by \"position fen <literal>\""),
    // It has no model of chances: the values of leaves have any unit.
    make: |_: &mut BoardOptions<'_>| {
        Ok(Box::new(TypedOpener::new(TreeGame::example(), |_| TreeEvaluator, true)))
    },
    bench: &[],
}];
