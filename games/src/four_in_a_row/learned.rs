//! The order of moves far from the end of 7x6, learned from searches.
//!
//! A position after a move is worth the sum of a number for each of its 69 lines, by what stands on
//! the line, and one for the move's rank by threats; moves are told apart by the lines through the
//! stones that they set. Lines that are each other's mirror image share their numbers. The numbers
//! were not fitted to the values of positions but to what it cost to search them: of two moves that
//! both cut a node off the cheaper is the better, and one that does not is the worse the more it
//! costs. `cargo run --release --example fit_order` fits them and prints `numbers.rs`.

mod numbers;

use tengen_engine::Side;

/// With fewer plies left a node is not worth the time.
pub(super) const LEAST_PLIES: u32 = 20;

/// How many kinds of lines there are, mirror images being of one kind.
pub const KINDS: usize = 36;
/// How many ways there are for four cells to be empty, the mover's or the other's.
pub const STATES: usize = 81;
/// How many ranks are told apart; what is above the last counts as it.
pub const RANKS: usize = 16;
/// A difference of so many units makes it e times as likely that the better move comes first.
pub const UNITS: f64 = 256.0;

/// What is learned, for the moves of either side, by [`Side::index`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// By the rank of the move.
    pub ranks: [[i16; RANKS]; 2],
    /// By kind and state of a line.
    pub lines: [[[i16; STATES]; KINDS]; 2],
}

/// Four cells in a row.
#[derive(Clone, Copy)]
struct Line {
    /// The bit of the leftmost cell, or of the lowest.
    start: u32,
    /// From one cell to the next, in bits.
    step: u32,
    kind: usize,
    /// Whether the cells are in the opposite order of those of the kind.
    is_mirrored: bool,
}

const STRIDE: u32 = 7;
/// The directions of lines, and the cells where lines begin.
const WAYS: [(u32, u64); 4] = [
    (1, starts(7, 0, 3)),
    (STRIDE, starts(4, 0, 6)),
    (STRIDE + 1, starts(4, 0, 3)),
    (STRIDE - 1, starts(4, 3, 6)),
];

/// The cells of the first columns, in the rows `from..to`.
const fn starts(columns: u32, from: u32, to: u32) -> u64 {
    let rows = (1 << to) - (1 << from);
    let (mut cells, mut column) = (0, 0);
    while column < columns {
        cells |= rows << (column * STRIDE);
        column += 1;
    }
    cells
}

impl Line {
    #[inline(always)]
    fn at(start: u32, step: u32) -> Self {
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
        Self { start, step, kind: kind as usize, is_mirrored }
    }

    /// Which of its cells are in the word.
    #[inline(always)]
    fn cells(self, word: u64) -> usize {
        let word = word >> self.start;
        let cell = |place: u32| (word >> (place * self.step) & 1) << place;
        (cell(0) | cell(1) | cell(2) | cell(3)) as usize
    }

    /// The number of its state: a digit in the system of base 3 for each cell.
    #[inline(always)]
    fn state(self, movers: u64, others: u64) -> usize {
        const DIGITS: [[u8; 16]; 2] = [digits([1, 3, 9, 27]), digits([27, 9, 3, 1])];
        let digits = &DIGITS[usize::from(self.is_mirrored)];
        usize::from(digits[self.cells(movers)] + 2 * digits[self.cells(others)])
    }
}

const fn digits(values: [u8; 4]) -> [u8; 16] {
    let mut sums = [0; 16];
    let mut cells = 0;
    while cells < 16 {
        let mut place = 0;
        while place < 4 {
            sums[cells] += (cells >> place & 1) as u8 * values[place];
            place += 1;
        }
        cells += 1;
    }
    sums
}

/// Calls `visit` with every line through one of the cells.
#[inline(always)]
fn each_line(cells: u64, mut visit: impl FnMut(Line)) {
    for (step, starts) in WAYS {
        let near = cells | cells >> step;
        let mut left = (near | near >> (2 * step)) & starts;
        while left != 0 {
            visit(Line::at(left.trailing_zeros(), step));
            left &= left - 1;
        }
    }
}

/// The kind of each line and its state.
pub fn features(movers: u64, others: u64) -> Vec<(usize, usize)> {
    let mut features = Vec::new();
    each_line(u64::MAX, |line| features.push((line.kind, line.state(movers, others))));
    features
}

impl Order {
    /// What is known.
    pub const LEARNED: Self = numbers::ORDER;

    /// The place in the order of a move by `mover` of this rank, after which these are its stones
    /// and those of its opponent, `set` being those that are new.
    pub(super) fn place(&self, mover: Side, rank: i32, movers: u64, others: u64, set: u64) -> i32 {
        let (ranks, lines) = (&self.ranks[mover.index()], &self.lines[mover.index()]);
        let mut sum = i32::from(ranks[(rank.max(0) as usize).min(RANKS - 1)]);
        each_line(set, |line| {
            let numbers = &lines[line.kind];
            sum += i32::from(numbers[line.state(movers, others)])
                - i32::from(numbers[line.state(movers & !set, others & !set)]);
        });
        sum
    }
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
        each_line(u64::MAX, |line| {
            let cells =
                (0..4).fold(0_u64, |cells, place| cells | 1 << (line.start + place * line.step));
            assert_eq!(line.cells(cells), 15);
            assert!(cells & !Classic.board() == 0 && seen.insert(cells));
            kinds[line.kind].push(cells);
        });
        assert_eq!(seen.len(), 69);
        for lines in kinds {
            let images: Vec<u64> = lines.iter().rev().map(|cells| Classic.mirror(*cells)).collect();
            assert!(lines.len() <= 2 && images == lines, "{lines:?}");
        }
    }

    #[test]
    fn every_place_is_a_rank() {
        let Order { ranks, lines } = Order::LEARNED;
        for (ranks, lines) in ranks.iter().zip(lines) {
            let most = ranks.iter().map(|number| i32::from(*number).abs()).max();
            let span = |states: [i16; STATES]| {
                let (least, most) = (states.iter().min(), states.iter().max());
                most.zip(least).map_or(0, |(most, least)| i32::from(*most) - i32::from(*least))
            };
            let spans: i32 = lines.into_iter().map(span).sum();
            assert!(2 * spans + most.unwrap_or(0) <= i32::from(i16::MAX), "a kind has two lines");
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
        let order = Order::LEARNED;
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
            let place = order.place(Side::First, 3, movers | set, others | reply, set | reply);
            let expected = whole(movers | set, others | reply) - before;
            assert_eq!(place - i32::from(order.ranks[0][3]), expected);
        }
    }
}
