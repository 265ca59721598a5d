//! What the pool and its sessions tell each other.

use std::time::Duration;

use tengen_engine::{Instant, Move, Report};

use super::job::{Failure, Job, SearchResult};
use super::lookup::{Lookup, LookupNews};
use super::queue::{Rank, SessionId};
use crate::dialect::json::number::Id;

/// A session whose searches run in a pool: of queries or of commands.
pub trait PoolSession: Send {
    /// Handles `line` without its line end, received at `now`. `room` is the room in the pool's
    /// queue.
    fn line(&mut self, line: &str, now: Instant, room: Room);

    /// Handles a line that is too long. Only its `beginning` is known.
    fn overlong_line(&mut self, beginning: &str, now: Instant);

    /// Handles the end of the input. Queries with limits are finished first, unless `ends_all`.
    fn end_of_input(&mut self, ends_all: bool, now: Instant);

    /// Sends a harmless line to a client whose input has ended while it waits for answers. If the client
    /// is gone, and has not only closed its output, the line cannot be sent.
    fn probe(&mut self, now: Instant);

    /// Makes a session of queries quit after its last open query. No query is stopped.
    fn leave_when_done(&mut self) {}

    /// Handles news about the search of `turn`.
    fn update(&mut self, turn: TurnKey, update: UpdateKind, now: Instant);

    /// Handles the end of clearing the tables.
    fn cleared(&mut self) {}

    /// Removes and returns the effects since the last call.
    fn effects(&mut self) -> Vec<Effect>;

    /// Returns when to call [`Self::wake`]; `None` for never.
    fn next_wake(&self) -> Option<Instant>;

    /// Handles everything that is due at `now`.
    fn wake(&mut self, now: Instant);

    /// Handles the shutdown of the server: searches may continue for the time `grace`.
    fn drain(&mut self, grace: Duration, now: Instant);

    /// Handles the end of the time after [`Self::drain`]: searches are stopped.
    fn end_drain(&mut self, now: Instant);

    /// Returns whether the session has ended.
    fn is_over(&self) -> bool;

    /// Returns whether a query is open, or a search waits or runs.
    fn is_busy(&self) -> bool;

    /// Returns whether the query `id` has not got all of its replies.
    fn is_open(&self, _id: &Id) -> bool {
        false
    }

    /// Returns the name with which a session of queries can be resumed.
    fn name(&self) -> Option<&str> {
        None
    }

    /// Answers the `hello` with this `id`: the session of queries has a new connection.
    fn resume(&mut self, _id: Id) {}
}

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
    /// Look up what the turn asks. It waits for a thread, beside the searches.
    LookUp(TurnKey, Lookup),
    /// Stop the search or the lookup of the turn, or remove the turn from its queue.
    Cancel(TurnKey),
    /// Pass a ponderhit that arrived at this instant to the search of the turn.
    PonderHit(TurnKey, Instant),
    /// Number the following messages from 1. [`numbered`](crate::queries::numbered) writes the
    /// number into a line.
    Number,
    /// Clear all tables, then call [`PoolSession::cleared`].
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

/// News about one turn of a session.
#[derive(Debug)]
pub struct Update {
    /// The session of the turn.
    pub session: SessionId,
    /// The turn.
    pub turn: TurnKey,
    /// The news.
    pub kind: UpdateKind,
}

/// News about the search of a turn.
#[derive(Debug)]
pub enum UpdateKind {
    /// The search has started, after this time in the queue.
    Started(Duration),
    /// A human-readable note, in one line.
    Noted(String),
    /// The current lines of the search, best first.
    Reported(Vec<Report<Move>>),
    /// A report of the search, for [`ReportMode::Forwarded`](super::job::ReportMode::Forwarded).
    Forwarded(Report<Move>),
    /// The search was paused with this result, and waits again.
    Paused(Box<SearchResult>),
    /// The search has ended.
    Finished(Box<Result<SearchResult, Failure>>),
    /// News of the lookup.
    LookedUp(Box<LookupNews>),
}
