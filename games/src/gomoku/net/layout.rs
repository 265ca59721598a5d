//! The form of the net: how many numbers it has, and in which units they count.

use std::array;

use crate::gomoku::pattern::PatternShape;

/// How many numbers a pair has.
pub const CHANNELS: usize = 16;

/// How many numbers go into the hidden layer: those of the side to move, then its opponent's.
pub const INPUTS: usize = 2 * CHANNELS;

/// How many numbers the hidden layer has.
pub const HIDDEN: usize = 32;

/// The scale of a row: this many are one unit.
pub const ROW_UNITS: i32 = 256;

/// The scale of the layers after the sums: this many are one unit.
pub const HEAD_UNITS: i32 = 1024;

/// A unit of the hidden layer's input is so many units of a sum.
pub const INPUT_UNITS: i32 = 16;

/// The largest number of a row: four of them, and the difference of two points, fit in a word.
pub const MAX_IN_ROW: i16 = 4095;

/// The largest input of the hidden layer, [`ROW_UNITS`] to a unit.
pub(super) const MAX_INPUT: i32 = 1 << 14;

/// The numbers of a pair of shapes or of a window, as one side sees it.
pub type Row = [i16; CHANNELS];

/// How many shapes there are.
pub(super) const SHAPES: usize = PatternShape::COUNT;

/// How many pairs of shapes there are.
pub const PAIRS: usize = SHAPES * SHAPES;

/// The numbers of a net, which the program `tune` of `lab/` fits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// [`ROW_UNITS`] to a unit. There are [`PAIRS`] rows, by a side's own shape times 16 plus its
    /// opponent's, or [`WINDOWS`](super::WINDOWS) rows, by window with the side's stones as those of
    /// the first player.
    pub rows: Vec<Row>,
    /// The layers after the sums.
    pub head: Head,
}

/// The layers after the sums; [`HEAD_UNITS`] to a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The weights of the hidden layer by input.
    pub hidden: [[i16; HIDDEN]; INPUTS],
    /// What the hidden layer adds.
    pub bias: [i16; HIDDEN],
    /// The weights of the output.
    pub out: [i16; HIDDEN],
    /// What the output adds.
    pub out_bias: i16,
}

impl Numbers {
    /// Returns how many numbers a net with so many rows has.
    pub const fn count(rows: usize) -> usize {
        rows * CHANNELS + INPUTS * HIDDEN + HIDDEN + HIDDEN + 1
    }

    /// Returns all numbers in the order of the fields.
    pub(in crate::gomoku) fn iter(&self) -> impl Iterator<Item = i16> + '_ {
        let Head { hidden, bias, out, out_bias } = &self.head;
        let parts = [self.rows.as_flattened(), hidden.as_flattened(), bias, out];
        parts.into_iter().flatten().chain([out_bias]).copied()
    }

    /// Returns the net of so many rows and of these numbers, [`count`](Self::count) of them in the
    /// order of the fields.
    pub(in crate::gomoku) fn from_all(rows: usize, mut numbers: impl Iterator<Item = i16>) -> Self {
        let mut next = || numbers.next().unwrap_or_default();
        Self {
            rows: (0..rows).map(|_| array::from_fn(|_| next())).collect(),
            head: Head {
                hidden: array::from_fn(|_| array::from_fn(|_| next())),
                bias: array::from_fn(|_| next()),
                out: array::from_fn(|_| next()),
                out_bias: next(),
            },
        }
    }

    /// Returns whether no sum can leave its word.
    pub(in crate::gomoku) fn is_in_range(&self) -> bool {
        let mut rows = self.rows.as_flattened().iter();
        let Head { hidden, bias, .. } = &self.head;
        let most_in_hidden = |place: usize| {
            let weights = hidden.iter().map(|weights| i64::from(weights[place].unsigned_abs()));
            let bias = i64::from(bias[place].unsigned_abs());
            bias * i64::from(ROW_UNITS) + weights.sum::<i64>() * i64::from(MAX_INPUT)
        };
        rows.all(|number| number.unsigned_abs() <= MAX_IN_ROW as u16)
            && (0..HIDDEN).all(|place| most_in_hidden(place) <= i64::from(i32::MAX))
    }
}
