//! Quiescence search at depth 0 of both kinds of node: the static evaluation, after the noisy moves
//! are resolved. It does not use the transposition table, but for wins that a solver finds.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::history::HistoryOrder;
use crate::search::order::{Ordered, Orderer, pick};

use super::bounds::ProvenBounds;
use super::state::Search;
use super::techniques::Techniques;

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Returns the score of a position at the horizon, `ply` plies below the root, fail-soft.
    pub(super) fn quiescence(&mut self, window: Window, ply: usize) -> Result<Score, Interrupt> {
        // Step 1. Finished games
        if let Some(score) = self.enter(ply)? {
            return Ok(score);
        }

        // Step 2. Mate-distance pruning and static bounds
        let node_window = window.to_node(ply);
        let bounds = self.static_bounds(&self.game, &self.evaluator, node_window);
        if self.on().cutoffs
            && let Some(score) = bounds.cutoff(node_window)
        {
            return Ok(score.to_root(ply as u32));
        }
        self.quiescence_after_bounds(bounds, window, ply)
    }

    /// Does the steps after the static bounds.
    pub(super) fn quiescence_after_bounds(
        &mut self,
        bounds: ProvenBounds,
        window: Window,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        let on = self.on();

        // Step 3. Static evaluation
        if on.quiescence
            && on.cutoffs
            && let Some(score) = self.evaluator.lazy_evaluate(&self.game, window.beta.raw())
        {
            return Ok(bounds.to_root(ply).clamp(score));
        }
        let static_eval = self.evaluator.evaluate(&self.game);
        debug_assert!(!static_eval.is_decisive(), "an evaluation proves nothing");

        // Step 4. Threat solver
        if self.probes && !self.exact && static_eval < window.beta {
            let probe = self.evaluator.probe_horizon(&self.game, window, &mut self.context)?;
            if let Some(probe) = probe {
                return Ok(self.store_probe(probe, 0, ply));
            }
        }

        // Step 5. Noisy moves, unless the evaluation is at or above beta (stand pat)
        let score = match on.quiescence && !(on.cutoffs && static_eval >= window.beta) {
            true => self.search_noisy_moves(static_eval, window, ply)?,
            false => static_eval,
        };
        Ok(if on.cutoffs { bounds.to_root(ply).clamp(score) } else { score })
    }

    /// Lists, orders and searches the noisy moves. Returns the best score, at least `static_eval`.
    fn search_noisy_moves(
        &mut self,
        static_eval: Score,
        window: Window,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        let mut noisy = std::mem::take(&mut self.frames[ply].candidates);
        noisy.clear();
        self.evaluator.noisy(&self.game, &mut noisy);
        let mut best = Ok(static_eval);
        if !noisy.is_empty() {
            let mut ordered = std::mem::take(&mut self.frames[ply].ordered);
            let orderer = Orderer { table_move: None, killers: [None, None] };
            let rank = |mv| self.evaluator.rank(&self.game, mv);
            orderer.fill(&noisy, rank, |_| HistoryOrder::default(), &mut ordered);
            best = self.search_ordered_noisy(&mut ordered, static_eval, window, ply);
            self.frames[ply].ordered = ordered;
        }
        self.frames[ply].candidates = noisy;
        best
    }

    /// Searches the noisy moves in `ordered` until a cut-off. Returns at least `static_eval`.
    fn search_ordered_noisy(
        &mut self,
        ordered: &mut [Ordered<G::Move>],
        static_eval: Score,
        mut window: Window,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        let cutoffs = self.on().cutoffs;
        let mut best = static_eval;
        window.raise(static_eval);
        for from in 0..ordered.len() {
            let mv = pick(ordered, from);
            let child_window = -if cutoffs { window } else { Window::FULL };
            let undo = self.play(mv);
            let score = self.quiescence(child_window, ply + 1);
            self.undo(mv, undo);
            let score = -score?;
            best = best.max(score);
            window.raise(score);
            if cutoffs && window.is_empty() {
                break;
            }
        }
        Ok(best)
    }
}
