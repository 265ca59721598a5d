//! [`SwapOpening`]: an opening in which the players choose their sides.
//!
//! It uses neither a search nor a protocol.

mod name;

pub use name::OpeningName;

use crate::game::score::Score;
use crate::search::report::{Answer, Report};
use crate::text::coords::{Grid, Point};
use crate::text::grid_notation::GridNotation;
use crate::text::typed_move::Move;

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
}

/// The decision of a player in a [`SwapOpening`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SwapDecision {
    /// The player takes the other side.
    Swap,
    /// The player puts these stones.
    Stones(Vec<Point>),
}

/// An opening in which the players choose their sides. Stones are in the order of play: first
/// player, second player, first player and so on.
pub trait SwapOpening: Send + Sync {
    /// Returns the stones of the position to search for a decision, given the stones on the board;
    /// `None` if there is no decision at this number of stones. For an empty board, they are the
    /// first stones of a proposal.
    fn stones(&self, stones: &[Point], grid: Grid) -> Option<Vec<Point>>;

    /// Returns whether the search considers the move to `point`, in the position with these
    /// `stones`.
    fn considers(&self, stones: &[Point], point: Point) -> bool;

    /// Returns whether the search needs only one line (MultiPV 1).
    fn needs_one_line(&self, stones: &[Point]) -> bool;

    /// Decides by the result of the search: its best move, and all moves that it ranked.
    fn decide(&self, stones: &[Point], best: &RankedMove, ranked: &[RankedMove]) -> SwapDecision;
}

/// The ranked moves of a search, each with its last report and its score of the previous iteration.
#[derive(Default)]
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

    /// Returns the ranked moves that are points of `grid`.
    pub fn on(&self, grid: GridNotation) -> Vec<RankedMove> {
        let ranked = |(report, before): &(Report<Move>, Option<Score>)| {
            let mut points = report.pv.iter().map(|mv| grid.point_of(*mv));
            let point = points.next()??;
            let reply = points.next().flatten();
            Some(RankedMove { point, reply, score: report.score, before: *before })
        };
        self.moves.iter().filter_map(ranked).collect()
    }

    /// Returns the decision of `opening` after a search of the position with these `stones` that
    /// ended with `answer`; `None` if the answer has no point.
    pub fn decide(
        &self,
        opening: &dyn SwapOpening,
        stones: &[Point],
        answer: &Answer<Move>,
        grid: GridNotation,
    ) -> Option<SwapDecision> {
        let point = grid.point_of(answer.best?)?;
        let ranked = self.on(grid);
        let known = ranked.iter().find(|ranked| ranked.point == point).cloned();
        let unranked = RankedMove { point, reply: None, score: answer.report.score, before: None };
        Some(opening.decide(stones, &known.unwrap_or(unranked), &ranked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_of_the_iteration_before_is_kept_with_the_last() {
        let grid = GridNotation::new(Grid::new(15, 15).unwrap(), false);
        let report = |depth, score, names: &[&str]| {
            let pv = names.iter().map(|name| grid.move_to(name.parse().unwrap())).collect();
            Report { depth, pv, ..Report::blank(Score::heuristic(score), None) }
        };
        let mut ranking = MoveRanking::default();
        for (depth, score) in [(5, -90), (5, -80), (6, 70)] {
            ranking.note(&report(depth, score, &["h8", "i8"]));
        }
        ranking.note(&report(6, 3, &["a1"]));
        let ranked = ranking.on(grid);
        assert_eq!(ranked.len(), 2);
        assert_eq!(
            (ranked[0].score, ranked[0].before),
            (Score::heuristic(70), Some(Score::heuristic(-80)))
        );
        assert_eq!(ranked[0].reply, Some("i8".parse().unwrap()));
        assert_eq!((ranked[1].reply, ranked[1].before), (None, None));
    }
}
