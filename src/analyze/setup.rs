//! [`StartAndMoves`]: a position and the moves played from it, fitted to a board.

use tengen_engine::{GameSpec, Grid, Placement, PositionError, Side};
use tengen_records::RecordNodeId;

use super::stones::{Stone, place, turn_after};
use crate::board::{describe, describe_moves};
use crate::exit_status::Refusal;

/// The rules of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RuleOfGame {
    pub(super) variant: &'static str,
    /// Whether longer lines win, where the variant lets one choose.
    pub(super) overline: bool,
    /// A warning about the choice.
    pub(super) warning: Option<String>,
}

/// The position before the first move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Start {
    /// The starting position of the game.
    #[default]
    Usual,
    /// A position in the game's own text.
    Text(String),
    Stones(Placement),
}

/// A position and the moves played from it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct StartAndMoves {
    pub(super) start: Start,
    pub(super) moves: Vec<String>,
    /// The points on which nobody may play first.
    pub(super) blocked: Vec<String>,
    /// For each move its node, where they come from a record.
    pub(super) nodes: Vec<RecordNodeId>,
    /// For each move where it stands in its file, where they come from a record.
    pub(super) places: Vec<String>,
}

impl StartAndMoves {
    /// Returns the position of these stones.
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

    /// Returns what the game `spec` refuses of it, and where that stands.
    pub(super) fn refusal(&self, spec: &GameSpec, error: &PositionError) -> Refusal {
        if self.start == Start::Usual && self.places.is_empty() {
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

/// Returns the grid of a game; an error where it has none.
pub(super) fn needed(grid: Option<Grid>) -> Result<Grid, Refusal> {
    grid.ok_or_else(|| Refusal("this game has no board to put stones on".into()))
}
