//! What a game can prove without a search.

use crate::score::Score;

/// A result from outside the search: an opening book or a threat solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe<M> {
    /// The proven value, counted from the probed position, for the side to move. A win is one that
    /// no defence holds off for longer.
    pub score: Score,
    /// The moves that reach it, as far as they are known.
    pub line: Vec<M>,
}
