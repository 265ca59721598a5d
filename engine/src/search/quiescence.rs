//! Quiescence search: the static evaluation, once the moves that would overturn it are resolved.

use crate::context::Interrupt;
use crate::evaluator::SearchEvaluator;
use crate::history::HistoryOrder;
use crate::order::{Ordered, Orderer, pick};
use crate::rules::Game;
use crate::score::Score;
use crate::window::Window;

use super::bounds::ProvenBounds;
use super::state::Search;

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// Returns the value of a position at the horizon, fail-soft as [`search`](Self::search).
    pub(super) fn qsearch(&mut self, window: Window, ply: usize) -> Result<Score, Interrupt> {
        // Step 1. Finished games
        if let Some(score) = self.enter(ply)? {
            return Ok(score);
        }

        // Step 2. Mate-distance pruning and static bounds
        let tt_window = window.to_table(ply);
        let bounds = self.static_bounds(&self.game, &self.evaluator, tt_window);
        if self.options.cutoffs
            && let Some(score) = bounds.settles(tt_window)
        {
            return Ok(score.from_table(ply as u32));
        }
        self.qsearch_probed_node(bounds, window, ply)
    }

    /// Takes the steps that come after the static bounds.
    pub(super) fn qsearch_probed_node(
        &mut self,
        bounds: ProvenBounds,
        window: Window,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        // Step 3. Static evaluation
        if self.options.quiescence
            && self.options.cutoffs
            && let Some(score) = self.evaluator.lazy_evaluate(&self.game, window.beta.raw())
        {
            return Ok(bounds.seen_from(ply).clamp(score));
        }
        let static_eval = self.evaluator.evaluate(&self.game);
        debug_assert!(!static_eval.is_decisive(), "an evaluation proves nothing");

        // Step 4. Threat solver
        if self.options.probe && !self.exact && static_eval < window.beta {
            let probe = self.evaluator.probe_horizon(&self.game, window, &mut self.context)?;
            if let Some(probe) = probe {
                return Ok(self.store_probe(probe, 0, ply));
            }
        }

        // Step 5. Noisy moves
        let score = self.search_noisy_moves(static_eval, window, ply)?;
        Ok(if self.options.cutoffs { bounds.seen_from(ply).clamp(score) } else { score })
    }

    fn search_noisy_moves(
        &mut self,
        static_eval: Score,
        mut window: Window,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        // Stand pat
        if !self.options.quiescence || (self.options.cutoffs && static_eval >= window.beta) {
            return Ok(static_eval);
        }
        let mut noisy = std::mem::take(&mut self.frames[ply].candidates);
        noisy.clear();
        self.evaluator.noisy(&self.game, &mut noisy);
        let best = if noisy.is_empty() {
            Ok(static_eval)
        } else {
            window.raise(static_eval);
            self.order_and_search_noisy(&noisy, static_eval, window, ply)
        };
        self.frames[ply].candidates = noisy;
        best
    }

    fn order_and_search_noisy(
        &mut self,
        noisy: &[G::Move],
        static_eval: Score,
        window: Window,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        let mut ordered = std::mem::take(&mut self.frames[ply].ordered);
        let orderer = Orderer { table_move: None, killers: [None, None] };
        let rank = |mv| self.evaluator.rank(&self.game, mv);
        orderer.fill(noisy, rank, |_| HistoryOrder::default(), &mut ordered);
        let best = self.search_ordered_noisy(&mut ordered, static_eval, window, ply);
        self.frames[ply].ordered = ordered;
        best
    }

    fn search_ordered_noisy(
        &mut self,
        ordered: &mut [Ordered<G::Move>],
        static_eval: Score,
        mut window: Window,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        let mut best = static_eval;
        for from in 0..ordered.len() {
            let mv = pick(ordered, from);
            let open = if self.options.cutoffs { window } else { Window::FULL };
            let score = -self.with_move(mv, |search| search.qsearch(-open, ply + 1))?;
            best = best.max(score);
            window.raise(score);
            if self.options.cutoffs && window.is_empty() {
                break;
            }
        }
        Ok(best)
    }
}
