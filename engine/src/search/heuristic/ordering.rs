//! Move ordering of a heuristic node, and the updates of history and killers.

use crate::game::rules::Game;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::ordering::Coverage;
use crate::search::history::{HistoryContext, HistoryKey, HistoryOrder};
use crate::search::order::{Ordered, Orderer, remember_killer};
use crate::search::state::Search;
use crate::search::techniques::Techniques;

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Returns the candidates of the current position with their order keys, and whether the list
    /// is complete.
    pub(super) fn ordered_candidates(
        &mut self,
        ply: usize,
        table_move: Option<G::Move>,
    ) -> (Coverage, Vec<Ordered<G::Move>>) {
        let mut candidates = std::mem::take(&mut self.frames[ply].candidates);
        let mut ordered = std::mem::take(&mut self.frames[ply].ordered);
        candidates.clear();
        let coverage = self.list_candidates(&mut candidates);
        let on = self.on();
        let killers = if on.killers { self.frames[ply].killers } else { [None, None] };
        let orderer = Orderer { table_move, killers };
        let rank = |mv| if on.rank { self.evaluator.rank(&self.game, mv) } else { 0 };
        let history = self.history.view(self.history_context());
        let history_order = |mv| match on.history {
            true => history.order_of(self.history_key(mv)),
            false => HistoryOrder::default(),
        };
        self.frames[ply].best_rank = orderer.fill(&candidates, rank, history_order, &mut ordered);
        self.frames[ply].candidates = candidates;
        (coverage, ordered)
    }

    /// Raises the history of `mv`, which caused a cut-off, and lowers the history of the moves
    /// `tried` before it. `mv` also becomes a killer.
    pub(super) fn update_history(
        &mut self,
        mv: G::Move,
        tried: impl Iterator<Item = G::Move>,
        depth: u32,
        ply: usize,
    ) {
        remember_killer(&mut self.frames[ply].killers, mv);
        let context = self.history_context();
        self.history.update(context, self.history_key(mv), depth, true);
        for earlier in tried {
            self.history.update(context, self.history_key(earlier), depth, false);
        }
    }

    /// Returns the side and the last moves, which select the history of the current position.
    fn history_context(&self) -> HistoryContext {
        let mut slots = self.played_slots.iter().rev().copied();
        HistoryContext { side: self.game.turn(), last: [slots.next(), slots.next()] }
    }

    /// Returns the slot of `mv` and whether it is a threat, which select its history.
    pub(super) fn history_key(&self, mv: G::Move) -> HistoryKey {
        let is_threat = self.evaluator.is_threat(&self.game, mv);
        HistoryKey { slot: self.game.history_slot(mv), is_threat }
    }
}
