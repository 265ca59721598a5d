//! The two sides, and the outcome of a game.

use crate::game::score::Score;

/// A player. The first player is `w` in a FEN and owns `wtime`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The player of the first move.
    First,
    /// The other player.
    Second,
}

impl Side {
    /// Returns the opponent.
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// Returns 0 for the first player, 1 for the second: an index into a pair.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// This side has won.
    Win(Side),
    /// A draw.
    Draw,
    /// A final position with this value for the first player; not decisive.
    Value(Score),
}

impl Outcome {
    /// Returns the score of this outcome for `turn`, in a position `plies` plies before the end.
    pub fn score(self, turn: Side, plies: u32) -> Score {
        match self {
            Self::Win(side) if side == turn => Score::win_in(plies),
            Self::Win(_) => Score::loss_in(plies),
            Self::Draw => Score::DRAW,
            Self::Value(value) if turn == Side::First => value,
            Self::Value(value) => -value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_worth_the_opposite_to_the_other_side() {
        let value = Outcome::Value(Score::heuristic(7));
        for outcome in [Outcome::Win(Side::First), Outcome::Win(Side::Second), Outcome::Draw, value]
        {
            let [first, second] = [Side::First, Side::Second].map(|side| outcome.score(side, 3));
            assert_eq!(first, -second);
        }
        assert_eq!(Outcome::Win(Side::Second).score(Side::Second, 3), Score::win_in(3));
        assert_eq!(value.score(Side::First, 3), Score::heuristic(7));
    }
}
