//! Counts of the nodes, leaves and cut-offs of textbook searches.

use std::collections::HashSet;

use tengen_engine::hash::mix64;
use tengen_engine::{Score, Side, Window};

use crate::watch::{Cut, Visit, Watch};

/// The counts of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WalkCounts {
    /// The number of visits to nodes, leaves included.
    pub nodes: u64,
    /// The number of visits to leaves.
    pub leaves: u64,
    /// The number of different leaves visited. Two paths to the same position are two leaves.
    pub distinct_leaves: u64,
    /// The number of cut-offs at Min nodes, where alpha was reached.
    pub alpha_cuts: u64,
    /// The number of cut-offs at Max nodes, where beta was reached.
    pub beta_cuts: u64,
}

/// A [`Watch`] that counts nodes, leaves and cut-offs.
#[derive(Clone, Debug, Default)]
pub struct CountingWatch {
    counts: WalkCounts,
    /// The visited leaves, by the code of the path from the root.
    leaves: HashSet<u64>,
    /// The open nodes: the side to move, and the code of the path.
    open: Vec<(Side, u64)>,
}

impl CountingWatch {
    /// Returns the counts so far.
    pub fn counts(&self) -> WalkCounts {
        WalkCounts { distinct_leaves: self.leaves.len() as u64, ..self.counts }
    }
}

impl<M> Watch<M> for CountingWatch {
    fn begin(&mut self, _horizon: u32, _window: Window) {
        self.open.clear();
    }

    fn enter(&mut self, visit: &Visit<M>) {
        self.counts.nodes += 1;
        let path = match (&visit.arrived, self.open.last()) {
            (Some((index, _)), Some(&(_, parent))) => extend(parent, *index as u64),
            _ => 0,
        };
        self.open.push((visit.turn, path));
    }

    fn leaf(&mut self, _value: Score) {
        self.counts.leaves += 1;
        if let Some((_, path)) = self.open.pop() {
            self.leaves.insert(path);
        }
    }

    fn leave(&mut self, _value: Score, cut: Option<Cut<'_, M>>) {
        let Some((turn, _)) = self.open.pop() else { return };
        match (cut, turn) {
            (None, _) => {}
            (Some(_), Side::First) => self.counts.beta_cuts += 1,
            (Some(_), Side::Second) => self.counts.alpha_cuts += 1,
        }
    }
}

/// Returns the code of the path `path` followed by `step`: 64 well-mixed bits. Among a million
/// leaves, two have the same code with a chance of one in 30 million.
pub(crate) fn extend(path: u64, step: u64) -> u64 {
    mix64(path.rotate_left(23).wrapping_add(step.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
}
