//! The identity of a node while several threads search.

use crate::table::Address;
use crate::window::Window;

/// The window and depth of a node that another thread may settle.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutoffCheck {
    pub(super) at: Address,
    pub(super) window: Window,
    pub(super) depth: u32,
}

/// A node whose moves are searched in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeId {
    pub(super) key: u64,
    pub(super) depth: u32,
    pub(super) ply: usize,
}

impl NodeId {
    /// Returns a key for the position after the move in this slot of the history.
    pub(super) fn child(self, slot: usize) -> u64 {
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        self.key ^ (slot as u64 + 1).wrapping_mul(SPREAD)
    }
}
