//! What one search is asked.

use crate::limits::Limits;

/// What one search is asked, beside the position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Task<M> {
    /// When to end.
    pub limits: Limits,
    /// How many lines to report, from 1.
    pub multi_pv: usize,
    /// Search only these legal moves; all when empty.
    pub search_moves: Vec<M>,
    /// Whether books and solvers may be asked.
    pub probes: bool,
}

impl<M> Task<M> {
    /// One line of every move under `limits`.
    pub fn new(limits: Limits) -> Self {
        Self { limits, multi_pv: 1, search_moves: Vec::new(), probes: true }
    }
}
