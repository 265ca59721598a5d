//! [`Lookups`]: queries to the [`Explorer`], each on a thread of its own, so that no search and no
//! connection waits. Sessions share the threads fairly, as they share the workers.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use tengen_engine::Instant;

use super::queue::{Owner, Queue, Rank, SessionId, Started, TaskId};
use super::{EventSender, SearchEvent, TurnKey, Update, UpdateKind};
use crate::dialect::json::{Code, Problem};
use crate::explorer::{Explorer, LookupLimit, LookupQuery, LookupResult, OptionalExplorer};

/// How many lookups run at the same time.
const THREADS: usize = 2;
/// The rank of each lookup: those of a session run in their order.
const RANK: Rank = Rank { priority: 0, turn: 0, threads: 1, is_infinite: false };

/// The end of a lookup.
#[derive(Debug)]
pub(super) struct LookedUp {
    task: TaskId,
    result: Result<LookupResult, Problem>,
}

/// Lookups that wait, and lookups that run.
pub(super) struct Lookups {
    explorer: OptionalExplorer,
    queue: Queue<(TurnKey, LookupQuery)>,
    tasks: HashMap<(SessionId, TurnKey), TaskId>,
    running: HashMap<TaskId, RunningLookup>,
}

/// A lookup that runs.
struct RunningLookup {
    session: SessionId,
    turn: TurnKey,
    is_cancelled: Arc<AtomicBool>,
    started: Instant,
}

impl Lookups {
    pub(super) fn new(explorer: OptionalExplorer) -> Self {
        let queue = Queue::new(THREADS);
        Self { explorer, queue, tasks: HashMap::new(), running: HashMap::new() }
    }

    /// Adds a session that another queue has numbered.
    pub(super) fn join(&mut self, session: SessionId, owner: Owner, now: Instant) {
        self.queue.join_as(session, owner, now);
    }

    /// Removes a session, and ends its lookups.
    pub(super) fn leave(&mut self, session: SessionId) {
        self.queue.leave(session);
        self.tasks.retain(|(owner, _), _| *owner != session);
        let own = self.running.values().filter(|lookup| lookup.session == session);
        own.for_each(|lookup| lookup.is_cancelled.store(true, Relaxed));
    }

    /// Sets whether the waiting lookups of a session are held back.
    pub(super) fn block(&mut self, session: SessionId, is_blocked: bool) {
        self.queue.block(session, is_blocked);
    }

    pub(super) fn waiting(&self) -> usize {
        self.queue.waiting()
    }

    pub(super) fn waiting_of(&self, session: SessionId) -> usize {
        self.queue.waiting_of(session)
    }

    pub(super) fn push(
        &mut self,
        session: SessionId,
        turn: TurnKey,
        query: LookupQuery,
        now: Instant,
    ) {
        let arrival = self.queue.arrival();
        let task = self.queue.push(session, arrival, RANK, now, (turn, query));
        self.tasks.insert((session, turn), task);
    }

    /// Removes a lookup that waits. One that runs ends early.
    pub(super) fn cancel(&mut self, session: SessionId, turn: TurnKey) {
        let Some(task) = self.tasks.remove(&(session, turn)) else { return };
        match self.running.get(&task) {
            Some(lookup) => lookup.is_cancelled.store(true, Relaxed),
            None => drop(self.queue.remove(task)),
        }
    }

    /// Starts as many lookups as threads are free.
    pub(super) fn advance(&mut self, now: Instant, send_event: &EventSender) {
        while let Some(Started { task, session, work: (turn, query) }) = self.queue.start(now) {
            let is_cancelled = Arc::<AtomicBool>::default();
            let known = Arc::clone(&is_cancelled);
            let lookup = RunningLookup { session, turn, is_cancelled: known, started: now };
            self.running.insert(task, lookup);
            let send = Arc::clone(send_event);
            let end = move |result| send(SearchEvent::looked_up(LookedUp { task, result }));
            let explorer = match self.explorer {
                Ok(explorer) => explorer,
                Err(why) => {
                    end(Err(Problem::new(Code::Unsupported, why)));
                    continue;
                }
            };
            let failed = end.clone();
            let work = move || end(look_up(explorer, &query, is_cancelled));
            if let Err(why) = thread::Builder::new().name("lookup".to_owned()).spawn(work) {
                let message = format!("no thread for the lookup: {why}");
                failed(Err(Problem::new(Code::NoMemory, message)));
            }
        }
    }

    /// Handles the end of a lookup. Returns the news for its session, and the time that it took.
    pub(super) fn end(&mut self, ended: LookedUp, now: Instant) -> Option<(Update, Duration)> {
        let LookedUp { task, result } = ended;
        self.queue.finish(task, now);
        let RunningLookup { session, turn, started, .. } = self.running.remove(&task)?;
        self.tasks.remove(&(session, turn));
        let kind = UpdateKind::LookedUp(Box::new(result));
        Some((Update { session, turn, kind }, now.saturating_duration_since(started)))
    }
}

fn look_up(
    explorer: &dyn Explorer,
    query: &LookupQuery,
    is_cancelled: Arc<AtomicBool>,
) -> Result<LookupResult, Problem> {
    let limit = LookupLimit::start(is_cancelled);
    // A lookup that fails must not take its thread's place for ever.
    let done = catch_unwind(AssertUnwindSafe(|| explorer.look_up(query, &limit)));
    done.unwrap_or_else(|_| Err(Problem::new(Code::Internal, "the lookup failed")))
}
