//! Every number of the evaluation in one place. The program `tune` of `lab/` fits the tables and
//! prints them as they stand here. 200 units of the evaluation mean that a win is e times as likely
//! as a loss.
//!
//! It knows no board; what the numbers are multiplied with is in [`super::points`],
//! [`super::eval`] and [`super::selectivity`].

use super::pattern::Class;
use super::threat::{SITUATIONS, Threat};

/// This many units mean that a win is e times as likely as a loss.
pub const UNITS: i32 = 200;

/// How many pairs of classes there are, whatever their order.
pub(super) const PAIRS: usize = Class::COUNT * (Class::COUNT + 1) / 2;

/// A number for every four classes: the sum of one for each class, one for each two of them, and
/// one for what they make together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The numbers of the classes, in the order of [`Class`].
    pub class: [i32; Class::COUNT],
    /// The numbers of the pairs of classes: first those whose higher class is the lowest.
    pub pairs: [i32; PAIRS],
    /// The numbers of the threats, from the least to the five.
    pub threat: [i32; Threat::COUNT],
}

impl Table {
    /// Returns the indices, in the order of the table's numbers, of the numbers that are summed.
    pub(super) fn features(classes: [Class; 4], threat: Threat) -> Vec<usize> {
        let mut features = Vec::new();
        for (index, &class) in classes.iter().enumerate().filter(|(_, c)| **c > Class::None) {
            features.push(class as usize);
            for &earlier in classes[..index].iter().filter(|&&c| c > Class::None) {
                let (low, high) = (earlier.min(class) as usize, earlier.max(class) as usize);
                features.push(Class::COUNT + high * (high + 1) / 2 + low);
            }
        }
        features.push(Class::COUNT + PAIRS + threat as usize);
        features
    }

    pub(super) fn value(&self, classes: [Class; 4], threat: Threat) -> i32 {
        let number = |feature: usize| match feature {
            f if f < Class::COUNT => self.class[f],
            f if f < Class::COUNT + PAIRS => self.pairs[f - Class::COUNT],
            f => self.threat[f - Class::COUNT - PAIRS],
        };
        Self::features(classes, threat).into_iter().map(number).sum()
    }

    /// Returns a table of these numbers: of classes, then of pairs, then of threats.
    pub fn from_weights(weights: &[i32]) -> Self {
        let from = |start: usize| weights.iter().copied().skip(start);
        let mut table =
            Self { class: [0; Class::COUNT], pairs: [0; PAIRS], threat: [0; Threat::COUNT] };
        table.class.iter_mut().zip(from(0)).for_each(|(to, w)| *to = w);
        table.pairs.iter_mut().zip(from(Class::COUNT)).for_each(|(to, w)| *to = w);
        table.threat.iter_mut().zip(from(Class::COUNT + PAIRS)).for_each(|(to, w)| *to = w);
        table
    }
}

/// What an empty point is worth to a side for what a stone would make there.
pub(super) const WORTH: Table = Table {
    class: [0, 0, 3, 10, 8, 13, 79, 0, 0, 0],
    pairs: [
        0, 0, 1, 0, 2, 8, 0, 0, 11, 3, 0, -3, 20, 16, -33, 0, 6, 49, 30, 116, -2, 0, 13, 21, 27,
        -23, 154, 170, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0,
    ],
    threat: [0, 0, -22, 1, 26, 8, 104, 80, 0],
};

/// Ordering score of a move for what it makes.
pub(super) const OWN: Table = Table {
    class: [0, 7, 154, 157, 150, 201, 0, 0, 0, 0],
    pairs: [
        0, 0, -4, 0, -7, -3, 0, -3, 1, 1, 0, 24, 47, 13, 38, 0, 17, 38, 83, 343, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ],
    threat: [0, 0, -133, 53, 252, 67, 358, 0, 0],
};

/// Ordering score of a move for what it prevents.
pub(super) const OTHER: Table = Table {
    class: [0, 11, 74, 107, 99, 134, 217, 0, 0, 0],
    pairs: [
        0, 0, -10, 0, -19, -25, 0, -19, -22, -28, 0, -16, -11, -39, -20, 0, 0, 14, -5, 89, 47, 0,
        24, 20, -20, 30, -271, -109, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0,
    ],
    threat: [0, 0, -148, 68, 220, 42, 236, 217, 0],
};

/// The value of each situation (the threats that could be made) for the side to move.
pub(super) const SITUATION: [i32; SITUATIONS] = [
    91, 0, 0, 0, 143, 331, 0, -16, 0, 0, 0, 0, 0, 0, 0, 0, 92, 0, 0, 0, 159, 251, 293, 299, -1, 0,
    0, 0, -5, -421, -2, -103, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 70, 0, 0, 0, 88, 350, 316, -214, 0, 0, 0, 0, 0, 0, 0, 0, 175, 0, 0,
    -8, 159, 293, 379, 418, 96, 0, -34, 0, 191, -71, 195, 218, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 219, 0, 0, 0, 216, 324, 0, 322, 0,
    0, 0, 0, 0, 0, 0, 0, 231, 0, -201, 0, 218, 164, 243, 40, 189, 0, 0, 0, 164, -290, -69, -332, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    114, 0, 0, 0, 93, 296, 148, -40, 0, 0, 0, 0, 0, 0, 0, 0, 297, 0, 279, 544, 231, 207, 287, 184,
    375, 0, -146, 0, 275, -58, 166, 54, 0, 0, 0, 0, 68, 592, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 77, 112, 270, -49, 0, 0, 0, 0, -29, 222, 0, -398, 507, 0, 0, 0, 334, 258, 0, -208, 0, 0, 0,
    0, 0, 0, 0, 0, 1028, 0, 0, 0, 577, 104, 140, -54, 925, 0, -55, 0, 440, -268, -182, -490, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 518,
    0, 0, 0, 467, 279, -174, 230, 0, 0, 0, 0, 0, 0, 0, 0, 1227, 0, 0, 0, 523, 178, 344, 98, 1155,
    0, 0, 0, 719, -75, 271, -25, 0, 0, 0, 0, 0, 236, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 291,
    149, 379, -98, 0, 0, 0, 0, -321, -104, -61, -159,
];

/// The least depth for singular extensions, and the margin by which the other moves must be worse
/// for each ply of depth, in quarters.
pub(super) const SINGULAR_DEPTH: u32 = 6;
pub(super) const SINGULAR_MARGIN: i32 = 8;

/// Late move reductions in 64ths of a ply: for each product of the binary logarithms of depth and
/// place; more where the side to move does not improve; more at a cut node; less at a PV node; less
/// where the move makes or stops a three or more; more for each 100 of rank below the highest, after
/// the first [`LMR_RANK_GAP`].
pub(super) const LMR: i32 = 32;
pub(super) const LMR_NOT_IMPROVING: i32 = 40;
pub(super) const LMR_CUT_NODE: i32 = 80;
pub(super) const LMR_PV: i32 = 40;
pub(super) const LMR_SHARP: i32 = 64;
pub(super) const LMR_RANK: i32 = 24;
pub(super) const LMR_RANK_GAP: i32 = 200;

/// Margin of reverse futility pruning for each ply of depth after the first, and after the second
/// where the evaluation improves.
pub(super) const FUTILITY: i32 = 63;
/// Addition to the margin where the opponent threatens to make an open four.
pub(super) const PRESSURE: i32 = 200;

/// How many moves are searched at depth 0, and how many more for each ply: where the evaluation
/// does not improve, and where it does.
pub(super) const MOVE_COUNT_LIMITS: [(usize, usize); 2] = [(4, 2), (6, 4)];
