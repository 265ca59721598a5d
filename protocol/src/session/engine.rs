//! The engine that a session drives: its games, its bench, and the limits of the machine and of the
//! client. It knows no conversation.

use std::sync::Arc;

use tengen_engine::backend::{Backend, Catalog, Settings, Sink};
use tengen_engine::bench;
use tengen_engine::{Control, GameSpec};

use crate::options::{Key, Options};

/// Starts a bench of a catalogue's positions and returns at once; the sink gets notes, then the
/// total.
pub type StartBench = fn(&'static dyn Catalog, Option<u32>, Sink) -> Control;

/// The engine that a session drives.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Engine {
    /// The games.
    pub catalog: &'static dyn Catalog,
    /// Its bench.
    pub bench: StartBench,
    /// How much memory the machine has, if that is known: no table can be larger.
    pub memory_mib: Option<usize>,
    /// How many threads the machine runs at once.
    pub cores: usize,
    /// What a client on another machine may ask for; `None` for the one client of a process.
    pub remote: Option<RemoteLimits>,
}

/// What a client on another machine may ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RemoteLimits {
    /// The largest table, in MiB.
    pub hash_mib: usize,
    /// The most search threads.
    pub threads: usize,
    /// The most lines of play.
    pub multi_pv: usize,
}

/// Opens the search of a game.
pub type OpenSearch = Arc<dyn Fn(&GameSpec, &Settings, Sink) -> Box<dyn Backend> + Send + Sync>;

impl Engine {
    /// Returns the games of `catalog` and the engine's bench of them, on a machine of one core
    /// whose memory is not known.
    pub fn new(catalog: &'static dyn Catalog) -> Self {
        Self { catalog, bench: bench::start, memory_mib: None, cores: 1, remote: None }
    }

    /// Sets how much memory the machine has, if that is known.
    #[must_use]
    pub fn with_memory_mib(mut self, memory_mib: Option<usize>) -> Self {
        self.memory_mib = memory_mib;
        self
    }

    /// Sets how many threads the machine runs at once.
    #[must_use]
    pub fn with_cores(mut self, cores: usize) -> Self {
        self.cores = cores;
        self
    }

    /// Sets what a client on another machine may ask for. It names no file, counts nothing and
    /// benches nothing.
    #[must_use]
    pub fn with_remote_limits(mut self, limits: RemoteLimits) -> Self {
        self.remote = Some(limits);
        self
    }

    /// Replaces the bench.
    #[must_use]
    pub fn with_bench(mut self, bench: StartBench) -> Self {
        self.bench = bench;
        self
    }

    /// Returns the options that its clients may set.
    pub(super) fn options(&self) -> Options {
        let options = Options::new(self.catalog, self.memory_mib);
        match self.remote {
            None => options,
            Some(RemoteLimits { hash_mib, threads, multi_pv }) => options
                .at_most(Key::Hash, hash_mib)
                .at_most(Key::Threads, threads)
                .at_most(Key::MultiPv, multi_pv),
        }
    }
}
