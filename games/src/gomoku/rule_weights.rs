//! The weights of a rule, ready for use.
//!
//! It knows no board.

use std::sync::{Arc, OnceLock};

use tengen_engine::Side;

use super::eval_file::EvalFile;
use super::net::Net;
use super::point_score::{PointScores, point_scores};
use super::rule::Rule;
use super::threat::SITUATIONS;

/// The weights of both sides under a rule.
#[derive(Debug)]
pub(super) struct RuleWeights {
    /// By side, the scores of its points.
    pub(super) scores: [PointScores; 2],
    /// By side to move, the value of each situation.
    pub(super) situations: [[i16; SITUATIONS]; 2],
    pub(super) net: Arc<Net>,
}

impl RuleWeights {
    /// Returns the weights that `file` has for `rule`.
    pub(super) fn of(file: &EvalFile, rule: Rule) -> Self {
        let sides = [Side::First, Side::Second];
        let weights = sides.map(|side| file.weights(rule, side));
        let [first, second] = sides.map(|side| {
            let [own, opponent] = [side, side.other()].map(|side| weights[side.index()]);
            (&own.worth, &own.own, &opponent.other, rule.forbids(side))
        });
        let scores_of =
            |(worth, making, stopping, forbids)| point_scores([worth, making, stopping], forbids);
        let first_scores = scores_of(first);
        // One table is kept where one is enough, which spares the caches.
        let second_scores = if first == second { first_scores.clone() } else { scores_of(second) };
        Self {
            scores: [first_scores, second_scores],
            situations: weights.map(|weights| weights.situations),
            net: Arc::new(Net::new(weights.map(|weights| &weights.net))),
        }
    }

    /// Returns the weights of `rule` that come with the program, made when they are first asked for.
    pub(super) fn built_in(rule: Rule) -> &'static Arc<Self> {
        static ALL: [OnceLock<Arc<RuleWeights>>; Rule::ALL.len()] =
            [const { OnceLock::new() }; Rule::ALL.len()];
        ALL[rule as usize].get_or_init(|| Arc::new(Self::of(EvalFile::built_in(), rule)))
    }
}
