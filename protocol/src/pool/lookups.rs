//! [`Lookups`]: questions to the shelf and records that are read, each on a thread of its own, so that no
//! search and no connection waits. Sessions share the threads fairly, as they share the workers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tengen_engine::{Instant, run_aside};

use super::lookup::{Lookup, LookupNews};
use super::queue::{Owner, Queue, Rank, SessionId, Started, TaskId};
use super::{EventSender, SearchEvent, TurnKey, Update, UpdateKind};
use crate::dialect::json::{Code, Problem};
use crate::explorer::LookupSignal;

/// How many questions to the shelf run at the same time, and how many records are read: the tree of a
/// record can take much memory.
const THREADS: [usize; 2] = [2, 1];
/// The rank of each lookup: those of a session run in their order.
const RANK: Rank = Rank { priority: 0, turn: 0, threads: 1, is_infinite: false };

/// A lookup: the index of its queue, and its number there.
type LookupId = (usize, TaskId);

/// News of a lookup.
#[derive(Debug)]
pub(super) struct LookupEvent {
    id: LookupId,
    news: LookupNews,
}

/// Lookups that wait, and lookups that run.
pub(super) struct Lookups {
    /// The queue of lookups in the shelf, and that of records.
    queues: [Queue<(TurnKey, Lookup)>; 2],
    tasks: HashMap<(SessionId, TurnKey), LookupId>,
    running: HashMap<LookupId, RunningLookup>,
}

/// A lookup that runs.
struct RunningLookup {
    session: SessionId,
    turn: TurnKey,
    signal: Arc<LookupSignal>,
    started: Instant,
}

impl Lookups {
    pub(super) fn new() -> Self {
        let queues = THREADS.map(Queue::new);
        Self { queues, tasks: HashMap::new(), running: HashMap::new() }
    }

    /// Adds a session that another queue has numbered.
    pub(super) fn join(&mut self, session: SessionId, owner: Owner, now: Instant) {
        self.queues.iter_mut().for_each(|queue| queue.join_as(session, owner, now));
    }

    /// Returns the signals of the lookups of a session that run.
    fn signals(&self, session: SessionId) -> impl Iterator<Item = &LookupSignal> {
        let own = self.running.values().filter(move |lookup| lookup.session == session);
        own.map(|lookup| &*lookup.signal)
    }

    /// Removes a session, and ends its lookups.
    pub(super) fn leave(&mut self, session: SessionId) {
        for queue in &mut self.queues {
            queue.leave(session);
        }
        self.tasks.retain(|(owner, _), _| *owner != session);
        self.signals(session).for_each(LookupSignal::cancel);
    }

    /// Sets whether the waiting lookups of a session, and the next lines of those that run, are held back.
    pub(super) fn block(&mut self, session: SessionId, is_blocked: bool) {
        self.queues.iter_mut().for_each(|queue| queue.block(session, is_blocked));
        if !is_blocked {
            self.signals(session).for_each(LookupSignal::let_send);
        }
    }

    pub(super) fn waiting(&self) -> usize {
        self.queues.iter().map(Queue::waiting).sum()
    }

    pub(super) fn waiting_of(&self, session: SessionId) -> usize {
        self.queues.iter().map(|queue| queue.waiting_of(session)).sum()
    }

    pub(super) fn push(&mut self, session: SessionId, turn: TurnKey, lookup: Lookup, now: Instant) {
        let index = usize::from(matches!(lookup, Lookup::Record(_)));
        let queue = &mut self.queues[index];
        let arrival = queue.arrival();
        let task = queue.push(session, arrival, RANK, now, (turn, lookup));
        self.tasks.insert((session, turn), (index, task));
    }

    /// Removes a lookup that waits. One that runs ends early.
    pub(super) fn cancel(&mut self, session: SessionId, turn: TurnKey) {
        let Some(id) = self.tasks.remove(&(session, turn)) else { return };
        match self.running.get(&id) {
            Some(lookup) => lookup.signal.cancel(),
            None => drop(self.queues[id.0].remove(id.1)),
        }
    }

    /// Starts as many lookups as threads are free.
    pub(super) fn advance(&mut self, now: Instant, send_event: &EventSender) {
        for (index, queue) in self.queues.iter_mut().enumerate() {
            while let Some(Started { task, session, work: (turn, lookup) }) = queue.start(now) {
                let id = (index, task);
                let signal = Arc::<LookupSignal>::default();
                let known =
                    RunningLookup { session, turn, signal: Arc::clone(&signal), started: now };
                self.running.insert(id, known);
                let sender = Arc::clone(send_event);
                let send = move |news| sender(SearchEvent::lookup(LookupEvent { id, news }));
                let failed = send.clone();
                if let Err(why) = run_aside("lookup", move || lookup.run(&signal, &send)) {
                    let message = format!("no thread for the lookup: {why}");
                    let problem = Problem::new(Code::NoMemory, message);
                    failed(LookupNews::Ended(Err(problem)));
                }
            }
        }
    }

    /// Handles news of a lookup. Returns them for its session, and the time that it took, if it has ended.
    pub(super) fn event(&mut self, event: LookupEvent, now: Instant) -> Option<(Update, Duration)> {
        let LookupEvent { id, news } = event;
        let RunningLookup { session, turn, started, .. } = *self.running.get(&id)?;
        let mut cost = Duration::ZERO;
        if matches!(news, LookupNews::Ended(_)) {
            self.queues[id.0].finish(id.1, now);
            self.running.remove(&id);
            self.tasks.remove(&(session, turn));
            cost = now.saturating_duration_since(started);
        }
        let kind = UpdateKind::LookedUp(Box::new(news));
        Some((Update { session, turn, kind }, cost))
    }
}
