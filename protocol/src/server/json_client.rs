//! [`JsonClient`]: the session of a JSON client on one connection, with its own pool.
//!
//! The session decides what is sent and what is searched.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::{Flow, write};
use tengen_engine::backend::Catalog;

use crate::io::Output;
use crate::io::lines::InputLine;
use crate::pool::driver::{Clients, Driver};
use crate::pool::queue::SessionId;
use crate::pool::{Effect, EventSender, PoolSession, PoolSettings, SearchEvent, TurnKey};
use crate::queries::{QuerySession, Service, SessionIdentity, numbered};

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
    /// How many positions are searched in parallel; `None` for as many as the cores allow.
    pub workers: Option<usize>,
    /// The threads of each search.
    pub threads: usize,
    /// The size of each worker's table, in MiB.
    pub hash_mib: usize,
    /// Whether the end of the input stops all searches.
    pub ends_at_once: bool,
    /// The commit of the program; `None` if it is not known.
    pub git: Option<&'static str>,
}

impl Default for Workers {
    fn default() -> Self {
        Self { workers: None, threads: 1, hash_mib: 64, ends_at_once: false, git: None }
    }
}

impl Workers {
    /// Returns how many positions are searched in parallel on a machine with this number of `cores`.
    pub fn count(&self, cores: usize) -> usize {
        self.workers.unwrap_or((cores / self.threads).max(1))
    }

    /// Returns what a session of queries needs on a machine with this number of `cores`.
    pub fn service(
        self,
        catalog: &'static dyn Catalog,
        variant: Option<&'static str>,
        cores: usize,
    ) -> Service {
        let workers = self.count(cores);
        let Self { threads, hash_mib, git, .. } = self;
        Service { variant, workers, threads, hash_mib, git, ..Service::new(catalog) }
    }
}

/// A session of queries, its pool, and the lines between them and the connection.
pub(super) struct JsonClient {
    driver: Driver,
    id: SessionId,
    replies: Replies,
    /// Lines that wait until the queue has room, and when they arrived.
    unread: VecDeque<(InputLine<'static>, Instant)>,
    /// Whether the queue has room for more queries.
    is_reading: bool,
    /// Whether the input has ended. The unread lines are still handled first.
    has_ended: bool,
    ends_at_once: bool,
    /// When the drain ends; `None` while the session does not drain.
    drain_deadline: Option<Instant>,
}

#[derive(Default)]
struct Replies {
    /// The newest report of each turn, unsent while the client is slow.
    reports: BTreeMap<TurnKey, String>,
    /// The number of the last message; `None` while messages are not numbered.
    seq: Option<u64>,
}

/// The client of the session, for the time of a call.
struct Client<'a> {
    replies: &'a mut Replies,
    output: &'a mut Output,
    flow: Flow,
}

impl JsonClient {
    /// Returns a session of queries. Its pool sends search events to `events`.
    pub(super) fn new(service: Service, ends_at_once: bool, events: EventSender) -> Self {
        let settings = PoolSettings::new(service.catalog, service.workers, service.hash_mib);
        let mut driver = Driver::new(settings, events);
        let identity = SessionIdentity { session: "stdio".to_owned(), kept: Duration::ZERO };
        let session = QuerySession::new(service, identity);
        Self {
            id: driver.join(Box::new(session), Instant::now()),
            driver,
            replies: Replies::default(),
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

    pub(super) fn line(&mut self, line: InputLine<'_>, at: Instant, output: &mut Output) -> Flow {
        self.unread.push_back((line.into_owned(), at));
        self.act(output, |_| ())
    }

    pub(super) fn end(&mut self, output: &mut Output) -> Flow {
        self.has_ended = true;
        self.act(output, |_| ())
    }

    pub(super) fn event(&mut self, event: SearchEvent, output: &mut Output) -> Flow {
        self.drive(output, |driver, _, client| driver.event(event, client))
    }

    /// Handles SIGTERM: searches have [`DRAIN_TIME`] to end.
    pub(super) fn drain(&mut self, output: &mut Output) -> Flow {
        let now = Instant::now();
        self.unread.clear();
        self.drain_deadline = Some(now + DRAIN_TIME);
        self.act(output, |session| session.drain(DRAIN_TIME, now))
    }

    pub(super) fn timer_ended(&mut self, output: &mut Output) -> Flow {
        let now = Instant::now();
        let has_drained = self.drain_deadline.take_if(|at| *at <= now).is_some();
        self.act(output, |session| {
            if has_drained {
                session.end_drain(now);
            }
            session.wake(now);
        })
    }

    /// Returns when to call [`Self::timer_ended`]; `None` for never.
    pub(super) fn next_wake(&self, output: &Output) -> Option<Instant> {
        let now = Instant::now();
        let is_slow = !self.replies.reports.is_empty() || output.backlog() > MAX_BACKLOG_FOR_SEARCH;
        let poll = is_slow.then(|| now + BACKLOG_POLL);
        [self.driver.next_wake(now), self.drain_deadline, poll].into_iter().flatten().min()
    }

    fn act(&mut self, output: &mut Output, act: impl FnOnce(&mut dyn PoolSession)) -> Flow {
        self.drive(output, |driver, id, client| driver.act(id, client, act))
    }

    /// Calls `act`, and passes unread lines to the session while the queue has room.
    fn drive(
        &mut self,
        output: &mut Output,
        act: impl FnOnce(&mut Driver, SessionId, &mut Client<'_>),
    ) -> Flow {
        let Self { driver, id, replies, .. } = self;
        let mut client = Client { replies, output, flow: ControlFlow::Continue(()) };
        act(driver, *id, &mut client);
        loop {
            let max = if self.is_reading { PAUSE_READING } else { RESUME_READING };
            self.is_reading = driver.pool().waiting() < max;
            if !self.is_reading {
                break;
            }
            match self.unread.pop_front() {
                Some((InputLine::Text(text), at)) => driver.line(*id, &text, at, None, &mut client),
                Some((InputLine::TooLong(beginning), at)) => {
                    driver.act(*id, &mut client, |session| session.overlong_line(&beginning, at));
                }
                None if std::mem::take(&mut self.has_ended) => {
                    let (ends_all, now) = (self.ends_at_once, Instant::now());
                    driver.act(*id, &mut client, |session| session.end_of_input(ends_all, now));
                }
                None => break,
            }
        }
        if client.output.backlog() <= MAX_BACKLOG {
            for (_, line) in std::mem::take(&mut client.replies.reports) {
                client.write(&line);
            }
        }
        client.flow
    }
}

impl Client<'_> {
    /// Writes a message, with its number if messages are numbered.
    fn write(&mut self, line: &str) {
        if self.flow.is_break() {
            return;
        }
        self.flow = match &mut self.replies.seq {
            None => write(self.output, line),
            Some(seq) => {
                *seq += 1;
                write(self.output, &numbered(line, *seq))
            }
        };
    }
}

impl Clients for Client<'_> {
    fn effect(&mut self, _: SessionId, _: &dyn PoolSession, effect: Effect) {
        match effect {
            Effect::Line(line) => self.write(&line),
            Effect::Report(turn, line) => drop(self.replies.reports.insert(turn, line)),
            Effect::Last(turn, line) => {
                self.replies.reports.remove(&turn);
                self.write(&line);
            }
            Effect::Number => self.replies.seq = Some(0),
            Effect::Quit if self.flow.is_continue() => self.flow = ControlFlow::Break(Ok(())),
            // The driver carries out the other effects.
            _ => {}
        }
    }

    fn is_blocked(&mut self, _: SessionId) -> bool {
        self.output.backlog() > MAX_BACKLOG_FOR_SEARCH
    }
}
