//! [`Move`]: a move of any game.

/// A move of any game, as a number. Only the game itself knows its meaning.
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
