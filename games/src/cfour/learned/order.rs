//! The form of the learned numbers: one for each kind and state of a line, and one for each rank.

/// How many kinds of lines there are, mirror images being of one kind.
pub const KINDS: usize = 36;
/// How many ways there are for four cells to be empty, the mover's or the other's.
pub const STATES: usize = 81;
/// The number of ranks. A higher rank counts as the last one.
pub const RANKS: usize = 16;
/// A difference of so many units makes it e times as likely that the better move comes first.
pub const UNITS: f64 = 256.0;

/// The learned numbers for the moves of either side, by
/// [`Side::index`](tengen_engine::Side::index).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// A number for each rank by threats.
    pub ranks: [[i16; RANKS]; 2],
    /// A number for each kind and state of a line.
    pub lines: [[[i16; STATES]; KINDS]; 2],
}
