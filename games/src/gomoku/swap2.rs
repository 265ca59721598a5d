//! Swap2, an opening that balances the chances: which stones to propose, and which side to take.
//!
//! The first player puts three stones: black, white, black. The second player takes black, takes
//! white, or puts one more white and one more black stone and lets the first player choose a side.
//!
//! A search scores the moves. A proposal has the third stone with the most even score. With three
//! stones on the board, a player who is clearly better keeps the side and moves, and a player who
//! is clearly worse swaps. Otherwise the player puts the two stones with the most even score. With
//! five stones, the sign of the score decides.
// CITE: Gomocup, "SWAP2 in the protocol", https://gomocup.org/swap2board/

use tengen_engine::opening::{RankedMove, SwapDecision, SwapOpening};
use tengen_engine::{Grid, Point};

/// Scores nearer to 0 than this, in centipawns, are even.
const EVEN: i32 = 60;

/// The maximum distance of the third stone from one of the first two, in steps.
const REACH: u32 = 3;

/// The number of stones before each kind of decision.
const PROPOSAL: usize = 2;
const THREE: usize = 3;
const FIVE: usize = 5;

/// The decisions of Swap2 by the scores of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Swap2;

impl SwapOpening for Swap2 {
    fn stones(&self, stones: &[Point], grid: Grid) -> Option<Vec<Point>> {
        match stones.len() {
            0 => first_stones(grid),
            THREE | FIVE => Some(stones.to_vec()),
            _ => None,
        }
    }

    fn considers(&self, stones: &[Point], point: Point) -> bool {
        let near = |stone: &Point| {
            stone.column.abs_diff(point.column) <= REACH && stone.row.abs_diff(point.row) <= REACH
        };
        stones.len() != PROPOSAL || stones.iter().any(near)
    }

    fn needs_one_line(&self, stones: &[Point]) -> bool {
        stones.len() == FIVE
    }

    fn decide(&self, stones: &[Point], best: &RankedMove, ranked: &[RankedMove]) -> SwapDecision {
        let score = mean_score(best);
        let even = most_even(ranked).unwrap_or(best);
        match stones {
            &[first, second] => SwapDecision::Stones(vec![first, second, even.point]),
            _ if stones.len() == FIVE && score < 0 => SwapDecision::Swap,
            _ if stones.len() == FIVE || score >= EVEN => SwapDecision::Stones(vec![best.point]),
            _ if score <= -EVEN => SwapDecision::Swap,
            _ => match even.reply {
                Some(reply) => SwapDecision::Stones(vec![even.point, reply]),
                None => SwapDecision::Stones(vec![best.point]),
            },
        }
    }
}

/// Returns the first two stones of a proposal: near the edge, where the first player has the least
/// space.
fn first_stones(grid: Grid) -> Option<Vec<Point>> {
    let column = grid.width() / 2;
    let first = grid.point_from_top(column, 1.min(grid.height() - 1))?;
    let second = grid.point_from_top((column + 1).min(grid.width() - 1), 0)?;
    Some(vec![first, second])
}

/// Returns the score of a move for its side: the mean of the last two iterations, because an
/// iteration favours the side that makes its last move. A proven score is not averaged.
fn mean_score(ranked: &RankedMove) -> i32 {
    let now = ranked.score;
    let before = ranked.before.filter(|score| !score.is_decisive() && !now.is_decisive());
    before.map_or(now.raw(), |before| i32::midpoint(now.raw(), before.raw()))
}

/// Returns the move with the score nearest to 0.
fn most_even(ranked: &[RankedMove]) -> Option<&RankedMove> {
    ranked.iter().min_by_key(|ranked| mean_score(ranked).abs())
}

#[cfg(test)]
mod tests {
    use tengen_engine::Score;

    use super::*;

    fn grid() -> Grid {
        Grid::new(15, 15).unwrap()
    }

    fn point(name: &str) -> Point {
        name.parse().unwrap()
    }

    fn points(names: &[&str]) -> SwapDecision {
        SwapDecision::Stones(names.iter().map(|name| point(name)).collect())
    }

    fn line(score: i32, names: &[&str]) -> RankedMove {
        let reply = names.get(1).map(|name| point(name));
        RankedMove { point: point(names[0]), reply, score: Score::heuristic(score), before: None }
    }

    /// Returns the decision after `count` stones; the first of `lines` is the best.
    fn decide(count: usize, lines: &[RankedMove]) -> Option<SwapDecision> {
        let stones: Vec<Point> = (0..).take(count).map(|column| Point { column, row: 7 }).collect();
        let stones = Swap2.stones(&stones, grid())?;
        Some(Swap2.decide(&stones, &lines[0], lines))
    }

    #[test]
    fn an_opening_is_the_move_with_the_most_even_score() {
        let lines = [line(200, &["h8"]), line(-30, &["a1"]), line(9, &["b15"]), line(-90, &["c2"])];
        assert_eq!(decide(0, &lines), Some(points(&["h14", "i15", "b15"])));
        let start = Swap2.stones(&[], grid()).unwrap();
        assert!(Swap2.considers(&start, point("l12")) && !Swap2.considers(&start, point("h10")));
    }

    #[test]
    fn with_three_stones_a_player_keeps_swaps_or_adds_two() {
        let choose = |score| decide(3, &[line(score, &["h8", "i8"]), line(-3, &["a1", "b2"])]);
        assert_eq!(choose(EVEN + 1), Some(points(&["h8"])));
        assert_eq!(choose(-EVEN - 1), Some(SwapDecision::Swap));
        assert_eq!(choose(10), Some(points(&["a1", "b2"])));
        assert_eq!(decide(3, &[line(10, &["h8"])]), Some(points(&["h8"])));
    }

    #[test]
    fn two_iterations_are_averaged_unless_one_is_proven() {
        let twice = |before, now, name| {
            let before = Some(Score::heuristic(before));
            RankedMove { before, ..line(now, &[name]) }
        };
        let lines = [twice(-90, 94, "h8"), twice(4, 70, "i8")];
        assert_eq!(decide(0, &lines), Some(points(&["h14", "i15", "h8"])));
        assert_eq!(decide(5, &lines), Some(points(&["h8"])));
        assert_eq!(decide(5, &[twice(-80, 70, "h8")]), Some(SwapDecision::Swap));
        let lost = RankedMove { score: Score::loss_in(8), ..lines[0].clone() };
        assert_eq!(decide(5, &[lost]), Some(SwapDecision::Swap));
    }

    #[test]
    fn with_five_stones_a_player_keeps_or_swaps() {
        assert_eq!(decide(5, &[line(0, &["h8"])]), Some(points(&["h8"])));
        assert_eq!(decide(5, &[line(-1, &["h8"])]), Some(SwapDecision::Swap));
        for count in [1, 2, 4, 6] {
            assert_eq!(decide(count, &[line(0, &["h8"])]), None);
        }
    }
}
