//! The lines of a board, two bits a cell, and where on them each cell lies.
//!
//! It knows no rule: what a window of a line is worth is in [`super::pattern`].

use std::iter;

use tengen_engine::Side;

use super::Setting;
use super::pattern::{ARM, Class, PatternShape, Patterns};
use super::rule::Content;
use crate::cellset;
use tengen_engine::{Cell, Grid};

/// The four directions in which a line can run, as columns and rows per step.
pub(super) const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// The shortest and the longest side of a board. A line of the longest fills a word together with
/// the cells beyond its ends that windows look at.
pub(super) const SIDES: std::ops::RangeInclusive<u32> = 5..=22;

/// The most lines in one direction.
const LINES: usize = 2 * *SIDES.end() as usize - 1;

/// The most cells of a board.
pub(super) const CELLS: usize = (*SIDES.end() * *SIDES.end()) as usize;

/// A set of cells of the largest board.
pub(super) type PointSet = cellset::CellSet<{ CELLS.div_ceil(64) }>;

/// Where a cell lies on one line: the number of the line among those of its direction, and the
/// cell's lowest bit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LinePosition {
    pub(super) line: u8,
    pub(super) shift: u8,
}

/// The place of every cell on its four lines, in the order of [`DIRECTIONS`].
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) grid: Grid,
    /// From a cell to the next in each direction, by index.
    pub(super) strides: [isize; 4],
    places: Vec<[LinePosition; 4]>,
}

impl Layout {
    /// Creates the layout of `grid`, whose sides must be within [`SIDES`].
    pub(super) fn new(grid: Grid) -> Self {
        debug_assert!(SIDES.contains(&grid.width()) && SIDES.contains(&grid.height()));
        let (last_column, last_row) = (grid.width() - 1, grid.height() - 1);
        let places = grid.all().map(|cell| {
            let (column, row) = (grid.column(cell), grid.row(cell));
            // How far the cell is from where its line enters the board.
            let rising = (column + last_row - row, column.min(row));
            let falling = (column + row, column.min(last_row - row));
            debug_assert!(rising.0.max(falling.0) <= last_column + last_row);
            let lines = [(row, column), (column, row), rising, falling];
            lines.map(|(line, at)| LinePosition {
                line: line as u8,
                shift: 2 * (at as u8 + ARM as u8),
            })
        });
        let stride = |(across, up): (i32, i32)| (up * grid.width() as i32 + across) as isize;
        Self { grid, strides: DIRECTIONS.map(stride), places: places.collect() }
    }

    #[inline]
    pub(super) fn places(&self, cell: Cell) -> &[LinePosition; 4] {
        &self.places[cell.index()]
    }
}

/// Returns the empty cells of a line in one direction (`sign`) from bit `shift`, at most `reach` steps
/// away: the steps, with the sign, and the bit. It ends at the edge, or where the cells passed hold both
/// colours, because no five spans them.
#[inline(always)]
pub(super) fn empty_beside(
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
        // The edge is the codes of both sides together.
        passed |= content;
        passed != Content::Edge as u64
    });
    let empty = within.filter(|&(_, _, content)| content == Content::Empty as u64);
    empty.map(|(steps, shift, _)| (steps, shift))
}

/// The stones on every line of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lines([[u64; LINES]; 4]);

impl Lines {
    /// Returns the empty board.
    pub(super) fn new(layout: &Layout) -> Self {
        let mut lines = Self([[u64::MAX; LINES]; 4]);
        for cell in layout.grid.all() {
            for (direction, place) in layout.places(cell).iter().enumerate() {
                lines.0[direction][usize::from(place.line)] &= !(3 << place.shift);
            }
        }
        lines
    }

    /// Puts a stone on an empty cell, or takes it away.
    #[inline]
    pub(super) fn toggle(&mut self, layout: &Layout, cell: Cell, side: Side) {
        for (direction, place) in layout.places(cell).iter().enumerate() {
            self.0[direction][usize::from(place.line)] ^= (Content::of(side) as u64) << place.shift;
        }
    }

    /// Returns what stands on a cell.
    #[inline]
    pub(super) fn stone(&self, layout: &Layout, cell: Cell) -> Option<Side> {
        let place = layout.places(cell)[0];
        match self.0[0][usize::from(place.line)] >> place.shift & 3 {
            1 => Some(Side::First),
            2 => Some(Side::Second),
            _ => None,
        }
    }

    /// Returns the empty cells of a line at most [`ARM`] steps from `cell`, in the order of the line.
    /// `cell` is one of them if it is empty.
    pub(super) fn empty_near<'a>(
        &self,
        layout: &'a Layout,
        cell: Cell,
        direction: usize,
    ) -> impl Iterator<Item = Cell> + 'a {
        /// The low bits of all cells of a window.
        const WINDOW: u64 = (1 << (2 * (2 * ARM + 1))) / 3;
        let place = layout.places(cell)[direction];
        let window = self.line(direction, place.line) >> (place.shift - 2 * ARM as u8);
        let mut left = !(window | window >> 1) & WINDOW;
        let stride = layout.strides[direction];
        let start = cell.index().wrapping_add_signed(-(ARM as isize) * stride);
        iter::from_fn(move || {
            let steps = left.trailing_zeros() as isize / 2;
            left &= left.checked_sub(1)?;
            layout.grid.at(start.wrapping_add_signed(steps * stride))
        })
    }

    /// Returns a whole line, two bits a cell.
    #[inline]
    pub(super) fn line(&self, direction: usize, line: u8) -> u64 {
        self.0[direction][usize::from(line)]
    }

    /// Returns the shapes of both sides on one line through a cell, whatever stands on the cell
    /// itself.
    #[inline]
    pub(super) fn pair(&self, patterns: &Patterns, direction: usize, place: LinePosition) -> u8 {
        patterns.at(self.0[direction][usize::from(place.line)], u32::from(place.shift))
    }

    /// Returns the direction of the line that `cell` has in common with the empty cell `other`, and
    /// the shapes of both sides on `cell` on this line after a stone of `side` on `other`. `None`
    /// if they have no line in common.
    pub(super) fn pair_after(
        &self,
        layout: &Layout,
        patterns: &Patterns,
        cell: Cell,
        other: Cell,
        side: Side,
    ) -> Option<(usize, u8)> {
        let (places, others) = (layout.places(cell), layout.places(other));
        let direction = (0..places.len()).find(|&d| places[d].line == others[d].line)?;
        let stone = (Content::of(side) as u64) << others[direction].shift;
        let line = self.line(direction, places[direction].line) ^ stone;
        Some((direction, patterns.at(line, u32::from(places[direction].shift))))
    }

    /// Returns the answer to a four of `side` on `cell` along one line, and whether the side can make
    /// another four on this line after the answer. `None` unless exactly one point makes five.
    pub(super) fn answer_to_four(
        &self,
        setting: &Setting,
        cell: Cell,
        direction: usize,
        side: Side,
    ) -> Option<(Cell, bool)> {
        let Setting { layout, patterns, .. } = setting;
        let place = layout.places(cell)[direction];
        let shift = |steps: i32| (i32::from(place.shift) + 2 * steps) as u32;
        let stone = |steps: i32, side: Side| (Content::of(side) as u64) << shift(steps);
        let has = |line: u64, steps: i32, least: Class| {
            let is_empty = line >> shift(steps) & 3 == Content::Empty as u64;
            is_empty && PatternShape::half(patterns.at(line, shift(steps)), side).class() >= least
        };
        let four = self.line(direction, place.line) ^ stone(0, side);
        const ARM_STEPS: i32 = ARM as i32;
        let mut fives = (-ARM_STEPS..=ARM_STEPS).filter(|&steps| has(four, steps, Class::Five));
        let (answer, None) = (fives.next()?, fives.next()) else { return None };
        let answered = four ^ stone(answer, side.other());
        let goes_on = (-ARM_STEPS..=ARM_STEPS).any(|steps| has(answered, steps, Class::Four));
        Some((layout.grid.step(cell, DIRECTIONS[direction], answer)?, goes_on))
    }

    /// Returns whether at least four stones of `side` stand within four steps of `cell` on one line.
    /// Without them no stone there makes five.
    #[inline]
    pub(super) fn may_make_five(&self, layout: &Layout, cell: Cell, side: Side) -> bool {
        /// The low bits of nine cells: `cell` in the middle and four on each side.
        const WINDOW: u64 = (1 << (2 * 9)) / 3;
        layout.places(cell).iter().enumerate().any(|(direction, place)| {
            let window = self.line(direction, place.line) >> (place.shift - 8);
            let own = match side {
                Side::First => window & !(window >> 1),
                Side::Second => window >> 1 & !window,
            };
            (own & WINDOW).count_ones() >= 4
        })
    }

    /// Returns what a stone of `side` on `cell` makes, or has made, of its four lines.
    #[inline]
    pub(super) fn classes(
        &self,
        layout: &Layout,
        patterns: &Patterns,
        cell: Cell,
        side: Side,
    ) -> [Class; 4] {
        let places = layout.places(cell);
        std::array::from_fn(|d| PatternShape::half(self.pair(patterns, d, places[d]), side).class())
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::hash::mix64;

    use super::*;
    use crate::gomoku::Rule;

    #[test]
    fn neighbours_on_the_board_are_neighbours_on_their_line() {
        for (width, height) in [(5, 5), (22, 22), (5, 22), (15, 7)] {
            let layout = Layout::new(Grid::new(width, height).unwrap());
            for cell in layout.grid.all() {
                for (direction, &step) in DIRECTIONS.iter().enumerate() {
                    let here = layout.places(cell)[direction];
                    assert!(here.shift >= 10 && here.shift <= 52);
                    if let Some(next) = layout.grid.step(cell, step, 1) {
                        let there = layout.places(next)[direction];
                        assert_eq!((there.line, there.shift), (here.line, here.shift + 2));
                    }
                }
            }
        }
    }

    #[test]
    fn stones_come_and_go() {
        let layout = Layout::new(Grid::new(22, 6).unwrap());
        let empty = Lines::new(&layout);
        for cell in layout.grid.all() {
            let mut lines = empty;
            lines.toggle(&layout, cell, Side::Second);
            assert_eq!(lines.stone(&layout, cell), Some(Side::Second));
            lines.toggle(&layout, cell, Side::Second);
            assert_eq!(lines, empty);
        }
    }

    #[test]
    fn a_five_needs_four_stones_near_the_point() {
        let grid = Grid::new(9, 9).unwrap();
        let layout = Layout::new(grid);
        let (mut fives, mut points) = (0, 0);
        for seed in 0..300 {
            let mut lines = Lines::new(&layout);
            for cell in grid.all() {
                match mix64(seed << 8 | cell.index() as u64) % 4 {
                    0 | 1 => lines.toggle(&layout, cell, Side::First),
                    2 => lines.toggle(&layout, cell, Side::Second),
                    _ => {}
                }
            }
            let patterns = Patterns::of(Rule::Freestyle);
            let empty = grid.all().filter(|&cell| lines.stone(&layout, cell).is_none());
            for cell in empty.collect::<Vec<_>>() {
                for side in [Side::First, Side::Second] {
                    let makes_five =
                        lines.classes(&layout, patterns, cell, side).contains(&Class::Five);
                    let may = lines.may_make_five(&layout, cell, side);
                    assert!(may || !makes_five, "{seed}: {side:?} on {cell:?}");
                    fives += u32::from(makes_five);
                    points += u32::from(!may);
                }
            }
        }
        assert!(fives > 100 && points > 1000, "{fives} fives, {points} points without");
    }
}
