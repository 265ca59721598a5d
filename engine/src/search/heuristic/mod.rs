//! The node of games that are searched with selectivity.

mod losses;
mod node;
pub(super) mod pruning;
