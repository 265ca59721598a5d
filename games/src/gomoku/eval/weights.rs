//! The tables of the evaluation, and the parameters of the search. A difference of 200 units of the
//! evaluation makes a win e times as likely.
//!
//! This file knows no board. [`super`], [`super::points`], [`super::candidates`] and
//! [`super::selectivity`] use the numbers.

use tengen_engine::{HistoryTuning, ReSearchMargin};

use crate::gomoku::pattern::Class;
use crate::gomoku::pattern::threat::Threat;

/// The scale of the evaluation: with this many units, a win is e times as likely as a loss.
pub const UNITS: i32 = 200;

/// The number of unordered pairs of classes.
pub(crate) const PAIRS: usize = Class::COUNT * (Class::COUNT + 1) / 2;

/// The scores of all combinations of four classes. A score is a sum: of a number for each class, a
/// number for each pair of them, and a number for the threat that they make together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassTable {
    /// The numbers of the classes, in the order of [`Class`].
    pub class: [i32; Class::COUNT],
    /// The numbers of the pairs of classes, in the order of their higher class, then of their lower
    /// class.
    pub pairs: [i32; PAIRS],
    /// The numbers of the threats, in ascending order.
    pub threat: [i32; Threat::COUNT],
}

impl ClassTable {
    /// The number of numbers in a table.
    pub const COUNT: usize = Class::COUNT + PAIRS + Threat::COUNT;

    /// Returns the indices of the numbers that sum up to the score of `classes` and `threat`.
    pub(crate) fn features(classes: [Class; 4], threat: Threat) -> Vec<usize> {
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

    pub(crate) fn value(&self, classes: [Class; 4], threat: Threat) -> i32 {
        let number = |feature: usize| match feature {
            f if f < Class::COUNT => self.class[f],
            f if f < Class::COUNT + PAIRS => self.pairs[f - Class::COUNT],
            f => self.threat[f - Class::COUNT - PAIRS],
        };
        Self::features(classes, threat).into_iter().map(number).sum()
    }

    /// Returns all numbers: of classes, then of pairs, then of threats.
    pub(crate) fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        [&self.class[..], &self.pairs, &self.threat].into_iter().flatten().copied()
    }

    /// Creates a table from the numbers of classes, then of pairs, then of threats.
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

/// Singular extensions: the smallest depth, and the margin by which all other moves must be worse,
/// in quarters of a unit for each ply of depth.
pub(crate) const SINGULAR_DEPTH: u32 = 6;
pub(crate) const SINGULAR_MARGIN: i32 = 8;

/// Late move reductions in 64ths of a ply: for each product of the binary logarithms of depth and
/// move number; more where the side to move does not improve; more at a cut node; less at a PV
/// node, and at the root; less where the move makes or stops a three or more; more for each 100 of
/// ordering score below the best move, after the first [`LMR_RANK_GAP`].
pub(crate) const LMR: i32 = 28;
pub(crate) const LMR_NOT_IMPROVING: i32 = 40;
pub(crate) const LMR_CUT_NODE: i32 = 80;
pub(crate) const LMR_PV: i32 = 40;
pub(crate) const LMR_ROOT: i32 = 192;
pub(crate) const LMR_SHARP: i32 = 28;
pub(crate) const LMR_RANK: i32 = 24;
pub(crate) const LMR_RANK_GAP: i32 = 200;
/// The largest change of a reduction by history, in 64ths of a ply.
pub(crate) const LMR_HISTORY: i32 = 89;

/// Extra reduction, in 64ths of a ply, of a move that stops no four, while the opponent can make an
/// open four or two fours: if the opponent's last stone is further away than [`LMR_NEAR`] steps,
/// and if the side's own last stone is.
pub(crate) const LMR_FAR: [i32; 2] = [174, 86];
pub(crate) const LMR_NEAR: u32 = 4;

/// Margins above alpha for the score of a reduced search. For each margin that the score exceeds,
/// the re-search is one ply deeper than without the reduction.
pub(crate) const RE_SEARCH_MARGINS: [ReSearchMargin; 2] =
    [ReSearchMargin::new(34, 11), ReSearchMargin::new(349, 26)];

/// The scale of history in ordering scores: of quiet moves, of moves that make an open three or
/// more, and of continuation history after each of the last two moves. A move with 100 more score
/// is chosen e times as often in games.
pub(crate) const HISTORY: HistoryTuning = HistoryTuning::new(100, 200, 145);

/// The margin of reverse futility pruning for each ply of depth - 1, or of depth - 2 where the
/// evaluation improves; never below 0.
pub(crate) const FUTILITY: i32 = 55;

/// The margin of lazy evaluation: the net is not evaluated if the tables alone exceed a bound by
/// this much. The built-in net rarely subtracts more.
pub(crate) const LAZY_MARGIN: i32 = 200;
/// The margin of lazy evaluation in renju, where the net corrects the tables more.
pub(crate) const LAZY_MARGIN_RENJU: i32 = 400;

/// The number of moves searched at depth 0, and the number added for each ply, in 64ths of a move:
/// where the evaluation does not improve, where it does, and at a PV node.
pub(crate) const MOVE_COUNT_LIMITS: [(usize, usize); 3] = [(219, 73), (292, 146), (438, 219)];
