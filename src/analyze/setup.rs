//! [`StartAndMoves`]: a position and the moves played from it, for one board.

use tengen_engine::{GameSpec, Grid, GridNotation, Placement, PositionError, Side};
use tengen_records::RecordNodeId;

use super::stones::{Stone, place, turn_after};
use crate::board::{describe, describe_moves};
use crate::exit_status::Refusal;

/// The rules of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RuleOfGame {
    pub(super) variant: &'static str,
    /// Whether overlines win, if the variant has that option.
    pub(super) overline: bool,
    /// A warning about the choice of the variant.
    pub(super) warning: Option<String>,
}

/// The position before the first move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Start {
    /// The starting position of the game.
    #[default]
    Initial,
    /// A position in the game's own text.
    Text(String),
    Stones(Placement),
}

/// A position and the moves played from it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct StartAndMoves {
    pub(super) start: Start,
    pub(super) moves: Vec<String>,
    /// Points that are excluded from the search.
    pub(super) blocked: Vec<String>,
    /// The record nodes of the moves; empty if the moves are not from a record.
    pub(super) nodes: Vec<RecordNodeId>,
    /// The places of the moves in their file; empty if the moves are not from a record.
    pub(super) places: Vec<String>,
}

impl StartAndMoves {
    /// Returns a position with `stones`. `turn` is the side to move; `None` derives it from the
    /// number of stones.
    pub(super) fn of_stones(
        grid: Grid,
        stones: &[Stone],
        turn: Option<Side>,
    ) -> Result<Self, Refusal> {
        let turn = turn.unwrap_or_else(|| turn_after(stones));
        if stones.is_empty() && turn == Side::First {
            return Ok(Self::default());
        }
        let start = Start::Stones(place(grid, stones, turn).map_err(Refusal)?);
        Ok(Self { start, ..Self::default() })
    }

    /// Returns the message for an error of the game `spec`, with the place of the move in its file.
    pub(super) fn refusal(&self, spec: &GameSpec, error: &PositionError) -> Refusal {
        if self.start == Start::Initial && self.places.is_empty() {
            let moves: Vec<&str> = self.moves.iter().map(String::as_str).collect();
            return Refusal(describe_moves(spec, &moves, error));
        }
        let place = match error {
            PositionError::Move(number, _) => self.places.get(number - 1),
            _ => None,
        };
        let why = describe(error);
        Refusal(place.map_or(why.clone(), |place| format!("{place}: {why}")))
    }
}

/// Returns the grid notation of a game. Refuses a game without a grid.
pub(super) fn require_grid(notation: Option<GridNotation>) -> Result<GridNotation, Refusal> {
    notation.ok_or_else(|| Refusal("this game has no board to put stones on".into()))
}
