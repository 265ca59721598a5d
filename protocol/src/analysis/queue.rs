//! The queue of positions: who is searched next, and which search gives way.
//!
//! Between sessions the order is fair share: each is charged the time of its search threads, and the
//! session with the smallest charge goes next. Within a session the order is priority, arrival,
//! turn. It reads no clock, starts nothing and knows no game: instants are passed in, and the caller
//! searches what [`Queue::start`] hands out.
// CITE: Goyal, Vin and Cheng, "Start-time Fair Queuing", IEEE/ACM Transactions on Networking 5(5), 1997.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

/// How long a search without an end runs before it gives way to others. It bounds the wait of a new
/// client when such searches hold all workers.
pub const TURN_OF_INFINITE: Duration = Duration::from_millis(500);

/// A client of the queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SessionId(u64);

/// A position in the queue, or one that is searched.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TaskId(u64);

/// What the queue has to know of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rank {
    /// Higher ones go first, within the session.
    pub priority: i32,
    /// The turn in its query.
    pub turn: u32,
    /// How many threads search it.
    pub threads: u32,
    /// Whether its search has no end of its own.
    pub is_infinite: bool,
}

/// The place of a position among those of its session.
type QueueKey = (Reverse<i32>, u64, u32, TaskId);

/// Positions that wait and positions that are searched.
#[derive(Debug)]
pub struct Queue<T> {
    /// How many positions are searched at once.
    workers: usize,
    members: BTreeMap<SessionId, Member<T>>,
    /// Where each waiting position is.
    waiting: HashMap<TaskId, (SessionId, QueueKey)>,
    running: BTreeMap<TaskId, Run>,
    /// The highest charge that a session was started at. Who comes back begins there, or at the
    /// lowest charge of those who wait, if that is lower.
    floor: Duration,
    sessions: u64,
    tasks: u64,
    arrivals: u64,
}

/// A session and its waiting positions.
#[derive(Debug)]
struct Member<T> {
    charge: Duration,
    /// What its last search took: the charge of its next one until that has ended.
    last: Duration,
    /// Since when it waits for its next start.
    since: Instant,
    /// Whether it does not take what it is sent.
    is_blocked: bool,
    /// Whether its client has gone, and may come back.
    is_away: bool,
    waiting: BTreeMap<QueueKey, (Rank, T)>,
    running: usize,
}

/// A search in progress.
#[derive(Clone, Copy, Debug)]
struct Run {
    session: SessionId,
    place: QueueKey,
    rank: Rank,
    started: Instant,
    /// What was charged for it so far.
    charged: Duration,
    /// Whether it was told to give way.
    gives_way: bool,
}

/// A position to search now.
#[derive(Debug)]
pub struct Started<T> {
    /// Its number.
    pub task: TaskId,
    /// Whose it is.
    pub session: SessionId,
    /// What was put into the queue.
    pub work: T,
}

impl<T> Queue<T> {
    /// A queue in front of so many workers.
    pub fn new(workers: usize) -> Self {
        Self {
            workers,
            members: BTreeMap::new(),
            waiting: HashMap::new(),
            running: BTreeMap::new(),
            floor: Duration::ZERO,
            sessions: 0,
            tasks: 0,
            arrivals: 0,
        }
    }

    /// Lets a session in.
    pub fn join(&mut self, now: Instant) -> SessionId {
        self.sessions += 1;
        let session = SessionId(self.sessions);
        let member = Member {
            charge: Duration::ZERO,
            last: Duration::ZERO,
            since: now,
            is_blocked: false,
            is_away: false,
            waiting: BTreeMap::new(),
            running: 0,
        };
        self.members.insert(session, member);
        session
    }

    /// Forgets a session with all that waits of it, and returns the searches to stop.
    pub fn leave(&mut self, session: SessionId) -> Vec<TaskId> {
        if let Some(member) = self.members.remove(&session) {
            for place in member.waiting.keys() {
                self.waiting.remove(&place.3);
            }
        }
        let own = self.running.iter().filter(|(_, run)| run.session == session);
        own.map(|(task, _)| *task).collect()
    }

    /// How many positions of a session wait.
    pub fn waiting_of(&self, session: SessionId) -> usize {
        self.members.get(&session).map_or(0, |member| member.waiting.len())
    }

    /// How many positions wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How many threads search.
    pub fn threads(&self) -> u32 {
        self.running.values().map(|run| run.rank.threads).sum()
    }

    /// Numbers a query: its positions wait after those of earlier ones.
    pub fn arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }

    /// Puts a position of the query of this arrival into the queue.
    pub fn push(
        &mut self,
        session: SessionId,
        arrival: u64,
        rank: Rank,
        now: Instant,
        work: T,
    ) -> TaskId {
        self.tasks += 1;
        let task = TaskId(self.tasks);
        self.put(
            session,
            task,
            (Reverse(rank.priority), arrival, rank.turn, task),
            rank,
            now,
            work,
        );
        task
    }

    fn put(
        &mut self,
        session: SessionId,
        task: TaskId,
        place: QueueKey,
        rank: Rank,
        now: Instant,
        work: T,
    ) {
        let others = self.members.values().filter(|member| !member.waiting.is_empty());
        let least = others.map(|member| member.charge).min().unwrap_or(self.floor);
        // What runs is charged in advance, and may take less: its session would then go first again.
        let start = if self.running.is_empty() { least } else { least.min(self.floor) };
        let Some(member) = self.members.get_mut(&session) else { return };
        if member.waiting.is_empty() {
            member.since = now;
            if member.running == 0 {
                // Whoever was idle has saved nothing up.
                member.charge = member.charge.max(start);
            }
        }
        member.waiting.insert(place, (rank, work));
        self.waiting.insert(task, (session, place));
    }

    /// Removes a waiting position; `None` if it does not wait.
    pub fn remove(&mut self, task: TaskId) -> Option<T> {
        let (session, place) = self.waiting.remove(&task)?;
        let (_, work) = self.members.get_mut(&session)?.waiting.remove(&place)?;
        Some(work)
    }

    /// Holds back what waits of a session, or no more.
    pub fn block(&mut self, session: SessionId, is_blocked: bool) {
        if let Some(member) = self.members.get_mut(&session) {
            member.is_blocked = is_blocked;
        }
    }

    /// Notes whether the client of a session has gone, and may come back: its searches without an end
    /// of their own take no turn from others.
    pub fn set_away(&mut self, session: SessionId, is_away: bool) {
        if let Some(member) = self.members.get_mut(&session) {
            member.is_away = is_away;
        }
    }

    /// The next position to search, where a worker is free.
    pub fn start(&mut self, now: Instant) -> Option<Started<T>> {
        if self.running.len() >= self.workers {
            return None;
        }
        let ready = self.members.iter_mut().filter(|(_, member)| member.is_ready());
        let (session, member) = ready
            .min_by_key(|(id, member)| (member.yields(), member.charge, member.since, **id))?;
        let (place, (rank, work)) = member.waiting.pop_first()?;
        let (session, task) = (*session, place.3);
        self.floor = self.floor.max(member.charge);
        let charged = member.last;
        member.charge += charged;
        member.since = now;
        member.running += 1;
        self.waiting.remove(&task);
        let run = Run { session, place, rank, started: now, charged, gives_way: false };
        self.running.insert(task, run);
        Some(Started { task, session, work })
    }

    /// A search has ended: its session is charged what it took.
    pub fn finish(&mut self, task: TaskId, now: Instant) {
        if let Some(run) = self.running.remove(&task) {
            self.charge(&run, now);
        }
    }

    fn charge(&mut self, run: &Run, now: Instant) {
        let Some(member) = self.members.get_mut(&run.session) else { return };
        let took = now.saturating_duration_since(run.started) * run.rank.threads;
        member.charge = (member.charge + took).saturating_sub(run.charged);
        member.last = took;
        member.running -= 1;
    }

    /// Marks and returns the searches without an end that are to give way now: they have had their
    /// turn, and another session waits.
    pub fn give_way(&mut self, now: Instant) -> Vec<TaskId> {
        let mut wanted = self.waits_beside(None).saturating_sub(self.yielding());
        let is_due = |run: &Run| self.end_of_turn(run).is_some_and(|at| at <= now);
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
            if self.waits_beside(Some(session)) == 0 {
                continue;
            }
            if let Some(run) = self.running.get_mut(&task) {
                run.gives_way = true;
            }
            wanted -= 1;
            tasks.push(task);
        }
        tasks
    }

    /// When [`Self::give_way`] is to be asked again; `None` where nothing changes by itself.
    pub fn next_turn(&self, now: Instant) -> Option<Instant> {
        if self.waiting.is_empty() {
            return None;
        }
        self.running.values().filter_map(|run| self.end_of_turn(run)).filter(|at| *at > now).min()
    }

    /// When a search without an end of its own is to give way; `None` for others, and for one that
    /// was already asked to.
    fn end_of_turn(&self, run: &Run) -> Option<Instant> {
        let turn = if self.is_away(run.session) { Duration::ZERO } else { TURN_OF_INFINITE };
        (run.rank.is_infinite && !run.gives_way).then(|| run.started + turn)
    }

    fn is_away(&self, session: SessionId) -> bool {
        self.members.get(&session).is_some_and(|member| member.is_away)
    }

    /// Puts a search that gave way back into the queue, where it was.
    pub fn resume_later(&mut self, task: TaskId, now: Instant, work: T) {
        if let Some(run) = self.running.remove(&task) {
            self.charge(&run, now);
            self.put(run.session, task, run.place, run.rank, now, work);
        }
    }

    /// How many sessions beside this one wait, could start, and take turns from others.
    fn waits_beside(&self, session: Option<SessionId>) -> usize {
        let waits = |(id, member): &(&SessionId, &Member<T>)| {
            Some(**id) != session && member.is_ready() && !member.yields()
        };
        self.members.iter().filter(waits).count()
    }

    /// How many searches were told to give way and still run.
    fn yielding(&self) -> usize {
        self.running.values().filter(|run| run.gives_way).count()
    }
}

impl<T> Member<T> {
    fn is_ready(&self) -> bool {
        !self.is_blocked && !self.waiting.is_empty()
    }

    /// Whether nobody is there for its next search, which has no end of its own.
    fn yields(&self) -> bool {
        let next = self.waiting.first_key_value();
        self.is_away && next.is_some_and(|(_, (rank, _))| rank.is_infinite)
    }
}

#[cfg(test)]
mod tests;
