//! [`Watch`]: the observer of a textbook search.

use tengen_engine::{Score, Side, Window};

/// The data of a node when it is entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit<M> {
    /// The number of plies from the root.
    pub ply: u32,
    /// The index of the move among its siblings, from 0, and the move that led to the node; `None`
    /// at the root.
    pub arrived: Option<(usize, M)>,
    /// The side to move: the first player is Max, the second Min.
    pub turn: Side,
    /// The window, in the first player's scores.
    pub window: Window,
}

/// A cut-off: children are not visited, because the value has reached beta at a Max node, or alpha
/// at a Min node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut<'a, M> {
    /// The bound that was reached, in the first player's scores.
    pub bound: Score,
    /// The moves that were not visited, at least one.
    pub unvisited: &'a [M],
}

/// An observer of a textbook search. All scores are the first player's.
///
/// After each [`enter`](Self::enter) comes one [`leaf`](Self::leaf) or, after the children, one
/// [`leave`](Self::leave). `()` ignores all calls.
pub trait Watch<M> {
    /// Called at the beginning of a walk from the root. Only aspiration makes several walks.
    fn begin(&mut self, _horizon: u32, _window: Window) {}

    /// Called when a node is entered.
    fn enter(&mut self, _visit: &Visit<M>) {}

    /// Called with the value of the node entered last, which is a leaf or at the horizon.
    fn leaf(&mut self, _value: Score) {}

    /// Called when the innermost open node is left. `_value` is exact within its window, an upper
    /// bound at or below the window, and a lower bound at or above the window.
    fn leave(&mut self, _value: Score, _cut: Option<Cut<'_, M>>) {}
}

impl<M> Watch<M> for () {}
