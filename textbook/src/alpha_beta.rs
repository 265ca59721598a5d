//! Alpha-beta with both bounds: fail-hard and fail-soft, which differ in the result when the value
//! is outside the window, and two ways to search in narrow windows, aspiration and minimal windows.

use tengen_engine::{Evaluator, Game, Score, Window};

use crate::walk::Walk;
use crate::watch::Watch;

/// The distance of the window's ends from the guess, in units of the evaluator.
pub const WIDTH: i32 = 50;

impl<G: Game, E: Evaluator<G>, W: Watch<G::Move>> Walk<'_, G, E, W> {
    // CITE: D. E. Knuth, R. W. Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence
    // 6 (4), 1975. The name fail-hard came later, to distinguish it from Fishburn's fail-soft.
    /// Searches fail-hard. Returns the value, moved to the nearer end of the window when it lies
    /// outside: `alpha` means "at most alpha", `beta` means "at least beta".
    pub(crate) fn fail_hard(&mut self, h: u32, mut window: Window) -> Score {
        if let Some(value) = self.enter(h, window) {
            return value.clamp(window.alpha, window.beta);
        }
        for index in self.children() {
            let value = -self.child(index, |walk| walk.fail_hard(h - 1, -window));
            if value > window.alpha {
                window.raise(value);
                self.set_best(index);
            }
            if window.is_empty() {
                return self.leave_cut(window.beta, window.beta, index);
            }
        }
        self.leave(window.alpha)
    }

    // CITE: J. P. Fishburn, "Another Optimization of Alpha-Beta Search", SIGART Newsletter 84,
    // 1983; fail-soft is older, in J. P. Fishburn, "Analysis of Speedup in Distributed Algorithms",
    // thesis, Wisconsin 1981.
    /// Searches fail-soft. Returns the best of what the children returned, even outside the window.
    /// At or below alpha it is an upper bound, at or above beta a lower bound, and never a looser
    /// bound than fail-hard gives.
    pub(crate) fn fail_soft(&mut self, h: u32, mut window: Window) -> Score {
        if let Some(value) = self.enter(h, window) {
            return value;
        }
        let mut best = Score::LOWEST;
        for index in self.children() {
            let value = -self.child(index, |walk| walk.fail_soft(h - 1, -window));
            if value > best {
                best = value;
                self.set_best(index);
            }
            window.raise(best);
            if window.is_empty() {
                return self.leave_cut(best, window.beta, index);
            }
        }
        self.leave(best)
    }

    // CITE: G. M. Baudet, "The Design and Analysis of Algorithms for Asynchronous Multiprocessors",
    // thesis, Carnegie Mellon 1978; T. A. Marsland, "A Review of Game-Tree Pruning", ICCA Journal 9
    // (1), 1986.
    /// Returns the value for the side to move. The guess X is the value one ply short of the
    /// horizon; the window is (X - [`WIDTH`], X + [`WIDTH`]).
    pub(crate) fn aspiration(&mut self, horizon: u32) -> Score {
        if horizon == 0 {
            return self.pass(0, Window::FULL);
        }
        let guess = self.pass(horizon - 1, Window::FULL);
        let window = Window::around(guess, WIDTH);
        let value = self.pass(horizon, window);
        // The window of a re-search includes the bound that failed, by one point.
        if value <= window.alpha {
            return self.pass(horizon, Window::new(Score::LOWEST, value.next()));
        }
        if value >= window.beta {
            return self.pass(horizon, Window::new(value.previous(), Score::HIGHEST));
        }
        value
    }

    fn pass(&mut self, horizon: u32, window: Window) -> Score {
        self.begin(horizon, window);
        self.fail_soft(horizon, window)
    }

    // CITE: J. Pearl, "Scout: A Simple Game-Searching Algorithm with Proven Optimal Properties",
    // AAAI 1980; T. A. Marsland, M. Campbell, "Parallel Search of Strongly Ordered Game Trees",
    // Computing Surveys 14 (4), 1982 (the name PVS); A. Reinefeld, "An Improvement to the Scout
    // Tree-Search Algorithm", ICCA Journal 6 (4), 1983 (in one function).
    /// Searches by principal variation search. The result is that of
    /// [`fail_soft`](Self::fail_soft).
    pub(crate) fn pvs(&mut self, h: u32, mut window: Window) -> Score {
        if let Some(value) = self.enter(h, window) {
            return value;
        }
        let mut best = Score::LOWEST;
        for index in self.children() {
            let value = if index == 0 {
                -self.child(index, |walk| walk.pvs(h - 1, -window))
            } else {
                self.scout(h, index, window)
            };
            if value > best {
                best = value;
                self.set_best(index);
            }
            window.raise(best);
            if window.is_empty() {
                return self.leave_cut(best, window.beta, index);
            }
        }
        self.leave(best)
    }

    /// Searches a later child in a minimal window, and again in the full window if the child is
    /// better than alpha and its value is still unknown.
    fn scout(&mut self, h: u32, index: usize, window: Window) -> Score {
        let null = Window::scout(window.alpha);
        let value = -self.child(index, |walk| walk.pvs(h - 1, -null));
        // At or below alpha, the child is not better. At or above beta, there is a cut-off. In
        // between, a fail-soft bound of at least alpha + 1 only says that the value is above alpha.
        let unknown = window.alpha < value && value < window.beta;
        if !unknown {
            return value;
        }
        -self.child(index, |walk| walk.pvs(h - 1, -window))
    }
}
