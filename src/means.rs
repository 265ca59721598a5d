//! What a search may use, as the subcommands that search take it.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use tengen_engine::backend::Settings;
use tengen_games::four_in_a_row::Classic;
use tengen_games::four_in_a_row::book::{Book, load};

use crate::board::Game;
use crate::ending::Refusal;

/// Threads and memory.
#[derive(clap::Args)]
pub(crate) struct Means {
    /// Search threads; with one, the nodes are the same every time.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) threads: u16,

    /// Size of the table in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) hash: u32,
}

/// The opening book.
#[derive(clap::Args)]
pub(crate) struct Books {
    /// Answer by search alone, without an opening book.
    #[arg(long)]
    no_book: bool,

    /// For four in a row, the opening book to ask, as "tengen book build" writes it, in place of the
    /// one that comes with the program.
    #[arg(long, value_name = "FILE", conflicts_with = "no_book")]
    book: Option<PathBuf>,
}

impl Books {
    /// `settings` with the book chosen for `game`.
    pub(crate) fn chosen(&self, game: &Game, settings: Settings) -> Result<Settings, Refusal> {
        let book = self.book.as_deref();
        if let Some(file) = book {
            check(file, game)?;
        }
        // It is needed until the program ends.
        let book = book.map(|file| -> &'static Path { Box::leak(Box::from(file)) });
        Ok(Settings { own_book: !self.no_book, book, ..settings })
    }
}

/// Whether there is a book for `game` in `file`.
fn check(file: &Path, game: &Game) -> Result<(), Refusal> {
    let refusal = |why: &dyn Display| Refusal(format!("--book {}: {why}", file.display()));
    if !game.variant.eq_ignore_ascii_case("cfour") {
        return Err(refusal(&format!("{} has no books", game.variant)));
    }
    let bytes = load(file).map_err(|error| refusal(&error))?;
    Book::read(Classic, bytes).map_err(|error| refusal(&error)).map(drop)
}
