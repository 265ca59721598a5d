//! The interface of a session of queries: its settings and limits, and its [`Effect`]s.

use std::time::{Duration, Instant};

use tengen_engine::backend::Catalog;

use crate::pool::job::Job;
use crate::pool::queue::Rank;

/// Something that the caller of a session must do. Effects are carried out in order.
pub enum Effect {
    /// Send this line.
    Line(String),
    /// Send this report. Until it is sent, a later report or the last line of the turn replaces it.
    Report(TurnKey, String),
    /// Send this line, the last one of the turn.
    Last(TurnKey, String),
    /// Put these turns of a query into the queue.
    Search(Vec<Search>),
    /// Stop the search of the turn, or remove the turn from the queue.
    Cancel(TurnKey),
    /// Pass a ponderhit that arrived at this instant to the search of the turn.
    PonderHit(TurnKey, Instant),
    /// Number the following messages from 1. [`numbered`] writes the number into a line.
    Number,
    /// Clear all tables, then call [`cleared`](super::QuerySession::cleared).
    ClearTables,
    /// Close the connection. This is the last effect.
    Quit,
}

/// A turn to put into the queue.
pub struct Search {
    /// The turn.
    pub key: TurnKey,
    /// The data that decide its place in the queue.
    pub rank: Rank,
    /// What to search.
    pub job: Job,
}

/// The number of a turn among all turns of a session.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TurnKey(pub(crate) u64);

/// The games, workers and limits of sessions.
#[derive(Clone, Copy)]
pub struct Service {
    /// The games.
    pub catalog: &'static dyn Catalog,
    /// The default variant of queries; `None` for the catalogue's first.
    pub variant: Option<&'static str>,
    /// How many positions are searched at once.
    pub workers: usize,
    /// The largest and the default number of threads of a search.
    pub threads: usize,
    /// The size of each worker's table, in MiB.
    pub hash_mib: usize,
    /// The limits of each session.
    pub limits: SessionLimits,
}

/// The limits of a session. `None` means no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionLimits {
    /// The longest search.
    pub time: Option<Duration>,
    /// The longest infinite search.
    pub infinite: Option<Duration>,
    /// How many of its positions may wait in the queue.
    pub queue: Option<usize>,
    /// The most ranked moves of a search.
    pub multi_pv: usize,
    /// The longest line, in bytes.
    pub line_bytes: usize,
    /// Whether it may clear the tables (`clear_cache`).
    pub may_clear: bool,
}

impl SessionLimits {
    /// The limits of a client at standard input.
    pub const LOCAL: Self = Self {
        time: None,
        infinite: None,
        queue: None,
        multi_pv: 676,
        line_bytes: 1 << 20,
        may_clear: true,
    };
}

/// The room in the pool's queue for a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// How many more positions the session may put into the queue.
    pub positions: usize,
    /// When the client may try again, if that is not enough.
    pub retry_after: Duration,
}

impl Room {
    /// Unlimited room.
    pub const ENOUGH: Self = Self { positions: usize::MAX, retry_after: Duration::ZERO };
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
