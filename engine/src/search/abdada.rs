//! ABDADA: several threads search one tree. A thread defers moves that another thread is searching,
//! and leaves a node that another thread has settled.
//!
//! A node calls these functions between its steps. With one thread they do nothing.
// Simplified ABDADA
// CITE: Tom Kerrigan, "Simplified ABDADA", http://www.tckerrigan.com/Chess/Parallel_Chess/

use crate::game::rules::Game;
use crate::game::window::Window;
use crate::search::busy::Busy;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::order::{Ordered, pick};

use super::state::{Child, Node, Search, Searched};
use super::techniques::Techniques;
use super::transposition::tt_cutoff;

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Returns the positions that all threads are searching; `None` below the minimum depth, or
    /// with one thread.
    #[inline(always)]
    pub(super) fn busy(&self, depth: u32) -> Option<&Busy> {
        let busy = self.context.busy()?;
        (depth >= self.min_shared_depth).then_some(busy)
    }

    /// Returns the move at `index` in search order: the best remaining move that no other thread is
    /// searching, or else the best remaining move. All threads search the first move. Only the
    /// first `limit` moves of the node are searched.
    pub(super) fn pick_move(
        &self,
        node: &Node<G::Symmetry>,
        moves: &mut [Ordered<G::Move>],
        index: usize,
        limit: usize,
    ) -> G::Move {
        let best = pick(moves, index);
        let end = limit.min(moves.len());
        let is_last = index + 1 >= end;
        if index == 0 || is_last || !self.is_busy(node, best) {
            return best;
        }
        let is_free = |place: &usize| !self.is_busy(node, moves[*place].item);
        let free = (index + 1..end).filter(is_free).max_by_key(|place| moves[*place].key);
        moves.swap(index, free.unwrap_or(index));
        moves[index].item
    }

    /// Returns the index in `children` of the best remaining child that no other thread is
    /// searching, or else of the best remaining child, which is at `index` in search order.
    pub(super) fn pick_child(
        &self,
        depth: u32,
        children: &[Child<G, E>],
        child_order: &mut [Ordered<usize>],
        index: usize,
    ) -> usize {
        let is_busy = |key| self.busy(depth).is_some_and(|busy| busy.is_marked(key));
        let is_free = |at: &usize| !is_busy(children[child_order[*at].item].node.at.key);
        let free = (index..child_order.len()).filter(is_free).max_by_key(|at| child_order[*at].key);
        child_order.swap(index, free.unwrap_or(index));
        child_order[index].item
    }

    /// Returns whether another thread is searching the position after `mv`.
    pub(super) fn is_busy(&self, node: &Node<G::Symmetry>, mv: G::Move) -> bool {
        let key = || node.child_key(self.game.history_slot(mv));
        self.busy(node.depth).is_some_and(|busy| busy.is_marked(key()))
    }

    /// Marks the position after `mv` as busy. Returns its key for [`unmark`](Self::unmark).
    pub(super) fn mark_move(&self, node: &Node<G::Symmetry>, mv: G::Move) -> Option<u64> {
        let busy = self.busy(node.depth)?;
        let key = node.child_key(self.game.history_slot(mv));
        busy.mark(key);
        Some(key)
    }

    /// Removes the mark that [`mark_move`](Self::mark_move) made.
    pub(super) fn unmark(&self, node: &Node<G::Symmetry>, key: Option<u64>) {
        if let (Some(busy), Some(key)) = (self.busy(node.depth), key) {
            busy.unmark(key);
        }
    }

    /// Begins the cut-off checks of `node`: from here on this thread looks in the table whether
    /// another one has settled it. Interrupts the search if another thread has settled a node above
    /// it.
    #[inline]
    pub(super) fn begin_cutoff_checks(
        &mut self,
        node: &Node<G::Symmetry>,
    ) -> Result<(), Interrupt> {
        if self.on().table && self.busy(node.depth).is_some() {
            (0..node.ply).try_for_each(|above| self.check_cutoff(above))?;
            self.frames[node.ply].shared_node = Some(*node);
        }
        Ok(())
    }

    /// Interrupts the search if the table has a cut-off for the node at `ply`, stored by another
    /// thread.
    // CITE: Tom Kerrigan, as above (the check for a cut-off after a move).
    #[inline]
    pub(super) fn check_cutoff(&mut self, ply: usize) -> Result<(), Interrupt> {
        let Some(node) = &self.frames[ply].shared_node else { return Ok(()) };
        match self.table.get(node.at).and_then(|entry| tt_cutoff(&entry, node)) {
            Some(score) => {
                self.settled_elsewhere = Some((ply, score));
                Err(Interrupt::SettledElsewhere)
            }
            None => Ok(()),
        }
    }

    /// Sets the window of the cut-off check at `ply` after a move raised alpha.
    pub(super) fn narrow_cutoff_check(&mut self, ply: usize, window: Window) {
        if let Some(node) = &mut self.frames[ply].shared_node {
            node.window = window;
        }
    }

    /// Ends the cut-off checks of `node` after its moves were searched. If another thread has
    /// settled the node, returns the score instead of the interrupt.
    #[inline]
    pub(super) fn end_cutoff_checks(
        &mut self,
        node: &Node<G::Symmetry>,
        searched: Result<Searched<G::Move>, Interrupt>,
    ) -> Result<Searched<G::Move>, Interrupt> {
        let Some(Node { window, .. }) = self.frames[node.ply].shared_node else { return searched };
        self.frames[node.ply].shared_node = None;
        let Some((_, score)) = self.settled_elsewhere.take_if(|(at, _)| *at == node.ply) else {
            return searched;
        };
        let score = node.bounds.to_root(node.ply).clamp(score);
        if window.alpha > node.window.alpha && score <= window.alpha && !score.is_loss() {
            // A move already reached this score, and its PV is stored. The score of a loss is kept,
            // because it says how long the loss takes.
            return Ok(Searched::Settled(window.alpha));
        }
        self.frames[node.ply].pv.clear();
        Ok(Searched::Settled(score))
    }
}

#[cfg(test)]
mod tests;
