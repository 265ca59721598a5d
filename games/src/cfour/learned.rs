//! The order of moves far from the end of 7x6, learned from searches.
//!
//! The rank of a move is a sum: a number for the content of each of the 69 lines after the move,
//! and a number for the move's rank by threats. Lines that are each other's mirror image share
//! their numbers. The numbers were fitted to the cost of searches, not to the values of positions.
//! Of two moves that both cut a node off, the cheaper one is better. A move that does not cut off
//! is worse the more it costs. The program `fit_order` of `lab/` fits them and prints `numbers.rs`.

mod numbers;
mod order;

use std::array;
use std::sync::LazyLock;

use tengen_engine::Side;

pub use order::{KINDS, Order, RANKS, STATES, UNITS};

/// With fewer plies left than this the learned rank costs more time than it saves.
pub(super) const LEAST_PLIES: u32 = 20;

/// Four cells in a row.
#[derive(Clone, Copy)]
struct Line {
    kind: usize,
    /// Whether the cells are in the opposite order of those of the kind.
    is_mirrored: bool,
}

const WIDTH: i32 = 7;
const HEIGHT: i32 = 6;
const STRIDE: i32 = HEIGHT + 1;

impl Line {
    /// Returns the line from this bit on, the leftmost or the lowest, with so many bits from one
    /// cell to the next.
    fn at(start: i32, step: i32) -> Self {
        let (column, row) = (start / STRIDE, start % STRIDE);
        let last = 3 - column.min(3);
        let (kind, is_mirrored) = match step {
            1 => (column.min(6 - column) * 3 + row, false),
            STRIDE if column > 1 => (12 + last * 6 + row, true),
            STRIDE => (12 + column * 6 + row, false),
            // Of two diagonals the one that rises gives the kind.
            step if step > STRIDE => (24 + column * 3 + row, false),
            _ => (24 + last * 3 + row - 3, true),
        };
        Self { kind: kind as usize, is_mirrored }
    }

    /// Returns the state of the line in the order of its kind. `state` is in the order of the line.
    fn state(self, state: usize) -> usize {
        if !self.is_mirrored {
            return state;
        }
        let digit = |place: u32| state / 3_usize.pow(place) % 3;
        (0..4).fold(0, |turned, place| 3 * turned + digit(place))
    }
}

/// A row, a column or a diagonal from edge to edge, in which lines lie. Its state is a number with
/// a digit to the base of 3 for each cell: 1 for the mover's stone, 2 for the other's.
#[derive(Clone, Copy)]
struct FullLine {
    /// The bit of the leftmost cell, or of the lowest.
    start: i32,
    /// The distance from one cell to the next, in bits.
    step: i32,
    cells: u32,
    mask: u64,
    /// The factor that brings the cells together, see [`FullLine::gather`].
    factor: u64,
    /// The index at which the sums of its states begin.
    at: usize,
}

/// How many full lines there are.
const FULL_LINES: usize = 25;
static ALL: [FullLine; FULL_LINES] = full_lines();
/// How many states all full lines have together.
const SUMS: usize =
    6 * 3_usize.pow(7) + 11 * 3_usize.pow(6) + 4 * 3_usize.pow(5) + 4 * 3_usize.pow(4);
/// For each bit, the set of full lines through it.
static THROUGH: [u32; 64] = through();

const fn full_lines() -> [FullLine; FULL_LINES] {
    let mut all = [FullLine { start: 0, step: 0, cells: 0, mask: 0, factor: 0, at: 0 }; FULL_LINES];
    let (mut count, mut at, mut start) = (0, 0, 0);
    while start < WIDTH * STRIDE {
        let mut way = 0;
        while way < 4 {
            let step = [1, STRIDE - 1, STRIDE, STRIDE + 1][way];
            if is_cell(start) && !is_cell(start - step) {
                let full_line = FullLine::from(start, step, at);
                if full_line.cells >= 4 {
                    all[count] = full_line;
                    (count, at) = (count + 1, at + full_line.states());
                }
            }
            way += 1;
        }
        start += 1;
    }
    all
}

const fn is_cell(bit: i32) -> bool {
    bit >= 0 && bit < WIDTH * STRIDE && bit % STRIDE < HEIGHT
}

const fn through() -> [u32; 64] {
    let all = full_lines();
    let mut through = [0; 64];
    let mut bit = 0;
    while bit < 64 {
        let mut index = 0;
        while index < FULL_LINES {
            through[bit] |= ((all[index].mask >> bit & 1) as u32) << index;
            index += 1;
        }
        bit += 1;
    }
    through
}

impl FullLine {
    const fn from(start: i32, step: i32, at: usize) -> Self {
        let (mut cells, mut mask, mut factor, mut bit) = (0, 0, 0, start);
        while is_cell(bit) {
            mask |= 1 << bit;
            factor |= 1 << ((step - 1) * cells);
            (cells, bit) = (cells + 1, bit + step);
        }
        let last = start + (step - 1) * (cells - 1);
        factor <<= 64 - cells - last;
        Self { start, step, cells: cells as u32, mask, factor, at }
    }

    const fn states(&self) -> usize {
        3_usize.pow(self.cells)
    }

    /// Returns the bits of its cells in `word`, side by side.
    // The product holds them in its highest bits: each cell's, `step` bits from the one before, times
    // the bit of the factor that is `step - 1` bits before the last one's. No two bits of the product
    // fall on one another.
    #[inline(always)]
    fn gather(&self, word: u64) -> usize {
        ((word & self.mask).wrapping_mul(self.factor) >> (64 - self.cells)) as usize
    }

    /// Returns its state.
    #[inline(always)]
    fn state(&self, movers: u64, others: u64) -> usize {
        const DIGITS: [u16; 1 << WIDTH] = digits();
        usize::from(DIGITS[self.gather(movers)] + 2 * DIGITS[self.gather(others)])
    }

    /// Returns its lines of four, with the number of cells before each.
    fn lines(self) -> impl Iterator<Item = (u32, Line)> {
        (0..=self.cells - 4).map(move |before| {
            (before, Line::at(self.start + before as i32 * self.step, self.step))
        })
    }
}

/// For each set of bits, the number with these digits to the base of 3.
const fn digits() -> [u16; 1 << WIDTH] {
    let mut numbers = [0; 1 << WIDTH];
    let mut bits = 1;
    while bits < numbers.len() {
        numbers[bits] = 3 * numbers[bits >> 1] + (bits & 1) as u16;
        bits += 1;
    }
    numbers
}

/// Returns the kind of each line and its state.
pub fn features(movers: u64, others: u64) -> Vec<(usize, usize)> {
    let of_straight = |full_line: &FullLine| {
        let state = full_line.state(movers, others);
        full_line.lines().map(move |(before, line)| (line.kind, line.state(part(state, before))))
    };
    ALL.iter().flat_map(of_straight).collect()
}

/// Returns the state of four cells, after `before` others.
fn part(state: usize, before: u32) -> usize {
    state / 3_usize.pow(before) % STATES
}

impl Order {
    /// The numbers in use.
    pub const LEARNED: Self = numbers::ORDER;
}

/// The learned numbers, summed for the full lines as the search looks them up.
pub(super) struct LearnedSums {
    ranks: [[i16; RANKS]; 2],
    /// For each side and each state of each full line, the sum of the numbers of its lines.
    sums: [Box<[i16; SUMS]>; 2],
}

impl LearnedSums {
    /// Returns the sums of the numbers in use.
    pub(super) fn learned() -> &'static Self {
        static LEARNED: LazyLock<LearnedSums> = LazyLock::new(|| LearnedSums::of(&Order::LEARNED));
        &LEARNED
    }

    fn of(order: &Order) -> Self {
        Self { ranks: order.ranks, sums: order.lines.each_ref().map(sums) }
    }

    /// Returns the learned rank of a move by `mover`. `rank` is its rank by threats, `movers` and
    /// `others` are the stones after it, and `set` are the new stones.
    #[inline(always)]
    pub(super) fn place(&self, mover: Side, rank: i32, movers: u64, others: u64, set: u64) -> i32 {
        let (ranks, sums) = (&self.ranks[mover.index()], &self.sums[mover.index()]);
        let mut place = i32::from(ranks[(rank.max(0) as usize).min(RANKS - 1)]);
        let sum = |full_line: &FullLine, movers, others| {
            i32::from(sums[full_line.at + full_line.state(movers, others)])
        };
        let mut changed = full_lines_through(set);
        while changed != 0 {
            let full_line = &ALL[changed.trailing_zeros() as usize];
            place += sum(full_line, movers, others) - sum(full_line, movers & !set, others & !set);
            changed &= changed - 1;
        }
        place
    }
}

/// Returns the set of full lines through any of the cells.
#[inline(always)]
fn full_lines_through(mut cells: u64) -> u32 {
    let mut full_lines = 0;
    while cells != 0 {
        full_lines |= THROUGH[cells.trailing_zeros() as usize];
        cells &= cells - 1;
    }
    full_lines
}

fn sums(lines: &[[i16; STATES]; KINDS]) -> Box<[i16; SUMS]> {
    let mut sums = Box::new([0; SUMS]);
    for full_line in &ALL {
        for (before, line) in full_line.lines() {
            let numbers: [i16; STATES] =
                array::from_fn(|state| lines[line.kind][line.state(state)]);
            for (state, sum) in sums[full_line.at..][..full_line.states()].iter_mut().enumerate() {
                *sum += numbers[part(state, before)];
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::Shape;
    use super::super::shape::Classic;
    use super::*;

    #[test]
    fn every_line_of_four_is_there_once_and_shares_its_kind_with_its_mirror_image_alone() {
        let mut seen = HashSet::new();
        let mut kinds = vec![Vec::new(); KINDS];
        for full_line in &ALL {
            for (before, line) in full_line.lines() {
                let bit =
                    |place: i32| 1 << (full_line.start + (before as i32 + place) * full_line.step);
                let cells: u64 = (0..4).map(bit).sum();
                assert!(cells & !Classic.board() == 0 && seen.insert(cells));
                kinds[line.kind].push(cells);
            }
        }
        assert_eq!(seen.len(), 69);
        for lines in kinds {
            let images: Vec<u64> = lines.iter().rev().map(|cells| Classic.mirror(*cells)).collect();
            assert!(lines.len() <= 2 && images == lines, "{lines:?}");
        }
    }

    #[test]
    fn the_state_of_a_straight_has_a_digit_for_each_of_its_cells() {
        for full_line in &ALL {
            let stones = |state: usize, digit| {
                let holds = |cell: &u32| state / 3_usize.pow(*cell) % 3 == digit;
                let bit = |cell: u32| 1 << (full_line.start + cell as i32 * full_line.step);
                (0..full_line.cells).filter(holds).map(bit).sum::<u64>()
            };
            for state in 0..full_line.states() {
                let elsewhere = Classic.board() & !full_line.mask;
                let (movers, others) = (stones(state, 1), stones(state, 2));
                assert_eq!(full_line.state(movers | elsewhere, others), state);
                assert_eq!(full_line.state(movers, others | elsewhere), state);
            }
        }
        let last = ALL.last().unwrap();
        assert_eq!(last.at + last.states(), SUMS);
    }

    #[test]
    fn every_place_is_a_rank() {
        let widest = |numbers: &[i16]| numbers.iter().map(|number| i32::from(*number).abs()).max();
        let LearnedSums { ranks, sums } = LearnedSums::learned();
        for (ranks, sums) in ranks.iter().zip(sums) {
            let of_straight =
                |full_line: &FullLine| widest(&sums[full_line.at..][..full_line.states()]).unwrap();
            let all: i32 = ALL.iter().map(of_straight).sum();
            assert!(2 * all + widest(ranks).unwrap() <= i32::from(i16::MAX));
        }
    }

    #[test]
    fn a_mirror_image_has_the_same_features() {
        let (movers, others) = (0b1001 | 0b101 << 14 | 1 << 28, 0b0110 | 1 << 7 | 0b10 << 14);
        let sorted = |movers, others| {
            let mut features = features(movers, others);
            features.sort_unstable();
            features
        };
        let image = sorted(Classic.mirror(movers), Classic.mirror(others));
        assert_eq!(sorted(movers, others), image);
        assert_ne!(image, sorted(others, movers));
    }

    #[test]
    fn moves_differ_by_as_much_as_their_positions() {
        let (places, order) = (LearnedSums::learned(), Order::LEARNED);
        let whole = |movers, others| -> i32 {
            let numbers = &order.lines[0];
            features(movers, others)
                .iter()
                .map(|(kind, state)| i32::from(numbers[*kind][*state]))
                .sum()
        };
        let (movers, others) = (0b0101 | 1 << 21, 0b1010 | 1 << 28);
        let before = whole(movers, others);
        for (set, reply) in [(1 << 22, 0), (1 << 35, 0), (1 << 29, 1 << 42), (1 << 4, 1 << 5)] {
            let place = places.place(Side::First, 3, movers | set, others | reply, set | reply);
            let expected = whole(movers | set, others | reply) - before;
            assert_eq!(place - i32::from(order.ranks[0][3]), expected);
        }
    }
}
