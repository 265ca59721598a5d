//! Openings: their names, their rules, and the engine's decisions in them.
//!
//! [`OpeningName`] is a name. [`OpeningRule`] has the steps of a rule as data, and [`Course`] follows
//! them in a game. [`Chooser`] decides for the engine by the scores of searches. Nothing here starts
//! a search or knows a protocol.

mod choice;
mod course;
mod name;
mod rule;
mod symmetry;
#[cfg(test)]
mod tests;

use crate::game::score::Score;
use crate::search::report::{Answer, Report};
use crate::text::coords::Point;
use crate::text::grid_notation::GridNotation;
use crate::text::typed_move::Move;

pub use choice::{Choice, Chooser, Decision, OpeningSearch};
pub use course::{Act, Course, Pending, PendingKind, RefusedAct};
pub use name::OpeningName;
pub use rule::{Actor, Area, BoardNeed, OfferCount, OpeningRule, OpeningStep, OtherWay, centre};

/// A move that a search ranked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// The move.
    pub point: Point,
    /// The expected reply; `None` if the search shows none.
    pub reply: Option<Point>,
    /// The score of the last iteration, for the side that moves.
    pub score: Score,
    /// The score of the previous iteration; `None` if there is none.
    pub before: Option<Score>,
    /// What is added to the score so that 0 is even, with the error of a weaker level, in
    /// centipawns.
    shift: i32,
}

impl RankedMove {
    /// Returns the value of the move for its side: the mean of the last two iterations, because an
    /// iteration favours the side that makes its last move. A proven score is not averaged.
    fn value(&self) -> i32 {
        let now = self.score;
        let before = self.before.filter(|score| !score.is_decisive() && !now.is_decisive());
        let value = before.map_or(now.raw(), |before| i32::midpoint(now.raw(), before.raw()));
        value.saturating_add(self.shift)
    }
}

/// The ranked moves of a search, each with its last report and its score of the previous iteration.
#[derive(Clone, Default)]
pub struct MoveRanking {
    moves: Vec<(Report<Move>, Option<Score>)>,
}

impl MoveRanking {
    /// Adds a report. It replaces the last report on the same move.
    pub fn note(&mut self, report: &Report<Move>) {
        let of_this = |known: &Report<Move>| known.pv.first() == report.pv.first();
        match self.moves.iter_mut().find(|(known, _)| of_this(known)) {
            None => self.moves.push((report.clone(), None)),
            Some((known, before)) => {
                if known.depth < report.depth {
                    *before = Some(known.score);
                }
                known.clone_from(report);
            }
        }
    }

    /// Returns the ranked moves that are points of `grid`, with the best move of `answer`. Moves of
    /// earlier iterations are left out once later ones have ranked `lines` moves.
    fn ranked(&self, answer: &Answer<Move>, grid: GridNotation, lines: usize) -> Vec<RankedMove> {
        let mut depths: Vec<u32> = self.moves.iter().map(|(report, _)| report.depth).collect();
        depths.sort_unstable_by_key(|depth| std::cmp::Reverse(*depth));
        let least = depths.get(lines.max(1) - 1).copied().unwrap_or_default();
        let best = answer.best.and_then(|best| grid.point_of(best));
        let ranked = |(report, before): &(Report<Move>, Option<Score>)| {
            let mut points = report.pv.iter().map(|mv| grid.point_of(*mv));
            let point = points.next()??;
            let reply = points.next().flatten();
            Some(RankedMove { point, reply, score: report.score, before: *before, shift: 0 })
        };
        let is_recent = |(report, _): &&(Report<Move>, Option<Score>)| {
            let is_best = report.pv.first().copied() == answer.best;
            report.depth >= least || is_best
        };
        let recent = self.moves.iter().filter(is_recent);
        let mut moves: Vec<RankedMove> = recent.filter_map(ranked).collect();
        if let Some(point) = best.filter(|best| moves.iter().all(|known| known.point != *best)) {
            let (reply, score, before) = (None, answer.report.score, None);
            moves.insert(0, RankedMove { point, reply, score, before, shift: 0 });
        }
        moves
    }
}
