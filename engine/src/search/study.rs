//! Studies: nodes whose moves are all searched, to learn in which order they had better be.

/// Who learns from a search.
pub trait Study<G> {
    /// Whether the moves of a node of this depth shall all be searched.
    fn wants(&mut self, depth: u32) -> bool;

    /// What became of the moves of `node` that were left open, in the order in which they are
    /// searched.
    fn learn(&mut self, node: &G, moves: Vec<Studied<G>>);
}

/// A move of a node that asks only whether one exceeds alpha.
#[derive(Clone, Copy, Debug)]
pub struct Studied<G> {
    /// The position after it and the forced moves that follow.
    pub game: G,
    /// Whether it exceeds alpha.
    pub cuts: bool,
    /// How many nodes that took.
    pub nodes: u64,
}
