//! What four lines through one point make together, and what that is worth.

use std::sync::OnceLock;

use super::pattern::Class;
use super::threat::{Group, Threat};
use super::weights;

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
