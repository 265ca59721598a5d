//! The engine of a session: its games, its bench, and the limits of the machine and of the client.

use std::sync::Arc;

use tengen_engine::backend::{Backend, Catalog, Settings, Sink};
use tengen_engine::bench;
use tengen_engine::{Control, GameSpec};

use crate::io::lines::MAX_LINE_BYTES;
use crate::options::{Key, Options};

/// Starts a bench of a catalogue's positions, to a depth in plies or the default depth, and returns
/// immediately. The sink gets notes, then the total.
pub type StartBench = fn(&'static dyn Catalog, Option<u32>, Sink) -> Control;

/// The engine of a session.
#[derive(Clone, Copy)]
pub struct Engine {
    /// The games.
    pub catalog: &'static dyn Catalog,
    /// Starts the bench.
    pub bench: StartBench,
    /// The machine's memory in MiB, the limit of the table; `None` when unknown.
    pub memory_mib: Option<usize>,
    /// How many threads the machine runs in parallel, the number of its cores.
    pub cores: usize,
    /// The limits of a client on another machine; `None` for a client on standard input. A client on
    /// another machine cannot name files, nor run a perft or a bench.
    pub remote: Option<RemoteLimits>,
    /// Whether a client may name a file for a log.
    pub keeps_log: bool,
}

/// The limits of a client on another machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RemoteLimits {
    /// The maximum table size, in MiB.
    pub hash_mib: usize,
    /// The maximum number of search threads.
    pub threads: usize,
    /// The maximum number of lines of play.
    pub multi_pv: usize,
    /// The maximum length of a line of the client, in bytes.
    pub line_bytes: usize,
}

/// A function that opens the search of a game.
pub type OpenSearch = Arc<dyn Fn(&GameSpec, &Settings, Sink) -> Box<dyn Backend> + Send + Sync>;

impl Engine {
    /// Returns an engine for the games of `catalog` and the default bench, on a machine with one
    /// core and unknown memory.
    pub fn new(catalog: &'static dyn Catalog) -> Self {
        let (bench, memory_mib, remote) = (bench::start, None, None);
        Self { catalog, bench, memory_mib, cores: 1, remote, keeps_log: true }
    }

    /// Returns how long a line of the client may be, in bytes.
    pub(super) fn line_bytes(&self) -> usize {
        self.remote.map_or(MAX_LINE_BYTES, |limits| limits.line_bytes)
    }

    /// Returns the options that clients may set.
    pub(super) fn options(&self) -> Options {
        let mut options = Options::new(self.catalog, self.memory_mib);
        if !self.keeps_log {
            options = options.without(Key::LogFile);
        }
        match self.remote {
            None => options,
            Some(RemoteLimits { hash_mib, threads, multi_pv, .. }) => options
                .with_max(Key::Hash, hash_mib)
                .with_max(Key::Threads, threads)
                .with_max(Key::MultiPv, multi_pv),
        }
    }
}
