//! The moves of an exact node and the positions that they lead to.

use crate::rules::Game;
use crate::score::Score;
use crate::table::Address;
use crate::window::Window;

use super::proven::Proven;

/// What is known of a position before its moves are searched.
#[derive(Clone, Copy)]
pub(super) struct Known<S> {
    pub(super) proven: Proven,
    pub(super) at: Address,
    pub(super) symmetry: S,
    /// The table's move.
    pub(super) code: Option<u32>,
}

/// A move that its proven bounds leave open, with the position that it leads to: after it and after
/// the forced moves that follow. Positions of exact games are small enough to be copied.
pub(super) struct Child<G: Game, E> {
    pub(super) mv: G::Move,
    pub(super) game: G,
    pub(super) evaluator: E,
    /// How many plies lie between the node and `game`.
    pub(super) plies: u32,
    /// The window of the side to move in `game`, when it was looked at.
    pub(super) window: Window,
    pub(super) known: Known<G::Symmetry>,
}

/// A node whose moves are searched.
pub(super) struct Node<G: Game, E, M> {
    pub(super) game: G,
    pub(super) evaluator: E,
    pub(super) depth: u32,
    pub(super) ply: usize,
    /// The window that is left.
    pub(super) window: Window,
    /// The same as the position after a move sees it.
    pub(super) wanted: Window,
    pub(super) best: Score,
    /// The move that raised alpha.
    pub(super) best_move: Option<M>,
}

impl<G: Game, E> Child<G, E> {
    pub(super) fn changes_side(&self) -> bool {
        self.plies % 2 == 1
    }

    /// A score of the side to move in the child for the side to move at the node.
    pub(super) fn turned(&self, score: Score) -> Score {
        if self.changes_side() { -score } else { score }
    }
}

impl<G: Game, E, M> Node<G, E, M> {
    /// Takes the score of a move. Whether it raises alpha.
    pub(super) fn improve(&mut self, mv: M, score: Score) -> bool {
        self.best = self.best.max(score);
        if score <= self.window.alpha {
            return false;
        }
        self.best_move = Some(mv);
        self.window.raise(score);
        self.wanted = (-self.window).to_table(self.ply + 1);
        true
    }
}
