//! What the search keeps for each ply.

use crate::order::{Killers, Ordered};
use crate::rules::Game;
use crate::score::Score;

use super::child::Child;
use super::node_id::Asked;

/// What the search keeps for each ply, so that nodes need not allocate.
pub(super) struct Frame<G: Game, E> {
    pub(super) candidates: Vec<G::Move>,
    pub(super) ordered: Vec<Ordered<G::Move>>,
    /// In exact games: the moves that the probes left open, and their places in order.
    pub(super) children: Vec<Child<G, E>>,
    pub(super) places: Vec<Ordered<usize>>,
    pub(super) pv: Vec<G::Move>,
    pub(super) killers: Killers<G::Move>,
    /// The static evaluation; `None` where nothing asked for it.
    pub(super) static_eval: Option<Score>,
    /// Whether the node is expected to exceed beta.
    pub(super) cut_node: bool,
    /// What is asked of the node; `None` where no other thread can settle it.
    pub(super) asked: Option<Asked>,
}

impl<G: Game, E> Default for Frame<G, E> {
    fn default() -> Self {
        Self {
            candidates: Vec::new(),
            ordered: Vec::new(),
            children: Vec::new(),
            places: Vec::new(),
            pv: Vec::new(),
            killers: [None, None],
            static_eval: None,
            cut_node: false,
            asked: None,
        }
    }
}
