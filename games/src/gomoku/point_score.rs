//! What four lines through one point make together, and what that is worth: the scores of a point,
//! by its pattern code.

use std::sync::Arc;

use super::pattern::Class;
use super::threat::{Group, Threat};
use super::weights::Table;

/// What a stone makes of the four lines through a point, and how it scores.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointScore {
    /// What the point adds to the evaluation.
    pub(super) worth: i16,
    /// Ordering score of the point for the attacker, whose stone makes this.
    pub(super) making: i16,
    /// Ordering score of the point for the defender, whose stone prevents it.
    pub(super) stopping: i16,
    pub(super) threat: Threat,
    pub(super) group: Group,
}

impl PointScore {
    const TAKEN: Self =
        Self { worth: 0, making: 0, stopping: 0, threat: Threat::Taken, group: Group::Rest };

    fn of(classes: [Class; 4], tables: [&Table; 3], forbids: bool) -> Self {
        let threat = Threat::of(classes, forbids);
        let [worth, making, stopping] = tables.map(|table| table.value(classes, threat) as i16);
        Self { worth, making, stopping, threat, group: threat.group() }
    }
}

/// Returns the four classes with this pattern code.
fn classes_of(pattern_code: u16) -> [Class; 4] {
    PLACE_VALUES.map(|place| Class::ALL[usize::from(pattern_code / place % PLACE_VALUES[1])])
}

/// Returns the weights that make up the scores of this pattern code, by their place in a table;
/// none for a taken point.
pub(super) fn features_of(pattern_code: u16, forbids: bool) -> Vec<usize> {
    if pattern_code == TAKEN {
        return Vec::new();
    }
    let classes = classes_of(pattern_code);
    Table::features(classes, Threat::of(classes, forbids))
}

/// The scores of every pattern code, and of a taken point.
pub(super) type PointScores = Arc<[PointScore]>;

/// Place values of the pattern code, by direction.
pub(super) const PLACE_VALUES: [u16; 4] = {
    const BASE: u16 = Class::COUNT as u16;
    [1, BASE, BASE * BASE, BASE * BASE * BASE]
};

/// The pattern code of a taken point, one more than that of any four classes.
pub(super) const TAKEN: u16 = PLACE_VALUES[1] * PLACE_VALUES[3];

/// Returns the scores of a side: of the tables for what a point is worth, for what a stone makes
/// there, and for what a stone of the opponent prevents there. `forbids`: whether renju binds the
/// side.
pub(super) fn point_scores(tables: [&Table; 3], forbids: bool) -> PointScores {
    let score = |pattern_code| PointScore::of(classes_of(pattern_code), tables, forbids);
    (0..TAKEN).map(score).chain([PointScore::TAKEN]).collect()
}
