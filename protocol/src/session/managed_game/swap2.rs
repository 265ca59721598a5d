//! The search behind a choice in an opening in which the players swap sides.
//!
//! The session gathers the reports of all lines in a [`MoveRanking`]. What is even and which stones to
//! propose is the game's judgement:
//! [`SwapOpening`](tengen_engine::opening::SwapOpening).

use tengen_engine::opening::{MoveRanking, SwapDecision, SwapOpening};
use tengen_engine::{Answer, Grid, GridNotation, Move, Point};

use super::stones::StoneList;

/// A choice to make, and the stones that its search starts from.
#[derive(Clone)]
pub(in crate::session) struct SwapChoice {
    opening: &'static dyn SwapOpening,
    stones: Vec<Point>,
}

impl SwapChoice {
    /// Returns the choice that the stones on the board leave; `None` for a number of stones that
    /// leaves none.
    pub(super) fn new(
        opening: &'static dyn SwapOpening,
        stones: &[Point],
        grid: Grid,
    ) -> Option<Self> {
        Some(Self { opening, stones: opening.stones(stones, grid)? })
    }

    /// Returns the position in which to search, we to move.
    pub(super) fn stones(&self) -> StoneList {
        StoneList::of_turns(&self.stones)
    }

    /// Returns whether a move is to be looked at.
    pub(super) fn considers(&self, point: Point) -> bool {
        self.opening.considers(&self.stones, point)
    }

    /// Returns whether one best move is enough to know.
    pub(super) fn needs_one_line(&self) -> bool {
        self.opening.needs_one_line(&self.stones)
    }

    /// Returns the choice, by the lines of play that the search ranked and its answer; `None` if
    /// the answer names no move.
    pub(super) fn decide(
        &self,
        ranking: &MoveRanking,
        answer: &Answer<Move>,
        grid: GridNotation,
    ) -> Option<SwapDecision> {
        ranking.decide(self.opening, &self.stones, answer, grid)
    }
}
