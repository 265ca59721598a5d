//! [`SwapOpening`]: an opening in which the players choose their sides.
//!
//! It knows no search and no dialect.

use crate::coords::{Grid, Point};
use crate::score::Score;

/// A move that a search ranked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// The move.
    pub point: Point,
    /// The expected reply; `None` where the search shows none.
    pub reply: Option<Point>,
    /// The score of the last iteration, for the side that moves.
    pub score: Score,
    /// The score of the iteration before.
    pub before: Option<Score>,
}

/// The decision of a player in such an opening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SwapDecision {
    /// Takes the other side.
    Swap,
    /// Puts these stones.
    Stones(Vec<Point>),
}

/// An opening in which the players choose their sides. Stones are listed as they were put: first
/// player, second player, first player...
pub trait SwapOpening: Send + Sync {
    /// Returns the stones on which a search decides, given the stones on the board; `None` when that
    /// many stones leave no choice. An empty board gets the first stones of a proposal.
    fn stones(&self, stones: &[Point], grid: Grid) -> Option<Vec<Point>>;

    /// Returns whether the search considers a move, given the stones that it starts from.
    fn considers(&self, stones: &[Point], point: Point) -> bool;

    /// Returns whether the search needs to rank only its best move.
    fn needs_one_line(&self, stones: &[Point]) -> bool;

    /// Decides by what the search found: its best move, and every move that it ranked.
    fn decide(&self, stones: &[Point], best: &RankedMove, ranked: &[RankedMove]) -> SwapDecision;
}
