//! The search behind a choice in an opening in which the players swap sides.
//!
//! What is even and which stones to propose is the game's judgement:
//! [`SwapOpening`](tengen_engine::opening::SwapOpening).

use tengen_engine::opening::{RankedMove, SwapDecision, SwapOpening};
use tengen_engine::{Answer, Grid, GridNotation, Move, Point, Report, Score};

use super::stones::StoneList;

/// A choice to make, and the stones that its search starts from.
#[derive(Clone)]
pub(in crate::session) struct SwapChoice {
    opening: &'static dyn SwapOpening,
    stones: Vec<Point>,
}

impl SwapChoice {
    /// Returns the choice that the stones on the board leave; `None` for a number of stones that
    /// leaves none.
    pub(super) fn new(
        opening: &'static dyn SwapOpening,
        stones: &[Point],
        grid: Grid,
    ) -> Option<Self> {
        Some(Self { opening, stones: opening.stones(stones, grid)? })
    }

    /// Returns the position in which to search, we to move.
    pub(super) fn stones(&self) -> StoneList {
        StoneList::of_turns(&self.stones)
    }

    /// Returns whether a move is to be looked at.
    pub(super) fn considers(&self, point: Point) -> bool {
        self.opening.considers(&self.stones, point)
    }

    /// Returns whether one best move is enough to know.
    pub(super) fn needs_one_line(&self) -> bool {
        self.opening.needs_one_line(&self.stones)
    }

    /// Returns the choice, by the lines of play that the search ranked and its answer; `None` where
    /// the answer names no move.
    pub(super) fn decide(
        &self,
        ranked: &[Ranked],
        answer: &Answer<Move>,
        grid: GridNotation,
    ) -> Option<SwapDecision> {
        let best = answer.best?;
        let known = ranked.iter().find(|line| line.report.pv.first() == Some(&best));
        let best = match known.and_then(|line| line.on(grid)) {
            Some(best) => best,
            None => RankedMove {
                point: grid.point_of(best)?,
                reply: None,
                score: answer.report.score,
                before: None,
            },
        };
        let ranked: Vec<RankedMove> = ranked.iter().filter_map(|line| line.on(grid)).collect();
        Some(self.opening.decide(&self.stones, &best, &ranked))
    }
}

/// A move that a search looked at: its last line, and its score an iteration before.
pub(in crate::session) struct Ranked {
    report: Report<Move>,
    before: Option<Score>,
}

impl Ranked {
    /// Takes a report in among those of other moves.
    pub(in crate::session) fn note(ranked: &mut Vec<Self>, report: &Report<Move>) {
        let of_this = |known: &Self| known.report.pv.first() == report.pv.first();
        match ranked.iter_mut().find(|known| of_this(known)) {
            None => ranked.push(Self { report: report.clone(), before: None }),
            Some(known) => {
                if known.report.depth < report.depth {
                    known.before = Some(known.report.score);
                }
                known.report = report.clone();
            }
        }
    }

    fn on(&self, grid: GridNotation) -> Option<RankedMove> {
        let mut points = self.report.pv.iter().map(|mv| grid.point_of(*mv));
        let point = points.next()??;
        let reply = points.next().flatten();
        Some(RankedMove { point, reply, score: self.report.score, before: self.before })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::tests::fake::changed;

    #[test]
    fn the_score_of_the_iteration_before_is_kept_with_the_last() {
        let grid = GridNotation::new(Grid::new(15, 15).unwrap(), false);
        let report = |depth, score, names: &[&str]| {
            let pv = names.iter().map(|name| grid.move_to(name.parse().unwrap())).collect();
            changed(Report::blank(Score::heuristic(score), None), |it| {
                (it.depth, it.pv) = (depth, pv)
            })
        };
        let mut ranked = Vec::new();
        for (depth, score) in [(5, -90), (5, -80), (6, 70)] {
            Ranked::note(&mut ranked, &report(depth, score, &["h8", "i8"]));
        }
        Ranked::note(&mut ranked, &report(6, 3, &["a1"]));
        let ranked: Vec<_> = ranked.iter().filter_map(|line| line.on(grid)).collect();
        assert_eq!(ranked.len(), 2);
        assert_eq!(
            (ranked[0].score, ranked[0].before),
            (Score::heuristic(70), Some(Score::heuristic(-80)))
        );
        assert_eq!(ranked[0].reply, Some("i8".parse().unwrap()));
        assert_eq!((ranked[1].reply, ranked[1].before), (None, None));
    }
}
