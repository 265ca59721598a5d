//! The lines of a board, two bits a cell, and the position of each cell on its lines.
//!
//! [`super`] says what a window of a line makes under the rule.

use std::array;
use std::iter;
use std::sync::OnceLock;

use tengen_engine::{Cell, Grid, Side};

use crate::cellset;
use crate::gomoku::pattern::{ARM, Class, PatternShape, Patterns};
use crate::gomoku::rule::{Content, Rule};

/// The four directions of a line, as columns and rows per step.
pub(crate) const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// The range of a side of the board. A line of the longest side, with the cells beyond its ends
/// that windows read, fills a word.
pub(crate) const SIDES: std::ops::RangeInclusive<u32> = 5..=22;

/// The maximum number of lines in one direction.
const LINES: usize = 2 * *SIDES.end() as usize - 1;

/// The largest number of cells of a board.
pub(crate) const CELLS: usize = (*SIDES.end() * *SIDES.end()) as usize;

/// A set of cells of the largest board.
pub(crate) type PointSet = cellset::CellSet<{ CELLS.div_ceil(64) }>;

/// The position of a cell on one line: the index of the line in its direction, and the lowest bit
/// of the cell in it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinePosition {
    pub(crate) line: u8,
    pub(crate) shift: u8,
}

/// The rule and the layout of the board, constant during a game.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) rule: Rule,
    pub(crate) grid: Grid,
    pub(crate) patterns: &'static Patterns,
    /// The difference of the indices of neighbouring cells in each direction.
    pub(crate) strides: [isize; 4],
    /// The positions of every cell on its four lines, in the order of [`DIRECTIONS`].
    positions: Vec<[LinePosition; 4]>,
    /// For each cell, the cells at most two steps away in any direction.
    neighbourhoods: Vec<PointSet>,
}

impl Setting {
    /// Returns the setting of `rule` and `grid`, whose sides must be within [`SIDES`]. It is created
    /// at the first call. All boards share it without a reference count, because every thread
    /// copies boards at every node.
    pub(crate) fn of(rule: Rule, grid: Grid) -> &'static Self {
        const MIN_SIDE: u32 = *SIDES.start();
        const COUNT: usize = (*SIDES.end() - MIN_SIDE + 1) as usize;
        static ALL: [[[OnceLock<Setting>; COUNT]; COUNT]; Rule::ALL.len()] =
            [const { [const { [const { OnceLock::new() }; COUNT] }; COUNT] }; Rule::ALL.len()];
        let [width, height] = [grid.width(), grid.height()].map(|side| (side - MIN_SIDE) as usize);
        ALL[rule as usize][width][height].get_or_init(|| Self::new(rule, grid))
    }

    fn new(rule: Rule, grid: Grid) -> Self {
        let (last_column, last_row) = (grid.width() - 1, grid.height() - 1);
        let positions = grid.all().map(|cell| {
            let (column, row) = (grid.column(cell), grid.row(cell));
            // The index of a diagonal, and the distance of the cell from the edge where the
            // diagonal begins.
            let rising = (column + last_row - row, column.min(row));
            let falling = (column + row, column.min(last_row - row));
            debug_assert!(rising.0.max(falling.0) <= last_column + last_row);
            let lines = [(row, column), (column, row), rising, falling];
            lines.map(|(line, at)| LinePosition {
                line: line as u8,
                shift: 2 * (at as u8 + ARM as u8),
            })
        });
        let neighbourhoods = grid.all().map(|cell| {
            let mut set = PointSet::NONE;
            let steps = (-2..=2).flat_map(|across| (-2..=2).map(move |up| (across, up)));
            let near = steps.filter_map(|step| grid.step(cell, step, 1));
            near.for_each(|near| set.insert(near.index()));
            set
        });
        let stride = |(across, up): (i32, i32)| (up * grid.width() as i32 + across) as isize;
        Self {
            rule,
            grid,
            patterns: Patterns::of(rule),
            strides: DIRECTIONS.map(stride),
            positions: positions.collect(),
            neighbourhoods: neighbourhoods.collect(),
        }
    }

    #[inline]
    pub(crate) fn positions(&self, cell: Cell) -> &[LinePosition; 4] {
        &self.positions[cell.index()]
    }

    /// Adds `cell` and all cells within the radius of influence of a stone on its four lines.
    pub(crate) fn add_reach(&self, cell: Cell, set: &mut PointSet) {
        let reach = self.rule.reach();
        for step in DIRECTIONS {
            let near = (-reach..=reach).filter_map(|steps| self.grid.step(cell, step, steps));
            near.for_each(|near| set.insert(near.index()));
        }
    }

    /// Returns the cells at most two steps from `cell` in any direction.
    #[inline]
    pub(crate) fn neighbourhood(&self, cell: Cell) -> &PointSet {
        &self.neighbourhoods[cell.index()]
    }
}

/// Returns the empty cells of `line` from bit `shift` in one direction (`sign`), at most `reach`
/// steps away: the signed steps and the bit. Ends at the edge, or where the passed cells hold both
/// colours, because no five spans them.
#[inline(always)]
pub(crate) fn empty_beside(
    line: u64,
    shift: u32,
    sign: isize,
    reach: i32,
) -> impl Iterator<Item = (isize, u32)> {
    let mut passed = Content::Empty as u64;
    let cells = (1..=reach as isize).map(move |steps| {
        let shift = shift.wrapping_add_signed(2 * (sign * steps) as i32);
        (sign * steps, shift, line >> shift & 3)
    });
    let within = cells.take_while(move |&(_, _, content)| {
        // The code of the edge has the bits of both sides.
        passed |= content;
        passed != Content::Edge as u64
    });
    let empty = within.filter(|&(_, _, content)| content == Content::Empty as u64);
    empty.map(|(steps, shift, _)| (steps, shift))
}

/// The stones on every line of a board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    pub(crate) setting: &'static Setting,
    lines: [[u64; LINES]; 4],
}

impl Lines {
    /// Returns the empty board.
    pub(crate) fn new(setting: &'static Setting) -> Self {
        let mut lines = [[u64::MAX; LINES]; 4];
        for cell in setting.grid.all() {
            for (direction, position) in setting.positions(cell).iter().enumerate() {
                lines[direction][usize::from(position.line)] &= !(3 << position.shift);
            }
        }
        Self { setting, lines }
    }

    /// Puts a stone of `side` on an empty cell, or removes it.
    #[inline]
    pub(crate) fn toggle(&mut self, cell: Cell, side: Side) {
        for (direction, position) in self.setting.positions(cell).iter().enumerate() {
            self.lines[direction][usize::from(position.line)] ^=
                (Content::of(side) as u64) << position.shift;
        }
    }

    /// Returns the side that has a stone on `cell`; `None` when the cell is empty.
    #[inline]
    pub(crate) fn stone(&self, cell: Cell) -> Option<Side> {
        let position = self.setting.positions(cell)[0];
        match self.line(0, position) >> position.shift & 3 {
            1 => Some(Side::First),
            2 => Some(Side::Second),
            _ => None,
        }
    }

    /// Returns the empty cells of a line at most [`ARM`] steps from `cell`, in the order of the
    /// line, including `cell` if it is empty.
    pub(crate) fn empty_near(
        &self,
        cell: Cell,
        direction: usize,
    ) -> impl Iterator<Item = Cell> + use<> {
        /// The low bits of all cells of a window.
        const WINDOW: u64 = (1 << (2 * (2 * ARM + 1))) / 3;
        let setting = self.setting;
        let position = setting.positions(cell)[direction];
        let window = self.line(direction, position) >> (position.shift - 2 * ARM as u8);
        let mut left = !(window | window >> 1) & WINDOW;
        let stride = setting.strides[direction];
        let start = cell.index().wrapping_add_signed(-(ARM as isize) * stride);
        iter::from_fn(move || {
            let steps = left.trailing_zeros() as isize / 2;
            left &= left.checked_sub(1)?;
            setting.grid.at(start.wrapping_add_signed(steps * stride))
        })
    }

    /// Returns the line of `position` in `direction`, two bits a cell.
    #[inline]
    pub(crate) fn line(&self, direction: usize, position: LinePosition) -> u64 {
        self.lines[direction][usize::from(position.line)]
    }

    /// Returns the shapes of both sides on the four lines through `cell`, whatever is on the cell
    /// itself.
    #[inline]
    pub(crate) fn pairs(&self, cell: Cell) -> [u8; 4] {
        let positions = self.setting.positions(cell);
        array::from_fn(|d| {
            self.setting.patterns.at(self.line(d, positions[d]), u32::from(positions[d].shift))
        })
    }

    /// Returns the direction of the line through `cell` and the empty cell `other`, and the shapes
    /// of both sides on `cell` in this line after a stone of `side` on `other`. `None` if no line
    /// runs through both.
    pub(crate) fn pair_after(&self, cell: Cell, other: Cell, side: Side) -> Option<(usize, u8)> {
        let (positions, others) = (self.setting.positions(cell), self.setting.positions(other));
        let direction = (0..positions.len()).find(|&d| positions[d].line == others[d].line)?;
        let stone = (Content::of(side) as u64) << others[direction].shift;
        let line = self.line(direction, positions[direction]) ^ stone;
        let shift = u32::from(positions[direction].shift);
        Some((direction, self.setting.patterns.at(line, shift)))
    }

    /// Returns the answer to a four of `side` on `cell` along one line, and whether `side` can make
    /// another four in this line after the answer. `None` unless exactly one point makes five.
    pub(crate) fn answer_to_four(
        &self,
        cell: Cell,
        direction: usize,
        side: Side,
    ) -> Option<(Cell, bool)> {
        let Setting { grid, patterns, .. } = self.setting;
        let position = self.setting.positions(cell)[direction];
        let shift = |steps: i32| (i32::from(position.shift) + 2 * steps) as u32;
        let stone = |steps: i32, side: Side| (Content::of(side) as u64) << shift(steps);
        let has = |line: u64, steps: i32, least: Class| {
            let is_empty = line >> shift(steps) & 3 == Content::Empty as u64;
            is_empty && PatternShape::half(patterns.at(line, shift(steps)), side).class() >= least
        };
        let four = self.line(direction, position) ^ stone(0, side);
        const ARM_STEPS: i32 = ARM as i32;
        let mut fives = (-ARM_STEPS..=ARM_STEPS).filter(|&steps| has(four, steps, Class::Five));
        let (answer, None) = (fives.next()?, fives.next()) else { return None };
        let answered = four ^ stone(answer, side.other());
        let makes_another_four =
            (-ARM_STEPS..=ARM_STEPS).any(|steps| has(answered, steps, Class::Four));
        Some((grid.step(cell, DIRECTIONS[direction], answer)?, makes_another_four))
    }

    /// Returns whether at least four stones of `side` stand within four steps of `cell` on one
    /// line. A stone on `cell` makes a five only then.
    #[inline]
    pub(crate) fn may_make_five(&self, cell: Cell, side: Side) -> bool {
        /// The low bits of nine cells: `cell` in the middle and four on each side.
        const WINDOW: u64 = (1 << (2 * 9)) / 3;
        self.setting.positions(cell).iter().enumerate().any(|(direction, &position)| {
            let window = self.line(direction, position) >> (position.shift - 8);
            let own = match side {
                Side::First => window & !(window >> 1),
                Side::Second => window >> 1 & !window,
            };
            (own & WINDOW).count_ones() >= 4
        })
    }

    /// Returns the classes that a stone of `side` on `cell` makes, or has made, in its four lines.
    #[inline]
    pub(crate) fn classes(&self, cell: Cell, side: Side) -> [Class; 4] {
        self.pairs(cell).map(|pair| PatternShape::half(pair, side).class())
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::hash::mix64;

    use super::*;

    #[test]
    fn neighbours_on_the_board_are_neighbours_on_their_line() {
        for (width, height) in [(5, 5), (22, 22), (5, 22), (15, 7)] {
            let layout = Setting::of(Rule::Caro, Grid::new(width, height).unwrap());
            for cell in layout.grid.all() {
                for (direction, &step) in DIRECTIONS.iter().enumerate() {
                    let here = layout.positions(cell)[direction];
                    assert!(here.shift >= 10 && here.shift <= 52);
                    if let Some(next) = layout.grid.step(cell, step, 1) {
                        let there = layout.positions(next)[direction];
                        assert_eq!((there.line, there.shift), (here.line, here.shift + 2));
                    }
                }
            }
        }
    }

    #[test]
    fn toggling_twice_removes_a_stone() {
        let empty = Lines::new(Setting::of(Rule::Caro, Grid::new(22, 6).unwrap()));
        for cell in empty.setting.grid.all() {
            let mut lines = empty;
            lines.toggle(cell, Side::Second);
            assert_eq!(lines.stone(cell), Some(Side::Second));
            lines.toggle(cell, Side::Second);
            assert_eq!(lines.lines, empty.lines);
        }
    }

    #[test]
    fn a_five_needs_four_stones_near_the_point() {
        let grid = Grid::new(9, 9).unwrap();
        let setting = Setting::of(Rule::Freestyle, grid);
        let (mut fives, mut points) = (0, 0);
        for seed in 0..300 {
            let mut lines = Lines::new(setting);
            for cell in grid.all() {
                match mix64(seed << 8 | cell.index() as u64) % 4 {
                    0 | 1 => lines.toggle(cell, Side::First),
                    2 => lines.toggle(cell, Side::Second),
                    _ => {}
                }
            }
            let empty = grid.all().filter(|&cell| lines.stone(cell).is_none());
            for cell in empty.collect::<Vec<_>>() {
                for side in [Side::First, Side::Second] {
                    let makes_five = lines.classes(cell, side).contains(&Class::Five);
                    let may = lines.may_make_five(cell, side);
                    assert!(may || !makes_five, "{seed}: {side:?} on {cell:?}");
                    fives += u32::from(makes_five);
                    points += u32::from(!may);
                }
            }
        }
        assert!(fives > 100 && points > 1000, "{fives} fives, {points} points without");
    }
}
