//! Opening books as a search uses them.
//!
//! The search keeps one handle for all its nodes. Books know the rules of their game and no search.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use crate::prover::Probe;
use crate::rules::Game;

/// Proven scores of the positions with many plies left.
pub trait OpeningBook<G: Game>: Send + Sync {
    /// Returns the fewest plies left at which the book may have a position. It is asked about no
    /// position with fewer.
    fn plies_left(&self) -> u32;

    /// Returns the score of a position of a game that goes on, and the best move as far as the book
    /// knows it.
    fn probe(&self, game: &G) -> Option<Probe<G::Move>>;
}

/// Opens the books of a game.
pub trait BookSource<G: Game>: Send + Sync {
    /// Returns whether a book comes with the game. Otherwise only files can be opened.
    fn has_own(&self) -> bool;

    /// Opens the book in `file`, or the one that comes with the game.
    fn open(&self, file: Option<&Path>) -> Result<Arc<dyn OpeningBook<G>>, Box<dyn Error>>;
}
