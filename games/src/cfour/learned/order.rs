//! The data structure of the learned numbers.

/// The number of kinds of lines. A line and its mirror image are of one kind.
pub const KINDS: usize = 36;
/// The number of states of a line: each of four cells is empty, the mover's or the opponent's.
pub const STATES: usize = 81;
/// The number of ranks. A higher rank counts as the last one.
pub const RANKS: usize = 16;
/// The scale: a difference of this many units makes the better move e times as likely to come
/// first.
pub const UNITS: f64 = 256.0;

/// The learned numbers of each side, by [`Side::index`](tengen_engine::Side::index).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// A number for each rank by threats.
    pub ranks: [[i16; RANKS]; 2],
    /// A number for each kind and state of a line.
    pub lines: [[[i16; STATES]; KINDS]; 2],
}
