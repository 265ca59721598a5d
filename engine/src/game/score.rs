//! Scores: heuristic values, draws and proven wins, in one ordered integer.

use std::ops::Neg;

/// The value of a position for one side.
///
/// `loss_in(0) < .. < loss_in(n) < heuristics < win_in(n) < .. < win_in(0)`, and a draw is 0. Every
/// value fits in 22 bits, sign included. Inside a search, plies count from the root. In the table,
/// and in calls of an evaluator, they count from the position itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Score(i32);

const WIN: i32 = (1 << 21) - 2;

impl Score {
    /// The maximum number of plies of a win or loss in a score.
    pub const MAX_PLIES: u32 = 4096;
    /// The maximum heuristic value, in the evaluator's units.
    pub const MAX_HEURISTIC: i32 = 2_000_000;
    /// A draw: 0.
    pub const DRAW: Self = Self(0);
    /// Below every score: an open lower bound.
    pub const LOWEST: Self = Self(-WIN - 1);
    /// Above every score: an open upper bound.
    pub const HIGHEST: Self = Self(WIN + 1);

    /// Returns a heuristic value, clamped to plus or minus [`Score::MAX_HEURISTIC`].
    pub const fn heuristic(value: i32) -> Self {
        if value > Self::MAX_HEURISTIC {
            return Self(Self::MAX_HEURISTIC);
        }
        if value < -Self::MAX_HEURISTIC {
            return Self(-Self::MAX_HEURISTIC);
        }
        Self(value)
    }

    /// Returns the score of a win in `plies` plies: the side to move plays the last of them.
    pub const fn win_in(plies: u32) -> Self {
        debug_assert!(plies <= Self::MAX_PLIES);
        Self(WIN - plies as i32)
    }

    /// Returns the score of a loss in `plies` plies: the opponent plays the last of them.
    pub const fn loss_in(plies: u32) -> Self {
        debug_assert!(plies <= Self::MAX_PLIES);
        Self(plies as i32 - WIN)
    }

    /// Returns whether the score is a proven win or loss.
    pub const fn is_decisive(self) -> bool {
        self.0.abs() > Self::MAX_HEURISTIC
    }

    /// Returns whether the score is a proven win.
    pub const fn is_win(self) -> bool {
        self.0 > Self::MAX_HEURISTIC
    }

    /// Returns whether the score is a proven loss.
    pub const fn is_loss(self) -> bool {
        self.0 < -Self::MAX_HEURISTIC
    }

    /// Returns whether the score is the largest heuristic value: usually a win that the search
    /// could not prove.
    pub const fn is_unproven_win(self) -> bool {
        self.0 == Self::MAX_HEURISTIC
    }

    /// Returns the plies to the end of the game for a decisive score; `None` for other scores.
    pub const fn plies(self) -> Option<u32> {
        if self.is_decisive() { Some((WIN - self.0.abs()).unsigned_abs()) } else { None }
    }

    /// Returns the score as an integer. A heuristic score is in the units of the evaluation.
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// Converts a score with plies from the root to plies from the node at `ply`.
    pub const fn to_node(self, ply: u32) -> Self {
        self.moved(ply as i32)
    }

    /// Converts a score with plies from the node at `ply` to plies from the root.
    pub const fn to_root(self, ply: u32) -> Self {
        self.moved(-(ply as i32))
    }

    /// Returns the next higher score.
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns the next lower score.
    pub const fn previous(self) -> Self {
        Self(self.0 - 1)
    }

    /// Returns the nearest heuristic score: the score of a win or loss that is not proven.
    pub const fn unproven(self) -> Self {
        Self::heuristic(self.0)
    }

    /// Creates a score from an integer that [`raw`](Self::raw) returned.
    pub(crate) const fn from_raw(raw: i32) -> Self {
        debug_assert!(raw.abs() <= WIN + 1);
        Self(raw)
    }

    /// Returns a decisive score with the distance to the end `plies` less, at least 0. Other scores
    /// and open bounds do not change.
    // Without branches, because the kind of a score is hard to predict. `sign` is 0 or -1, so
    // `(x ^ sign) - sign` is x or -x.
    const fn moved(self, plies: i32) -> Self {
        let sign = self.0 >> 31;
        let size = (self.0 ^ sign) - sign;
        let left = WIN - size;
        let step = if plies < left { plies } else { left };
        let is_decisive = size > Self::MAX_HEURISTIC && size <= WIN;
        Self(self.0 + (((step ^ sign) - sign) & -(is_decisive as i32)))
    }
}

impl Neg for Score {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_ordered_from_the_fastest_loss_to_the_fastest_win() {
        let ladder = [
            Score::LOWEST,
            Score::loss_in(0),
            Score::loss_in(Score::MAX_PLIES),
            Score::heuristic(i32::MIN),
            Score::DRAW,
            Score::heuristic(i32::MAX),
            Score::win_in(Score::MAX_PLIES),
            Score::win_in(0),
            Score::HIGHEST,
        ];
        assert!(ladder.is_sorted_by(|a, b| a < b));
        assert!(ladder.iter().all(|s| s.raw().abs() < 1 << 21));
    }

    #[test]
    fn a_mate_score_counts_from_the_node_in_the_table_and_from_the_root_outside() {
        assert_eq!(Score::win_in(9).to_node(4), Score::win_in(5));
        assert_eq!(Score::win_in(5).to_root(4), Score::win_in(9));
        assert_eq!(Score::loss_in(8).to_node(2).to_root(2), Score::loss_in(8));
        assert_eq!(Score::heuristic(7).to_node(3), Score::heuristic(7));
        assert_eq!(Score::HIGHEST.to_root(3), Score::HIGHEST);
        assert_eq!(Score::loss_in(6).plies(), Some(6));
        assert_eq!(Score::DRAW.plies(), None);
    }
}
