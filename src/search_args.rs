//! Options of commands that search: workers, threads, memory and book.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use tengen_engine::{Client, Settings};
use tengen_proofs::is_proof;
use tengen_protocol::server::Workers;

use crate::exit_status::{Refusal, refuse, warn};

/// The default number of search threads for each position.
const THREADS: u16 = 1;

/// The default size of each worker's table in MiB.
const HASH_MIB: u32 = 64;

/// The number of workers that search positions, and the threads and table of each.
#[derive(clap::Args, Debug, PartialEq)]
pub(crate) struct PoolArgs {
    /// How many positions are searched in parallel [default: cores / threads].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) workers: Option<u16>,

    /// Search threads for each position.
    #[arg(long, value_name = "M", default_value_t = THREADS,
          value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) threads: u16,

    /// Size of each worker's table in MiB.
    #[arg(long, value_name = "MIB", default_value_t = HASH_MIB,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) hash: u32,
}

impl Default for PoolArgs {
    fn default() -> Self {
        Self { workers: None, threads: THREADS, hash: HASH_MIB }
    }
}

impl PoolArgs {
    /// Returns the workers. The session ends only after all queries are answered.
    pub(crate) fn workers(&self) -> Result<Workers, Refusal> {
        Ok(Workers {
            workers: self.workers.map(usize::from),
            threads: self.threads.into(),
            hash_mib: table_mib(self.hash)?,
            ends_at_once: false,
            git: crate::COMMIT,
        })
    }
}

/// Threads and memory.
#[derive(clap::Args)]
pub(crate) struct SearchArgs {
    /// Search threads; with one, the nodes are the same every time.
    #[arg(long, value_name = "N", default_value_t = THREADS,
          value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,

    /// Size of the table in MiB.
    #[arg(long, value_name = "MIB", default_value_t = HASH_MIB,
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

    /// The proof of the game, as "tengen prove" writes it; for four in a row also an opening book of
    /// "tengen book build", in place of the one that comes with the program.
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
        open_book(client, file)
    }
}

/// Opens a book for `client`.
pub(crate) fn open_book(client: &mut Client, file: &Path) -> Result<(), Refusal> {
    let refusal = |why: &dyn Display| Refusal(format!("--book {}: {why}", file.display()));
    if !client.spec().has_book && !is_proof(file).map_err(|error| refusal(&error))? {
        let why = format!("{} has no books", client.spec().variant);
        return Err(refusal(&why));
    }
    client.open_book(Some(file)).map_err(|error| refusal(&error))
}

/// Returns the table size `asked` by `--hash`, in MiB. Refuses more than the machine's memory.
pub(crate) fn table_mib(asked: u32) -> Result<usize, Refusal> {
    let asked = asked as usize;
    match memory_mib() {
        Some(most) if asked > most => {
            refuse!("--hash {asked}: this machine has {most} MiB")
        }
        _ => Ok(asked),
    }
}

/// Returns the memory of the machine in MiB, if the system reports it.
pub(crate) fn memory_mib() -> Option<usize> {
    static READ: LazyLock<Option<usize>> = LazyLock::new(read_memory_mib);
    *READ
}

fn read_memory_mib() -> Option<usize> {
    let table = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = table.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: usize = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024)
}
