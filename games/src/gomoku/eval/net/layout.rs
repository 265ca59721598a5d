//! The dimensions of the net, and the scales of its numbers.

use std::array;

use crate::gomoku::pattern::PatternShape;

/// The length of a row (the size of the accumulator).
pub const CHANNELS: usize = 16;

/// The number of inputs of the hidden layer: those of the side to move, then those of its opponent.
pub const INPUTS: usize = 2 * CHANNELS;

/// The number of neurons of the hidden layer.
pub const HIDDEN: usize = 32;

/// The scale of a row: this number stands for 1.
pub const ROW_UNITS: i32 = 256;

/// The scale of the layers after the sums: this number stands for 1.
pub const HEAD_UNITS: i32 = 1024;

/// The divisor of a sum that becomes an input of the hidden layer.
pub const INPUT_UNITS: i32 = 16;

/// The maximum number of a row. The sum of four rows, and the difference of two points, must fit in
/// 16 bits.
pub const MAX_IN_ROW: i16 = 4095;

/// The largest input of the hidden layer, in the scale of [`ROW_UNITS`].
pub(crate) const MAX_INPUT: i32 = 1 << 14;

/// The numbers of a pair of shapes or of a window, as one side sees it.
pub type Row = [i16; CHANNELS];

/// The number of shapes.
pub(crate) const SHAPES: usize = PatternShape::COUNT;

/// The number of pairs of shapes.
pub const PAIRS: usize = SHAPES * SHAPES;

/// The numbers of a net, which the program `tune` of `lab/` fits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// The rows, in the scale of [`ROW_UNITS`]: [`PAIRS`] rows, with index 16 times the side's own
    /// shape plus its opponent's; or [`WINDOWS`](super::WINDOWS) rows, by window with the side's
    /// stones as those of the first player.
    pub rows: Vec<Row>,
    /// The layers after the sums.
    pub head: Head,
}

/// The layers after the sums, in the scale of [`HEAD_UNITS`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The weights of the hidden layer, by input.
    pub hidden: [[i16; HIDDEN]; INPUTS],
    /// The biases of the hidden layer.
    pub bias: [i16; HIDDEN],
    /// The weights of the output.
    pub out: [i16; HIDDEN],
    /// The bias of the output.
    pub out_bias: i16,
}

impl Numbers {
    /// Returns the number of weights and biases of a net with `rows` rows.
    pub const fn count(rows: usize) -> usize {
        rows * CHANNELS + INPUTS * HIDDEN + HIDDEN + HIDDEN + 1
    }

    /// Returns all numbers in the order of the fields.
    pub(crate) fn iter(&self) -> impl Iterator<Item = i16> + '_ {
        let Head { hidden, bias, out, out_bias } = &self.head;
        let parts = [self.rows.as_flattened(), hidden.as_flattened(), bias, out];
        parts.into_iter().flatten().chain([out_bias]).copied()
    }

    /// Creates a net of `rows` rows from [`count`](Self::count) numbers in the order of the fields.
    pub(crate) fn from_all(rows: usize, mut numbers: impl Iterator<Item = i16>) -> Self {
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

    /// Returns whether no sum of the net can overflow.
    pub(crate) fn is_in_range(&self) -> bool {
        let mut rows = self.rows.as_flattened().iter();
        let Head { hidden, bias, .. } = &self.head;
        let max_hidden_sum = |neuron: usize| {
            let weights = hidden.iter().map(|weights| i64::from(weights[neuron].unsigned_abs()));
            let bias = i64::from(bias[neuron].unsigned_abs());
            bias * i64::from(ROW_UNITS) + weights.sum::<i64>() * i64::from(MAX_INPUT)
        };
        rows.all(|number| number.unsigned_abs() <= MAX_IN_ROW as u16)
            && (0..HIDDEN).all(|neuron| max_hidden_sum(neuron) <= i64::from(i32::MAX))
    }
}
