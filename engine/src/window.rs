//! Windows: open intervals of scores that a search has to tell apart.

use std::ops::Neg;

use crate::score::Score;

/// A window, `alpha < value < beta`. A value outside it need only be bounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The score that the side to move has already.
    pub alpha: Score,
    /// The score beyond which the opponent does not let it come to this position.
    pub beta: Score,
}

impl Window {
    /// The window of all scores.
    pub const FULL: Self = Self { alpha: Score::LOWEST, beta: Score::HIGHEST };

    /// Returns the window from `alpha` to `beta`.
    pub const fn new(alpha: Score, beta: Score) -> Self {
        Self { alpha, beta }
    }

    /// Returns the window of scores nearer than `delta` to `centre`, up to the open ends.
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

    /// Converts a root's window to that of the position `ply` plies further on.
    pub(crate) const fn to_table(self, ply: usize) -> Self {
        Self { alpha: self.alpha.to_table(ply as u32), beta: self.beta.to_table(ply as u32) }
    }

    /// Returns the null window above `alpha`, which asks only whether the value exceeds it.
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

    /// Returns whether this is a null window, which asks a yes-or-no question.
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
