//! [`Move`]: a move outside its game.

/// A move as it crosses the border of a game: a number that only its game reads.
///
/// On a grid, [`GridNotation::move_to`](crate::GridNotation::move_to) and
/// [`GridNotation::point_of`](crate::GridNotation::point_of) convert it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move(u32);

impl Move {
    /// Returns the move with this number.
    pub const fn from_code(code: u32) -> Self {
        Self(code)
    }

    /// Returns the number of the move.
    pub const fn code(self) -> u32 {
        self.0
    }
}
