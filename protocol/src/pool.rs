//! [`Pool`]: workers that search positions, and their queue.
//!
//! A worker has a table, and the backend of the game that it searched last, opened when needed.
//! Search threads send events to the [`EventSender`]. The owner of the pool passes each event to
//! [`Pool::event`], and the resulting [`Update`]s to the sessions.
//!
//! A worker that gets a position of another game drops its backend, with thread and evaluator, and
//! opens another. It keeps its table and empties it. The pool prefers a free worker of the same
//! game, so that this is rare. After a failed search the table is replaced, too.

pub mod commands;
pub mod driver;
mod interface;
pub mod job;
pub mod lookup;
mod lookups;
pub mod queue;
mod tables;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tengen_engine::backend::{Backend, Catalog, Event, Sink};
use tengen_engine::table::KeptWins;
use tengen_engine::{Answer, Control, Instant, Move, Report, SearchError};

pub use self::interface::{Effect, PoolSession, Room, Search, TurnKey, Update, UpdateKind};
use self::job::{Failure, Job, RankedLines, ReportMode, SearchResult};
use self::lookup::Lookup;
use self::lookups::{LookupEvent, Lookups};
use self::queue::{Owner, Queue, SessionId, Started, TaskId};
use self::tables::{GameTable, LentTable, SessionTables, SessionWins};

/// The callback that gets the events of search threads, on any thread.
pub type EventSender = Arc<dyn Fn(SearchEvent) + Send + Sync>;

/// An event of a search or of a lookup.
#[derive(Debug)]
pub struct SearchEvent(Source);

#[derive(Debug)]
enum Source {
    Search { worker: usize, run: u64, kind: EventKind },
    Lookup(LookupEvent),
}

impl SearchEvent {
    fn new(worker: usize, run: u64, kind: EventKind) -> Self {
        Self(Source::Search { worker, run, kind })
    }

    fn lookup(event: LookupEvent) -> Self {
        Self(Source::Lookup(event))
    }
}

#[derive(Debug)]
enum EventKind {
    /// The collected lines have changed.
    Report,
    /// A report for [`ReportMode::Forwarded`].
    Forwarded(Report<Move>),
    Answer(Box<Answer<Move>>),
    /// The search failed, or its table could not be allocated.
    Failed(SearchError),
}

/// The settings of a pool.
#[derive(Clone, Copy)]
pub struct PoolSettings {
    /// The games.
    pub catalog: &'static dyn Catalog,
    /// How many positions are searched in parallel.
    pub workers: usize,
    /// The size of each worker's table, in MiB.
    pub hash_mib: usize,
    /// The limit of all tables that sessions of commands keep, in MiB.
    pub session_tables_mib: usize,
    /// How many positions may wait in the queue.
    pub max_waiting: usize,
    /// Whether a worker's table is cleared between sessions, so that a session never uses entries
    /// of another one.
    pub isolates: bool,
}

impl PoolSettings {
    /// Returns the settings of a pool for one client, without a limit of the queue.
    pub fn new(catalog: &'static dyn Catalog, workers: usize, hash_mib: usize) -> Self {
        Self {
            catalog,
            workers,
            hash_mib,
            session_tables_mib: 0,
            max_waiting: usize::MAX,
            isolates: false,
        }
    }
}

/// Workers that search positions, and their queue.
pub struct Pool {
    settings: PoolSettings,
    send_event: EventSender,
    queue: Queue<Work>,
    workers: Vec<Worker>,
    tasks: HashMap<(SessionId, TurnKey), TaskId>,
    last_run: u64,
    /// The moving average of search times, to estimate when the queue has room again.
    average_time: Duration,
    /// The sessions that wait until the tables of all workers are cleared.
    clearing: Vec<SessionId>,
    session_tables: SessionTables,
    /// The wins that each session keeps from search to search, whatever worker searches.
    session_wins: HashMap<SessionId, SessionWins>,
    lookups: Lookups,
}

/// A position in the queue.
struct Work {
    turn: TurnKey,
    job: Job,
    /// The worker whose table has entries of an earlier part of this search.
    worker: Option<usize>,
    /// When it was put into the queue.
    since: Instant,
}

#[derive(Default)]
struct Worker {
    /// The backend of the last game. It uses `table`, except during a search with a session's
    /// table.
    backend: Option<Box<dyn Backend>>,
    table: GameTable,
    run: Option<Run>,
    /// The session of the last search that used `table`.
    session: Option<SessionId>,
    /// Whether `table` is cleared after the current search.
    clears_after_search: bool,
}

/// A search in progress.
struct Run {
    number: u64,
    task: TaskId,
    session: SessionId,
    work: Work,
    control: Control,
    lines: Arc<Mutex<RankedLines>>,
    started: Instant,
    failure: Option<Failure>,
    /// Whether it was stopped to let other sessions search.
    is_pausing: bool,
    /// Whether its session has ended, so that the result is dropped.
    is_orphan: bool,
}

impl Run {
    fn update(&self, kind: UpdateKind) -> Update {
        Update { session: self.session, turn: self.work.turn, kind }
    }
}

impl Pool {
    /// Returns a pool. Its backends are opened when the first positions arrive.
    pub fn new(settings: PoolSettings, send_event: EventSender) -> Self {
        let workers = settings.workers.max(1);
        Self {
            settings,
            send_event,
            queue: Queue::new(workers),
            workers: (0..workers).map(|_| Worker::default()).collect(),
            tasks: HashMap::new(),
            last_run: 0,
            average_time: Duration::from_millis(100),
            clearing: Vec::new(),
            session_tables: SessionTables::new(settings.session_tables_mib),
            session_wins: HashMap::new(),
            lookups: Lookups::new(),
        }
    }

    /// Adds a session of `owner`, and returns its id.
    pub fn join(&mut self, owner: Owner, now: Instant) -> SessionId {
        let session = self.queue.join(owner, now);
        self.lookups.join(session, owner, now);
        session
    }

    /// Removes a session, and stops its searches.
    pub fn leave(&mut self, session: SessionId) {
        self.lookups.leave(session);
        let running = self.queue.leave(session);
        for run in self.runs().filter(|run| running.contains(&run.task)) {
            run.is_orphan = true;
            run.control.stop();
        }
        self.tasks.retain(|(owner, _), _| *owner != session);
        self.session_tables.leave(session);
        self.session_wins.remove(&session);
        self.clearing.retain(|owner| *owner != session);
    }

    fn runs(&mut self) -> impl Iterator<Item = &mut Run> {
        self.workers.iter_mut().filter_map(|worker| worker.run.as_mut())
    }

    /// Returns the room in the queue for a session that may have `limit` positions in the queue.
    pub fn room(&self, session: SessionId, limit: Option<usize>) -> Room {
        let waiting = self.queue.waiting_of(session) + self.lookups.waiting_of(session);
        let own = limit.map_or(usize::MAX, |limit| limit.saturating_sub(waiting));
        let all = self.settings.max_waiting.saturating_sub(self.waiting());
        let waiting = u32::try_from(self.queue.waiting()).unwrap_or(u32::MAX);
        let workers = u32::try_from(self.workers.len()).unwrap_or(1);
        let wait = self.average_time.saturating_mul(waiting) / workers;
        let retry_after = wait.clamp(Duration::from_millis(50), Duration::from_secs(60));
        Room { positions: own.min(all), retry_after }
    }

    /// Returns how many positions and lookups wait.
    pub fn waiting(&self) -> usize {
        self.queue.waiting() + self.lookups.waiting()
    }

    /// Returns how many search threads run.
    pub fn threads(&self) -> usize {
        self.queue.threads() as usize
    }

    /// Puts the turns of a query of `session` into the queue.
    pub fn search(&mut self, session: SessionId, turns: Vec<Search>, now: Instant) {
        let arrival = self.queue.arrival();
        for Search { key, rank, job } in turns {
            let work = Work { turn: key, job, worker: None, since: now };
            let task = self.queue.push(session, arrival, rank, now, work);
            self.tasks.insert((session, key), task);
        }
    }

    /// Puts a lookup of `session` into the queue.
    pub fn look_up(&mut self, session: SessionId, turn: TurnKey, lookup: Lookup, now: Instant) {
        self.lookups.push(session, turn, lookup, now);
    }

    /// Sets whether what waits of a session is held back.
    fn block(&mut self, session: SessionId, is_blocked: bool) {
        self.queue.block(session, is_blocked);
        self.lookups.block(session, is_blocked);
    }

    /// Removes a turn from its queue, or stops its search. A stopped search still gives a result.
    pub fn cancel(&mut self, session: SessionId, turn: TurnKey) {
        let Some(&task) = self.tasks.get(&(session, turn)) else {
            return self.lookups.cancel(session, turn);
        };
        if self.queue.remove(task).is_some() {
            self.tasks.remove(&(session, turn));
            return;
        }
        if let Some(run) = self.runs().find(|run| run.task == task) {
            run.is_pausing = false;
            run.control.stop();
        }
    }

    /// Passes a ponderhit that arrived at `at` to the search of a turn.
    pub fn ponderhit(&mut self, session: SessionId, turn: TurnKey, at: Instant) {
        let of_turn = |run: &&mut Run| run.session == session && run.work.turn == turn;
        if let Some(run) = self.runs().find(of_turn) {
            run.control.ponderhit(at);
        }
    }

    /// Clears the tables of all workers, those of busy workers after their search. Returns whether
    /// all are cleared now. If not, [`Self::take_cleared`] returns `session` later.
    pub fn clear(&mut self, session: SessionId) -> bool {
        for worker in &mut self.workers {
            match (&worker.run, &mut worker.backend) {
                (Some(_), _) => worker.clears_after_search = true,
                (None, Some(backend)) => backend.clear_hash(),
                (None, None) => worker.table = GameTable::default(),
            }
        }
        self.session_wins.remove(&session);
        let is_done = self.workers.iter().all(|worker| !worker.clears_after_search);
        if !is_done && !self.clearing.contains(&session) {
            self.clearing.push(session);
        }
        is_done
    }

    /// Returns the sessions for which all tables have been cleared since the last call.
    pub fn take_cleared(&mut self) -> Vec<SessionId> {
        match self.workers.iter().any(|worker| worker.clears_after_search) {
            true => Vec::new(),
            false => std::mem::take(&mut self.clearing),
        }
    }

    /// Starts searches on free workers, and pauses infinite searches whose time slice is over.
    pub fn advance(&mut self, now: Instant) -> Vec<Update> {
        let mut updates = Vec::new();
        self.lookups.advance(now, &self.send_event);
        while let Some(started) = self.queue.start(now) {
            self.start(started, now, &mut updates);
        }
        for task in self.queue.pause_due(now) {
            if let Some(run) = self.runs().find(|run| run.task == task) {
                run.is_pausing = true;
                run.control.stop();
            }
        }
        updates
    }

    fn start(&mut self, started: Started<Work>, now: Instant, updates: &mut Vec<Update>) {
        let Started { task, session, mut work } = started;
        let index = self.place_for(&work);
        let lent = self.lend(index, session, &work.job, now);
        let wins = self.wins_for(session, &work.job);
        self.last_run += 1;
        let number = self.last_run;
        let lines = Arc::<Mutex<RankedLines>>::default();
        let table = self.table_sink(index, number);
        let sink = self.search_sink(index, number, &work.job, &lines);
        let Self { settings, workers, .. } = self;
        let turn = work.turn;
        let waited = now.saturating_duration_since(work.since);
        let worker = &mut workers[index];
        let wanted = work.job.settings.with_hash_mib(lent.mib);
        let spec = work.job.position.spec();
        let known = worker.backend.take().filter(|backend| backend.spec() == spec);
        let is_known = known.is_some();
        let mut backend = known.unwrap_or_else(|| {
            // `use_table` replaces this table immediately.
            settings.catalog.open(spec, &wanted.with_hash_mib(1), Arc::clone(&table))
        });
        if !is_known || work.job.keeps_table {
            backend.use_table(lent.table);
        }
        backend.configure(&wanted, table);
        if lent.is_foreign || work.job.is_fresh {
            backend.clear_hash();
        }
        // A session's table is cleared only once. After a pause the search needs its own entries.
        work.job.is_fresh &= !work.job.keeps_table;
        let mut go = work.job.go(now);
        go.wins = wins;
        let control = backend.go(&*work.job.position, go, sink);
        worker.backend = Some(backend);
        worker.run = Some(Run {
            number,
            task,
            session,
            work,
            control,
            lines,
            started: now,
            failure: None,
            is_pausing: false,
            is_orphan: false,
        });
        let update = |kind| Update { session, turn, kind };
        updates.push(update(UpdateKind::Started(waited)));
        updates.extend(lent.warning.map(|text| update(UpdateKind::Noted(text))));
    }

    /// Returns the table for a search: the session's, or that of the worker `index`.
    fn lend(&mut self, index: usize, session: SessionId, job: &Job, now: Instant) -> LentTable {
        let game = job.position.spec();
        if job.keeps_table {
            return self.session_tables.lend(session, game, job.settings.hash_mib, now);
        }
        let PoolSettings { hash_mib, isolates, .. } = self.settings;
        let worker = &mut self.workers[index];
        let before = worker.session.replace(session);
        let (table, is_of_other_game) = worker.table.for_game(game);
        let is_foreign = is_of_other_game || isolates && before != Some(session);
        LentTable { table, mib: hash_mib, is_foreign, warning: None }
    }

    /// Returns the wins for a search: the session's, or `None` for a search that must not know them.
    fn wins_for(&mut self, session: SessionId, job: &Job) -> Option<KeptWins> {
        match (job.is_fresh, job.keeps_table) {
            (true, false) => return None,
            (true, true) => drop(self.session_wins.remove(&session)),
            (false, _) => {}
        }
        let own = self.session_wins.entry(session).or_default();
        // A server has many sessions.
        let room = KeptWins::ROOM / if self.settings.isolates { 16 } else { 1 };
        Some(own.of_game(job.position.spec(), room))
    }

    /// Returns the index of the best free worker: the one that searched the position before a
    /// pause, else one with the same game, else an unused one.
    fn place_for(&self, work: &Work) -> usize {
        let spec = work.job.position.spec();
        let distance = |index: &usize| {
            let backend = self.workers[*index].backend.as_ref();
            match backend {
                _ if work.worker == Some(*index) => 0,
                Some(backend) if backend.spec() == spec => 1,
                None => 2,
                Some(_) => 3,
            }
        };
        let free = (0..self.workers.len()).filter(|index| self.workers[*index].run.is_none());
        free.min_by_key(distance).unwrap_or_default()
    }

    fn table_sink(&self, worker: usize, run: u64) -> Sink {
        let send_event = Arc::clone(&self.send_event);
        Arc::new(move |event| {
            if let Event::Failed(why) = event {
                send_event(SearchEvent::new(worker, run, EventKind::Failed(why)));
            }
        })
    }

    /// Returns the sink of a search. Lines are collected on the search thread, so that a short
    /// search does not wake the pool's thread before its answer.
    fn search_sink(
        &self,
        worker: usize,
        run: u64,
        job: &Job,
        lines: &Arc<Mutex<RankedLines>>,
    ) -> Sink {
        let (send_event, lines) = (Arc::clone(&self.send_event), Arc::clone(lines));
        let reports = job.reports.clone();
        let send = move |kind| send_event(SearchEvent::new(worker, run, kind));
        Arc::new(move |event| match (event, &reports) {
            (Event::Report(report), ReportMode::Collected) => lines.lock().note(report),
            (Event::Report(report), ReportMode::Updated) => {
                lines.lock().note(report);
                send(EventKind::Report);
            }
            (Event::Report(report), ReportMode::Forwarded) => send(EventKind::Forwarded(report)),
            (Event::Report(report), ReportMode::Ranked(ranking)) => ranking.lock().note(&report),
            (Event::Answer(answer), _) => send(EventKind::Answer(Box::new(answer))),
            (Event::Failed(why), _) => send(EventKind::Failed(why)),
            _ => {}
        })
    }

    /// Handles an event. Returns the update for its session, if there is one.
    pub fn event(&mut self, event: SearchEvent, now: Instant) -> Option<Update> {
        let (index, number, kind) = match event.0 {
            Source::Search { worker, run, kind } => (worker, run, kind),
            Source::Lookup(event) => {
                let (update, cost) = self.lookups.event(event, now)?;
                self.queue.charge_more(update.session, cost);
                return Some(update);
            }
        };
        let worker = self.workers.get_mut(index)?;
        let run = worker.run.as_mut().filter(|run| run.number == number)?;
        match kind {
            EventKind::Report => (!run.is_orphan)
                .then(|| run.update(UpdateKind::Reported(run.lines.lock().merged()))),
            EventKind::Forwarded(report) => {
                let is_silent = run.is_orphan || run.is_pausing;
                (!is_silent).then(|| run.update(UpdateKind::Forwarded(report)))
            }
            EventKind::Failed(why) => {
                run.failure.get_or_insert(why.into());
                run.control.stop();
                None
            }
            EventKind::Answer(answer) => self.answered(index, *answer, now),
        }
    }

    fn answered(&mut self, index: usize, answer: Answer<Move>, now: Instant) -> Option<Update> {
        let worker = self.workers.get_mut(index)?;
        let run = worker.run.take()?;
        let Run { task, session, mut work, lines, started, failure, is_pausing, is_orphan, .. } =
            run;
        let keeps_table = work.job.keeps_table;
        match keeps_table {
            true if is_orphan => self.session_tables.forget(session),
            true => self.session_tables.give_back(session, now),
            false => {}
        }
        match (&failure, &mut worker.backend) {
            // After a failure the table may be damaged.
            (Some(_), _) if keeps_table => {
                self.session_tables.forget(session);
                worker.backend = None;
            }
            (Some(_), _) => (worker.backend, worker.table) = (None, GameTable::default()),
            (None, Some(backend)) if keeps_table => backend.use_table(worker.table.handle.clone()),
            (None, _) => {}
        }
        if std::mem::take(&mut worker.clears_after_search)
            && let Some(backend) = &mut worker.backend
        {
            backend.clear_hash();
        }
        let turn = work.turn;
        let lines = std::mem::take(&mut *lines.lock());
        let lines = lines.at_end(&answer);
        let is_proven = answer.settled.is_some_and(|settled| settled.is_whole(&work.job.limits));
        let result = SearchResult { answer, lines };
        if is_pausing && !is_orphan && !is_proven && failure.is_none() {
            work.job.spend(now.saturating_duration_since(started));
            work.worker = (!keeps_table).then_some(index);
            work.since = now;
            self.queue.requeue(task, now, work);
            return Some(Update { session, turn, kind: UpdateKind::Paused(Box::new(result)) });
        }
        self.queue.finish(task, now);
        self.tasks.remove(&(session, turn));
        self.average_time = (self.average_time * 7 + now.saturating_duration_since(started)) / 8;
        let result = failure.map_or(Ok(result), Err);
        (!is_orphan).then(|| Update { session, turn, kind: UpdateKind::Finished(Box::new(result)) })
    }
}
