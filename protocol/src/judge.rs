//! Judgements of searches: the moves of a game and their plot, proven scores, decisions in openings,
//! and scores in words.

#[cfg(feature = "service")]
pub mod comments;
#[cfg(feature = "service")]
pub mod plot;
pub mod review;
pub mod score_text;
pub mod solver;

use tengen_engine::opening::SwapOpening;
use tengen_engine::{Grid, Point};

/// Returns the stones of the position to search for a decision in a Swap2 opening, with `stones` on
/// the board. It is an error if their number leaves no decision.
pub(crate) fn swap2_stones(
    opening: &dyn SwapOpening,
    stones: &[Point],
    grid: Grid,
) -> Result<Vec<Point>, String> {
    let error = || format!("0, 3 or 5 stones leave a choice, not {}", stones.len());
    opening.stones(stones, grid).ok_or_else(error)
}
