//! The games of this program, with proofs as books, and shelves if the program has them.

use tengen_games::CATALOG;
use tengen_proofs::WithProofs;
#[cfg(feature = "shelf")]
use tengen_shelf::service::WithShelves;

/// The games of the catalogue, with the books that this program can open.
#[cfg(feature = "shelf")]
pub(crate) static GAMES: WithProofs = WithProofs::new(&SHELVES);
#[cfg(feature = "shelf")]
static SHELVES: WithShelves = WithShelves::new(&CATALOG);
/// The games of the catalogue, with the books that this program can open.
#[cfg(not(feature = "shelf"))]
pub(crate) static GAMES: WithProofs = WithProofs::new(&CATALOG);
