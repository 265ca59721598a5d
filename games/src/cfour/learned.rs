//! The order of moves far from the end of 7x6, learned from searches.
//!
//! A position after a move is worth the sum of a number for each of its 69 lines, by what stands on
//! the line, and one for the move's rank by threats; moves are told apart by the lines through the
//! stones that they set. Lines that are each other's mirror image share their numbers. The numbers
//! were not fitted to the values of positions but to what it cost to search them: of two moves that
//! both cut a node off the cheaper is the better, and one that does not is the worse the more it
//! costs. The program `fit_order` of `lab/` fits them and prints `numbers.rs`.

mod numbers;
mod order;

use std::array;
use std::sync::LazyLock;

use tengen_engine::Side;

pub use order::{KINDS, Order, RANKS, STATES, UNITS};

/// With fewer plies left a node is not worth the time.
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

    /// Returns the state of its cells from the first of the kind on, if this is theirs from its own
    /// first on.
    fn state(self, state: usize) -> usize {
        if !self.is_mirrored {
            return state;
        }
        let digit = |place: u32| state / 3_usize.pow(place) % 3;
        (0..4).fold(0, |turned, place| 3 * turned + digit(place))
    }
}

/// A row, a column or a diagonal in which lines lie, from edge to edge. What stands on it is a
/// number with a digit to the base of 3 for each cell: 1 for the mover's stone, 2 for the other's.
#[derive(Clone, Copy)]
struct Straight {
    /// The bit of the leftmost cell, or of the lowest.
    start: i32,
    /// From one cell to the next, in bits.
    step: i32,
    cells: u32,
    mask: u64,
    /// Brings the cells together.
    factor: u64,
    /// Where the sums of its states begin.
    at: usize,
}

/// How many there are.
const STRAIGHTS: usize = 25;
static ALL: [Straight; STRAIGHTS] = straights();
/// How many states they have in all.
const SUMS: usize =
    6 * 3_usize.pow(7) + 11 * 3_usize.pow(6) + 4 * 3_usize.pow(5) + 4 * 3_usize.pow(4);
/// By bit, which of them go through it.
static THROUGH: [u32; 64] = through();

const fn straights() -> [Straight; STRAIGHTS] {
    let mut all = [Straight { start: 0, step: 0, cells: 0, mask: 0, factor: 0, at: 0 }; STRAIGHTS];
    let (mut count, mut at, mut start) = (0, 0, 0);
    while start < WIDTH * STRIDE {
        let mut way = 0;
        while way < 4 {
            let step = [1, STRIDE - 1, STRIDE, STRIDE + 1][way];
            if is_cell(start) && !is_cell(start - step) {
                let straight = Straight::from(start, step, at);
                if straight.cells >= 4 {
                    all[count] = straight;
                    (count, at) = (count + 1, at + straight.states());
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
    let all = straights();
    let mut through = [0; 64];
    let mut bit = 0;
    while bit < 64 {
        let mut index = 0;
        while index < STRAIGHTS {
            through[bit] |= ((all[index].mask >> bit & 1) as u32) << index;
            index += 1;
        }
        bit += 1;
    }
    through
}

impl Straight {
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

    /// Its cells of the word, one bit after the other.
    // The product holds them in its highest bits: each cell's, `step` bits from the one before, times
    // the bit of the factor that is `step - 1` bits before the last one's. No two bits of the product
    // fall on one another.
    #[inline(always)]
    fn gather(&self, word: u64) -> usize {
        ((word & self.mask).wrapping_mul(self.factor) >> (64 - self.cells)) as usize
    }

    /// Returns what stands on it.
    #[inline(always)]
    fn state(&self, movers: u64, others: u64) -> usize {
        const DIGITS: [u16; 1 << WIDTH] = digits();
        usize::from(DIGITS[self.gather(movers)] + 2 * DIGITS[self.gather(others)])
    }

    /// Its lines, and how many cells come before each.
    fn lines(self) -> impl Iterator<Item = (u32, Line)> {
        (0..=self.cells - 4).map(move |before| {
            (before, Line::at(self.start + before as i32 * self.step, self.step))
        })
    }
}

/// By bits, the number whose digits they are to the base of 3.
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
    let of_straight = |straight: &Straight| {
        let state = straight.state(movers, others);
        straight.lines().map(move |(before, line)| (line.kind, line.state(part(state, before))))
    };
    ALL.iter().flat_map(of_straight).collect()
}

/// Returns what stands on four cells after so many others.
fn part(state: usize, before: u32) -> usize {
    state / 3_usize.pow(before) % STATES
}

impl Order {
    /// What is known.
    pub const LEARNED: Self = numbers::ORDER;
}

/// What is learned, as a search asks for it.
pub(super) struct Places {
    ranks: [[i16; RANKS]; 2],
    /// By side, for every state of every straight, the sum of the numbers of its lines.
    sums: [Box<[i16; SUMS]>; 2],
}

impl Places {
    /// Returns the places of what is known.
    pub(super) fn learned() -> &'static Self {
        static LEARNED: LazyLock<Places> = LazyLock::new(|| Places::of(&Order::LEARNED));
        &LEARNED
    }

    fn of(order: &Order) -> Self {
        Self { ranks: order.ranks, sums: order.lines.each_ref().map(sums) }
    }

    /// Returns the place in the order of a move by `mover` of this rank, after which these are its
    /// stones and those of its opponent, `set` being those that are new.
    #[inline(always)]
    pub(super) fn place(&self, mover: Side, rank: i32, movers: u64, others: u64, set: u64) -> i32 {
        let (ranks, sums) = (&self.ranks[mover.index()], &self.sums[mover.index()]);
        let mut place = i32::from(ranks[(rank.max(0) as usize).min(RANKS - 1)]);
        let sum = |straight: &Straight, movers, others| {
            i32::from(sums[straight.at + straight.state(movers, others)])
        };
        let mut changed = straights_through(set);
        while changed != 0 {
            let straight = &ALL[changed.trailing_zeros() as usize];
            place += sum(straight, movers, others) - sum(straight, movers & !set, others & !set);
            changed &= changed - 1;
        }
        place
    }
}

/// Returns the indices of the straights through any of the cells.
#[inline(always)]
fn straights_through(mut cells: u64) -> u32 {
    let mut straights = 0;
    while cells != 0 {
        straights |= THROUGH[cells.trailing_zeros() as usize];
        cells &= cells - 1;
    }
    straights
}

fn sums(lines: &[[i16; STATES]; KINDS]) -> Box<[i16; SUMS]> {
    let mut sums = Box::new([0; SUMS]);
    for straight in &ALL {
        for (before, line) in straight.lines() {
            let numbers: [i16; STATES] =
                array::from_fn(|state| lines[line.kind][line.state(state)]);
            for (state, sum) in sums[straight.at..][..straight.states()].iter_mut().enumerate() {
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
        for straight in &ALL {
            for (before, line) in straight.lines() {
                let bit =
                    |place: i32| 1 << (straight.start + (before as i32 + place) * straight.step);
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
        for straight in &ALL {
            let stones = |state: usize, digit| {
                let holds = |cell: &u32| state / 3_usize.pow(*cell) % 3 == digit;
                let bit = |cell: u32| 1 << (straight.start + cell as i32 * straight.step);
                (0..straight.cells).filter(holds).map(bit).sum::<u64>()
            };
            for state in 0..straight.states() {
                let elsewhere = Classic.board() & !straight.mask;
                let (movers, others) = (stones(state, 1), stones(state, 2));
                assert_eq!(straight.state(movers | elsewhere, others), state);
                assert_eq!(straight.state(movers, others | elsewhere), state);
            }
        }
        let last = ALL.last().unwrap();
        assert_eq!(last.at + last.states(), SUMS);
    }

    #[test]
    fn every_place_is_a_rank() {
        let widest = |numbers: &[i16]| numbers.iter().map(|number| i32::from(*number).abs()).max();
        let Places { ranks, sums } = Places::learned();
        for (ranks, sums) in ranks.iter().zip(sums) {
            let of_straight =
                |straight: &Straight| widest(&sums[straight.at..][..straight.states()]).unwrap();
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
        let (places, order) = (Places::learned(), Order::LEARNED);
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
