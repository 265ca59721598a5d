//! The crowd: where the threads of one search are, so that they do not all do the same, and leave
//! what another has done.

use crate::evaluator::SearchEvaluator;
use crate::order::{Ordered, pick};
use crate::rules::Game;
use crate::score::Score;
use crate::smp::Busy;
use crate::window::Window;

use super::node::cut;
use super::node_id::{Asked, Station};
use super::state::Search;
use crate::context::Stopped;

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// The next move of a node: the best that no other thread is searching, if there is one. All
    /// threads search the first. No more than the first `most` are wanted.
    pub(super) fn pick_move(
        &self,
        at: Station,
        moves: &mut [Ordered<G::Move>],
        index: usize,
        most: usize,
    ) -> G::Move {
        let best = pick(moves, index);
        let is_last = index + 1 >= most.min(moves.len());
        if index == 0 || is_last || !self.is_taken(at, best) {
            return best;
        }
        let is_free = |place: &usize| !self.is_taken(at, moves[*place].mv);
        let free = (index + 1..moves.len()).filter(is_free).max_by_key(|place| moves[*place].key);
        moves.swap(index, free.unwrap_or(index));
        moves[index].mv
    }

    /// Whether another thread is searching this move.
    pub(super) fn is_taken(&self, at: Station, mv: G::Move) -> bool {
        let step = || at.step(self.game.history_slot(mv));
        self.company(at.depth).is_some_and(|crowd| crowd.is_at(step()))
    }

    /// Searches a move like [`search_move`](Self::search_move), and lets the others know.
    pub(super) fn search_taken(
        &mut self,
        at: Station,
        mv: G::Move,
        index: usize,
        window: Window,
        deeper: u32,
    ) -> Result<Score, Stopped> {
        let step = self.company(at.depth).map(|crowd| {
            let step = at.step(self.game.history_slot(mv));
            crowd.enter(step);
            step
        });
        let score = self.search_move(mv, index, window, at.depth, deeper, at.ply);
        if let (Some(crowd), Some(step)) = (self.company(at.depth), step) {
            crowd.leave(step);
        }
        score
    }

    // Cut-offs from other threads
    // CITE: Tom Kerrigan, as above (the check for a cut-off after a move).
    /// From here on the node that is searched at this ply is asked no more than this.
    pub(super) fn ask(&mut self, ply: usize, window: Window) {
        if let Some(asked) = &mut self.frames[ply].asked {
            asked.window = window;
        }
    }

    /// `Err` when another thread has settled what is asked of the node at this ply.
    #[inline]
    pub(super) fn heed(&mut self, ply: usize) -> Result<(), Stopped> {
        let Some(Asked { at, window, depth }) = self.frames[ply].asked else { return Ok(()) };
        let entry = self.table.get(at);
        match entry.and_then(|entry| cut(&entry, window, depth, ply)) {
            Some(score) => {
                self.overtaken = Some((ply, score));
                Err(Stopped)
            }
            None => Ok(()),
        }
    }

    /// The same for the nodes above this ply: for whom another thread has answered there is nothing
    /// more to do below.
    pub(super) fn heed_above(&mut self, ply: usize) -> Result<(), Stopped> {
        (0..ply).try_for_each(|above| self.heed(above))
    }

    /// Whether other threads may be at a node of this depth, and the table tells what they find.
    pub(super) fn has_company(&self, depth: u32) -> bool {
        self.techniques.table && self.company(depth).is_some()
    }

    /// Where all threads are, if a node of this depth is worth the asking.
    #[inline(always)]
    pub(super) fn company(&self, depth: u32) -> Option<&Busy> {
        const WORTH_ASKING: u32 = 3;
        const WORTH_ASKING_IF_EXACT: u32 = 12;
        let crowd = self.context.crowd()?;
        let least = match (self.exact, self.is_proving) {
            (false, _) => WORTH_ASKING,
            (true, false) => WORTH_ASKING_IF_EXACT,
            // To ask takes longer than to search a position near the end.
            (true, true) => self.near_below.max(WORTH_ASKING_IF_EXACT),
        };
        (depth >= least).then_some(crowd)
    }
}

#[cfg(test)]
mod tests;
