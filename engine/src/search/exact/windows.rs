//! The sequence of windows in which a proof searches its root.
//!
//! A search in a null window shows on which side of the window the value is. Outer windows, near
//! the ends of the score range, are cheap, because only the shortest wins reach them. Windows at
//! the centre show who wins. The outer windows come first and alternate between both ends. Each end
//! is given up once a window there costs too much. Far from the end of the game, one open window
//! then shows who wins, and a second one how soon.

use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::bounds::ProvenBounds;
use crate::search::evaluator::selectivity::ProofTuning;
use crate::search::limits::Proof;
use crate::search::report::Bound;
use crate::search::shared_root::SharedRoot;

/// Bounds on a value, `low <= value <= high`, and the windows that narrow them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bracket {
    pub(super) low: Score,
    high: Score,
    /// The node limit of an outer window. An end that needs more gets no more outer windows.
    outer_node_limit: u64,
    /// Whether there are more outer windows at the upper end.
    has_upper: bool,
    /// Whether there are more outer windows at the lower end.
    has_lower: bool,
    /// Whether the next outer window is at the lower end.
    lower_next: bool,
    /// Whether only the winner must be proven.
    outcome_only: bool,
    /// Whether windows at the centre are open windows: the first shows who wins, the second finds
    /// the value.
    is_open: bool,
}

impl Bracket {
    /// Creates the bracket of a position with these `proven` bounds and `plies_left`.
    pub(super) fn new(
        proven: ProvenBounds,
        plies_left: u32,
        proof: Proof,
        tuning: &ProofTuning,
    ) -> Self {
        // Near the end of the game, windows at the centre are as cheap. The node limit grows by
        // half with every ply.
        let outcome_only = proof == Proof::Outcome;
        let plies_above = plies_left.saturating_sub(tuning.outer_windows_above).checked_sub(1);
        let outer_node_limit = plies_above.map_or(0, |plies| 2 << (plies * 3 / 5).min(58));
        let has_outer = outer_node_limit > 0 && !outcome_only;
        Self {
            low: proven.low,
            high: proven.high,
            outer_node_limit,
            has_upper: has_outer,
            has_lower: has_outer,
            lower_next: false,
            outcome_only,
            is_open: false,
        }
    }

    /// Sets whether windows at the centre are open windows.
    pub(super) fn with_open_windows(self, is_open: bool) -> Self {
        Self { is_open, ..self }
    }

    /// Removes the outer windows: for one search of a batch, and for a later line. Earlier searches
    /// have stored their results in the shared table.
    pub(super) fn without_outer_windows(self) -> Self {
        Self { has_upper: false, has_lower: false, ..self }
    }

    /// Returns the lower and upper bound that are proven so far.
    pub(super) const fn bounds(&self) -> (Score, Score) {
        (self.low, self.high)
    }

    /// Returns whether the value, or only the winner, is proven as asked for.
    pub(super) fn is_settled(&self) -> bool {
        let is_won_or_lost = self.low > Score::DRAW || self.high < Score::DRAW;
        self.low >= self.high || (self.outcome_only && is_won_or_lost)
    }

    /// Returns whether the next window is at the centre.
    pub(super) fn is_at_centre(&self) -> bool {
        !self.has_upper && !self.has_lower
    }

    /// Returns the next window.
    pub(super) fn window(&self) -> Window {
        if self.is_at_centre() && self.is_open {
            let asks_who_wins = self.low < Score::DRAW && self.high > Score::DRAW;
            let (low, high) = match asks_who_wins || self.outcome_only {
                true => (Score::DRAW, Score::DRAW),
                false => (self.low, self.high),
            };
            return Window::new(low.previous(), high.next());
        }
        if self.is_at_centre() {
            // MTD(f)
            // CITE: Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax
            // algorithms", Artificial Intelligence 87, 1996.
            let nearest = Score::DRAW.clamp(self.low, self.high);
            return Window::scout(nearest.max(self.low.next()).previous());
        }
        Window::scout(if self.lower_next { self.low } else { self.high.previous() })
    }

    /// Narrows the bracket by the `score` of a search in `window` that took this many `nodes`.
    pub(super) fn narrow(&mut self, window: Window, score: Score, nodes: u64) {
        if score > window.alpha {
            self.low = self.low.max(score);
        }
        if score < window.beta {
            self.high = self.high.min(score);
        }
        let (this, other) = match self.lower_next {
            true => (&mut self.has_lower, self.has_upper),
            false => (&mut self.has_upper, self.has_lower),
        };
        *this &= nodes <= self.outer_node_limit;
        self.lower_next ^= other;
    }

    /// Shares the bounds with the other threads, and takes over their bounds.
    pub(super) fn share(&mut self, shared: &SharedRoot) {
        shared.narrow(self.low, self.high);
        (self.low, self.high) = (shared.low(), shared.high());
    }

    /// Returns the proven score, and whether it is the value or a bound of the value.
    pub(super) fn result(&self) -> (Score, Bound) {
        match () {
            () if self.low >= self.high => (self.low, Bound::Exact),
            () if self.low > Score::DRAW => (self.low, Bound::Lower),
            () => (self.high, Bound::Upper),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With these numbers, the tests reach every kind of window.
    const TUNING: ProofTuning = ProofTuning { outer_windows_above: 14, ..ProofTuning::PLAIN };

    /// Returns a draw, and all wins and losses within `plies` plies.
    fn values(plies: u32) -> Vec<Score> {
        let wins = (1..=plies).step_by(2).map(Score::win_in);
        let losses = (2..=plies).step_by(2).map(Score::loss_in);
        wins.chain(losses).chain([Score::DRAW]).collect()
    }

    /// Returns a score that a search in `window` may return: one of `values`, nearest to `value` if
    /// the search `is_soft` (fail-soft), else nearest to the window.
    fn answer(values: &[Score], value: Score, window: Window, is_soft: bool) -> Score {
        let bounds = |score: &Score| match value {
            v if v >= window.beta => (window.beta..=v).contains(score),
            v if v <= window.alpha => (v..=window.alpha).contains(score),
            v => *score == v,
        };
        let by_distance = |score: &Score| (score.raw() - value.raw()).abs();
        let (near, far) = (
            values.iter().copied().filter(bounds).min_by_key(by_distance),
            values.iter().copied().filter(bounds).max_by_key(by_distance),
        );
        if is_soft { near.unwrap() } else { far.unwrap() }
    }

    /// Searches windows until the bracket is settled. `answer` is the search.
    fn settle(mut bracket: Bracket, answer: impl Fn(Window) -> Score) -> (Score, Bound) {
        let mut asked = Vec::new();
        while !bracket.is_settled() {
            let window = bracket.window();
            assert!(!asked.contains(&window), "{window:?} twice");
            asked.push(window);
            bracket.narrow(window, answer(window), 100 * asked.len() as u64);
        }
        bracket.result()
    }

    #[test]
    fn every_value_is_found_by_all_kinds_of_windows() {
        let proven = ProvenBounds { low: Score::loss_in(2), high: Score::win_in(1) };
        for (plies, is_soft) in [(10, false), (31, true), (42, false), (42, true)] {
            let values = values(plies);
            for &value in &values {
                let kinds: [fn(Bracket) -> Bracket; 3] = [
                    |bracket| bracket,
                    |bracket| bracket.with_open_windows(true),
                    Bracket::without_outer_windows,
                ];
                for kind in kinds {
                    let settle = |proof| {
                        let answer = |window| answer(&values, value, window, is_soft);
                        settle(kind(Bracket::new(proven, plies, proof, &TUNING)), answer)
                    };
                    assert_eq!(settle(Proof::Score), (value, Bound::Exact));
                    let (found, bound) = settle(Proof::Outcome);
                    assert_eq!(found.raw().signum(), value.raw().signum());
                    assert!(match bound {
                        Bound::Lower => found <= value,
                        Bound::Upper => value <= found,
                        Bound::Exact => found == value,
                    });
                }
            }
        }
    }

    #[test]
    fn far_from_the_end_two_open_windows_follow_the_outer_windows() {
        let proven = ProvenBounds { low: Score::loss_in(20), high: Score::win_in(21) };
        let bracket = Bracket::new(proven, 42, Proof::Score, &TUNING);
        let mut bracket = bracket.with_open_windows(true);
        bracket.narrow(bracket.window(), proven.high.previous(), u64::MAX);
        bracket.narrow(bracket.window(), proven.low.next(), u64::MAX);
        let window = bracket.window();
        assert_eq!((window.alpha.raw(), window.beta.raw()), (-1, 1), "who wins");
        bracket.narrow(window, Score::win_in(41), 1);
        let window = bracket.window();
        assert_eq!(window.alpha, Score::win_in(41).previous());
        assert_eq!(window.beta, proven.high.previous().next());
        bracket.narrow(window, Score::win_in(33), 1);
        assert!(bracket.is_settled());
        assert_eq!(bracket.result(), (Score::win_in(33), Bound::Exact));
    }

    #[test]
    fn outer_windows_alternate_until_both_ends_cost_too_much() {
        let proven = ProvenBounds { low: Score::loss_in(4), high: Score::win_in(3) };
        let mut bracket = Bracket::new(proven, 42, Proof::Score, &TUNING);
        let outer_node_limit = bracket.outer_node_limit;
        let mut ask = |nodes| {
            let window = bracket.window();
            let is_above = window.alpha >= Score::DRAW;
            let missed = if is_above { window.alpha } else { window.beta };
            bracket.narrow(window, missed, nodes);
            (is_above, bracket.is_at_centre())
        };
        assert_eq!(ask(outer_node_limit), (true, false));
        assert_eq!(ask(outer_node_limit + 1), (false, false), "the lower end is given up");
        assert_eq!(ask(1), (true, false));
        assert_eq!(ask(outer_node_limit), (true, false));
        assert_eq!(ask(outer_node_limit + 1), (true, true));
        assert!(bracket.low < Score::DRAW && bracket.high > Score::DRAW);
        assert_eq!(bracket.window(), Window::scout(Score::DRAW.previous()));
    }
}
