//! Options of subcommands that search: threads, memory and book.

use std::fmt::Display;
use std::path::PathBuf;

use tengen_engine::{Client, Settings};

use crate::exit_status::{Refusal, warn};
use crate::serve::table_mib;

/// Threads and memory.
#[derive(clap::Args)]
pub(crate) struct SearchArgs {
    /// Search threads; with one, the nodes are the same every time.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,

    /// Size of the table in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
}

impl SearchArgs {
    /// Returns the settings of a backend. `own_book` allows the game's own opening book.
    pub(crate) fn settings(&self, own_book: bool) -> Result<Settings, Refusal> {
        Ok(Settings::default()
            .with_hash_mib(table_mib(self.hash)?)
            .with_threads(self.threads.into())
            .with_own_book(own_book))
    }
}

/// The opening book.
#[derive(clap::Args)]
pub(crate) struct Books {
    /// Answer by search, without an opening book.
    #[arg(long)]
    no_book: bool,

    /// For four in a row, the opening book to ask, as "tengen book build" writes it, in place of
    /// the one that comes with the program.
    #[arg(long, value_name = "FILE", conflicts_with = "no_book")]
    book: Option<PathBuf>,
}

impl Books {
    /// Returns whether an opening book may be used.
    pub(crate) fn are_allowed(&self) -> bool {
        !self.no_book
    }

    /// Opens the chosen book for `client`. Warns if the game has books and none is available.
    pub(crate) fn open(&self, client: &mut Client) -> Result<(), Refusal> {
        let Some(file) = self.book.as_deref() else {
            let spec = client.spec();
            if self.are_allowed() && spec.has_book && !spec.has_own_book {
                warn("this build has no opening book; --book names one");
            }
            return Ok(());
        };
        let refusal = |why: &dyn Display| Refusal(format!("--book {}: {why}", file.display()));
        if !client.spec().has_book {
            return Err(refusal(&format!("{} has no books", client.spec().variant)));
        }
        client.open_book(Some(file)).map_err(|error| refusal(&error))
    }
}
