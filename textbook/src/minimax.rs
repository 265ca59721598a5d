//! Minimax, with a function for each player, and negamax, with one function: the value for one
//! player is the negative of the value for the other.

use tengen_engine::{Evaluator, Game, Score, Side, Window};

use crate::walk::Walk;
use crate::watch::Watch;

impl<G: Game, E: Evaluator<G>, W: Watch<G::Move>> Walk<'_, G, E, W> {
    // CITE: C. E. Shannon, "Programming a Computer for Playing Chess", Philosophical Magazine 41
    // (314), 1950.
    /// Returns the value for the side to move at the root.
    pub(crate) fn minimax(&mut self, h: u32) -> Score {
        match self.turn() {
            Side::First => self.max_value(h),
            Side::Second => -self.min_value(h),
        }
    }

    /// Returns the value of a node with Max to move: the greatest value of its children. Scores are
    /// the first player's.
    fn max_value(&mut self, h: u32) -> Score {
        if let Some(value) = self.enter(h, Window::FULL) {
            return value;
        }
        let mut best = Score::LOWEST;
        for index in self.children() {
            let value = self.child(index, |walk| walk.min_value(h - 1));
            if value > best {
                best = value;
                self.set_best(index);
            }
        }
        self.leave(best)
    }

    /// Returns the value of a node with Min to move: the least value of its children. Scores are
    /// the first player's.
    fn min_value(&mut self, h: u32) -> Score {
        if let Some(value) = self.enter(h, Window::FULL) {
            return -value;
        }
        let mut best = Score::HIGHEST;
        for index in self.children() {
            let value = self.child(index, |walk| walk.max_value(h - 1));
            if value < best {
                best = value;
                self.set_best(index);
            }
        }
        self.leave(-best);
        best
    }

    // CITE: D. E. Knuth, R. W. Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence
    // 6 (4), 1975: their procedure F.
    /// Returns the value for the side to move.
    pub(crate) fn negamax(&mut self, h: u32) -> Score {
        if let Some(value) = self.enter(h, Window::FULL) {
            return value;
        }
        let mut best = Score::LOWEST;
        for index in self.children() {
            let value = -self.child(index, |walk| walk.negamax(h - 1));
            if value > best {
                best = value;
                self.set_best(index);
            }
        }
        self.leave(best)
    }
}
