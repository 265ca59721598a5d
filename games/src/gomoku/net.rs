//! The net of the evaluation, over the pairs of shapes that both sides would make of the lines
//! through every empty point.
//!
//! Each pair has a row of numbers. The rows of a point's four lines are summed, and numbers below 0
//! become 0. The sums over all points, once as each side sees the colours, go through one hidden
//! layer. A stone changes few pairs and few sums.
//!
//! It follows what [`super::points`] noted and knows no search. The program `tune` of `lab/` fits
//! the numbers; [`super::eval_file`] reads and writes them.
// CITE: Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi",
// 2018; of points with four lines each: Jin, Duan and Hang, "Rapfi: distilling efficient neural
// network for the game of gomoku", arXiv:2503.13178, 2025.

mod layout;

use std::sync::Arc;

use tengen_engine::Side;

use super::points::Points;
use super::weights::UNITS;

pub use layout::{
    CHANNELS, HEAD_UNITS, HIDDEN, INPUT_UNITS, INPUTS, MAX_IN_ROW, Numbers, ROW_UNITS, Row,
};
use layout::{MAX_INPUT, SHAPES};

/// A point or a pair: as the first player sees the colours, then as the second does.
type Both = [i16; INPUTS];

/// No row at all.
const NOTHING: Both = [0; INPUTS];

/// The sums over all points, as one side sees the colours.
type Sums = [i32; INPUTS];

impl Numbers {
    /// Returns what the sums, the side to move first, add to the evaluation.
    fn value(&self, sums: &Sums) -> i32 {
        let mut hidden = self.bias.map(|bias| i32::from(bias) * ROW_UNITS);
        for (&sum, weights) in sums.iter().zip(&self.hidden) {
            let input = ((sum + INPUT_UNITS / 2) / INPUT_UNITS).min(MAX_INPUT);
            for (sum, &weight) in hidden.iter_mut().zip(weights) {
                *sum += input * i32::from(weight);
            }
        }
        let mut out = i64::from(self.out_bias) * i64::from(HEAD_UNITS);
        for (&sum, &weight) in hidden.iter().zip(&self.out) {
            out += i64::from(sum.max(0) / ROW_UNITS) * i64::from(weight);
        }
        // The shift rounds down; half is added so that it rounds to the nearest.
        const BITS: u32 = 2 * HEAD_UNITS.ilog2();
        ((out * i64::from(UNITS) + (1 << (BITS - 1))) >> BITS) as i32
    }
}

/// The net of a rule, ready for use.
#[derive(Debug)]
pub(super) struct Net {
    /// The rows by pair, with the first player's shape in the low four bits.
    rows: [Both; 256],
    /// By side to move.
    numbers: [Numbers; 2],
}

impl Net {
    /// Returns the net of these numbers, by side to move.
    pub(super) fn new(numbers: [&Numbers; 2]) -> Self {
        let [first_sees, second_sees] = numbers;
        let mut rows = [NOTHING; 256];
        for first in 0..SHAPES {
            for second in 0..SHAPES {
                let (as_first, as_second) = rows[first | second << 4].split_at_mut(CHANNELS);
                as_first.copy_from_slice(&first_sees.rows[first][second]);
                as_second.copy_from_slice(&second_sees.rows[second][first]);
            }
        }
        Self { rows, numbers: numbers.map(Numbers::clone) }
    }
}

/// The sums of a board. They are brought up to date when they are asked for, because most stones of
/// a search are taken back before.
#[derive(Clone, Debug)]
pub(super) struct NetAccumulator {
    net: Arc<Net>,
    /// By cell, the sums of its four rows.
    points: Vec<Both>,
    sums: Sums,
    /// Points as they were before they changed.
    log: Vec<(u16, Both)>,
    /// For each stone followed, the sums before it and how much was in the log.
    marks: Vec<(Sums, usize)>,
}

impl NetAccumulator {
    /// Describes the board that `points` describe.
    pub(super) fn new(net: Arc<Net>, points: &Points) -> Self {
        let mut accumulator =
            Self { net, points: Vec::new(), sums: [0; INPUTS], log: Vec::new(), marks: Vec::new() };
        accumulator.reset(points);
        accumulator
    }

    /// Clears the log and describes the board that `points` describe.
    pub(super) fn reset(&mut self, points: &Points) {
        self.sums = [0; INPUTS];
        self.log.clear();
        self.marks.clear();
        self.points.clear();
        for pairs in points.pairs() {
            let mut point = NOTHING;
            for pair in pairs.into_iter().flatten() {
                point = replaced(point, NOTHING, self.net.rows[usize::from(pair)]);
            }
            if pairs.is_some() {
                self.sums = exchanged(self.sums, NOTHING, point);
            }
            self.points.push(point);
        }
    }

    /// Follows the stones that `points` followed since.
    fn follow(&mut self, points: &Points) {
        for stone in self.marks.len()..points.move_count() {
            self.follow_one(points, stone);
        }
    }

    fn follow_one(&mut self, points: &Points, stone: usize) {
        self.marks.push((self.sums, self.log.len()));
        let mut sums = self.sums;
        for change in points.changes(stone) {
            let point = &mut self.points[usize::from(change.cell)];
            let old = *point;
            let Some((before, after)) = change.pairs else {
                sums = exchanged(sums, old, NOTHING);
                continue;
            };
            let rows = &self.net.rows;
            let new = replaced(old, rows[usize::from(before)], rows[usize::from(after)]);
            sums = exchanged(sums, old, new);
            *point = new;
            self.log.push((change.cell, old));
        }
        self.sums = sums;
    }

    /// Undoes the stones that `points` undid.
    #[inline]
    pub(super) fn go_back(&mut self, points: &Points) {
        while self.marks.len() > points.move_count() {
            self.go_back_one();
        }
    }

    fn go_back_one(&mut self) {
        let Some((sums, logged)) = self.marks.pop() else { return };
        for (cell, point) in self.log.drain(logged..) {
            self.points[usize::from(cell)] = point;
        }
        self.sums = sums;
    }

    /// Returns what the net adds to the evaluation for `side`, which is to move, of the board that
    /// `points` describe.
    pub(super) fn value(&mut self, points: &Points, side: Side) -> i32 {
        self.follow(points);
        let mut sums = self.sums;
        if side == Side::Second {
            sums.rotate_left(CHANNELS);
        }
        self.net.numbers[side.index()].value(&sums)
    }
}

/// Returns the point with one pair's rows in place of another's.
#[inline(always)]
fn replaced(mut point: Both, before: Both, after: Both) -> Both {
    for k in 0..INPUTS {
        point[k] = point[k].wrapping_add(after[k].wrapping_sub(before[k]));
    }
    point
}

/// Returns the sums with one point in place of another.
#[inline(always)]
fn exchanged(mut sums: Sums, before: Both, after: Both) -> Sums {
    for k in 0..INPUTS {
        sums[k] += i32::from(after[k].max(0).wrapping_sub(before[k].max(0)));
    }
    sums
}

#[cfg(test)]
mod tests {
    use tengen_engine::Game;

    use super::*;
    use crate::gomoku::rule_weights::RuleWeights;
    use crate::gomoku::{Board, Rule};
    use tengen_engine::grid_game::GridGame;
    use tengen_engine::hash::mix64;
    use tengen_engine::{Cell, Placement};

    /// Some legal move.
    fn any_move(board: &Board, number: u64) -> Cell {
        let mut moves = Vec::new();
        board.moves(&mut moves);
        moves[(mix64(number) % moves.len() as u64) as usize]
    }

    fn points_of(board: &Board) -> Points {
        Points::new(board, &RuleWeights::built_in(board.rule()).scores)
    }

    fn accumulator(rule: Rule, points: &Points) -> NetAccumulator {
        NetAccumulator::new(RuleWeights::built_in(rule).net.clone(), points)
    }

    #[test]
    fn stones_that_come_and_go_leave_the_sums_of_the_board() {
        for (number, rule) in Rule::ALL.into_iter().enumerate() {
            let mut board = Board::new(rule, 9, 11).unwrap();
            let mut points = points_of(&board);
            let mut sight = accumulator(board.rule(), &points);
            let mut before = Vec::new();
            for ply in 0..60 {
                if board.outcome().is_some() {
                    break;
                }
                let mv = any_move(&board, 100 * number as u64 + ply);
                before.push((mv, (ply % 3 == 1).then_some(sight.sums)));
                board.play(mv);
                points.played(&board, mv);
                // One stone behind is as good as many.
                if ply % 3 != 0 {
                    continue;
                }
                sight.follow(&points);
                let fresh = points_of(&board);
                assert!(points.pairs().eq(fresh.pairs()), "{rule:?}, {ply}");
                assert_eq!(sight.sums, accumulator(rule, &fresh).sums, "{rule:?}, {ply}");
            }
            assert!(before.len() > 20, "{rule:?}");
            for (mv, sums) in before.into_iter().rev() {
                board.undo(mv, ());
                points.undone();
                sight.go_back(&points);
                if let Some(sums) = sums {
                    assert_eq!(sight.sums, sums, "{rule:?}");
                }
            }
        }
    }

    #[test]
    fn who_has_which_colour_does_not_matter() {
        let start = Board::new(Rule::Freestyle, 15, 15).unwrap();
        let mut board = start.clone();
        for ply in 0..25 {
            let mv = any_move(&board, ply);
            board.play(mv);
        }
        let value = |swaps: bool, turn: Side| {
            let stone =
                |cell| board.stone(cell).map(|side| if swaps { side.other() } else { side });
            let stones = board.grid().all().map(stone).collect();
            let board = start.with(&Placement { stones, turn }).unwrap();
            let points = points_of(&board);
            accumulator(board.rule(), &points).value(&points, turn)
        };
        assert_eq!(value(false, Side::First), value(true, Side::Second));
        assert_eq!(value(false, Side::Second), value(true, Side::First));
        assert!(value(false, Side::First) != value(false, Side::Second));
    }
}
