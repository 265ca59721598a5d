//! The net of the evaluation, over the lines through every empty point.
//!
//! Each line has a row of numbers, found by the pair of shapes of both sides in the line, or by its
//! window. The four rows of a point are summed, and negative numbers become 0. The sums over all
//! points, with the colours as each side sees them, go through one hidden layer. A stone changes
//! few lines and few sums.
//!
//! The net reads what [`super::points`] recorded and does not depend on a search. The program
//! `tune` of `lab/` fits the numbers; [`super::eval_file`] reads and writes them.
// CITE: Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi",
// 2018; of points with four lines each: Jin, Duan and Hang, "Rapfi: distilling efficient neural
// network for the game of gomoku", arXiv:2503.13178, 2025.

mod accumulator;
mod layout;
mod windows;

use crate::gomoku::eval::weights::UNITS;

pub(crate) use accumulator::NetAccumulator;
pub use layout::{
    CHANNELS, HEAD_UNITS, HIDDEN, Head, INPUT_UNITS, INPUTS, MAX_IN_ROW, Numbers, PAIRS, ROW_UNITS,
    Row,
};
use layout::{MAX_INPUT, SHAPES};
pub use windows::WINDOWS;
pub(crate) use windows::Windows;

/// A point or a row, as the first player sees the colours, then as the second player does. It fills
/// a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Both([i16; INPUTS]);

impl Both {
    /// A taken point: all zeros.
    const NOTHING: Self = Self([0; INPUTS]);

    fn of(as_first: &Row, as_second: &Row) -> Self {
        let mut both = Self::NOTHING;
        both.0[..CHANNELS].copy_from_slice(as_first);
        both.0[CHANNELS..].copy_from_slice(as_second);
        both
    }
}

/// The sums over all points, as both sides see the colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
struct Sums([i32; INPUTS]);

impl Sums {
    const NONE: Self = Self([0; INPUTS]);
}

impl Head {
    /// Returns what the net adds to the evaluation. `sums` begin with those of the side to move.
    fn value(&self, sums: &Sums) -> i32 {
        let mut hidden = self.bias.map(|bias| i32::from(bias) * ROW_UNITS);
        for (&sum, weights) in sums.0.iter().zip(&self.hidden) {
            let input = ((sum + INPUT_UNITS / 2) / INPUT_UNITS).min(MAX_INPUT);
            for (sum, &weight) in hidden.iter_mut().zip(weights) {
                *sum += input * i32::from(weight);
            }
        }
        let mut out = i64::from(self.out_bias) * i64::from(HEAD_UNITS);
        for (&sum, &weight) in hidden.iter().zip(&self.out) {
            out += i64::from(sum.max(0) / ROW_UNITS) * i64::from(weight);
        }
        // The shift rounds down; adding half rounds to the nearest.
        const BITS: u32 = 2 * HEAD_UNITS.ilog2();
        ((out * i64::from(UNITS) + (1 << (BITS - 1))) >> BITS) as i32
    }
}

/// The net of a rule, prepared for lookups.
#[derive(Debug)]
pub(crate) struct Net {
    /// By window, or by pair of shapes with the first player's in the low four bits.
    rows: Vec<Both>,
    /// `None` if the rows are those of pairs of shapes.
    windows: Option<&'static Windows>,
    /// By side to move.
    heads: [Head; 2],
}

impl Net {
    /// Creates a net from the numbers of each side to move. Both must have the same number of rows.
    pub(crate) fn new(numbers: [&Numbers; 2]) -> Self {
        let heads = numbers.map(|numbers| numbers.head.clone());
        let [first, second] = numbers.map(|numbers| &numbers.rows[..]);
        if first.len() == PAIRS {
            let row = |pair: usize| {
                let [low, high] = [pair % SHAPES, pair / SHAPES];
                Both::of(&first[low * SHAPES + high], &second[high * SHAPES + low])
            };
            return Self { rows: (0..PAIRS).map(row).collect(), windows: None, heads };
        }
        let windows = Windows::all();
        let exchanged = windows.exchanged().iter().map(|&window| &second[usize::from(window)]);
        let rows = first.iter().zip(exchanged).map(|(first, second)| Both::of(first, second));
        Self { rows: rows.collect(), windows: Some(windows), heads }
    }
}
