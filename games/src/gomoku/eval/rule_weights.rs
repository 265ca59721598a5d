//! The weights of a rule, prepared for the evaluation.
//!
//! This file does not depend on a board.

use std::sync::{Arc, OnceLock};

use tengen_engine::Side;

use crate::gomoku::eval::eval_file::EvalFile;
use crate::gomoku::eval::net::Net;
use crate::gomoku::eval::point_score::{PointScores, point_scores};
use crate::gomoku::pattern::threat::SITUATIONS;
use crate::gomoku::rule::Rule;

/// The weights of both sides under a rule.
#[derive(Debug)]
pub(crate) struct RuleWeights {
    /// The scores of points, by side.
    pub(crate) scores: [PointScores; 2],
    /// The value of each situation, by side to move.
    pub(crate) situations: [[i16; SITUATIONS]; 2],
    pub(crate) net: Arc<Net>,
}

impl RuleWeights {
    /// Returns the weights that `file` has for `rule`.
    pub(crate) fn of(file: &EvalFile, rule: Rule) -> Self {
        let sides = [Side::First, Side::Second];
        let weights = sides.map(|side| file.weights(rule, side));
        let [first, second] = sides.map(|side| {
            let [own, opponent] = [side, side.other()].map(|side| weights[side.index()]);
            (&own.value, &own.own, &opponent.other, rule.forbids(side))
        });
        let scores_of =
            |(value, making, stopping, forbids)| point_scores([value, making, stopping], forbids);
        let first_scores = scores_of(first);
        // Equal sides share one table, which saves cache.
        let second_scores = if first == second { first_scores.clone() } else { scores_of(second) };
        Self {
            scores: [first_scores, second_scores],
            situations: weights.map(|weights| weights.situations),
            net: Arc::new(Net::new(weights.map(|weights| &weights.net))),
        }
    }

    /// Returns the built-in weights of `rule`, prepared at the first call.
    pub(crate) fn built_in(rule: Rule) -> &'static Arc<Self> {
        static ALL: [OnceLock<Arc<RuleWeights>>; Rule::ALL.len()] =
            [const { OnceLock::new() }; Rule::ALL.len()];
        ALL[rule as usize].get_or_init(|| Arc::new(Self::of(EvalFile::built_in(), rule)))
    }
}
