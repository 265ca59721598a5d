//! The games of this program, with proofs as books, and shelves if the program has them.

#[cfg(feature = "play")]
use std::path::PathBuf;

#[cfg(feature = "play")]
use tengen_engine::GameSpec;
#[cfg(feature = "play")]
use tengen_engine::backend::{Backend, Catalog, Event, Settings, Sink};
#[cfg(feature = "play")]
use tengen_engine::wrapper::CatalogWrapper;
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

/// The games, each with this book.
#[cfg(feature = "play")]
pub(crate) struct WithBook(pub(crate) PathBuf);

#[cfg(feature = "play")]
impl CatalogWrapper for WithBook {
    fn inner(&self) -> &dyn Catalog {
        &GAMES
    }

    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend> {
        let mut backend = Catalog::open(&GAMES, spec, settings, sink.clone());
        if let Err(why) = backend.open_book(Some(&self.0)) {
            sink(Event::Note(format!("{}: {why}", self.0.display())));
        }
        backend
    }
}
