//! Decisions in a Swap2 opening: which position to search, and the decision from its result.
//!
//! The session gathers the reports of all lines in a [`MoveRanking`].
//! [`SwapOpening`](tengen_engine::opening::SwapOpening), which belongs to the game, judges the
//! positions and proposes the stones.

use tengen_engine::opening::{MoveRanking, SwapDecision, SwapOpening};
use tengen_engine::{Answer, Grid, GridNotation, Move, Point};

use super::stones::StoneList;

/// A decision in a Swap2 opening, and the stones of the position to search.
#[derive(Clone)]
pub(in crate::session) struct SwapChoice {
    opening: &'static dyn SwapOpening,
    stones: Vec<Point>,
}

impl SwapChoice {
    /// Returns the decision with `stones` on the board; `None` if their number leaves no decision.
    pub(super) fn new(
        opening: &'static dyn SwapOpening,
        stones: &[Point],
        grid: Grid,
    ) -> Option<Self> {
        Some(Self { opening, stones: opening.stones(stones, grid)? })
    }

    /// Returns the stones of the position to search, with us to move.
    pub(super) fn stones(&self) -> StoneList {
        StoneList::alternating(&self.stones)
    }

    /// Returns whether the search considers a move on `point`.
    pub(super) fn considers(&self, point: Point) -> bool {
        self.opening.considers(&self.stones, point)
    }

    /// Returns whether the decision needs only the best move.
    pub(super) fn needs_one_line(&self) -> bool {
        self.opening.needs_one_line(&self.stones)
    }

    /// Returns the decision from the ranked moves and the answer of the search; `None` if the
    /// answer has no move.
    pub(super) fn decide(
        &self,
        ranking: &MoveRanking,
        answer: &Answer<Move>,
        grid: GridNotation,
    ) -> Option<SwapDecision> {
        ranking.decide(self.opening, &self.stones, answer, grid)
    }
}
