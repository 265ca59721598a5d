//! The rules of five in a row: which rows of stones win for which side. This file does not depend
//! on a board.

use tengen_engine::Side;

/// A rule of five in a row. The numbers are those of the Gomocup protocol.
// CITE: Renju International Federation, "The International Rules of Renju",
// https://www.renju.net/rules/ (renju); Gomocup, "Detailed information", https://gomocup.org/
// (the numbered rules, caro among them).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Five or more win (rule 0).
    Freestyle,
    /// Exactly five win (rule 1).
    Standard,
    /// The first player wins with exactly five and may make no double-three, double-four or
    /// overline; the second player wins with five or more (rule 4).
    Renju,
    /// Five win unless an opponent's stone stands at both ends; six or more always win (rule 8).
    Caro,
    /// Caro in which six or more do not win (rule 9).
    CaroExact,
}

/// The content of a cell, as lines and tables store it in two bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(super) enum Content {
    /// No stone.
    Empty = 0,
    /// A stone of the first player.
    First = 1,
    /// A stone of the second player.
    Second = 2,
    /// Beyond the edge of the board.
    Edge = 3,
}

impl Content {
    pub(super) const ALL: [Self; 4] = [Self::Empty, Self::First, Self::Second, Self::Edge];

    pub(super) const fn of(side: Side) -> Self {
        match side {
            Side::First => Self::First,
            Side::Second => Self::Second,
        }
    }
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 5] =
        [Self::Freestyle, Self::Standard, Self::Renju, Self::Caro, Self::CaroExact];

    /// Returns whether an unbroken row of `length` stones of `side` wins. `ends` are the contents
    /// of the two cells beyond the row.
    pub(super) fn wins(self, side: Side, length: usize, ends: [Content; 2]) -> bool {
        let opponent = Content::of(side.other());
        match self {
            Self::Freestyle => length >= 5,
            Self::Standard => length == 5,
            Self::Renju => length == 5 || (length > 5 && side == Side::Second),
            Self::Caro | Self::CaroExact if length == 5 => ends != [opponent; 2],
            Self::Caro => length > 5,
            Self::CaroExact => false,
        }
    }

    /// Returns whether the rule forbids double-threes, double-fours and overlines to `side`.
    pub(super) fn forbids(self, side: Side) -> bool {
        self == Self::Renju && side == Side::First
    }

    /// Returns whether stones at both ends of a five can keep it from winning.
    pub(super) fn closes_ends(self) -> bool {
        matches!(self, Self::Caro | Self::CaroExact)
    }

    /// Returns the radius of influence of a stone along a line, in cells. It is four, the distance
    /// to the end of a five, or five if the cell beyond a five matters.
    pub(super) fn reach(self) -> i32 {
        if self == Self::Freestyle { 4 } else { 5 }
    }

    /// Returns a short description of the rule.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Freestyle => "5 in a row",
            Self::Standard => "exactly 5 in a row",
            Self::Renju => "renju",
            Self::Caro => "caro: 5 in a row not closed at both ends",
            Self::CaroExact => "caro: exactly 5 in a row not closed at both ends",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Content::{Edge, Empty, First, Second};

    fn lengths(rule: Rule, side: Side) -> Vec<usize> {
        (1..12).filter(|&length| rule.wins(side, length, [Empty, Edge])).collect()
    }

    #[test]
    fn rows_of_the_right_length_win() {
        let long: Vec<usize> = (5..12).collect();
        for side in [Side::First, Side::Second] {
            assert_eq!(lengths(Rule::Freestyle, side), long);
            assert_eq!(lengths(Rule::Standard, side), [5]);
            assert_eq!(lengths(Rule::Caro, side), long);
            assert_eq!(lengths(Rule::CaroExact, side), [5]);
        }
        assert_eq!(lengths(Rule::Renju, Side::First), [5]);
        assert_eq!(lengths(Rule::Renju, Side::Second), long);
    }

    #[test]
    fn in_caro_two_stones_close_a_five_but_an_edge_does_not() {
        for rule in [Rule::Caro, Rule::CaroExact] {
            assert!(!rule.wins(Side::First, 5, [Second, Second]));
            assert!(rule.wins(Side::First, 5, [Second, Edge]));
            assert!(rule.wins(Side::First, 5, [Edge, Edge]));
            assert!(rule.wins(Side::Second, 5, [Second, Second]));
            assert!(!rule.wins(Side::Second, 5, [First, First]));
        }
        assert!(Rule::Caro.wins(Side::First, 6, [Second, Second]));
    }
}
