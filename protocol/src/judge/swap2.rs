//! [`SwapChoice`]: a decision in a Swap2 opening: which position to search, and the decision from its
//! result.
//!
//! [`SwapOpening`], which belongs to the game, judges the positions and proposes the stones.

use tengen_engine::opening::{MoveRanking, SwapDecision, SwapOpening};
use tengen_engine::{Answer, Grid, GridNotation, Move, Point};

/// A decision in a Swap2 opening, and the stones of the position to search.
#[derive(Clone)]
pub(crate) struct SwapChoice {
    opening: &'static dyn SwapOpening,
    pub(crate) stones: Vec<Point>,
}

impl SwapChoice {
    /// Returns the decision with `stones` on the board. It is an error if their number leaves no
    /// decision.
    pub(crate) fn new(
        opening: &'static dyn SwapOpening,
        stones: &[Point],
        grid: Grid,
    ) -> Result<Self, String> {
        let error = || format!("0, 3 or 5 stones leave a choice, not {}", stones.len());
        Ok(Self { opening, stones: opening.stones(stones, grid).ok_or_else(error)? })
    }

    /// Returns whether the search considers a move on `point`.
    pub(crate) fn considers(&self, point: Point) -> bool {
        self.opening.considers(&self.stones, point)
    }

    /// Returns whether the decision needs only the best move.
    pub(crate) fn needs_one_line(&self) -> bool {
        self.opening.needs_one_line(&self.stones)
    }

    /// Returns the decision from the ranked moves and the answer of the search; `None` if the
    /// answer has no move.
    pub(crate) fn decide(
        &self,
        ranking: &MoveRanking,
        answer: &Answer<Move>,
        grid: GridNotation,
    ) -> Option<SwapDecision> {
        ranking.decide(self.opening, &self.stones, answer, grid)
    }
}
