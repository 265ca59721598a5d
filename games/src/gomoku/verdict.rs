//! What four lines through one point make together, and what that is worth.

use std::sync::OnceLock;

use super::pattern::Class;
use super::weights;

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

    /// What these classes make together. Two open threes may or may not be a double-three in the
    /// sense of renju.
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

    /// The set in which such points are kept.
    const fn group(self) -> Group {
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
    /// One four that is not open, and what is forbidden for making more than that.
    Fours,
    /// An open four or two fours.
    OpenFours,
    /// A five.
    Fives,
}

/// How many groups there are.
pub(super) const GROUPS: usize = Group::Fives as usize + 1;

/// How many threats there are.
pub(super) const THREATS: usize = Threat::COUNT;

/// The threats that make up a situation: those of the side to move, then those of the side that
/// waits.
pub(super) const LOOMING: [&[Threat]; 2] = [
    &[Threat::Three, Threat::DoubleThree, Threat::Four, Threat::FourThree],
    &[Threat::Three, Threat::DoubleThree, Threat::Four, Threat::FourThree, Threat::OpenFour],
];

/// How many situations there are: each threat could be made somewhere, or not.
pub(super) const SITUATIONS: usize = 1 << (LOOMING[0].len() + LOOMING[1].len());

/// What four classes make together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    pub(super) worth: i16,
    /// How early a move here is searched by who would make this, and by who keeps it from that.
    pub(super) making: i16,
    pub(super) stopping: i16,
    pub(super) threat: Threat,
    pub(super) group: Group,
}

impl Verdict {
    const TAKEN: Self =
        Self { worth: 0, making: 0, stopping: 0, threat: Threat::Taken, group: Group::Rest };

    fn of(classes: [Class; 4], forbids: bool) -> Self {
        let threat = Threat::of(classes, forbids);
        let value = |table: &weights::Table| table.value(classes, threat) as i16;
        Self {
            worth: value(&weights::WORTH),
            making: value(&weights::OWN),
            stopping: value(&weights::OTHER),
            threat,
            group: threat.group(),
        }
    }
}

/// The four classes with this number.
fn classes_of(number: u16) -> [Class; 4] {
    PLACES.map(|place| Class::ALL[usize::from(number / place % PLACES[1])])
}

/// The weights that make up the verdict with this number, by their place in a table; none for a
/// taken point.
pub(super) fn features_of(number: u16, forbids: bool) -> Vec<usize> {
    if number == TAKEN {
        return Vec::new();
    }
    let classes = classes_of(number);
    weights::Table::features(classes, Threat::of(classes, forbids))
}

/// The verdict on every four classes, numbered by [`PLACES`], and on a taken point.
#[derive(Debug)]
pub(super) struct Verdicts(pub(super) Vec<Verdict>);

/// What a class counts in each direction in the number of four classes.
pub(super) const PLACES: [u16; 4] = {
    const BASE: u16 = Class::COUNT as u16;
    [1, BASE, BASE * BASE, BASE * BASE * BASE]
};

/// The number of a taken point, one more than any four classes have.
pub(super) const TAKEN: u16 = PLACES[1] * PLACES[3];

impl Verdicts {
    /// The table for a side that renju binds, or for any other, made when it is first asked for.
    pub(super) fn of(forbids: bool) -> &'static Self {
        static TABLES: [OnceLock<Verdicts>; 2] = [const { OnceLock::new() }; 2];
        TABLES[usize::from(forbids)].get_or_init(|| Self::new(forbids))
    }

    fn new(forbids: bool) -> Self {
        let verdict = |number: u16| Verdict::of(classes_of(number), forbids);
        Self((0..TAKEN).map(verdict).chain([Verdict::TAKEN]).collect())
    }
}
