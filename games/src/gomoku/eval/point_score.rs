//! The scores of a point, by the pattern code of its four lines.

use std::sync::Arc;

use crate::gomoku::eval::weights::ClassTable;
use crate::gomoku::pattern::Class;
use crate::gomoku::pattern::threat::{Group, Threat};

/// The threat that a stone makes on a point, and the scores of the point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointScore {
    /// The value that the point adds to the evaluation.
    pub(crate) value: i16,
    /// The ordering score of the point for the side that puts this stone.
    pub(crate) making: i16,
    /// The ordering score of the point for the opponent, who prevents this stone.
    pub(crate) stopping: i16,
    pub(crate) threat: Threat,
    pub(crate) group: Group,
}

impl PointScore {
    const TAKEN: Self =
        Self { value: 0, making: 0, stopping: 0, threat: Threat::Taken, group: Group::Rest };

    fn of(classes: [Class; 4], tables: [&ClassTable; 3], forbids: bool) -> Self {
        let threat = Threat::of(classes, forbids);
        let [value, making, stopping] = tables.map(|table| table.value(classes, threat) as i16);
        Self { value, making, stopping, threat, group: threat.group() }
    }
}

/// Returns every combination of four classes, in ascending order, with its pattern code.
fn combinations() -> impl Iterator<Item = ([Class; 4], u16)> {
    let from = |least: Class| Class::ALL.into_iter().filter(move |&class| class >= least);
    let pairs = move |least| from(least).flat_map(move |a| from(a).map(move |b| [a, b]));
    let all = pairs(Class::None).flat_map(move |[a, b]| pairs(b).map(move |[c, d]| [a, b, c, d]));
    all.map(|classes| (classes, classes.into_iter().map(class_code).sum()))
}

/// Returns the indices in a table of the weights that sum up to the scores of `pattern_code`; empty
/// for a taken point and for a number without a pattern. `forbids`: whether the rule forbids points
/// to the side.
pub(crate) fn features_of(pattern_code: u16, forbids: bool) -> Vec<usize> {
    let found = combinations().find(|&(_, code)| code == pattern_code);
    found.map_or_else(Vec::new, |(classes, _)| {
        ClassTable::features(classes, Threat::of(classes, forbids))
    })
}

/// The scores of every pattern code, and of a taken point.
pub(crate) type PointScores = Arc<[PointScore]>;

/// Returns the code of a class. The pattern code of a point is the sum of the codes of its four
/// classes. It identifies the four classes, but not their order.
pub(crate) const fn class_code(class: Class) -> u16 {
    CLASS_CODES[class as usize]
}

/// Codes with a different sum for every four classes, each the smallest possible. The most frequent
/// classes have the smallest codes, so that the scores in use are close in memory.
// CITE: Bose and Chowla, "Theorems in the additive theory of numbers", 1962 (sets whose sums of h
// members all differ).
const CLASS_CODES: [u16; Class::COUNT] = [0, 1, 5, 21, 55, 153, 368, 856, 1424, 2603];

/// The pattern code of a taken point, one more than the largest sum of four codes.
pub(crate) const TAKEN: u16 = 4 * class_code(Class::Five) + 1;

/// Returns the scores of a side for every pattern code. `tables` are for the value of a point, for
/// what a stone makes there and for what it prevents there. `forbids`: whether the rule forbids
/// points to the side.
pub(crate) fn point_scores(tables: [&ClassTable; 3], forbids: bool) -> PointScores {
    let mut scores = vec![PointScore::TAKEN; usize::from(TAKEN) + 1];
    for (classes, code) in combinations() {
        scores[usize::from(code)] = PointScore::of(classes, tables, forbids);
    }
    scores.into()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_four_classes_have_their_own_pattern_code() {
        let codes: HashSet<u16> = combinations().map(|(_, code)| code).collect();
        // Four of ten classes, with repetition: 13 over 4.
        assert_eq!(codes.len(), 715);
        assert!(codes.iter().all(|&code| code < TAKEN));
    }
}
