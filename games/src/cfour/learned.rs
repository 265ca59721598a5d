//! Learned move ordering on 7x6, far from the end of the game.
//!
//! The rank of a move is a sum: a number for the content of each of the 69 lines after the move,
//! and a number for the move's rank by threats. A line and its mirror image share their numbers.
//! The numbers were fitted to the cost of searches, not to the values of positions: of two moves
//! that cut off, the cheaper one is better; a move that does not cut off is worse the more it
//! costs. The program `fit_order` of `lab/` fits them and prints `numbers.rs`.

mod numbers;

use std::array;
use std::sync::LazyLock;

use tengen_engine::Side;

/// The smallest number of plies left at which the learned rank saves more time than it costs.
pub(super) const MIN_PLIES_LEFT: u32 = 20;

/// The number of kinds of lines. A line and its mirror image are of one kind.
pub const KINDS: usize = 36;
/// The number of states of a line: each of four cells is empty, the mover's or the opponent's.
pub const STATES: usize = 81;
/// The number of ranks. A higher rank counts as the last one.
pub const RANKS: usize = 16;
/// The scale: a difference of this many units makes the better move e times as likely to come
/// first.
pub const UNITS: f64 = 256.0;

/// The learned numbers of each side, by [`Side::index`](Side::index).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// A number for each rank by threats.
    pub ranks: [[i16; RANKS]; 2],
    /// A number for each kind and state of a line.
    pub lines: [[[i16; STATES]; KINDS]; 2],
}

/// A line of four cells, by its kind: the line itself or its mirror image.
#[derive(Clone, Copy)]
struct Line {
    kind: usize,
    /// Whether the order of the cells is the reverse of that of the kind.
    is_mirrored: bool,
}

const WIDTH: i32 = 7;
const HEIGHT: i32 = 6;
const STRIDE: i32 = HEIGHT + 1;

impl Line {
    /// Returns the line that begins at the bit `start`, its leftmost or lowest cell. Cells are
    /// `step` bits apart.
    fn at(start: i32, step: i32) -> Self {
        let (column, row) = (start / STRIDE, start % STRIDE);
        let mirrored = 3 - column.min(3);
        let (kind, is_mirrored) = match step {
            1 => (column.min(6 - column) * 3 + row, false),
            STRIDE if column > 1 => (12 + mirrored * 6 + row, true),
            STRIDE => (12 + column * 6 + row, false),
            // The rising diagonal of a pair gives the kind.
            step if step > STRIDE => (24 + column * 3 + row, false),
            _ => (24 + mirrored * 3 + row - 3, true),
        };
        Self { kind: kind as usize, is_mirrored }
    }

    /// Converts `state` from the order of the line's cells to the order of the kind's cells.
    fn state(self, state: usize) -> usize {
        if !self.is_mirrored {
            return state;
        }
        let digit = |cell: u32| state / 3_usize.pow(cell) % 3;
        (0..4).fold(0, |reversed, cell| 3 * reversed + digit(cell))
    }
}

/// A row, a column or a diagonal from edge to edge, which contains lines of four. Its state is a
/// number to the base of 3 with a digit for each cell: 1 for a stone of the mover, 2 for one of the
/// opponent.
#[derive(Clone, Copy)]
struct FullLine {
    /// The bit of the leftmost or lowest cell.
    start: i32,
    /// The distance from one cell to the next, in bits.
    step: i32,
    cells: u32,
    mask: u64,
    /// The factor that moves the cells together, see [`FullLine::gather`].
    factor: u64,
    /// The index of the sum of its first state.
    at: usize,
}

/// The number of full lines.
const FULL_LINES: usize = 25;
static FULL_LINE_LIST: [FullLine; FULL_LINES] = full_lines();
/// The number of states of all full lines together.
const SUMS: usize =
    6 * 3_usize.pow(7) + 11 * 3_usize.pow(6) + 4 * 3_usize.pow(5) + 4 * 3_usize.pow(4);
/// For each bit, the set of full lines through it.
static THROUGH: [u32; 64] = through();

const fn full_lines() -> [FullLine; FULL_LINES] {
    let mut all = [FullLine { start: 0, step: 0, cells: 0, mask: 0, factor: 0, at: 0 }; FULL_LINES];
    let (mut count, mut at, mut start) = (0, 0, 0);
    while start < WIDTH * STRIDE {
        let mut direction = 0;
        while direction < 4 {
            let step = [1, STRIDE - 1, STRIDE, STRIDE + 1][direction];
            if is_cell(start) && !is_cell(start - step) {
                let full_line = FullLine::from(start, step, at);
                if full_line.cells >= 4 {
                    all[count] = full_line;
                    (count, at) = (count + 1, at + full_line.states());
                }
            }
            direction += 1;
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

    /// Returns the bits of the full line's cells in `word`, side by side.
    // The product holds them in its highest bits. A cell is `step` bits above the cell before, and
    // is multiplied by a bit of the factor that is `step - 1` bits lower, so that neighbours meet.
    // No two bits of the product coincide.
    #[inline(always)]
    fn gather(&self, word: u64) -> usize {
        ((word & self.mask).wrapping_mul(self.factor) >> (64 - self.cells)) as usize
    }

    /// Returns the state of the full line with these stones.
    #[inline(always)]
    fn state(&self, movers: u64, others: u64) -> usize {
        const DIGITS: [u16; 1 << WIDTH] = digits();
        usize::from(DIGITS[self.gather(movers)] + 2 * DIGITS[self.gather(others)])
    }

    /// Returns the lines of four in the full line, each with the number of cells before it.
    fn lines(self) -> impl Iterator<Item = (u32, Line)> {
        (0..=self.cells - 4).map(move |before| {
            (before, Line::at(self.start + before as i32 * self.step, self.step))
        })
    }
}

/// Returns, for each set of bits, the number that has these digits to the base of 3.
const fn digits() -> [u16; 1 << WIDTH] {
    let mut numbers = [0; 1 << WIDTH];
    let mut bits = 1;
    while bits < numbers.len() {
        numbers[bits] = 3 * numbers[bits >> 1] + (bits & 1) as u16;
        bits += 1;
    }
    numbers
}

/// Returns the kind and the state of each of the 69 lines.
pub fn features(movers: u64, others: u64) -> Vec<(usize, usize)> {
    let of_full_line = |full_line: &FullLine| {
        let state = full_line.state(movers, others);
        full_line.lines().map(move |(before, line)| (line.kind, line.state(part(state, before))))
    };
    FULL_LINE_LIST.iter().flat_map(of_full_line).collect()
}

/// Returns the state of the four cells after the first `before` cells of a full line.
fn part(state: usize, before: u32) -> usize {
    state / 3_usize.pow(before) % STATES
}

impl Order {
    /// The learned numbers that the search uses.
    pub const LEARNED: Self = numbers::ORDER;
}

/// The learned numbers, summed over the lines of each full line for a fast lookup.
pub(super) struct LearnedSums {
    ranks: [[i16; RANKS]; 2],
    /// For each side and each state of each full line, the sum over its lines.
    sums: [Box<[i16; SUMS]>; 2],
}

impl LearnedSums {
    /// Returns the sums of [`Order::LEARNED`].
    pub(super) fn learned() -> &'static Self {
        static LEARNED: LazyLock<LearnedSums> = LazyLock::new(|| {
            let Order { ranks, lines } = Order::LEARNED;
            LearnedSums { ranks, sums: lines.each_ref().map(sums) }
        });
        &LEARNED
    }

    /// Returns the learned rank of a move by `mover`. `threat_rank` is its rank by threats,
    /// `movers` and `others` are the stones after the move, and `set` are the new stones.
    #[inline(always)]
    pub(super) fn rank(
        &self,
        mover: Side,
        threat_rank: i32,
        movers: u64,
        others: u64,
        set: u64,
    ) -> i32 {
        let (ranks, sums) = (&self.ranks[mover.index()], &self.sums[mover.index()]);
        let mut total = i32::from(ranks[(threat_rank.max(0) as usize).min(RANKS - 1)]);
        let sum = |full_line: &FullLine, movers, others| {
            i32::from(sums[full_line.at + full_line.state(movers, others)])
        };
        let mut changed = full_lines_through(set);
        while changed != 0 {
            let full_line = &FULL_LINE_LIST[changed.trailing_zeros() as usize];
            total += sum(full_line, movers, others) - sum(full_line, movers & !set, others & !set);
            changed &= changed - 1;
        }
        total
    }
}

/// Returns the full lines through any of `cells`, as a set of their indices.
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
    for full_line in &FULL_LINE_LIST {
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
    fn each_line_of_four_occurs_once_and_shares_its_kind_only_with_its_mirror_image() {
        let mut seen = HashSet::new();
        let mut kinds = vec![Vec::new(); KINDS];
        for full_line in &FULL_LINE_LIST {
            for (before, line) in full_line.lines() {
                let bit =
                    |cell: i32| 1 << (full_line.start + (before as i32 + cell) * full_line.step);
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
    fn the_state_of_a_full_line_has_a_digit_for_each_cell() {
        for full_line in &FULL_LINE_LIST {
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
        let last = FULL_LINE_LIST.last().unwrap();
        assert_eq!(last.at + last.states(), SUMS);
    }

    #[test]
    fn every_rank_fits_in_16_bits() {
        let widest = |numbers: &[i16]| numbers.iter().map(|number| i32::from(*number).abs()).max();
        let LearnedSums { ranks, sums } = LearnedSums::learned();
        for (ranks, sums) in ranks.iter().zip(sums) {
            let of_full_line =
                |full_line: &FullLine| widest(&sums[full_line.at..][..full_line.states()]).unwrap();
            let all: i32 = FULL_LINE_LIST.iter().map(of_full_line).sum();
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
    fn the_rank_of_a_move_is_the_difference_of_two_positions() {
        let (sums, order) = (LearnedSums::learned(), Order::LEARNED);
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
            let rank = sums.rank(Side::First, 3, movers | set, others | reply, set | reply);
            let expected = whole(movers | set, others | reply) - before;
            assert_eq!(rank - i32::from(order.ranks[0][3]), expected);
        }
    }
}
