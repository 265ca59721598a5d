//! The request of one search.

use crate::limits::Limits;

/// The request of one search, beside the position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Task<M> {
    /// The limits.
    pub limits: Limits,
    /// How many lines to report, from 1.
    pub multi_pv: usize,
    /// Search only these legal moves; all when empty.
    pub search_moves: Vec<M>,
    /// Whether books and solvers may be asked.
    pub probes: bool,
}

impl<M> Task<M> {
    /// Creates the request for one line over all moves under `limits`.
    pub fn new(limits: Limits) -> Self {
        Self { limits, multi_pv: 1, search_moves: Vec::new(), probes: true }
    }
}
