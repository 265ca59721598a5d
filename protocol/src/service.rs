//! [`Service`]: what a program offers to the sessions of its clients: games, workers, limits.

use std::time::Duration;

use tengen_engine::backend::Catalog;

use crate::explorer::{NO_SHELF, OptionalExplorer};

/// The games, workers and limits of sessions.
#[derive(Clone, Copy)]
pub struct Service {
    /// The games.
    pub catalog: &'static dyn Catalog,
    /// The default variant of queries; `None` for the catalogue's first.
    pub variant: Option<&'static str>,
    /// How many positions are searched in parallel.
    pub workers: usize,
    /// The maximum and default number of threads of a search.
    pub threads: usize,
    /// The size of each worker's table, in MiB.
    pub hash_mib: usize,
    /// The limits of each session.
    pub limits: SessionLimits,
    /// The commit of the program; `None` if it is not known.
    pub git: Option<&'static str>,
    /// What answers `explore`, `find` and `read_game`.
    pub explorer: OptionalExplorer,
}

impl Service {
    /// Creates a service for the user of this machine: one worker with one thread and a table of 64 MiB, and no
    /// shelf.
    pub const fn new(catalog: &'static dyn Catalog) -> Self {
        Self {
            catalog,
            variant: None,
            workers: 1,
            threads: 1,
            hash_mib: 64,
            limits: SessionLimits::LOCAL,
            git: None,
            explorer: Err(NO_SHELF),
        }
    }
}

/// The limits of a session. `None` means no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionLimits {
    /// The maximum time of a search.
    pub time: Option<Duration>,
    /// The maximum time of an infinite search.
    pub infinite: Option<Duration>,
    /// How many of its positions may wait in the queue.
    pub queue: Option<usize>,
    /// The maximum number of ranked moves of a search.
    pub multi_pv: usize,
    /// The maximum length of a line, in bytes.
    pub line_bytes: usize,
    /// Whether it may make rooms: the program has them.
    pub may_make_rooms: bool,
    /// Whether it may ask for searches and lookups, and not only about the rules.
    pub may_search: bool,
    /// Whether it may clear the tables (`clear_cache`).
    pub may_clear: bool,
    /// Whether it may ask for threats (`include_threats`). Their search has no clock.
    pub may_ask_threats: bool,
    /// Whether it may send large records (`read_record`, `convert_record`).
    pub may_read_records: bool,
}

impl SessionLimits {
    /// The limits of a client at standard input.
    pub const LOCAL: Self = Self {
        time: None,
        infinite: None,
        queue: None,
        multi_pv: 676,
        line_bytes: 1 << 20,
        may_make_rooms: false,
        may_search: true,
        may_clear: true,
        may_ask_threats: true,
        may_read_records: true,
    };
}

/// What the reply to `hello` says about a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionIdentity {
    /// The name, to resume the session.
    pub session: String,
    /// How long the session is kept without a connection.
    pub kept: Duration,
}

/// Returns the line of a message with its number `seq` added.
pub fn numbered(line: &str, seq: u64) -> String {
    let body = line.strip_suffix('}').unwrap_or(line);
    format!("{body},\"seq\":{seq}}}")
}
