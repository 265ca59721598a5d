//! [`Threats`]: what a side threatens in a position, for games that know threats.

use crate::game::side::Side;
use crate::text::typed_move::Move;

/// What a side threatens, if it were to move.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Threats {
    /// The side.
    pub side: Side,
    /// The moves that make threats, the strongest first.
    pub moves: Vec<ThreatMove>,
    /// Whether every move was searched to the end for a win.
    pub is_complete: bool,
}

impl Threats {
    /// Creates the threats of `side`.
    pub fn new(side: Side, moves: Vec<ThreatMove>, is_complete: bool) -> Self {
        Self { side, moves, is_complete }
    }
}

/// The result of a search for a win by continuous fours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FoursResult {
    /// The side to move wins by these moves of both sides.
    Win(Vec<Move>),
    /// It has no such win.
    NoWin,
    /// The search ended by its limit.
    Unknown,
}

/// A move that makes a threat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreatMove {
    /// The move.
    pub mv: Move,
    /// The game's name for what the move makes, such as `open four`.
    pub kind: &'static str,
    /// The forced win that begins with the move; `None` if no win was found.
    pub win: Option<ForcedWin>,
}

/// A win by threats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForcedWin {
    /// The number of plies to the win, at most.
    pub plies: u32,
    /// The moves of both sides, from the first threat on.
    pub line: Vec<Move>,
}
