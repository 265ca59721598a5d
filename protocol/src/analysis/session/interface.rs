//! What a session and the outside world tell each other: limits and settings in, [`Effect`]s out.

use std::time::{Duration, Instant};

use tengen_engine::backend::Catalog;

use crate::analysis::job::Job;
use crate::analysis::queue::Rank;

/// What the outside world is to do for a session, in this order.
pub enum Effect {
    /// Send this line.
    Line(String),
    /// Send this line, unless a later line of the same turn is ready before it is sent.
    Report(TurnKey, String),
    /// Send this line, the last one of a turn.
    Last(TurnKey, String),
    /// Put the turns of a query into the queue.
    Search(Vec<Search>),
    /// Stop the search of a turn, or take the turn out of the queue.
    Cancel(TurnKey),
    /// Tell the search of a turn that the opponent has played the expected move at this instant.
    PonderHit(TurnKey, Instant),
    /// Number the messages from here on, from 1: [`numbered`] writes the number into a line when it is
    /// sent.
    Number,
    /// Empty all tables, then call [`cleared`](super::QuerySession::cleared).
    ClearTables,
    /// Leave. Nothing follows.
    Quit,
}

/// A turn to put into the queue.
pub struct Search {
    /// Names the turn.
    pub key: TurnKey,
    /// Its place in the queue.
    pub rank: Rank,
    /// What to search.
    pub job: Job,
}

/// A turn of a query of a session.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TurnKey(pub(in crate::analysis) u64);

/// Where a session searches, and what it may ask for.
#[derive(Clone, Copy)]
pub struct Service {
    /// The games.
    pub catalog: &'static dyn Catalog,
    /// What is played where a query names no variant; the catalogue's first without one.
    pub variant: Option<&'static str>,
    /// How many positions are searched at once.
    pub workers: usize,
    /// The most threads of a search, and the usual number.
    pub threads: usize,
    /// MiB of each worker's table.
    pub hash_mib: usize,
    /// What a session may ask for.
    pub limits: SessionLimits,
}

/// What a session may ask for; without a number there is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionLimits {
    /// The longest search.
    pub time: Option<Duration>,
    /// The longest search without an end of its own.
    pub infinite: Option<Duration>,
    /// How many of its positions may wait.
    pub queue: Option<usize>,
    /// The most moves that are ranked.
    pub multi_pv: usize,
    /// The longest line, in bytes.
    pub line_bytes: usize,
    /// Whether it may empty the tables.
    pub may_clear: bool,
}

impl SessionLimits {
    /// The limits of the one client of a process.
    pub const LOCAL: Self = Self {
        time: None,
        infinite: None,
        queue: None,
        multi_pv: 676,
        line_bytes: 1 << 20,
        may_clear: true,
    };
}

/// How much room the queue of all sessions has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// How many positions it still takes.
    pub positions: usize,
    /// When to try again where that is too few.
    pub retry_after: Duration,
}

impl Room {
    /// No end of it.
    pub const ENOUGH: Self = Self { positions: usize::MAX, retry_after: Duration::ZERO };
}

/// How a session presents itself to `hello`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionIdentity {
    /// Its name.
    pub session: String,
    /// For how long it is kept without a connection.
    pub kept: Duration,
}

/// Writes the number of a message into its line.
pub fn numbered(line: &str, seq: u64) -> String {
    let body = line.strip_suffix('}').unwrap_or(line);
    format!("{body},\"seq\":{seq}}}")
}
