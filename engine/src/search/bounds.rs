//! Proven bounds on a value, without a search.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::evaluator::SearchEvaluator;

use super::techniques::Switched;

/// Proven bounds on a position's value, `low <= value <= high`. Plies count from the position
/// itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProvenBounds {
    pub(super) low: Score,
    pub(super) high: Score,
}

impl ProvenBounds {
    /// Returns the proven bounds of a position: the static bounds of the evaluator, as far as they
    /// can cut off `tt_window`, and the bounds of mate-distance pruning. The game is not over.
    #[inline(always)]
    pub(super) fn of<G: Game, E: SearchEvaluator<G>>(
        game: &G,
        evaluator: &E,
        on: Switched,
        tt_window: Window,
    ) -> Self {
        let mut bounds = Self::open();
        // Mate-distance pruning
        if on.mate_distance {
            let (loss, win) = G::MIN_PLIES_TO_LOSE_AND_WIN;
            bounds = Self { low: Score::loss_in(loss), high: Score::win_in(win) };
        }
        if on.bounds {
            let (low, high) = evaluator.static_bounds(game, tt_window);
            debug_assert!(low <= high);
            bounds.low = bounds.low.max(low);
            bounds.high = bounds.high.min(high);
        }
        debug_assert!(
            bounds.low <= bounds.high,
            "the evaluator and the rules contradict each other"
        );
        bounds
    }

    /// Returns bounds that contain all scores.
    pub(super) fn open() -> Self {
        Self { low: Score::LOWEST, high: Score::HIGHEST }
    }

    /// Returns the bounds of a known value.
    pub(super) fn exactly(score: Score) -> Self {
        Self { low: score, high: score }
    }

    /// Returns the score of a node if these bounds cut off `window` or give its value; `None` if
    /// the node must be searched.
    #[inline(always)]
    pub(super) fn cutoff(self, window: Window) -> Option<Score> {
        if self.low >= window.beta || self.low == self.high {
            return Some(self.low);
        }
        if self.high <= window.alpha { Some(self.high) } else { None }
    }

    /// Returns the part of `window` that must be searched. A move that only reaches `low` still
    /// raises alpha, so that the principal variation shows it.
    pub(super) fn narrow(self, window: Window) -> Window {
        Window::new(window.alpha.max(self.low.previous()), window.beta.min(self.high))
    }

    /// Converts the bounds with plies from the node at `ply` to plies from the root.
    pub(super) fn to_root(self, ply: usize) -> Self {
        Self { low: self.low.to_root(ply as u32), high: self.high.to_root(ply as u32) }
    }

    /// Returns the nearest score within the bounds.
    pub(super) fn clamp(self, score: Score) -> Score {
        score.clamp(self.low, self.high)
    }
}
