//! A proof that a program begins with, as the book of its game.

use std::path::Path;

use tengen_engine::GameSpec;
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;
use tengen_proofs::{ProofBook, WithProofs};

use crate::exit_status::Refusal;

/// Reads and checks the proof of `--book`.
pub(crate) fn read_proof(file: &Path) -> Result<ProofBook, Refusal> {
    let read = ProofBook::read(file, &CATALOG);
    read.map_err(|why| Refusal(format!("--book {}: {why}", file.display())))
}

/// Returns the games, that of the proof with it as its book. They live as long as the program.
pub(crate) fn with_proof(book: ProofBook) -> &'static dyn Catalog {
    let first = move |game: &GameSpec| book.clone().check_game(game).ok();
    Box::leak(Box::new(WithProofs::beginning_with(&CATALOG, first)))
}
