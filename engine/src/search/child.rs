//! A node before its moves are searched, and the moves of an exact node.

use crate::rules::Game;
use crate::score::Score;
use crate::table::Address;
use crate::window::Window;

use super::bounds::ProvenBounds;

/// A node before its moves are searched.
#[derive(Clone, Copy)]
pub(super) struct ProbedNode<S> {
    pub(super) bounds: ProvenBounds,
    pub(super) at: Address,
    pub(super) symmetry: S,
    /// The code of the table's move.
    pub(super) code: Option<u32>,
}

/// An open move of an exact node, with the position after it and after the forced moves that
/// follow. Positions of exact games are small enough to be copied.
pub(super) struct Child<G: Game, E> {
    pub(super) mv: G::Move,
    pub(super) game: G,
    pub(super) evaluator: E,
    /// How many plies lie between the node and `game`.
    pub(super) plies: u32,
    /// The window of the side to move in `game`, when it was probed.
    pub(super) window: Window,
    pub(super) node: ProbedNode<G::Symmetry>,
}

impl<G: Game, E> Child<G, E> {
    pub(super) fn changes_side(&self) -> bool {
        self.plies % 2 == 1
    }

    /// Turns a score of the side to move in the child into one of the side to move at the node.
    pub(super) fn score_for_parent(&self, score: Score) -> Score {
        if self.changes_side() { -score } else { score }
    }
}

/// An exact node whose moves are searched.
pub(super) struct ExactNode<G: Game, E> {
    pub(super) game: G,
    pub(super) evaluator: E,
    pub(super) depth: u32,
    pub(super) ply: usize,
    /// The window that is still open.
    pub(super) window: Window,
    /// The window of the side to move after a move. Mate distances count from that position.
    pub(super) tt_window: Window,
    pub(super) best: Score,
    /// The move that raised alpha.
    pub(super) best_move: Option<G::Move>,
}

impl<G: Game, E> ExactNode<G, E> {
    /// Takes the score of a move. Returns whether it raises alpha.
    pub(super) fn improve(&mut self, mv: G::Move, score: Score) -> bool {
        self.best = self.best.max(score);
        if score <= self.window.alpha {
            return false;
        }
        self.best_move = Some(mv);
        self.window.raise(score);
        self.tt_window = (-self.window).to_table(self.ply + 1);
        true
    }
}
