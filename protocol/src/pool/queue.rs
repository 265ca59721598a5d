//! [`Queue`]: which position is searched next, and which infinite search is paused for others.
//!
//! Sessions share the workers fairly (start-time fair queuing). Each session is charged the time of
//! its search threads, and the session with the smallest charge goes next. Within a session the
//! order is priority, arrival, turn. The queue reads no clock and starts search refused: callers
//! pass instants in, and search what [`Queue::start`] returns.
// CITE: Goyal, Vin and Cheng, "Start-time Fair Queuing", IEEE/ACM Transactions on Networking 5(5), 1997.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tengen_engine::Instant;

/// How long an infinite search runs before it is paused for other sessions. This bounds the wait of
/// a new client when infinite searches use all workers.
pub const INFINITE_TIME_SLICE: Duration = Duration::from_millis(500);

/// The number of a session in the queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SessionId(u64);

/// The number of a position, waiting or running.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TaskId(u64);

/// The data of a position that decide its place in the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rank {
    /// The priority within the session: higher ones go first.
    pub priority: i32,
    /// The turn in its query.
    pub turn: u32,
    /// How many threads the search uses.
    pub threads: u32,
    /// Whether the search has no limits, so that it may be paused.
    pub is_infinite: bool,
}

/// The sort key of a position within its session: priority, arrival, turn, task.
type QueueKey = (Reverse<i32>, u64, u32, TaskId);

/// Positions that wait, and positions that are being searched.
#[derive(Debug)]
pub struct Queue<T> {
    /// How many positions are searched in parallel.
    workers: usize,
    sessions: BTreeMap<SessionId, SessionState<T>>,
    /// The session and the sort key of each waiting position.
    waiting: HashMap<TaskId, (SessionId, QueueKey)>,
    running: BTreeMap<TaskId, Run>,
    /// The highest charge with which a session was started: the virtual time of fair queuing. A
    /// session that was idle continues from there, or from the lowest charge of the waiting
    /// sessions.
    virtual_time: Duration,
    last_session: u64,
    last_task: u64,
    last_arrival: u64,
}

/// A session and its waiting positions.
#[derive(Debug)]
struct SessionState<T> {
    /// The thread time that it was charged.
    charge: Duration,
    /// The cost of its last search. The next search is charged this until it has ended.
    last_cost: Duration,
    /// Since when it waits for its next start.
    waiting_since: Instant,
    /// Whether its positions are held back, because the client does not read.
    is_blocked: bool,
    /// Whether its client is disconnected, and may come back.
    is_away: bool,
    waiting: BTreeMap<QueueKey, (Rank, T)>,
    running: usize,
}

/// A search in progress.
#[derive(Clone, Copy, Debug)]
struct Run {
    session: SessionId,
    key: QueueKey,
    rank: Rank,
    started: Instant,
    /// The charge so far.
    charged: Duration,
    /// Whether it was asked to pause.
    is_pausing: bool,
}

/// A position to search now.
#[derive(Debug)]
pub struct Started<T> {
    /// The number of the position.
    pub task: TaskId,
    /// The session.
    pub session: SessionId,
    /// The value that was put into the queue.
    pub work: T,
}

impl<T> Queue<T> {
    /// Returns an empty queue for this number of workers.
    pub fn new(workers: usize) -> Self {
        Self {
            workers,
            sessions: BTreeMap::new(),
            waiting: HashMap::new(),
            running: BTreeMap::new(),
            virtual_time: Duration::ZERO,
            last_session: 0,
            last_task: 0,
            last_arrival: 0,
        }
    }

    /// Adds a session, and returns its number.
    pub fn join(&mut self, now: Instant) -> SessionId {
        self.last_session += 1;
        let session = SessionId(self.last_session);
        self.join_as(session, now);
        session
    }

    /// Adds a session with the number that another queue gave it.
    pub fn join_as(&mut self, session: SessionId, now: Instant) {
        let state = SessionState {
            charge: Duration::ZERO,
            last_cost: Duration::ZERO,
            waiting_since: now,
            is_blocked: false,
            is_away: false,
            waiting: BTreeMap::new(),
            running: 0,
        };
        self.sessions.insert(session, state);
    }

    /// Charges a session for work that was not in this queue.
    pub fn charge_more(&mut self, session: SessionId, cost: Duration) {
        if let Some(state) = self.sessions.get_mut(&session) {
            state.charge += cost;
        }
    }

    /// Removes a session and its waiting positions. Returns its searches, which must be stopped.
    pub fn leave(&mut self, session: SessionId) -> Vec<TaskId> {
        if let Some(state) = self.sessions.remove(&session) {
            for key in state.waiting.keys() {
                self.waiting.remove(&key.3);
            }
        }
        let own = self.running.iter().filter(|(_, run)| run.session == session);
        own.map(|(task, _)| *task).collect()
    }

    /// Returns how many positions of a session wait.
    pub fn waiting_of(&self, session: SessionId) -> usize {
        self.sessions.get(&session).map_or(0, |state| state.waiting.len())
    }

    /// Returns how many positions wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Returns how many search threads run.
    pub fn threads(&self) -> u32 {
        self.running.values().map(|run| run.rank.threads).sum()
    }

    /// Returns the number of the next query. Its positions wait after those of earlier queries.
    pub fn arrival(&mut self) -> u64 {
        self.last_arrival += 1;
        self.last_arrival
    }

    /// Puts a position of the query with number `arrival` into the queue.
    pub fn push(
        &mut self,
        session: SessionId,
        arrival: u64,
        rank: Rank,
        now: Instant,
        work: T,
    ) -> TaskId {
        self.last_task += 1;
        let task = TaskId(self.last_task);
        let key = (Reverse(rank.priority), arrival, rank.turn, task);
        self.insert(session, key, rank, now, work);
        task
    }

    fn insert(&mut self, session: SessionId, key: QueueKey, rank: Rank, now: Instant, work: T) {
        let others = self.sessions.values().filter(|state| !state.waiting.is_empty());
        let least = others.map(|state| state.charge).min().unwrap_or(self.virtual_time);
        // Running searches are charged in advance. One that takes less time lowers the charge of
        // its session, which would then go before this one.
        let start = if self.running.is_empty() { least } else { least.min(self.virtual_time) };
        let Some(state) = self.sessions.get_mut(&session) else { return };
        if state.waiting.is_empty() {
            state.waiting_since = now;
            if state.running == 0 {
                // An idle session saves up nothing.
                state.charge = state.charge.max(start);
            }
        }
        state.waiting.insert(key, (rank, work));
        self.waiting.insert(key.3, (session, key));
    }

    /// Removes a waiting position; `None` if it does not wait.
    pub fn remove(&mut self, task: TaskId) -> Option<T> {
        let (session, key) = self.waiting.remove(&task)?;
        let (_, work) = self.sessions.get_mut(&session)?.waiting.remove(&key)?;
        Some(work)
    }

    /// Sets whether the waiting positions of a session are held back.
    pub fn block(&mut self, session: SessionId, is_blocked: bool) {
        if let Some(state) = self.sessions.get_mut(&session) {
            state.is_blocked = is_blocked;
        }
    }

    /// Sets whether the client of a session is disconnected, and may come back. Meanwhile its
    /// infinite searches run only when no other session waits.
    pub fn set_away(&mut self, session: SessionId, is_away: bool) {
        if let Some(state) = self.sessions.get_mut(&session) {
            state.is_away = is_away;
        }
    }

    /// Returns the next position to search; `None` if no worker is free or nothing waits.
    pub fn start(&mut self, now: Instant) -> Option<Started<T>> {
        if self.running.len() >= self.workers {
            return None;
        }
        let ready = self.sessions.iter_mut().filter(|(_, state)| state.is_ready());
        let (session, state) = ready
            .min_by_key(|(id, state)| (state.yields(), state.charge, state.waiting_since, **id))?;
        let (key, (rank, work)) = state.waiting.pop_first()?;
        let (session, task) = (*session, key.3);
        self.virtual_time = self.virtual_time.max(state.charge);
        let charged = state.last_cost;
        state.charge += charged;
        state.waiting_since = now;
        state.running += 1;
        self.waiting.remove(&task);
        let run = Run { session, key, rank, started: now, charged, is_pausing: false };
        self.running.insert(task, run);
        Some(Started { task, session, work })
    }

    /// Handles the end of a search, and charges its session.
    pub fn finish(&mut self, task: TaskId, now: Instant) {
        if let Some(run) = self.running.remove(&task) {
            self.charge(&run, now);
        }
    }

    fn charge(&mut self, run: &Run, now: Instant) {
        let Some(state) = self.sessions.get_mut(&run.session) else { return };
        let cost = now.saturating_duration_since(run.started) * run.rank.threads;
        state.charge = (state.charge + cost).saturating_sub(run.charged);
        state.last_cost = cost;
        state.running -= 1;
    }

    /// Marks and returns the infinite searches to pause now: their time slice is over, and another
    /// session waits.
    pub fn pause_due(&mut self, now: Instant) -> Vec<TaskId> {
        let mut wanted = self.waiting_sessions_except(None).saturating_sub(self.pausing());
        let is_due = |run: &Run| self.end_of_slice(run).is_some_and(|at| at <= now);
        let due = self.running.iter().filter(|(_, run)| is_due(run));
        let mut due: Vec<(bool, Instant, TaskId)> =
            due.map(|(task, run)| (!self.is_away(run.session), run.started, *task)).collect();
        due.sort();
        let mut tasks = Vec::new();
        for (_, _, task) in due {
            let session = self.running[&task].session;
            if wanted == 0 {
                break;
            }
            if self.waiting_sessions_except(Some(session)) == 0 {
                continue;
            }
            if let Some(run) = self.running.get_mut(&task) {
                run.is_pausing = true;
            }
            wanted -= 1;
            tasks.push(task);
        }
        tasks
    }

    /// Returns when to call [`Self::pause_due`] again; `None` for never.
    pub fn next_pause(&self, now: Instant) -> Option<Instant> {
        if self.waiting.is_empty() {
            return None;
        }
        self.running.values().filter_map(|run| self.end_of_slice(run)).filter(|at| *at > now).min()
    }

    /// Returns when the time slice of an infinite search ends; `None` for other searches, and for
    /// one that was already asked to pause.
    fn end_of_slice(&self, run: &Run) -> Option<Instant> {
        let slice = if self.is_away(run.session) { Duration::ZERO } else { INFINITE_TIME_SLICE };
        (run.rank.is_infinite && !run.is_pausing).then(|| run.started + slice)
    }

    fn is_away(&self, session: SessionId) -> bool {
        self.sessions.get(&session).is_some_and(|state| state.is_away)
    }

    /// Puts a paused search back into the queue, with its earlier sort key.
    pub fn requeue(&mut self, task: TaskId, now: Instant, work: T) {
        if let Some(run) = self.running.remove(&task) {
            self.charge(&run, now);
            self.insert(run.session, run.key, run.rank, now, work);
        }
    }

    /// Returns how many sessions other than `session` wait for which a search may be paused.
    fn waiting_sessions_except(&self, session: Option<SessionId>) -> usize {
        let waits = |(id, state): &(&SessionId, &SessionState<T>)| {
            Some(**id) != session && state.is_ready() && !state.yields()
        };
        self.sessions.iter().filter(waits).count()
    }

    /// Returns how many searches were asked to pause and still run.
    fn pausing(&self) -> usize {
        self.running.values().filter(|run| run.is_pausing).count()
    }
}

impl<T> SessionState<T> {
    /// Returns whether a position waits and may be started.
    fn is_ready(&self) -> bool {
        !self.is_blocked && !self.waiting.is_empty()
    }

    /// Returns whether its next search is infinite and its client is disconnected: then all other
    /// sessions go first.
    fn yields(&self) -> bool {
        let next = self.waiting.first_key_value();
        self.is_away && next.is_some_and(|(_, (rank, _))| rank.is_infinite)
    }
}

#[cfg(test)]
mod tests;
