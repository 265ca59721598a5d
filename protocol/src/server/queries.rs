//! A client of the JSON dialect at a connection, with a pool of its own.
//!
//! It decides nothing about the conversation: what is sent and what is searched is the session's
//! business.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::{Flow, write};
use crate::analysis::pool::{EventSender, Pool, PoolSettings, SearchEvent};
use crate::analysis::queue::SessionId;
use crate::analysis::session::{
    Effect, QuerySession, Service, SessionIdentity, SessionLimits, TurnKey, numbered,
};
use crate::io::Output;
use crate::io::lines::{InputLine, LONGEST};

/// How many positions may wait before no more is read.
const MAX_WAITING: usize = 10_000;
/// How many wait when reading goes on.
const READS_AGAIN: usize = 9_000;
/// While more bytes wait for the client, only the newest report of each turn is kept.
const MAX_BACKLOG: usize = 64 << 10;
/// While more bytes wait for the client, no search is begun.
const STOPS_SEARCHES: usize = 1 << 20;
/// How often a client that does not keep up is looked at.
const POLL: Duration = Duration::from_millis(10);
/// How long searches may go on when the process is asked to end.
const DRAIN: Duration = Duration::from_secs(1);

/// Workers of the one client of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workers {
    /// How many positions are searched at once; as many as the machine allows without a number.
    pub workers: Option<usize>,
    /// The threads of a search.
    pub threads: usize,
    /// MiB of each worker's table.
    pub hash_mib: usize,
    /// Whether the end of the input ends all searches.
    pub ends_at_once: bool,
}

impl Default for Workers {
    fn default() -> Self {
        Self { workers: None, threads: 1, hash_mib: 64, ends_at_once: false }
    }
}

/// A session, its pool, and what waits between them and the connection.
pub(super) struct Queries {
    session: QuerySession,
    pool: Pool,
    id: SessionId,
    /// Reports that wait until the client keeps up.
    reports: BTreeMap<TurnKey, String>,
    /// The number of the last message, where messages are numbered.
    seq: Option<u64>,
    /// Lines that wait until the queue has room.
    unread: VecDeque<(OwnedLine, Instant)>,
    /// Whether lines are read; the queue has room for what they ask.
    is_reading: bool,
    /// Whether the input has ended after the lines that wait.
    has_ended: bool,
    ends_at_once: bool,
    drains_at: Option<Instant>,
}

enum OwnedLine {
    Text(String),
    TooLong,
}

impl Queries {
    /// Returns a session of queries. Its search threads leave their events in `events`.
    pub(super) fn new(
        service: Service,
        ends_at_once: bool,
        events: mpsc::UnboundedSender<SearchEvent>,
    ) -> Self {
        // Nobody reads the last events of a pool that is gone.
        let send_event: EventSender = Arc::new(move |event| drop(events.send(event)));
        let settings = PoolSettings::new(service.catalog, service.workers, service.hash_mib);
        let mut pool = Pool::new(settings, send_event);
        let id = pool.join(Instant::now());
        let limits = SessionLimits { line_bytes: LONGEST, ..SessionLimits::LOCAL };
        let service = Service { limits, ..service };
        let name = SessionIdentity { session: "stdio".to_owned(), kept: Duration::ZERO };
        Self {
            session: QuerySession::new(service, name),
            pool,
            id,
            reports: BTreeMap::new(),
            seq: None,
            unread: VecDeque::new(),
            is_reading: true,
            has_ended: false,
            ends_at_once,
            drains_at: None,
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
        self.carry_out(output)
    }

    /// Reads a line that waits, where the queue has room, else the end of the input. Whether there was
    /// one.
    fn read(&mut self) -> bool {
        let waiting = self.pool.waiting();
        self.is_reading = waiting < if self.is_reading { MAX_WAITING } else { READS_AGAIN };
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
        self.carry_out(output)
    }

    pub(super) fn event(&mut self, event: SearchEvent, output: &mut Output) -> Flow {
        let now = Instant::now();
        let update = self.pool.event(event, now);
        // A worker that has become free searches on while the reply is written.
        let started = self.pool.advance(now);
        for update in update.into_iter().chain(started) {
            update.hand_to(&mut self.session, now);
        }
        self.carry_out(output)
    }

    /// The process is asked to end.
    pub(super) fn drain(&mut self, output: &mut Output) -> Flow {
        self.session.drain(DRAIN);
        self.unread.clear();
        self.drains_at = Some(Instant::now() + DRAIN);
        self.carry_out(output)
    }

    pub(super) fn timer_ended(&mut self, output: &mut Output) -> Flow {
        let now = Instant::now();
        if self.drains_at.is_some_and(|at| at <= now) {
            self.drains_at = None;
            self.session.end_drain();
        }
        self.session.wake(now);
        self.carry_out(output)
    }

    /// Returns when [`Self::timer_ended`] is to be called.
    pub(super) fn next_wake(&self, output: &Output) -> Option<Instant> {
        let now = Instant::now();
        let lags = !self.reports.is_empty() || output.backlog() > STOPS_SEARCHES;
        let wakes = [
            self.pool.next_wake(now),
            self.session.next_wake(),
            self.drains_at,
            lags.then(|| now + POLL),
        ];
        wakes.into_iter().flatten().min()
    }

    /// Does what the session says until it has nothing more to say.
    fn carry_out(&mut self, output: &mut Output) -> Flow {
        loop {
            let mut goes_on = self.read();
            for effect in self.session.effects() {
                goes_on = true;
                self.act(effect, output)?;
            }
            self.pool.block(self.id, output.backlog() > STOPS_SEARCHES);
            let now = Instant::now();
            for update in self.pool.advance(now) {
                goes_on = true;
                update.hand_to(&mut self.session, now);
            }
            if !self.pool.take_cleared().is_empty() {
                goes_on = true;
                self.session.cleared();
            }
            if !goes_on {
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

    fn act(&mut self, effect: Effect, output: &mut Output) -> Flow {
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
            // Only commands ponder.
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

    /// Writes a message, with its number where messages are numbered.
    fn write(&mut self, line: &str, output: &mut Output) -> Flow {
        let Some(seq) = &mut self.seq else { return write(output, line) };
        *seq += 1;
        write(output, &numbered(line, *seq))
    }
}
