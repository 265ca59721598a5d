//! The threats that a stone can make, and the groups in which points are kept by them.

use super::pattern::Class;

/// What a stone on an empty point makes of its four lines together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(super) enum Threat {
    /// The point is taken.
    Taken,
    /// A double-four or an overline where they are forbidden.
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
    /// An open four or two fours: whatever the reply, a five follows.
    OpenFour,
    /// A five.
    Five,
}

impl Threat {
    /// How many there are.
    pub(super) const COUNT: usize = Self::Five as usize + 1;

    /// Returns what these classes make together. Two open threes may or may not be a double-three
    /// in the sense of renju.
    pub(super) fn of(classes: [Class; 4], forbids: bool) -> Self {
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

    /// Returns the set in which such points are kept.
    pub(super) const fn group(self) -> Group {
        match self {
            Self::Taken | Self::Quiet => Group::Rest,
            Self::Three | Self::DoubleThree => Group::Threes,
            Self::Four | Self::FourThree | Self::Forbidden => Group::Fours,
            Self::OpenFour => Group::OpenFours,
            Self::Five => Group::Fives,
        }
    }
}

/// Points that are kept together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Group {
    /// Less than an open three. Not every such point is listed.
    Rest,
    /// An open three, or two.
    Threes,
    /// A four that is not open, and points that are forbidden because they make more than that.
    Fours,
    /// An open four or two fours.
    OpenFours,
    /// A five.
    Fives,
}

/// How many groups there are.
pub(super) const GROUPS: usize = Group::Fives as usize + 1;

/// The threats that make up a situation: those of the side to move, then those of the side that
/// waits.
pub(super) const LOOMING: [&[Threat]; 2] = [
    &[Threat::Three, Threat::DoubleThree, Threat::Four, Threat::FourThree],
    &[Threat::Three, Threat::DoubleThree, Threat::Four, Threat::FourThree, Threat::OpenFour],
];

/// How many situations there are: each threat could be made somewhere, or not.
pub(super) const SITUATIONS: usize = 1 << (LOOMING[0].len() + LOOMING[1].len());
