//! [`Queue`]: which position is searched next, and which infinite search is paused for others.
//!
//! Owners share the workers fairly, and the sessions of an owner share what the owner gets (start-time
//! fair queuing). Each is charged the time of its search threads, and the one with the smallest charge
//! goes next. An owner keeps its charge when its sessions leave, so that new connections gain nothing.
//! Nobody waits for ever: an owner or a session that was passed over too often goes next, behind those
//! that have waited longer (`Race::max_passes`).
//!
//! Within a session the order is priority, arrival, turn. The queue reads no clock and starts no search:
//! callers pass instants in, and search what [`Queue::start`] returns.
// CITE: Goyal, Vin and Cheng, "Start-time Fair Queuing", IEEE/ACM Transactions on Networking 5(5), 1997.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use tengen_engine::Instant;

/// How long an infinite search runs before it is paused for other sessions. This bounds the wait of
/// a new client when infinite searches use all workers.
pub const INFINITE_TIME_SLICE: Duration = Duration::from_millis(500);

/// How many owners without a session are remembered. Those with the smallest charges are forgotten.
const MAX_IDLE_OWNERS: usize = 1024;

/// Who has sessions in the queue: a client address. The addresses of an IPv6 network are one owner,
/// because a client has many of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Owner(IpAddr);

impl Owner {
    /// The owner of sessions without a network.
    pub const LOCAL: Self = Self(IpAddr::V4(Ipv4Addr::LOCALHOST));

    /// Returns the owner of the sessions of an address.
    pub fn of(address: IpAddr) -> Self {
        const NETWORK: u128 = u128::MAX << 64;
        Self(match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & NETWORK).into(),
            address => address,
        })
    }
}

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
    /// The owners of sessions, and those that are still charged.
    owners: BTreeMap<Owner, OwnerState>,
    sessions: BTreeMap<SessionId, SessionState<T>>,
    /// The session and the sort key of each waiting position.
    waiting: HashMap<TaskId, (SessionId, QueueKey)>,
    running: BTreeMap<TaskId, Run>,
    /// The race of the owners.
    race: Race,
    last_session: u64,
    last_task: u64,
    last_arrival: u64,
}

/// What those who compete have in common: all owners, or all sessions of an owner.
#[derive(Clone, Copy, Default, Debug)]
struct Race {
    /// The highest charge with which one was started: the virtual time of fair queuing. One that was
    /// idle continues from there, or from the lowest charge of those that wait.
    virtual_time: Duration,
    /// How many starts there were.
    starts: u64,
    /// How many searches run.
    running: usize,
    /// How many of those who compete wait for a start.
    waiting: u64,
}

impl Race {
    /// Returns how many starts of others may pass over one that waits: more than two for each that
    /// waits, so that a short search still goes before the next ones of a flood. Then it waits only for
    /// those that began to wait earlier: with W waiting, it starts after less than 3 W + 4 others.
    fn max_passes(&self) -> u64 {
        2 * self.waiting + 4
    }
}

/// The share of one who competes.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// The thread time that it was charged.
    charge: Duration,
    /// Since when it waits for its next start.
    waiting_since: Instant,
    /// The starts of the race until then.
    starts_before: u64,
    /// The cost of its last search. The next search is charged this until it has ended.
    last_cost: Duration,
    running: usize,
}

impl Share {
    fn new(now: Instant) -> Self {
        let (charge, last_cost) = (Duration::ZERO, Duration::ZERO);
        Self { charge, waiting_since: now, starts_before: 0, last_cost, running: 0 }
    }

    /// Begins to wait for a start. `least` is the lowest charge of those that wait.
    fn wait(&mut self, race: &Race, least: Option<Duration>, now: Instant) {
        (self.waiting_since, self.starts_before) = (now, race.starts);
        let least = least.unwrap_or(race.virtual_time);
        // Running searches are charged in advance. One that takes less time lowers the charge of
        // its session, which would then go before this one.
        let start = if race.running == 0 { least } else { least.min(race.virtual_time) };
        if self.running == 0 {
            // Idle time saves up nothing.
            self.charge = self.charge.max(start);
        }
    }

    /// Returns its place in the race: the least goes next. The first part is 0 for one that was passed
    /// over too often. These go in the order in which they began to wait.
    fn place(&self, race: &Race) -> (u8, u64, Duration, Instant) {
        if race.starts - self.starts_before >= race.max_passes() {
            return (0, self.starts_before, Duration::ZERO, self.waiting_since);
        }
        (1, 0, self.charge, self.waiting_since)
    }

    /// Handles the start of a search, which is charged `cost` in advance.
    fn start(&mut self, race: &mut Race, cost: Duration, now: Instant) {
        race.virtual_time = race.virtual_time.max(self.charge);
        race.starts += 1;
        race.running += 1;
        self.charge += cost;
        (self.waiting_since, self.starts_before) = (now, race.starts);
        self.running += 1;
    }

    /// Handles the end of a search that was charged `charged` in advance.
    fn end(&mut self, cost: Duration, charged: Duration) {
        self.charge = (self.charge + cost).saturating_sub(charged);
        self.last_cost = cost;
        self.running -= 1;
    }
}

/// An owner of sessions.
#[derive(Debug)]
struct OwnerState {
    share: Share,
    /// The race of its sessions.
    race: Race,
    sessions: usize,
}

/// A session and its waiting positions.
#[derive(Debug)]
struct SessionState<T> {
    owner: Owner,
    share: Share,
    /// Whether its positions are held back, because the client does not read.
    is_blocked: bool,
    /// Whether its client is disconnected, and may come back.
    is_away: bool,
    waiting: BTreeMap<QueueKey, (Rank, T)>,
}

/// A search in progress.
#[derive(Clone, Copy, Debug)]
struct Run {
    session: SessionId,
    owner: Owner,
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
            owners: BTreeMap::new(),
            sessions: BTreeMap::new(),
            waiting: HashMap::new(),
            running: BTreeMap::new(),
            race: Race::default(),
            last_session: 0,
            last_task: 0,
            last_arrival: 0,
        }
    }

    /// Adds a session of `owner`, and returns its number.
    pub fn join(&mut self, owner: Owner, now: Instant) -> SessionId {
        self.last_session += 1;
        let session = SessionId(self.last_session);
        self.join_as(session, owner, now);
        session
    }

    /// Adds a session with the number that another queue gave it.
    pub fn join_as(&mut self, session: SessionId, owner: Owner, now: Instant) {
        let new = || OwnerState { share: Share::new(now), race: Race::default(), sessions: 0 };
        let own = self.owners.entry(owner).or_insert_with(new);
        own.sessions += 1;
        let last_cost = own.share.last_cost;
        let state = SessionState {
            owner,
            share: Share { last_cost, ..Share::new(now) },
            is_blocked: false,
            is_away: false,
            waiting: BTreeMap::new(),
        };
        self.sessions.insert(session, state);
    }

    /// Charges a session for work that was not in this queue.
    pub fn charge_more(&mut self, session: SessionId, cost: Duration) {
        if let Some(state) = self.sessions.get_mut(&session) {
            state.share.charge += cost;
            self.owners.entry(state.owner).and_modify(|owner| owner.share.charge += cost);
        }
    }

    /// Forgets owners without sessions that gain nothing by it, and others if there are too many.
    fn forget_owners(&mut self) {
        let Self { owners, race, .. } = self;
        let is_idle = |owner: &OwnerState| owner.sessions == 0 && owner.share.running == 0;
        owners.retain(|_, owner| !is_idle(owner) || owner.share.charge > race.virtual_time);
        let idle = owners.iter().filter(|(_, owner)| is_idle(owner));
        let mut idle: Vec<(Duration, Owner)> =
            idle.map(|(name, owner)| (owner.share.charge, *name)).collect();
        idle.sort_unstable_by_key(|idle| Reverse(*idle));
        for (_, name) in idle.into_iter().skip(MAX_IDLE_OWNERS) {
            owners.remove(&name);
        }
    }

    /// Removes a session and its waiting positions. Returns its searches, which must be stopped.
    pub fn leave(&mut self, session: SessionId) -> Vec<TaskId> {
        if let Some(state) = self.sessions.remove(&session) {
            for key in state.waiting.keys() {
                self.waiting.remove(&key.3);
            }
            if !state.waiting.is_empty() {
                self.stop_waiting(state.owner);
            }
            self.owners.entry(state.owner).and_modify(|owner| owner.sessions -= 1);
            self.forget_owners();
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
        let Some(state) = self.sessions.get(&session) else { return };
        let owner = state.owner;
        // The lowest charges of those that wait: of the owner's sessions, and of owners.
        let waits = |other: &&SessionState<T>| other.owner == owner && !other.waiting.is_empty();
        let least = self.sessions.values().filter(waits).map(|other| other.share.charge).min();
        let owners = self.owners.values().filter(|owner| owner.race.waiting > 0);
        let least_owner = owners.map(|owner| owner.share.charge).min();
        let Self { sessions, owners, race, .. } = self;
        let (Some(state), Some(own)) = (sessions.get_mut(&session), owners.get_mut(&owner)) else {
            return;
        };
        if state.waiting.is_empty() {
            if own.race.waiting == 0 {
                own.share.wait(race, least_owner, now);
                race.waiting += 1;
            }
            state.share.wait(&own.race, least, now);
            own.race.waiting += 1;
        }
        state.waiting.insert(key, (rank, work));
        self.waiting.insert(key.3, (session, key));
    }

    /// Counts one session of an owner less, because its last waiting position is gone.
    fn stop_waiting(&mut self, owner: Owner) {
        let Some(own) = self.owners.get_mut(&owner) else { return };
        own.race.waiting -= 1;
        if own.race.waiting == 0 {
            self.race.waiting -= 1;
        }
    }

    /// Removes a waiting position; `None` if it does not wait.
    pub fn remove(&mut self, task: TaskId) -> Option<T> {
        let (session, key) = self.waiting.remove(&task)?;
        let state = self.sessions.get_mut(&session)?;
        let (_, work) = state.waiting.remove(&key)?;
        if state.waiting.is_empty() {
            let owner = state.owner;
            self.stop_waiting(owner);
        }
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
        let Self { sessions, owners, race, .. } = self;
        // Sessions of an owner are mostly neighbours.
        let (all, owners_race) = (&*owners, &*race);
        let mut known: Option<(Owner, &OwnerState)> = None;
        let place = |(id, state): (&SessionId, &SessionState<T>)| {
            let owner = state.owner;
            let found = known
                .filter(|(known, _)| *known == owner)
                .or_else(|| Some((owner, all.get(&owner)?)));
            known = found;
            let (_, own) = found?;
            let place = (state.yields(), own.share.place(owners_race), owner);
            Some((place, state.share.place(&own.race), *id))
        };
        let ready = sessions.iter().filter(|(_, state)| state.is_ready());
        let (.., session) = ready.filter_map(place).min()?;
        let state = sessions.get_mut(&session)?;
        let (key, (rank, work)) = state.waiting.pop_first()?;
        let (owner, task) = (state.owner, key.3);
        let charged = state.share.last_cost;
        let own = owners.get_mut(&owner)?;
        own.share.start(race, charged, now);
        state.share.start(&mut own.race, charged, now);
        let is_last = state.waiting.is_empty();
        self.waiting.remove(&task);
        if is_last {
            self.stop_waiting(owner);
        }
        let run = Run { session, owner, key, rank, started: now, charged, is_pausing: false };
        self.running.insert(task, run);
        Some(Started { task, session, work })
    }

    /// Handles the end of a search, and charges its session.
    pub fn finish(&mut self, task: TaskId, now: Instant) {
        if let Some(run) = self.running.remove(&task) {
            self.charge(&run, now);
        }
    }

    /// Charges the session and its owner. The owner is charged even if the session has left.
    fn charge(&mut self, run: &Run, now: Instant) {
        let cost = now.saturating_duration_since(run.started) * run.rank.threads;
        self.race.running -= 1;
        if let Some(owner) = self.owners.get_mut(&run.owner) {
            owner.race.running -= 1;
            owner.share.end(cost, run.charged);
        }
        if let Some(state) = self.sessions.get_mut(&run.session) {
            state.share.end(cost, run.charged);
        }
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
