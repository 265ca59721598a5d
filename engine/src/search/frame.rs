//! The data of one ply.

use crate::order::{Killers, Ordered};
use crate::rules::Game;
use crate::score::Score;

use super::child::Child;
use super::node_id::CutoffCheck;

/// The data of one ply, so that nodes need not allocate.
pub(super) struct Frame<G: Game, E> {
    pub(super) candidates: Vec<G::Move>,
    pub(super) ordered: Vec<Ordered<G::Move>>,
    /// In exact games: the moves that the probes left open, and the order of their indices.
    pub(super) children: Vec<Child<G, E>>,
    pub(super) child_order: Vec<Ordered<usize>>,
    /// The highest rank of the candidates that were last listed at this ply; `i32::MIN` before.
    pub(super) best_rank: i32,
    pub(super) pv: Vec<G::Move>,
    pub(super) killers: Killers<G::Move>,
    /// The static evaluation, or that of the parent, negated, where it cannot be trusted; `None` if
    /// the node did not need it.
    pub(super) static_eval: Option<Score>,
    /// Whether the node is expected to exceed beta.
    pub(super) cut_node: bool,
    /// What another thread must find to settle the node; `None` if no other thread can.
    pub(super) cutoff_check: Option<CutoffCheck>,
}

impl<G: Game, E> Default for Frame<G, E> {
    fn default() -> Self {
        Self {
            candidates: Vec::new(),
            ordered: Vec::new(),
            children: Vec::new(),
            child_order: Vec::new(),
            best_rank: i32::MIN,
            pv: Vec::new(),
            killers: [None, None],
            static_eval: None,
            cut_node: false,
            cutoff_check: None,
        }
    }
}
