//! The names and letters of the two sides.

use tengen_engine::{GameSpec, Side};

/// Returns the name of a side: the colour of its stones if the game has a board.
pub(crate) fn side_name(spec: &GameSpec, side: Side) -> &'static str {
    match (spec.grid.map(|notation| notation.falls()), side) {
        (Some(false), Side::First) => "Black",
        (Some(false), Side::Second) => "White",
        (Some(true), Side::First) => "Red",
        (Some(true), Side::Second) => "Yellow",
        (None, Side::First) => "First",
        (None, Side::Second) => "Second",
    }
}

/// Returns the letter of a side's stones in plain text.
pub(crate) fn side_letter(side: Side) -> char {
    match side {
        Side::First => 'X',
        Side::Second => 'O',
    }
}
