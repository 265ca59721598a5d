//! Search windows: alpha and beta.

use std::ops::Neg;

use crate::game::score::Score;

/// A search window, `alpha < value < beta`. For a value outside it, the search returns only a
/// bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The score that the side to move has for certain by another move.
    pub alpha: Score,
    /// The score at which the opponent avoids this position.
    pub beta: Score,
}

impl Window {
    /// The window of all scores.
    pub const FULL: Self = Self { alpha: Score::LOWEST, beta: Score::HIGHEST };

    /// Creates the window from `alpha` to `beta`.
    pub const fn new(alpha: Score, beta: Score) -> Self {
        Self { alpha, beta }
    }

    /// Returns the window from `centre - delta` to `centre + delta`, at most the full window.
    pub fn around(centre: Score, delta: i32) -> Self {
        let reach = |value: i32| match value {
            v if v <= Score::LOWEST.raw() => Score::LOWEST,
            v if v >= Score::HIGHEST.raw() => Score::HIGHEST,
            v => Score::from_raw(v),
        };
        Self {
            alpha: reach(centre.raw().saturating_sub(delta)),
            beta: reach(centre.raw().saturating_add(delta)),
        }
    }

    /// Converts a window with plies from the root to plies from the node at `ply`.
    pub(crate) const fn to_node(self, ply: usize) -> Self {
        Self { alpha: self.alpha.to_node(ply as u32), beta: self.beta.to_node(ply as u32) }
    }

    /// Returns the null window above `alpha`. Its search tells only whether the value exceeds
    /// `alpha`.
    pub const fn scout(alpha: Score) -> Self {
        Self { alpha, beta: alpha.next() }
    }

    /// Raises alpha to `score`; never lowers it.
    pub fn raise(&mut self, score: Score) {
        self.alpha = self.alpha.max(score);
    }

    /// Returns whether the window is empty: a cut-off.
    pub fn is_empty(&self) -> bool {
        self.alpha >= self.beta
    }

    /// Returns whether this is a null window.
    pub fn is_scout(&self) -> bool {
        self.alpha.next() >= self.beta
    }
}

impl Neg for Window {
    type Output = Self;

    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_swaps_the_sides_and_a_raise_never_lowers() {
        let mut window = Window::around(Score::heuristic(10), 5);
        assert_eq!(-window, Window::new(Score::heuristic(-15), Score::heuristic(-5)));
        window.raise(Score::heuristic(0));
        assert_eq!(window.alpha, Score::heuristic(5));
        window.raise(Score::heuristic(15));
        assert!(window.is_empty());
        assert!(Window::scout(Score::DRAW).is_scout());
        assert_eq!(Window::around(Score::win_in(1), i32::MAX), Window::FULL);
    }
}
