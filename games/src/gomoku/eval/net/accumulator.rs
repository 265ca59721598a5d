//! The sums of the net over a board, updated incrementally.

use std::mem;
use std::sync::Arc;

use tengen_engine::Side;

use super::windows::REACH;
use super::{Both, CHANNELS, INPUTS, Net, Sums};
use crate::gomoku::Board;
use crate::gomoku::eval::points::Points;
use crate::gomoku::pattern::lines::empty_beside;

/// A new row of a line through a point. After it is applied, `row` is the row before.
#[derive(Clone, Copy, Debug)]
struct RowChange {
    cell: u16,
    direction: u8,
    row: u16,
}

/// The state before an update: the number of stones, the sums and the length of the log.
#[derive(Clone, Copy, Debug)]
struct Snapshot {
    stones_seen: usize,
    sums: Sums,
    logged: usize,
}

/// The sums of a board. They are updated only when a value is needed, because the search undoes
/// most stones before that.
#[derive(Clone, Debug)]
pub(crate) struct NetAccumulator {
    /// Call [`Self::reset`] after a change.
    pub(crate) net: Arc<Net>,
    /// The row of each window, by cell and direction; empty for a net of pairs. The rows of a cell
    /// taken during the game are those before its stone.
    rows: Vec<[u16; 4]>,
    sums: Sums,
    /// The number of stones that the sums contain, since the last reset.
    stones_seen: usize,
    /// The changes of `rows`.
    log: Vec<RowChange>,
    snapshots: Vec<Snapshot>,
}

impl NetAccumulator {
    /// Creates the sums of `board`. `points` must be up to date with it.
    pub(crate) fn new(net: Arc<Net>, board: &Board, points: &Points) -> Self {
        let (rows, log, snapshots) = (Vec::new(), Vec::new(), Vec::new());
        let mut accumulator = Self { net, rows, sums: Sums::NONE, stones_seen: 0, log, snapshots };
        accumulator.reset(board, points);
        accumulator
    }

    /// Clears the log and computes the sums of `board`. `points` must be up to date with it.
    pub(crate) fn reset(&mut self, board: &Board, points: &Points) {
        self.sums = Sums::NONE;
        self.stones_seen = 0;
        self.log.clear();
        self.snapshots.clear();
        self.rows.clear();
        for (cell, pairs) in board.grid().all().zip(points.pairs()) {
            let mut rows = pairs.unwrap_or_default().map(u16::from);
            if let Some(windows) = self.net.windows {
                rows = windows.around(board, cell);
                self.rows.push(rows);
            }
            if pairs.is_some() {
                self.sums = with_point(self.sums, &Both::NOTHING, &self.net.point(rows));
            }
        }
    }

    /// Updates the sums by the stones of `board` that `points` recorded since the last update.
    fn update(&mut self, board: &Board, points: &Points) {
        let stones_seen = mem::replace(&mut self.stones_seen, points.move_count());
        if stones_seen == self.stones_seen {
            return;
        }
        let logged = self.log.len();
        self.snapshots.push(Snapshot { stones_seen, sums: self.sums, logged });
        let stones = stones_seen..self.stones_seen;
        if self.net.windows.is_none() {
            return stones.for_each(|stone| self.update_pairs(points, stone));
        }
        for cell in stones.clone().map(|stone| points.cell_of(stone)) {
            let point = self.net.point(self.rows[cell]);
            self.sums = with_point(self.sums, &point, &Both::NOTHING);
        }
        stones.for_each(|stone| self.log_rows(board, points.cell_of(stone)));
        self.apply_rows(logged);
    }

    /// Updates the sums by the pairs that a stone changed.
    // Here and below, a local copy of the sums stays in registers.
    fn update_pairs(&mut self, points: &Points, stone: usize) {
        let mut sums = self.sums;
        for change in points.changes(stone) {
            let before = self.net.point(change.pairs.map(u16::from));
            let after = match change.exchange {
                Some(exchange) => self.net.with_row(before, exchange.map(u16::from)),
                None => Both::NOTHING,
            };
            sums = with_point(sums, &before, &after);
        }
        self.sums = sums;
    }

    /// Logs the windows that the stone on the cell `index` changed.
    fn log_rows(&mut self, board: &Board, index: usize) {
        let Some(windows) = self.net.windows else { return };
        let Some(cell) = board.grid().at(index) else { return };
        let setting = board.setting();
        for (direction, &position) in setting.positions(cell).iter().enumerate() {
            let line = board.lines.line(direction, position);
            let stride = setting.strides[direction];
            for sign in [1, -1] {
                for (steps, shift) in empty_beside(line, position.shift.into(), sign, REACH as i32)
                {
                    let cell = index.wrapping_add_signed(steps * stride);
                    let row = windows.at(line, shift);
                    if row != self.rows[cell][direction] {
                        let (cell, direction) = (cell as u16, direction as u8);
                        self.log.push(RowChange { cell, direction, row });
                    }
                }
            }
        }
    }

    /// Applies the rows logged from `logged` on. The log then has the rows before.
    fn apply_rows(&mut self, logged: usize) {
        let mut sums = self.sums;
        for RowChange { cell, direction, row } in &mut self.log[logged..] {
            let rows = &mut self.rows[usize::from(*cell)];
            let before = self.net.point(*rows);
            let after = *row;
            mem::swap(&mut rows[usize::from(*direction)], row);
            sums = with_point(sums, &before, &self.net.with_row(before, [*row, after]));
        }
        self.sums = sums;
    }

    /// Undoes the stones that `points` undid. Must be called after an undo, before the next value.
    #[inline]
    pub(crate) fn undo_to(&mut self, points: &Points) {
        while self.stones_seen > points.move_count() {
            self.undo_update();
        }
    }

    fn undo_update(&mut self) {
        let Some(snapshot) = self.snapshots.pop() else { return };
        for RowChange { cell, direction, row } in self.log.drain(snapshot.logged..).rev() {
            self.rows[usize::from(cell)][usize::from(direction)] = row;
        }
        self.sums = snapshot.sums;
        self.stones_seen = snapshot.stones_seen;
    }

    /// Returns what the net adds to the evaluation of `board` for `side`, the side to move.
    /// `points` must be up to date with `board`.
    pub(crate) fn value(&mut self, board: &Board, points: &Points, side: Side) -> i32 {
        self.update(board, points);
        let mut sums = self.sums;
        if side == Side::Second {
            sums.0.rotate_left(CHANNELS);
        }
        self.net.heads[side.index()].value(&sums)
    }
}

impl Net {
    /// Returns the sum of the four rows of a point.
    #[inline(always)]
    fn point(&self, rows: [u16; 4]) -> Both {
        let mut point = Both::NOTHING;
        let [a, b, c, d] = rows.map(|row| &self.rows[usize::from(row)]);
        for k in 0..INPUTS {
            let [a, b, c, d] = [a, b, c, d].map(|row| row.0[k]);
            point.0[k] = a.wrapping_add(b).wrapping_add(c.wrapping_add(d));
        }
        point
    }

    /// Returns `point` with its first row of `rows` replaced by the second.
    #[inline(always)]
    fn with_row(&self, mut point: Both, rows: [u16; 2]) -> Both {
        let [before, after] = rows.map(|row| &self.rows[usize::from(row)]);
        for k in 0..INPUTS {
            point.0[k] = point.0[k].wrapping_add(after.0[k].wrapping_sub(before.0[k]));
        }
        point
    }
}

/// Returns the sums with the point `before` replaced by `after`.
#[inline(always)]
fn with_point(mut sums: Sums, before: &Both, after: &Both) -> Sums {
    for k in 0..INPUTS {
        sums.0[k] += i32::from(after.0[k].max(0).wrapping_sub(before.0[k].max(0)));
    }
    sums
}

#[cfg(test)]
mod tests {
    use std::array;

    use tengen_engine::Game;

    use super::*;
    use crate::gomoku::eval::net::{Numbers, PAIRS, Windows};
    use crate::gomoku::eval::rule_weights::RuleWeights;
    use crate::gomoku::{Board, EvalFile, Rule};
    use tengen_engine::grid_game::GridGame;
    use tengen_engine::hash::mix64;
    use tengen_engine::{Cell, Placement};

    /// Returns a legal move, chosen by `number`.
    fn any_move(board: &Board, number: u64) -> Cell {
        let mut moves = Vec::new();
        board.moves(&mut moves);
        moves[(mix64(number) % moves.len() as u64) as usize]
    }

    fn points_of(board: &Board) -> Points {
        Points::new(board, &RuleWeights::built_in(board.rule()).scores)
    }

    fn new_accumulator(board: &Board, points: &Points) -> NetAccumulator {
        let net = RuleWeights::built_in(board.rule()).net.clone();
        NetAccumulator::new(net, board, points)
    }

    /// Plays random moves and undoes all of them. Calls `visit` with each position, and with
    /// whether the sums are to be updated there.
    fn play_and_undo(rule: Rule, seed: u64, mut visit: impl FnMut(&Board, &Points, bool)) {
        let mut board = Board::new(rule, 9, 11).unwrap();
        let mut points = points_of(&board);
        let mut moves = Vec::new();
        for ply in 0..60 {
            if board.outcome().is_some() {
                break;
            }
            let mv = any_move(&board, 100 * seed + ply);
            moves.push(mv);
            board.play(mv);
            points.played(&board, mv);
            // Updates after several stones together must work too.
            visit(&board, &points, ply % 3 == 0);
        }
        assert!(moves.len() > 20, "{rule:?}");
        for (position, mv) in moves.into_iter().enumerate().rev() {
            board.undo(mv, ());
            points.undone();
            visit(&board, &points, position % 4 == 0);
        }
    }

    #[test]
    fn sums_after_updates_and_undos_equal_fresh_sums() {
        for (seed, rule) in (0..).zip(Rule::ALL) {
            let start = Board::new(rule, 9, 11).unwrap();
            let mut accumulator = new_accumulator(&start, &points_of(&start));
            play_and_undo(rule, seed, |board, points, updates| {
                accumulator.undo_to(points);
                if updates {
                    accumulator.update(board, points);
                    let fresh = points_of(board);
                    assert!(points.pairs().eq(fresh.pairs()), "{rule:?}");
                    assert_eq!(accumulator.sums, new_accumulator(board, &fresh).sums, "{rule:?}");
                }
            });
        }
    }

    #[test]
    fn a_net_of_windows_with_the_rows_of_pairs_equals_the_net_of_pairs() {
        let rule = Rule::Freestyle;
        let row = |pair: u64| array::from_fn(|k| (mix64(16 * pair + k as u64) % 400) as i16 - 200);
        let head = EvalFile::built_in().weights(rule, Side::First).net.head.clone();
        let pairs = Numbers { rows: (0..PAIRS as u64).map(row).collect(), head: head.clone() };
        let of_window = |pair: u8| pairs.rows[usize::from(pair % 16 * 16 + pair / 16)];
        let rows = Windows::all().pairs(rule).into_iter().map(of_window).collect();
        let windows = Numbers { rows, head };
        let start = Board::new(rule, 9, 11).unwrap();
        let points = points_of(&start);
        let mut accumulators = [&pairs, &windows]
            .map(|numbers| NetAccumulator::new(Arc::new(Net::new([numbers; 2])), &start, &points));
        play_and_undo(rule, 7, |board, points, updates| {
            accumulators.iter_mut().for_each(|accumulator| accumulator.undo_to(points));
            if updates {
                let [pairs, windows] = accumulators
                    .each_mut()
                    .map(|accumulator| accumulator.value(board, points, board.turn()));
                assert_eq!(pairs, windows);
            }
        });
        assert_eq!(accumulators[0].sums, accumulators[1].sums);
        assert_ne!(accumulators[0].sums, Sums::NONE);
    }

    #[test]
    fn exchanged_colours_have_the_same_value() {
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
            new_accumulator(&board, &points).value(&board, &points, turn)
        };
        assert_eq!(value(false, Side::First), value(true, Side::Second));
        assert_eq!(value(false, Side::Second), value(true, Side::First));
        assert!(value(false, Side::First) != value(false, Side::Second));
    }
}
