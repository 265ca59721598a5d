//! The choices of an opening in which the players swap sides: where three stones go so that neither
//! side is better, and which side, or which two more stones, to take.
//!
//! It decides by what a search reports, and knows no rule and no board beyond its size.
// CITE: Gomocup, "SWAP2 in the protocol", https://gomocup.org/swap2board/

use tengen_engine::report::{Answer, Report};
use tengen_engine::score::Score;
use tengen_engine::{Grid, GridNotation, Move, Point};

use super::stones::StoneList;
use crate::command::Swap;

/// Below this, in hundredths, neither side is better.
const EVEN: i32 = 60;
/// How far around the first two stones the third may go.
const REACH: u32 = 3;

/// A choice to make, and the stones on the board: black, white, black...
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::session) enum Swap2Choice {
    /// Where the third of the first three stones goes, given two.
    Propose([Point; 2]),
    /// After three stones: a side, or two more stones.
    Answer([Point; 3]),
    /// After five stones: a side.
    Settle([Point; 5]),
}

impl Swap2Choice {
    /// The choice that the stones on the board of this size leave; `None` for a number of stones
    /// that leaves none.
    pub(super) fn of(stones: &[Point], grid: Grid) -> Option<Self> {
        match stones {
            [] => {
                // Near the edge, where the first player has the least room.
                let x = grid.width() / 2;
                let first = grid.point_from_top(x, 1.min(grid.height() - 1))?;
                let second = grid.point_from_top((x + 1).min(grid.width() - 1), 0)?;
                Some(Self::Propose([first, second]))
            }
            &[a, b, c] => Some(Self::Answer([a, b, c])),
            &[a, b, c, d, e] => Some(Self::Settle([a, b, c, d, e])),
            _ => None,
        }
    }

    /// The position in which to search, we to move.
    pub(super) fn stones(&self) -> StoneList {
        match self {
            Self::Propose(stones) => StoneList::of_turns(stones),
            Self::Answer(stones) => StoneList::of_turns(stones),
            Self::Settle(stones) => StoneList::of_turns(stones),
        }
    }

    /// Whether a move is to be looked at.
    pub(super) fn considers(&self, point: Point) -> bool {
        let Self::Propose(stones) = self else { return true };
        let near = |stone: &Point| {
            stone.column.abs_diff(point.column) <= REACH && stone.row.abs_diff(point.row) <= REACH
        };
        stones.iter().any(near)
    }

    /// Whether one best move is enough to know.
    pub(super) fn needs_one_line(&self) -> bool {
        matches!(self, Self::Settle(_))
    }

    /// The choice, by the lines of play that the search ranked and its answer; `None` where it names
    /// no move.
    pub(super) fn decide(
        &self,
        ranked: &[Ranked],
        answer: &Answer<Move>,
        grid: GridNotation,
    ) -> Option<Swap> {
        let best = grid.point_of(answer.best?)?;
        let known = ranked.iter().find(|line| line.report.pv.first() == answer.best.as_ref());
        let score = known.map_or(answer.report.score.raw(), Ranked::worth);
        match self {
            Self::Propose([first, second]) => {
                let (third, _) = most_even(ranked, grid).unwrap_or((best, None));
                Some(Swap::Stones(vec![*first, *second, third]))
            }
            Self::Answer(_) if score >= EVEN => Some(Swap::Stones(vec![best])),
            Self::Answer(_) if score <= -EVEN => Some(Swap::Sides),
            Self::Answer(_) => Some(match most_even(ranked, grid) {
                Some((fourth, Some(fifth))) => Swap::Stones(vec![fourth, fifth]),
                _ => Swap::Stones(vec![best]),
            }),
            Self::Settle(_) if score < 0 => Some(Swap::Sides),
            Self::Settle(_) => Some(Swap::Stones(vec![best])),
        }
    }
}

/// A move that a search looked at: its last line, and what it was worth an iteration before.
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

    /// What the move is worth to us, a win more than any judgement. Who moves last in a line looks
    /// better than he is, so that every second iteration says too much: the mean of two does not.
    fn worth(&self) -> i32 {
        let now = self.report.score;
        let before = self.before.filter(|score| !score.is_decisive() && !now.is_decisive());
        before.map_or(now.raw(), |before| i32::midpoint(now.raw(), before.raw()))
    }
}

/// The move of the line that leaves both sides most alike, and the reply to it.
fn most_even(ranked: &[Ranked], grid: GridNotation) -> Option<(Point, Option<Point>)> {
    let evenest = ranked.iter().min_by_key(|line| line.worth().abs())?;
    let mut moves = evenest.report.pv.iter().map(|mv| grid.point_of(*mv));
    Some((moves.next()??, moves.next().flatten()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> GridNotation {
        GridNotation::new(Grid::new(15, 15).unwrap(), false)
    }

    fn typed(name: &str) -> Move {
        grid().move_to(name.parse().unwrap())
    }

    fn line(score: i32, pv: &[&str]) -> Report<Move> {
        let blank = Report::blank(Score::heuristic(score), None);
        Report { pv: pv.iter().map(|name| typed(name)).collect(), ..blank }
    }

    fn decide(stones: usize, lines: &[Report<Move>]) -> Option<Swap> {
        let points: Vec<Point> =
            (0..).take(stones).map(|column| Point { column, row: 7 }).collect();
        let report = lines[0].clone();
        let best = report.pv.first().cloned();
        let blank = Answer::blank(report.score, best);
        let answer = Answer { report, has_unreported: false, ..blank };
        let mut ranked = Vec::new();
        lines.iter().for_each(|line| Ranked::note(&mut ranked, line));
        Swap2Choice::of(&points, grid().grid())?.decide(&ranked, &answer, grid())
    }

    fn stones(points: &[(u32, u32)]) -> Option<Swap> {
        Some(Swap::Stones(
            points.iter().map(|&(x, y)| grid().grid().point_from_top(x, y).unwrap()).collect(),
        ))
    }

    #[test]
    fn an_opening_is_the_line_that_leaves_both_sides_alike() {
        let lines = [line(200, &["h8"]), line(-30, &["a1"]), line(9, &["b15"]), line(-90, &["c2"])];
        assert_eq!(decide(0, &lines), stones(&[(7, 1), (8, 0), (1, 0)]));
    }

    #[test]
    fn three_stones_are_kept_or_swapped_or_made_five() {
        let choose = |score| decide(3, &[line(score, &["h8", "i8"]), line(-3, &["a1", "b2"])]);
        assert_eq!(choose(EVEN + 1), stones(&[(7, 7)]));
        assert_eq!(choose(-EVEN - 1), Some(Swap::Sides));
        assert_eq!(choose(10), stones(&[(0, 14), (1, 13)]));
        assert_eq!(decide(3, &[line(10, &["h8"])]), stones(&[(7, 7)]));
    }

    #[test]
    fn two_iterations_are_weighed_together_unless_one_proves_something() {
        let depth = |depth, score, mv: &str| Report { depth, ..line(score, &[mv]) };
        let lines =
            [depth(5, -90, "h8"), depth(5, 4, "i8"), depth(6, 94, "h8"), depth(6, 70, "i8")];
        assert_eq!(decide(0, &lines), stones(&[(7, 1), (8, 0), (7, 7)]));
        assert_eq!(decide(5, &lines), stones(&[(7, 7)]));
        let again = [depth(5, -90, "h8"), depth(5, -80, "h8"), depth(6, 70, "h8")];
        assert_eq!(decide(5, &again), Some(Swap::Sides));
        let mut lost = lines.to_vec();
        lost.push(Report { score: Score::loss_in(8), ..depth(7, 0, "h8") });
        assert_eq!(decide(5, &lost), Some(Swap::Sides));
    }

    #[test]
    fn five_stones_are_kept_or_swapped() {
        assert_eq!(decide(5, &[line(0, &["h8"])]), stones(&[(7, 7)]));
        assert_eq!(decide(5, &[line(-1, &["h8"])]), Some(Swap::Sides));
        for count in [1, 2, 4, 6] {
            assert_eq!(decide(count, &[line(0, &["h8"])]), None);
        }
    }
}
