//! The threats that a stone can make, and the groups of points by threat.

use crate::gomoku::pattern::Class;

/// The threat of a point: what a stone makes of its four lines together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(crate) enum Threat {
    /// The point is taken.
    Taken,
    /// A double-four or an overline, if the rule forbids them.
    Forbidden,
    /// No four and no open three.
    Quiet,
    /// An open three.
    Three,
    /// Two open threes or more.
    DoubleThree,
    /// A four.
    Four,
    /// A four and an open three.
    FourThree,
    /// An open four or two fours: a five follows after every reply.
    OpenFour,
    /// A five.
    Five,
}

impl Threat {
    /// The number of threats.
    pub(crate) const COUNT: usize = Self::Five as usize + 1;

    /// Returns the threat of a point with these classes. `forbids`: whether the rule forbids points
    /// to the side. Two open threes need not be a double-three of renju.
    pub(crate) fn of(classes: [Class; 4], forbids: bool) -> Self {
        let count = |wanted: Class| classes.iter().filter(|&&class| class == wanted).count();
        let fours = count(Class::Four) + count(Class::OpenFour) + 2 * count(Class::DoubleFour);
        if count(Class::Five) > 0 {
            return Self::Five;
        }
        if forbids && (fours >= 2 || count(Class::Overline) > 0) {
            return Self::Forbidden;
        }
        match (fours, count(Class::OpenFour), count(Class::OpenThree)) {
            (2.., ..) | (_, 1.., _) => Self::OpenFour,
            (1, _, 0) => Self::Four,
            (1, ..) => Self::FourThree,
            (_, _, 2..) => Self::DoubleThree,
            (_, _, 1) => Self::Three,
            _ => Self::Quiet,
        }
    }

    /// Returns the group of points with this threat.
    pub(crate) const fn group(self) -> Group {
        match self {
            Self::Taken | Self::Quiet => Group::Rest,
            Self::Three | Self::DoubleThree => Group::Threes,
            Self::Four | Self::FourThree | Self::Forbidden => Group::Fours,
            Self::OpenFour => Group::OpenFours,
            Self::Five => Group::Fives,
        }
    }
}

/// A group of points by threat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Group {
    /// Less than an open three. The group does not contain every such point.
    Rest,
    /// An open three, or two.
    Threes,
    /// A four that is not open, and points that make more but are forbidden.
    Fours,
    /// An open four or two fours.
    OpenFours,
    /// A five.
    Fives,
}

/// The number of groups.
pub(crate) const GROUPS: usize = Group::Fives as usize + 1;

/// The threats of a situation: those of the side to move, then those of its opponent.
pub(crate) const SITUATION_THREATS: [&[Threat]; 2] = [
    &[Threat::Three, Threat::DoubleThree, Threat::Four, Threat::FourThree],
    &[Threat::Three, Threat::DoubleThree, Threat::Four, Threat::FourThree, Threat::OpenFour],
];

/// The number of situations: for each threat, whether it can be made on some point.
pub(crate) const SITUATIONS: usize = 1 << (SITUATION_THREATS[0].len() + SITUATION_THREATS[1].len());
