//! The form of the net: how many numbers it has, and in which units they count.

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

/// The numbers of a pair, as one side sees it.
pub type Row = [i16; CHANNELS];

/// How many shapes a row is found by.
pub(super) const SHAPES: usize = PatternShape::COUNT;

/// The numbers of a net, as the program `tune` of `lab/` prints them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// By a side's own shape, then by its opponent's; [`ROW_UNITS`] to a unit.
    pub rows: [[Row; SHAPES]; SHAPES],
    /// The weights of the hidden layer by input; [`HEAD_UNITS`] to a unit.
    pub hidden: [[i16; HIDDEN]; INPUTS],
    /// What the hidden layer adds; [`HEAD_UNITS`] to a unit.
    pub bias: [i16; HIDDEN],
    /// The weights of the output; [`HEAD_UNITS`] to a unit.
    pub out: [i16; HIDDEN],
    /// What the output adds; [`HEAD_UNITS`] to a unit.
    pub out_bias: i16,
}

impl Numbers {
    /// Returns whether no sum can leave its word.
    pub(super) const fn fit(&self) -> bool {
        let rows = self.rows.as_flattened().as_flattened();
        let mut place = 0;
        while place < rows.len() {
            if rows[place].unsigned_abs() > MAX_IN_ROW as u16 {
                return false;
            }
            place += 1;
        }
        let mut place = 0;
        while place < HIDDEN {
            let mut most = self.bias[place].unsigned_abs() as i64 * ROW_UNITS as i64;
            let mut input = 0;
            while input < INPUTS {
                most += self.hidden[input][place].unsigned_abs() as i64 * MAX_INPUT as i64;
                input += 1;
            }
            if most > i32::MAX as i64 {
                return false;
            }
            place += 1;
        }
        true
    }
}
