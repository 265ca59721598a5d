//! Opening books as a search uses them.
//!
//! A book uses the rules of its game. It does not use the search.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use crate::game::rules::Game;
use crate::search::evaluator::prover::Probe;

/// A book with proven scores of positions early in the game.
pub trait OpeningBook<G: Game>: Send + Sync {
    /// Returns the minimum of plies left of the positions in the book. The search probes no
    /// position with fewer.
    fn plies_left(&self) -> u32;

    /// Returns the score of a position, and its best move if the book has one. `None` if the book
    /// does not have the position. The game is not over.
    fn probe(&self, game: &G) -> Option<Probe<G::Move>>;
}

/// Opens the books of a game.
pub trait BookSource<G: Game>: Send + Sync {
    /// Returns whether a book comes with the game. If not, books can be opened only from files.
    fn has_own(&self) -> bool;

    /// Opens the book in `file`, or with `None` the book that comes with the game.
    fn open(&self, file: Option<&Path>) -> Result<Arc<dyn OpeningBook<G>>, Box<dyn Error>>;
}
