//! Several threads search one tree (ABDADA). A thread defers moves that another thread is
//! searching, and leaves a node that another thread has settled.
// Simplified ABDADA
// CITE: Tom Kerrigan, "Simplified ABDADA", http://www.tckerrigan.com/Chess/Parallel_Chess/

use crate::context::Interrupt;
use crate::evaluator::SearchEvaluator;
use crate::order::{Ordered, pick};
use crate::rules::Game;
use crate::score::Score;
use crate::smp::Busy;
use crate::window::Window;

use super::state::{CutoffCheck, NodeId, ProbedNode, Search};
use super::transposition::tt_cutoff;

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// Returns the next move of a node: the best one that no other thread is searching, if there is
    /// one. All threads search the first move. Only the first `limit` moves are searched.
    pub(super) fn pick_move(
        &self,
        id: NodeId,
        moves: &mut [Ordered<G::Move>],
        index: usize,
        limit: usize,
    ) -> G::Move {
        let best = pick(moves, index);
        let end = limit.min(moves.len());
        let is_last = index + 1 >= end;
        if index == 0 || is_last || !self.is_busy(id, best) {
            return best;
        }
        let is_free = |place: &usize| !self.is_busy(id, moves[*place].item);
        let free = (index + 1..end).filter(is_free).max_by_key(|place| moves[*place].key);
        moves.swap(index, free.unwrap_or(index));
        moves[index].item
    }

    /// Returns whether another thread is searching this move.
    pub(super) fn is_busy(&self, id: NodeId, mv: G::Move) -> bool {
        let child = || id.child(self.game.history_slot(mv));
        self.busy(id.depth).is_some_and(|busy| busy.is_marked(child()))
    }

    /// Marks a move as busy and searches it with [`search_move`](Self::search_move). Takes the mark
    /// away afterwards.
    pub(super) fn search_marked_move(
        &mut self,
        id: NodeId,
        mv: G::Move,
        index: usize,
        window: Window,
        extension: u32,
    ) -> Result<Score, Interrupt> {
        let child = self.busy(id.depth).map(|busy| {
            let child = id.child(self.game.history_slot(mv));
            busy.mark(child);
            child
        });
        let score = self.search_move(mv, index, window, id.depth, extension, id.ply);
        if let (Some(busy), Some(child)) = (self.busy(id.depth), child) {
            busy.unmark(child);
        }
        score
    }

    /// Searches a probed node while other threads may settle it, or one of its ancestors.
    pub(super) fn search_with_cutoff_checks(
        &mut self,
        node: ProbedNode<G::Symmetry>,
        original_window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        self.check_ancestors(ply)?;
        self.frames[ply].cutoff_check =
            Some(CutoffCheck { at: node.at, window: original_window, depth });
        let result = self.search_moves_and_store(node, original_window, depth, ply);
        let check = self.frames[ply].cutoff_check.take();
        let window = check.map_or(original_window, |check| check.window);
        let Some((_, score)) = self.settled_elsewhere.take_if(|(at, _)| *at == ply) else {
            return result;
        };
        let score = node.bounds.seen_from(ply).clamp(score);
        if window.alpha > original_window.alpha && score <= window.alpha && !score.is_loss() {
            // Alpha already reached this score, and the PV is stored.
            return Ok(window.alpha);
        }
        self.frames[ply].pv.clear();
        Ok(score)
    }

    /// Narrows the window of the cut-off check at this ply, after a move raised alpha.
    pub(super) fn narrow_cutoff_check(&mut self, ply: usize, window: Window) {
        if let Some(check) = &mut self.frames[ply].cutoff_check {
            check.window = window;
        }
    }

    /// Interrupts the search when the table has a cut-off for the node at this ply: another thread
    /// has stored it.
    // CITE: Tom Kerrigan, as above (the check for a cut-off after a move).
    #[inline]
    pub(super) fn check_cutoff(&mut self, ply: usize) -> Result<(), Interrupt> {
        let Some(CutoffCheck { at, window, depth }) = self.frames[ply].cutoff_check else {
            return Ok(());
        };
        let entry = self.table.get(at);
        match entry.and_then(|entry| tt_cutoff(&entry, window, depth, ply)) {
            Some(score) => {
                self.settled_elsewhere = Some((ply, score));
                Err(Interrupt::SettledElsewhere)
            }
            None => Ok(()),
        }
    }

    /// Interrupts the search when another thread has settled a node above this ply. A search below
    /// that node is then of no use.
    pub(super) fn check_ancestors(&mut self, ply: usize) -> Result<(), Interrupt> {
        (0..ply).try_for_each(|above| self.check_cutoff(above))
    }

    /// Returns whether other threads may search a node of this depth and share results in the
    /// table.
    pub(super) fn has_helpers(&self, depth: u32) -> bool {
        self.options.table && self.busy(depth).is_some()
    }

    /// Returns the marks of all threads; `None` below the minimum depth or with one thread.
    #[inline(always)]
    pub(super) fn busy(&self, depth: u32) -> Option<&Busy> {
        const MIN_DEPTH: u32 = 3;
        const MIN_DEPTH_IF_EXACT: u32 = 12;
        let busy = self.context.busy()?;
        let min_depth = match (self.exact, self.is_proving) {
            (false, _) => MIN_DEPTH,
            (true, false) => MIN_DEPTH_IF_EXACT,
            // Near the end a lookup costs more than the search.
            (true, true) => self.near_end.max(MIN_DEPTH_IF_EXACT),
        };
        (depth >= min_depth).then_some(busy)
    }
}

#[cfg(test)]
mod tests;
