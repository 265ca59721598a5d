//! The sums of the net over a board, kept up to date.

use std::mem;
use std::sync::Arc;

use tengen_engine::Side;

use super::windows::REACH;
use super::{Both, CHANNELS, INPUTS, Net, Sums};
use crate::gomoku::Board;
use crate::gomoku::lines::empty_beside;
use crate::gomoku::points::Points;

/// The new row of a line through a point; once it is applied, the row before.
#[derive(Clone, Copy, Debug)]
struct RowChange {
    cell: u16,
    direction: u8,
    row: u16,
}

/// How many stones were followed before some more, and what the sums and the log were then.
#[derive(Clone, Copy, Debug)]
struct Mark {
    followed: usize,
    sums: Sums,
    logged: usize,
}

/// The sums of a board. They are brought up to date when they are asked for, because most stones of
/// a search are taken back before.
#[derive(Clone, Debug)]
pub(in crate::gomoku) struct NetAccumulator {
    net: Arc<Net>,
    /// By cell and direction, the row of a window; those of a followed stone are as they were before
    /// it. A net of pairs has none of them.
    rows: Vec<[u16; 4]>,
    sums: Sums,
    /// How many stones are followed.
    followed: usize,
    /// What changed in `rows`.
    log: Vec<RowChange>,
    marks: Vec<Mark>,
}

impl NetAccumulator {
    /// Describes `board`, which `points` describe too.
    pub(in crate::gomoku) fn new(net: Arc<Net>, board: &Board, points: &Points) -> Self {
        let (rows, log, marks) = (Vec::new(), Vec::new(), Vec::new());
        let mut accumulator = Self { net, rows, sums: Sums::NONE, followed: 0, log, marks };
        accumulator.reset(board, points);
        accumulator
    }

    /// Takes another net. [`reset`](Self::reset) is to be called next.
    pub(in crate::gomoku) fn use_net(&mut self, net: Arc<Net>) {
        self.net = net;
    }

    /// Clears the log and describes `board`, which `points` describe too.
    pub(in crate::gomoku) fn reset(&mut self, board: &Board, points: &Points) {
        self.sums = Sums::NONE;
        self.followed = 0;
        self.log.clear();
        self.marks.clear();
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

    /// Follows the stones of `board` that `points` followed since.
    fn follow(&mut self, board: &Board, points: &Points) {
        let followed = mem::replace(&mut self.followed, points.move_count());
        if followed == self.followed {
            return;
        }
        let logged = self.log.len();
        self.marks.push(Mark { followed, sums: self.sums, logged });
        let stones = followed..self.followed;
        if self.net.windows.is_none() {
            return stones.for_each(|stone| self.follow_pairs(points, stone));
        }
        for cell in stones.clone().map(|stone| points.cell_of(stone)) {
            let point = self.net.point(self.rows[cell]);
            self.sums = with_point(self.sums, &point, &Both::NOTHING);
        }
        stones.for_each(|stone| self.note_windows(board, points.cell_of(stone)));
        self.follow_windows(logged);
    }

    /// Follows the pairs that a stone changed.
    // Here and below, the sums are a variable of their own so that they stay in registers.
    fn follow_pairs(&mut self, points: &Points, stone: usize) {
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

    /// Notes the windows that the stone on the cell with this index changed.
    fn note_windows(&mut self, board: &Board, index: usize) {
        let Some(windows) = self.net.windows else { return };
        let Some(cell) = board.grid().at(index) else { return };
        let layout = &board.setting.layout;
        for (direction, place) in layout.places(cell).iter().enumerate() {
            let line = board.lines.line(direction, place.line);
            let stride = layout.strides[direction];
            for sign in [1, -1] {
                for (steps, shift) in empty_beside(line, place.shift.into(), sign, REACH as i32) {
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

    /// Takes the rows that were noted since. The log then has the rows before.
    fn follow_windows(&mut self, logged: usize) {
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

    /// Undoes the stones that `points` undid. After an undo it is to be called before the next value.
    #[inline]
    pub(in crate::gomoku) fn go_back(&mut self, points: &Points) {
        while self.followed > points.move_count() {
            self.go_back_once();
        }
    }

    fn go_back_once(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        for RowChange { cell, direction, row } in self.log.drain(mark.logged..).rev() {
            self.rows[usize::from(cell)][usize::from(direction)] = row;
        }
        self.sums = mark.sums;
        self.followed = mark.followed;
    }

    /// Returns what the net adds to the evaluation for `side`, which is to move, of `board`, which
    /// `points` describe too.
    pub(in crate::gomoku) fn value(&mut self, board: &Board, points: &Points, side: Side) -> i32 {
        self.follow(board, points);
        let mut sums = self.sums;
        if side == Side::Second {
            sums.0.rotate_left(CHANNELS);
        }
        self.net.heads[side.index()].value(&sums)
    }
}

impl Net {
    /// Returns the sums of the four rows of a point.
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

    /// Returns a point with the second row in place of the first.
    #[inline(always)]
    fn with_row(&self, mut point: Both, rows: [u16; 2]) -> Both {
        let [before, after] = rows.map(|row| &self.rows[usize::from(row)]);
        for k in 0..INPUTS {
            point.0[k] = point.0[k].wrapping_add(after.0[k].wrapping_sub(before.0[k]));
        }
        point
    }
}

/// Returns the sums with one point in place of another.
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
    use crate::gomoku::net::{Numbers, PAIRS, Windows};
    use crate::gomoku::rule_weights::RuleWeights;
    use crate::gomoku::{Board, EvalFile, Rule};
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

    fn accumulator(board: &Board, points: &Points) -> NetAccumulator {
        let net = RuleWeights::built_in(board.rule()).net.clone();
        NetAccumulator::new(net, board, points)
    }

    /// Plays some random moves and takes all back. `follow` is called with each position, and with
    /// whether it is to be brought up to date there.
    fn come_and_go(rule: Rule, seed: u64, mut follow: impl FnMut(&Board, &Points, bool)) {
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
            // One stone behind is as good as many.
            follow(&board, &points, ply % 3 == 0);
        }
        assert!(moves.len() > 20, "{rule:?}");
        for (place, mv) in moves.into_iter().enumerate().rev() {
            board.undo(mv, ());
            points.undone();
            follow(&board, &points, place % 4 == 0);
        }
    }

    #[test]
    fn stones_that_come_and_go_leave_the_sums_of_the_board() {
        for (seed, rule) in (0..).zip(Rule::ALL) {
            let start = Board::new(rule, 9, 11).unwrap();
            let mut follower = accumulator(&start, &points_of(&start));
            come_and_go(rule, seed, |board, points, is_asked| {
                follower.go_back(points);
                if is_asked {
                    follower.follow(board, points);
                    let fresh = points_of(board);
                    assert!(points.pairs().eq(fresh.pairs()), "{rule:?}");
                    assert_eq!(follower.sums, accumulator(board, &fresh).sums, "{rule:?}");
                }
            });
        }
    }

    #[test]
    fn windows_with_the_rows_of_their_pairs_say_what_the_pairs_say() {
        let rule = Rule::Freestyle;
        let row = |pair: u64| array::from_fn(|k| (mix64(16 * pair + k as u64) % 400) as i16 - 200);
        let head = EvalFile::built_in().weights(rule, Side::First).net.head.clone();
        let pairs = Numbers { rows: (0..PAIRS as u64).map(row).collect(), head: head.clone() };
        let of_window = |pair: u8| pairs.rows[usize::from(pair % 16 * 16 + pair / 16)];
        let rows = Windows::all().pairs(rule).into_iter().map(of_window).collect();
        let windows = Numbers { rows, head };
        let start = Board::new(rule, 9, 11).unwrap();
        let points = points_of(&start);
        let mut followers = [&pairs, &windows]
            .map(|numbers| NetAccumulator::new(Arc::new(Net::new([numbers; 2])), &start, &points));
        come_and_go(rule, 7, |board, points, is_asked| {
            followers.iter_mut().for_each(|follower| follower.go_back(points));
            if is_asked {
                let [pairs, windows] = followers
                    .each_mut()
                    .map(|follower| follower.value(board, points, board.turn()));
                assert_eq!(pairs, windows);
            }
        });
        assert_eq!(followers[0].sums, followers[1].sums);
        assert_ne!(followers[0].sums, Sums::NONE);
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
            accumulator(&board, &points).value(&board, &points, turn)
        };
        assert_eq!(value(false, Side::First), value(true, Side::Second));
        assert_eq!(value(false, Side::Second), value(true, Side::First));
        assert!(value(false, Side::First) != value(false, Side::Second));
    }
}
