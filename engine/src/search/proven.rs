//! What is known of a value without a search.

use crate::evaluator::SearchEvaluator;
use crate::rules::Game;
use crate::score::Score;
use crate::window::Window;

use super::techniques::Techniques;

/// What is proven of a position's value before its moves are searched: `low <= value <= high`.
/// Plies count from the position itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proven {
    pub(super) low: Score,
    pub(super) high: Score,
}

impl Proven {
    /// What is proven of a game that goes on: by `bounds` as far as they can settle `wanted`, and
    /// by the distance to the end.
    #[inline(always)]
    pub(super) fn of<G: Game, E: SearchEvaluator<G>>(
        game: &G,
        evaluator: &E,
        techniques: &Techniques,
        wanted: Window,
    ) -> Self {
        let mut proven = Self { low: Score::LOWEST, high: Score::HIGHEST };
        // Mate-distance pruning
        if techniques.mate_distance {
            // The game ends with the next ply at the soonest, and its rules say for whom that can
            // be a win or a loss.
            let (loss, win) = G::SOONEST;
            proven = Self { low: Score::loss_in(loss), high: Score::win_in(win) };
        }
        if techniques.bounds {
            let (low, high) = evaluator.static_bounds(game, wanted);
            debug_assert!(low <= high);
            proven.low = proven.low.max(low);
            proven.high = proven.high.min(high);
        }
        proven
    }

    /// The value itself.
    pub(super) fn exactly(score: Score) -> Self {
        Self { low: score, high: score }
    }

    /// The score to return at once when `window` needs no search.
    #[inline(always)]
    pub(super) fn settles(self, window: Window) -> Option<Score> {
        if self.low >= window.beta || self.low == self.high {
            return Some(self.low);
        }
        if self.high <= window.alpha { Some(self.high) } else { None }
    }

    /// What is left to find out. A move that only reaches `low` still raises alpha, so that the
    /// line shows it.
    pub(super) fn narrow(self, window: Window) -> Window {
        Window::new(window.alpha.max(self.low.previous()), window.beta.min(self.high))
    }

    /// The same, seen from a root `ply` plies before.
    pub(super) fn seen_from(self, ply: usize) -> Self {
        let seen = |score: Score| score.from_table(ply as u32);
        Self { low: seen(self.low), high: seen(self.high) }
    }

    pub(super) fn clamp(self, score: Score) -> Score {
        score.clamp(self.low, self.high)
    }
}
