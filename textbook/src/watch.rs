//! [`Watch`]: receives the walk of a textbook search.

use tengen_engine::{Score, Side, Window};

/// A node as it is entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit<M> {
    /// Plies from the root.
    pub ply: u32,
    /// The move that led here and its place among its siblings, from 0; `None` at the root.
    pub arrived: Option<(usize, M)>,
    /// The side to move: the first player is Max, the second Min.
    pub turn: Side,
    /// The window, in the first player's scores.
    pub window: Window,
}

/// Children left unvisited because the node's value no longer mattered. At a Max node beta was
/// reached, at a Min node alpha.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut<'a, M> {
    /// The bound that was reached, in the first player's scores.
    pub bound: Score,
    /// The moves never tried in this visit: at least one.
    pub unvisited: &'a [M],
}

/// Receives the walk of a textbook search. Scores are the first player's.
///
/// Each [`enter`](Self::enter) is followed by one [`leaf`](Self::leaf) or, after its children, one
/// [`leave`](Self::leave). `()` ignores everything.
pub trait Watch<M> {
    /// Begins a walk from the root. Only aspiration makes more than one.
    fn begin(&mut self, _horizon: u32, _window: Window) {}

    /// Enters a node.
    fn enter(&mut self, _visit: &Visit<M>) {}

    /// Evaluates the node last entered: a leaf, or a node at the horizon.
    fn leaf(&mut self, _value: Score) {}

    /// Leaves the innermost open node with `value`: an upper bound at or below its window, a lower
    /// bound at or above it, the value inside it.
    fn leave(&mut self, _value: Score, _cut: Option<Cut<'_, M>>) {}
}

impl<M> Watch<M> for () {}
