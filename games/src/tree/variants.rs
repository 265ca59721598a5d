//! The variant of explicit trees that the catalogue offers.

use tengen_engine::Variant;
use tengen_engine::opener::TypedOpener;

use super::{TreeEvaluator, TreeGame};
use crate::entry::{BoardOptions, Entry};

pub(crate) const VARIANTS: [Entry; 1] = [Entry {
    variant: Variant::new("tree", "an explicit game tree, set up by \"position fen <literal>\""),
    // The values of its leaves are their own, and say nothing of chances.
    make: |_: &mut BoardOptions<'_>| {
        Ok(Box::new(TypedOpener::new(TreeGame::example(), |_| TreeEvaluator, true)))
    },
    bench: &[],
}];
