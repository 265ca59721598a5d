//! The horizon: the evaluation, once the moves that would overturn it at once are resolved.

use crate::evaluator::SearchEvaluator;
use crate::order::{Ordered, Orderer, pick};
use crate::rules::Game;
use crate::score::Score;
use crate::window::Window;

use super::proven::Proven;
use super::state::Search;
use crate::context::Stopped;

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// The value of a position at the horizon, fail-soft as [`visit`](Self::visit).
    pub(super) fn horizon(&mut self, asked: Window, ply: usize) -> Result<Score, Stopped> {
        if let Some(score) = self.open(ply)? {
            return Ok(score);
        }
        let wanted = asked.to_table(ply);
        let proven = self.proven(wanted);
        if self.techniques.cutoffs
            && let Some(score) = proven.settles(wanted)
        {
            return Ok(score.from_table(ply as u32));
        }
        self.rest(proven, asked, ply)
    }

    /// The same, of a node that was entered and that `proven` does not settle.
    pub(super) fn rest(
        &mut self,
        proven: Proven,
        asked: Window,
        ply: usize,
    ) -> Result<Score, Stopped> {
        let still = self.evaluator.evaluate(&self.game);
        debug_assert!(!still.is_decisive(), "an evaluation proves nothing");
        if self.techniques.probe && !self.exact && still < asked.beta {
            let probe = self.evaluator.probe_horizon(&self.game, asked, &mut self.context)?;
            if let Some(probe) = probe {
                return Ok(self.adopt_probe(probe, 0, ply));
            }
        }
        let score = self.resolve(still, asked, ply)?;
        Ok(if self.techniques.cutoffs { proven.seen_from(ply).clamp(score) } else { score })
    }

    // Quiescence search
    fn resolve(&mut self, still: Score, mut window: Window, ply: usize) -> Result<Score, Stopped> {
        if !self.techniques.quiescence || (self.techniques.cutoffs && still >= window.beta) {
            return Ok(still);
        }
        let mut noisy = std::mem::take(&mut self.frames[ply].candidates);
        noisy.clear();
        self.evaluator.noisy(&self.game, &mut noisy);
        let best = if noisy.is_empty() {
            Ok(still)
        } else {
            window.raise(still);
            self.search_noisy(&noisy, still, window, ply)
        };
        self.frames[ply].candidates = noisy;
        best
    }

    fn search_noisy(
        &mut self,
        noisy: &[G::Move],
        still: Score,
        window: Window,
        ply: usize,
    ) -> Result<Score, Stopped> {
        let mut ordered = std::mem::take(&mut self.frames[ply].ordered);
        let orderer =
            Orderer { game: &self.game, table_move: None, killers: [None, None], history: None };
        orderer.fill(noisy, |mv| self.evaluator.rank(&self.game, mv), &mut ordered);
        let best = self.search_ordered_noisy(&mut ordered, still, window, ply);
        self.frames[ply].ordered = ordered;
        best
    }

    fn search_ordered_noisy(
        &mut self,
        ordered: &mut [Ordered<G::Move>],
        still: Score,
        mut window: Window,
        ply: usize,
    ) -> Result<Score, Stopped> {
        let mut best = still;
        for from in 0..ordered.len() {
            let mv = pick(ordered, from);
            let open = if self.techniques.cutoffs { window } else { Window::FULL };
            let score = -self.descend(mv, |search| search.horizon(-open, ply + 1))?;
            best = best.max(score);
            window.raise(score);
            if self.techniques.cutoffs && window.is_empty() {
                break;
            }
        }
        Ok(best)
    }
}
