//! The opening book of a search, and the probe of book and solver.

use std::sync::Arc;

use crate::game::rules::Game;
use crate::game::window::Window;
use crate::search::context::{Context, Interrupt};
use crate::search::evaluator::book::OpeningBook;
use crate::search::evaluator::prover::{Probe, Prover};

/// The open book, if there is one.
pub(super) struct BookHandle<G> {
    book: Option<Arc<dyn OpeningBook<G>>>,
    /// The minimum of plies left at which the book is probed; `u32::MAX` without a book. The
    /// comparison spares most nodes a virtual call.
    plies_left: u32,
}

impl<G: Game> BookHandle<G> {
    pub(super) fn new(book: Option<Arc<dyn OpeningBook<G>>>) -> Self {
        let plies_left = book.as_ref().map_or(u32::MAX, |book| book.plies_left());
        Self { book, plies_left }
    }

    pub(super) fn closed() -> Self {
        Self { book: None, plies_left: u32::MAX }
    }

    /// Probes the book for a position, then the solver if the book does not have it.
    #[inline(always)]
    pub(super) fn probe_book_or_solver<E: Prover<G>>(
        &self,
        game: &G,
        evaluator: &mut E,
        window: Window,
        context: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Interrupt> {
        if game.plies_left() >= self.plies_left
            && let Some(probe) = self.probe(game)
        {
            return Ok(Some(probe));
        }
        evaluator.probe(game, window, context)
    }

    #[cold]
    fn probe(&self, game: &G) -> Option<Probe<G::Move>> {
        self.book.as_ref()?.probe(game)
    }
}
