//! Postorder evaluation with bounds from the nodes above: VEB and AB, and MinSearch and MaxSearch,
//! a short program in which a node passes only the best value of the earlier siblings to its
//! children.

use tengen_engine::{Evaluator, Game, Score, Side, Window};

use crate::walk::Walk;
use crate::watch::Watch;

impl<G: Game, E: Evaluator<G>, W: Watch<G::Move>> Walk<'_, G, E, W> {
    // CITE: E. Horowitz, S. Sahni, "Fundamentals of Data Structures", 1976, section on game trees:
    // procedure VEB; it is procedure F1 of Knuth and Moore 1975.
    /// Searches VEB(X, h, D). The parent already has a move of value `-d`, so a value of `d` or
    /// more does not change the parent's value, and the first child that shows it cuts off. A
    /// result below `d` is exact; from `d` on it is a lower bound.
    pub(crate) fn veb(&mut self, h: u32, d: Score) -> Score {
        if let Some(value) = self.enter(h, Window::new(Score::LOWEST, d)) {
            return value;
        }
        let mut best = Score::LOWEST;
        for index in self.children() {
            let value = -self.child(index, |walk| walk.veb(h - 1, -best));
            if value > best {
                best = value;
                self.set_best(index);
            }
            if best >= d {
                return self.leave_cut(best, d, index);
            }
        }
        self.leave(best)
    }

    // CITE: E. Horowitz, S. Sahni, "Fundamentals of Data Structures", 1976, section on game trees:
    // procedure AB; it is procedure F2 of Knuth and Moore 1975.
    /// Searches AB(X, h, LB, D). `lb` is the best value that the side to move already has at a node
    /// above. The search starts from `lb`, and so passes a tighter bound to its children (deep
    /// cut-offs). A result between `lb` and `d` is exact; `lb` means at most `lb`, and from `d` on
    /// it is a lower bound.
    pub(crate) fn ab(&mut self, h: u32, lb: Score, d: Score) -> Score {
        if let Some(value) = self.enter(h, Window::new(lb, d)) {
            return value;
        }
        let mut best = lb;
        for index in self.children() {
            let value = -self.child(index, |walk| walk.ab(h - 1, -d, -best));
            if value > best {
                best = value;
                self.set_best(index);
            }
            if best >= d {
                return self.leave_cut(best, d, index);
            }
        }
        self.leave(best)
    }

    // It has the cut-offs of procedure F1 of Knuth and Moore 1975, in the two functions of minimax.
    /// Returns the value for the side to move at the root.
    pub(crate) fn min_max_search(&mut self, h: u32) -> Score {
        match self.turn() {
            Side::First => self.max_search(h, Score::HIGHEST),
            Side::Second => -self.min_search(h, Score::LOWEST),
        }
    }

    /// Returns the value of a node with Max to move. `least` is the best value that the parent, a
    /// Min node, has from the siblings: when Max reaches it, Min does not choose this node. All
    /// scores are the first player's.
    fn max_search(&mut self, h: u32, least: Score) -> Score {
        if let Some(value) = self.enter(h, Window::new(Score::LOWEST, least)) {
            return value;
        }
        let mut best = Score::LOWEST;
        for index in self.children() {
            let value = self.child(index, |walk| walk.min_search(h - 1, best));
            if value > best {
                best = value;
                self.set_best(index);
            }
            if best >= least {
                return self.leave_cut(best, least, index);
            }
        }
        self.leave(best)
    }

    /// Returns the value of a node with Min to move. `greatest` is the best value that the parent,
    /// a Max node, has from the siblings. All scores are the first player's.
    fn min_search(&mut self, h: u32, greatest: Score) -> Score {
        if let Some(value) = self.enter(h, Window::new(Score::LOWEST, -greatest)) {
            return -value;
        }
        let mut best = Score::HIGHEST;
        for index in self.children() {
            let value = self.child(index, |walk| walk.max_search(h - 1, best));
            if value < best {
                best = value;
                self.set_best(index);
            }
            if best <= greatest {
                self.leave_cut(-best, -greatest, index);
                return best;
            }
        }
        self.leave(-best);
        best
    }
}
