//! Counts of textbook searches: nodes, leaves and cut-offs.

use std::collections::HashSet;

use tengen_engine::hash::mix64;
use tengen_engine::{Score, Side, Window};

use crate::watch::{Cut, Visit, Watch};

/// The counts of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WalkCounts {
    /// Nodes entered, leaves and second visits included.
    pub nodes: u64,
    /// Leaves evaluated, second visits included.
    pub leaves: u64,
    /// Leaves of the game tree among them: two ways to the same position are two leaves.
    pub distinct_leaves: u64,
    /// Min nodes left early because alpha was reached.
    pub alpha_cuts: u64,
    /// Max nodes left early because beta was reached.
    pub beta_cuts: u64,
}

/// A [`Watch`] that counts.
#[derive(Clone, Debug, Default)]
pub struct Census {
    tally: WalkCounts,
    leaves: LeafSet,
    /// The open nodes: whose turn it is, and the code of the path.
    open: Vec<(Side, u64)>,
}

impl Census {
    /// Returns the counts so far.
    pub fn tally(&self) -> WalkCounts {
        WalkCounts { distinct_leaves: self.leaves.len(), ..self.tally }
    }
}

impl<M> Watch<M> for Census {
    fn begin(&mut self, _horizon: u32, _window: Window) {
        self.open.clear();
    }

    fn enter(&mut self, visit: &Visit<M>) {
        self.tally.nodes += 1;
        let path = match (&visit.arrived, self.open.last()) {
            (Some((index, _)), Some(&(_, parent))) => extend(parent, *index as u64),
            _ => 0,
        };
        self.open.push((visit.turn, path));
    }

    fn leaf(&mut self, _value: Score) {
        self.tally.leaves += 1;
        if let Some((_, path)) = self.open.pop() {
            self.leaves.insert(path);
        }
    }

    fn leave(&mut self, _value: Score, cut: Option<Cut<'_, M>>) {
        let Some((turn, _)) = self.open.pop() else { return };
        match (cut, turn) {
            (None, _) => {}
            (Some(_), Side::First) => self.tally.beta_cuts += 1,
            (Some(_), Side::Second) => self.tally.alpha_cuts += 1,
        }
    }
}

/// Leaves by the code of the path that leads to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeafSet(HashSet<u64>);

impl LeafSet {
    pub(crate) fn insert(&mut self, path: u64) {
        self.0.insert(path);
    }

    pub(crate) fn len(&self) -> u64 {
        self.0.len() as u64
    }
}

/// Returns the code of the path that goes on from `path` with `step`: 64 well-mixed bits. Among a
/// million leaves, two share a code with a chance of one in 30 million.
pub(crate) fn extend(path: u64, step: u64) -> u64 {
    mix64(path.rotate_left(23).wrapping_add(step.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
}
