//! [`Queries`]: the session of a JSON client on one connection, with its own pool.
//!
//! The session decides what is sent and what is searched.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::{Flow, write};
use crate::io::Output;
use crate::io::lines::{InputLine, MAX_LINE_BYTES};
use crate::pool::queue::SessionId;
use crate::pool::{EventSender, Pool, PoolSettings, SearchEvent};
use crate::queries::{
    Effect, QuerySession, Service, SessionIdentity, SessionLimits, TurnKey, numbered,
};

/// With this many positions in the queue, reading stops.
const PAUSE_READING: usize = 10_000;
/// With fewer positions in the queue, reading resumes.
const RESUME_READING: usize = 9_000;
/// With more unsent bytes, only the newest report of each turn is kept.
const MAX_BACKLOG: usize = 64 << 10;
/// With more unsent bytes, no search starts.
const MAX_BACKLOG_FOR_SEARCH: usize = 1 << 20;
/// How often the unsent bytes of a slow client are checked.
const BACKLOG_POLL: Duration = Duration::from_millis(10);
/// How long searches may continue after SIGTERM.
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// The workers for the queries of a client at standard input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workers {
    /// How many positions are searched at once; `None` for as many as the cores allow.
    pub workers: Option<usize>,
    /// The threads of each search.
    pub threads: usize,
    /// The size of each worker's table, in MiB.
    pub hash_mib: usize,
    /// Whether the end of the input stops all searches.
    pub ends_at_once: bool,
}

impl Default for Workers {
    fn default() -> Self {
        Self { workers: None, threads: 1, hash_mib: 64, ends_at_once: false }
    }
}

/// A session of queries, its pool, and the lines between them and the connection.
pub(super) struct Queries {
    session: QuerySession,
    pool: Pool,
    id: SessionId,
    /// The newest report of each turn, unsent while the client is slow.
    reports: BTreeMap<TurnKey, String>,
    /// The number of the last message; `None` while messages are not numbered.
    seq: Option<u64>,
    /// Lines that wait until the queue has room, and when they arrived.
    unread: VecDeque<(OwnedLine, Instant)>,
    /// Whether the queue has room for more queries.
    is_reading: bool,
    /// Whether the input has ended. The unread lines are still handled first.
    has_ended: bool,
    ends_at_once: bool,
    /// When the drain ends; `None` while the session does not drain.
    drain_deadline: Option<Instant>,
}

enum OwnedLine {
    Text(String),
    TooLong,
}

impl Queries {
    /// Returns a session of queries. Its pool sends search events to `events`.
    pub(super) fn new(
        service: Service,
        ends_at_once: bool,
        events: mpsc::UnboundedSender<SearchEvent>,
    ) -> Self {
        // An error means that the server has ended; the last events are dropped.
        let send_event: EventSender = Arc::new(move |event| drop(events.send(event)));
        let settings = PoolSettings::new(service.catalog, service.workers, service.hash_mib);
        let mut pool = Pool::new(settings, send_event);
        let id = pool.join(Instant::now());
        let limits = SessionLimits { line_bytes: MAX_LINE_BYTES, ..SessionLimits::LOCAL };
        let service = Service { limits, ..service };
        let identity = SessionIdentity { session: "stdio".to_owned(), kept: Duration::ZERO };
        Self {
            session: QuerySession::new(service, identity),
            pool,
            id,
            reports: BTreeMap::new(),
            seq: None,
            unread: VecDeque::new(),
            is_reading: true,
            has_ended: false,
            ends_at_once,
            drain_deadline: None,
        }
    }

    /// Returns whether the queue has no room for more queries.
    pub(super) fn is_full(&self) -> bool {
        !self.unread.is_empty()
    }

    pub(super) fn line(&mut self, line: &InputLine<'_>, at: Instant, output: &mut Output) -> Flow {
        let line = match line {
            InputLine::Text(text) => OwnedLine::Text(text.to_string()),
            InputLine::TooLong(_) => OwnedLine::TooLong,
        };
        self.unread.push_back((line, at));
        self.run_effects(output)
    }

    /// Passes the next unread line, or the end of the input, to the session if the queue has room.
    /// Returns whether there was one.
    fn read_next(&mut self) -> bool {
        let waiting = self.pool.waiting();
        self.is_reading = waiting < if self.is_reading { PAUSE_READING } else { RESUME_READING };
        if !self.is_reading {
            return false;
        }
        match self.unread.pop_front() {
            Some((OwnedLine::Text(text), at)) => {
                let room = self.pool.room(self.id, None);
                self.session.line(&text, at, room);
            }
            Some((OwnedLine::TooLong, _)) => self.session.overlong_line(),
            None if std::mem::take(&mut self.has_ended) => {
                self.session.end_of_input(self.ends_at_once);
            }
            None => return false,
        }
        true
    }

    pub(super) fn end(&mut self, output: &mut Output) -> Flow {
        self.has_ended = true;
        self.run_effects(output)
    }

    pub(super) fn event(&mut self, event: SearchEvent, output: &mut Output) -> Flow {
        let now = Instant::now();
        let update = self.pool.event(event, now);
        // A free worker starts the next search before the reply is written.
        let started = self.pool.advance(now);
        for update in update.into_iter().chain(started) {
            update.hand_to(&mut self.session, now);
        }
        self.run_effects(output)
    }

    /// Handles SIGTERM: searches have [`DRAIN_TIME`] to end.
    pub(super) fn drain(&mut self, output: &mut Output) -> Flow {
        self.session.drain(DRAIN_TIME);
        self.unread.clear();
        self.drain_deadline = Some(Instant::now() + DRAIN_TIME);
        self.run_effects(output)
    }

    pub(super) fn timer_ended(&mut self, output: &mut Output) -> Flow {
        let now = Instant::now();
        if self.drain_deadline.is_some_and(|at| at <= now) {
            self.drain_deadline = None;
            self.session.end_drain();
        }
        self.session.wake(now);
        self.run_effects(output)
    }

    /// Returns when to call [`Self::timer_ended`]; `None` for never.
    pub(super) fn next_wake(&self, output: &Output) -> Option<Instant> {
        let now = Instant::now();
        let is_slow = !self.reports.is_empty() || output.backlog() > MAX_BACKLOG_FOR_SEARCH;
        let wakes = [
            self.pool.next_wake(now),
            self.session.next_wake(),
            self.drain_deadline,
            is_slow.then(|| now + BACKLOG_POLL),
        ];
        wakes.into_iter().flatten().min()
    }

    /// Carries out the effects of the session until there are no more.
    fn run_effects(&mut self, output: &mut Output) -> Flow {
        loop {
            let mut is_active = self.read_next();
            for effect in self.session.effects() {
                is_active = true;
                self.run_effect(effect, output)?;
            }
            self.pool.block(self.id, output.backlog() > MAX_BACKLOG_FOR_SEARCH);
            let now = Instant::now();
            for update in self.pool.advance(now) {
                is_active = true;
                update.hand_to(&mut self.session, now);
            }
            if !self.pool.take_cleared().is_empty() {
                is_active = true;
                self.session.cleared();
            }
            if !is_active {
                break;
            }
        }
        if output.backlog() <= MAX_BACKLOG {
            for (_, line) in std::mem::take(&mut self.reports) {
                self.write(&line, output)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn run_effect(&mut self, effect: Effect, output: &mut Output) -> Flow {
        match effect {
            Effect::Line(line) => return self.write(&line, output),
            Effect::Report(turn, line) => drop(self.reports.insert(turn, line)),
            Effect::Last(turn, line) => {
                self.reports.remove(&turn);
                return self.write(&line, output);
            }
            Effect::Number => self.seq = Some(0),
            Effect::Search(turns) => self.pool.search(self.id, turns, Instant::now()),
            Effect::Cancel(turn) => self.pool.cancel(self.id, turn),
            // Queries never ponder.
            Effect::PonderHit(..) => {}
            Effect::ClearTables => {
                if self.pool.clear(self.id) {
                    self.session.cleared();
                }
            }
            Effect::Quit => return ControlFlow::Break(Ok(())),
        }
        ControlFlow::Continue(())
    }

    /// Writes a message, with its number if messages are numbered.
    fn write(&mut self, line: &str, output: &mut Output) -> Flow {
        let Some(seq) = &mut self.seq else { return write(output, line) };
        *seq += 1;
        write(output, &numbered(line, *seq))
    }
}
