//! The pool: workers that search positions, and the queue in front of them.
//!
//! A worker has a table, and a backend of the game that it searched last, opened at its first
//! position. Search threads leave their events through a [`EventSender`]. The pool's owner hands each
//! to [`Pool::event`] and passes the kind on to the sessions.
//!
//! A worker that gets a position of another game drops its backend, with thread and evaluator, and opens
//! another. It keeps its table and empties it. The pool prefers a free worker of the same game, so that
//! this is rare. After a failed search the table is replaced too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tengen_engine::backend::{Backend, Catalog, Event, Sink};
use tengen_engine::{Answer, Control, Move, Report};

use super::job::{Failure, Job, RankedLines, Reports, SearchResult};
use super::queue::{Queue, SessionId, Started, TaskId};
use super::session::{QuerySession, Room, Search, TurnKey};
use super::tables::{GameTable, LentTable, SessionTables};

/// Where search threads send their events, from any thread.
pub type EventSender = Arc<dyn Fn(SearchEvent) + Send + Sync>;

/// An event of a search.
#[derive(Debug)]
pub struct SearchEvent {
    worker: usize,
    run: u64,
    kind: EventKind,
}

#[derive(Debug)]
enum EventKind {
    /// There is another line.
    Report,
    /// A report that is passed on as it is.
    PassedOn(Report<Move>),
    Answer(Box<Answer<Move>>),
    /// The search failed.
    Trouble(String),
    /// The table could not be had.
    NoTable(String),
}

/// A report or a result for one turn of a session.
#[derive(Debug)]
pub struct Update {
    /// Whose turn it is.
    pub session: SessionId,
    /// The turn.
    pub turn: TurnKey,
    /// What happened.
    pub kind: UpdateKind,
}

/// What happened to a turn.
#[derive(Debug)]
pub enum UpdateKind {
    /// Its search has begun, after it has waited for so long.
    Started(Duration),
    /// A person should know this, one line of text.
    Noted(String),
    /// Its search goes on.
    Reported(Vec<Report<Move>>),
    /// Its search has made this report.
    PassedOn(Report<Move>),
    /// Its search has given way and waits again.
    Paused(Box<SearchResult>),
    /// Its search has ended.
    Finished(Box<Result<SearchResult, Failure>>),
}

impl Update {
    /// Tells the session of queries whose turn it is.
    pub fn hand_to(self, session: &mut QuerySession, now: Instant) {
        self.kind.hand_to(session, self.turn, now);
    }
}

impl UpdateKind {
    /// Tells the session of queries whose turn it is.
    pub fn hand_to(self, session: &mut QuerySession, turn: TurnKey, now: Instant) {
        match self {
            Self::Started(_) => session.started(turn, now),
            // A session of queries has no table of its own, and nothing is passed on to it.
            Self::Noted(_) | Self::PassedOn(_) => {}
            Self::Reported(lines) => session.reported(turn, lines, now),
            Self::Paused(found) => session.paused(turn, &found),
            Self::Finished(result) => session.finished(turn, *result),
        }
    }
}

/// What a pool consists of.
#[derive(Clone, Copy)]
pub struct PoolSettings {
    /// The games.
    pub catalog: &'static dyn Catalog,
    /// How many positions are searched at once.
    pub workers: usize,
    /// MiB of each worker's table.
    pub hash_mib: usize,
    /// MiB of all tables that sessions of commands keep.
    pub session_tables_mib: usize,
    /// How many positions may wait.
    pub most_waiting: usize,
    /// Whether a session finds nothing of another one in the tables.
    pub isolates: bool,
}

impl PoolSettings {
    /// Returns the settings of a pool for one client: any number of positions may wait.
    pub fn new(catalog: &'static dyn Catalog, workers: usize, hash_mib: usize) -> Self {
        Self {
            catalog,
            workers,
            hash_mib,
            session_tables_mib: 0,
            most_waiting: usize::MAX,
            isolates: false,
        }
    }
}

/// Workers and the queue in front of them.
pub struct Pool {
    settings: PoolSettings,
    send_event: EventSender,
    queue: Queue<Work>,
    workers: Vec<Worker>,
    tasks: HashMap<(SessionId, TurnKey), TaskId>,
    last_run: u64,
    /// The usual time of a search, to guess when there is room again.
    usual: Duration,
    /// Who waits until the tables of all workers are empty.
    clearing: Vec<SessionId>,
    session_tables: SessionTables,
}

/// A position that waits.
struct Work {
    turn: TurnKey,
    job: Job,
    /// The worker whose table knows the position.
    worker: Option<usize>,
    /// Since when it waits.
    since: Instant,
}

#[derive(Default)]
struct Worker {
    /// It has the worker's table, except during a search with a session's table.
    backend: Option<Box<dyn Backend>>,
    table: GameTable,
    run: Option<Run>,
    /// Whose position it searched last with its own table.
    session: Option<SessionId>,
    /// Whether its table is to be emptied after the search.
    is_to_clear: bool,
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
    trouble: Option<Failure>,
    /// Whether it was stopped to let others search.
    gives_way: bool,
    /// Whether its result is no longer wanted.
    is_orphan: bool,
}

impl Pool {
    /// Returns a pool without backends: they are opened as positions come.
    pub fn new(settings: PoolSettings, send_event: EventSender) -> Self {
        let workers = settings.workers.max(1);
        Self {
            settings,
            send_event,
            queue: Queue::new(workers),
            workers: (0..workers).map(|_| Worker::default()).collect(),
            tasks: HashMap::new(),
            last_run: 0,
            usual: Duration::from_millis(100),
            clearing: Vec::new(),
            session_tables: SessionTables::new(settings.session_tables_mib),
        }
    }

    /// Lets a session in.
    pub fn join(&mut self, now: Instant) -> SessionId {
        self.queue.join(now)
    }

    /// Forgets a session; its searches are stopped.
    pub fn leave(&mut self, session: SessionId) {
        let running = self.queue.leave(session);
        for worker in &mut self.workers {
            if let Some(run) = worker.run.as_mut().filter(|run| running.contains(&run.task)) {
                run.is_orphan = true;
                run.control.stop();
            }
        }
        self.tasks.retain(|(owner, _), _| *owner != session);
        self.session_tables.leave(session);
        self.clearing.retain(|owner| *owner != session);
    }

    /// Returns how much room there is for a session of which so many positions may wait.
    pub fn room(&self, session: SessionId, most: Option<usize>) -> Room {
        let own =
            most.map_or(usize::MAX, |most| most.saturating_sub(self.queue.waiting_of(session)));
        let all = self.settings.most_waiting.saturating_sub(self.queue.waiting());
        let waiting = u32::try_from(self.queue.waiting()).unwrap_or(u32::MAX);
        let workers = u32::try_from(self.workers.len()).unwrap_or(1);
        let wait = self.usual.saturating_mul(waiting) / workers;
        let retry_after = wait.clamp(Duration::from_millis(50), Duration::from_secs(60));
        Room { positions: own.min(all), retry_after }
    }

    /// Returns how many positions wait.
    pub fn waiting(&self) -> usize {
        self.queue.waiting()
    }

    /// Returns how many threads search.
    pub fn threads(&self) -> usize {
        self.queue.threads() as usize
    }

    /// Puts the turns of a query into the queue.
    pub fn search(&mut self, session: SessionId, turns: Vec<Search>, now: Instant) {
        let arrival = self.queue.arrival();
        for Search { key, rank, job } in turns {
            let work = Work { turn: key, job, worker: None, since: now };
            let task = self.queue.push(session, arrival, rank, now, work);
            self.tasks.insert((session, key), task);
        }
    }

    /// Removes a turn from the queue, or stops its search. A search that was stopped still answers.
    pub fn cancel(&mut self, session: SessionId, turn: TurnKey) {
        let Some(&task) = self.tasks.get(&(session, turn)) else { return };
        if self.queue.remove(task).is_some() {
            self.tasks.remove(&(session, turn));
            return;
        }
        for run in self.workers.iter_mut().filter_map(|worker| worker.run.as_mut()) {
            if run.task == task {
                run.gives_way = false;
                run.control.stop();
            }
        }
    }

    /// Tells the search of a turn that the opponent has played the expected move at this instant.
    pub fn ponderhit(&mut self, session: SessionId, turn: TurnKey, at: Instant) {
        let runs = self.workers.iter().filter_map(|worker| worker.run.as_ref());
        for run in runs.filter(|run| run.session == session && run.work.turn == turn) {
            run.control.ponderhit(at);
        }
    }

    /// Holds back what waits of a session, or no more.
    pub fn block(&mut self, session: SessionId, is_blocked: bool) {
        self.queue.block(session, is_blocked);
    }

    /// Notes whether nobody is there to take what a session finds: its searches without an end of
    /// their own then give way to others at once.
    pub fn set_away(&mut self, session: SessionId, is_away: bool) {
        self.queue.set_away(session, is_away);
    }

    /// Empties the tables of all workers, a busy one after its search. Returns whether that is done;
    /// else [`Self::take_cleared`] tells.
    pub fn clear(&mut self, session: SessionId) -> bool {
        for worker in &mut self.workers {
            match (&worker.run, &mut worker.backend) {
                (Some(_), _) => worker.is_to_clear = true,
                (None, Some(backend)) => backend.clear_hash(),
                (None, None) => worker.table = GameTable::default(),
            }
        }
        let is_done = self.workers.iter().all(|worker| !worker.is_to_clear);
        if !is_done && !self.clearing.contains(&session) {
            self.clearing.push(session);
        }
        is_done
    }

    /// Returns the sessions whose tables have become empty since the last call.
    pub fn take_cleared(&mut self) -> Vec<SessionId> {
        match self.workers.iter().any(|worker| worker.is_to_clear) {
            true => Vec::new(),
            false => std::mem::take(&mut self.clearing),
        }
    }

    /// Starts what can be started, and lets searches give way whose turn is over.
    pub fn advance(&mut self, now: Instant) -> Vec<Update> {
        let mut updates = Vec::new();
        while let Some(started) = self.queue.start(now) {
            self.start(started, now, &mut updates);
        }
        for task in self.queue.give_way(now) {
            for run in self.workers.iter_mut().filter_map(|worker| worker.run.as_mut()) {
                if run.task == task {
                    run.gives_way = true;
                    run.control.stop();
                }
            }
        }
        updates
    }

    /// Returns when [`Self::advance`] is to be called even though nothing happens.
    pub fn next_wake(&self, now: Instant) -> Option<Instant> {
        self.queue.next_turn(now)
    }

    fn start(&mut self, started: Started<Work>, now: Instant, updates: &mut Vec<Update>) {
        let Started { task, session, mut work } = started;
        let place = self.place_for(&work);
        let lent = self.lend(place, session, &work.job, now);
        self.last_run += 1;
        let number = self.last_run;
        let lines = Arc::<Mutex<RankedLines>>::default();
        let table = self.table_sink(place, number);
        let sink = self.search_sink(place, number, &work.job, &lines);
        let Self { settings, workers, .. } = self;
        let turn = work.turn;
        let waited = now.saturating_duration_since(work.since);
        let worker = &mut workers[place];
        let wanted = work.job.settings.with_hash_mib(lent.mib);
        let spec = work.job.position.spec();
        let known = worker.backend.take().filter(|backend| backend.spec() == spec);
        let is_known = known.is_some();
        let mut backend = known.unwrap_or_else(|| {
            // The table that it is opened with is replaced at once.
            settings.catalog.open(spec, &wanted.with_hash_mib(1), Arc::clone(&table))
        });
        if !is_known || work.job.keeps_table {
            backend.use_table(lent.table);
        }
        backend.configure(&wanted, table);
        if lent.is_foreign || work.job.is_fresh {
            backend.clear_hash();
        }
        // A session's table is cleared once: a search that resumes after a pause finds its own entries.
        work.job.is_fresh &= !work.job.keeps_table;
        let control = backend.go(&*work.job.position, work.job.go(now), sink);
        worker.backend = Some(backend);
        worker.run = Some(Run {
            number,
            task,
            session,
            work,
            control,
            lines,
            started: now,
            trouble: None,
            gives_way: false,
            is_orphan: false,
        });
        let update = |kind| Update { session, turn, kind };
        updates.push(update(UpdateKind::Started(waited)));
        updates.extend(lent.warning.map(|text| update(UpdateKind::Noted(text))));
    }

    /// Returns the table for a search: its session's, or the worker's.
    fn lend(&mut self, place: usize, session: SessionId, job: &Job, now: Instant) -> LentTable {
        let game = job.position.spec();
        if job.keeps_table {
            return self.session_tables.lend(session, game, job.settings.hash_mib, now);
        }
        let PoolSettings { hash_mib, isolates, .. } = self.settings;
        let worker = &mut self.workers[place];
        let before = worker.session.replace(session);
        let (table, is_of_other_game) = worker.table.for_game(game);
        let is_foreign = is_of_other_game || isolates && before != Some(session);
        LentTable { table, mib: hash_mib, is_foreign, warning: None }
    }

    /// Returns a free worker: the one whose table knows the position, else one of the same game,
    /// else one that has searched nothing.
    fn place_for(&self, work: &Work) -> usize {
        let spec = work.job.position.spec();
        let distance = |place: &usize| {
            let backend = self.workers[*place].backend.as_ref();
            match backend {
                _ if work.worker == Some(*place) => 0,
                Some(backend) if backend.spec() == spec => 1,
                None => 2,
                Some(_) => 3,
            }
        };
        let free = (0..self.workers.len()).filter(|place| self.workers[*place].run.is_none());
        free.min_by_key(distance).unwrap_or_default()
    }

    fn table_sink(&self, worker: usize, run: u64) -> Sink {
        let send_event = Arc::clone(&self.send_event);
        Arc::new(move |event| {
            if let Event::Note(text) = event {
                send_event(SearchEvent { worker, run, kind: EventKind::NoTable(text) });
            }
        })
    }

    /// Returns the sink of a search. Lines are gathered on the search's own thread, so that a short
    /// search wakes nobody before its answer.
    fn search_sink(
        &self,
        worker: usize,
        run: u64,
        job: &Job,
        lines: &Arc<Mutex<RankedLines>>,
    ) -> Sink {
        let (send_event, lines) = (Arc::clone(&self.send_event), Arc::clone(lines));
        let reports = job.reports.clone();
        let send = move |kind| send_event(SearchEvent { worker, run, kind });
        Arc::new(move |event| match (event, &reports) {
            (Event::Report(report), Reports::Gathered) => lock(&lines).note(report),
            (Event::Report(report), Reports::Told) => {
                lock(&lines).note(report);
                send(EventKind::Report);
            }
            (Event::Report(report), Reports::PassedOn) => send(EventKind::PassedOn(report)),
            (Event::Report(report), Reports::Ranked(ranking)) => lock(ranking).note(&report),
            (Event::Answer(answer), _) => send(EventKind::Answer(Box::new(answer))),
            (Event::Note(text), _) => send(EventKind::Trouble(text)),
            _ => {}
        })
    }

    /// Handles an event of a search, and returns the news for its session.
    pub fn event(&mut self, event: SearchEvent, now: Instant) -> Option<Update> {
        let SearchEvent { worker: place, run: number, kind } = event;
        let worker = self.workers.get_mut(place)?;
        let run = worker.run.as_mut().filter(|run| run.number == number)?;
        match kind {
            EventKind::Report => {
                let lines = lock(&run.lines).merged();
                let (session, turn, is_orphan) = (run.session, run.work.turn, run.is_orphan);
                (!is_orphan).then_some(Update { session, turn, kind: UpdateKind::Reported(lines) })
            }
            EventKind::PassedOn(report) => {
                let (session, turn, is_silent) =
                    (run.session, run.work.turn, run.is_orphan || run.gives_way);
                (!is_silent).then_some(Update { session, turn, kind: UpdateKind::PassedOn(report) })
            }
            EventKind::Trouble(text) => {
                let what = text.split(": ").next().unwrap_or_default().to_owned();
                run.trouble.get_or_insert(Failure::Internal(what));
                None
            }
            EventKind::NoTable(text) => {
                let what = text.split(", the old").next().unwrap_or_default().to_owned();
                run.trouble.get_or_insert(Failure::NoMemory(what));
                run.control.stop();
                None
            }
            EventKind::Answer(answer) => self.answered(place, *answer, now),
        }
    }

    fn answered(&mut self, place: usize, answer: Answer<Move>, now: Instant) -> Option<Update> {
        let worker = self.workers.get_mut(place)?;
        let run = worker.run.take()?;
        let Run { task, session, mut work, lines, started, trouble, gives_way, is_orphan, .. } =
            run;
        let keeps_table = work.job.keeps_table;
        match keeps_table {
            true if is_orphan => self.session_tables.forget(session),
            true => self.session_tables.give_back(session, now),
            false => {}
        }
        match (&trouble, &mut worker.backend) {
            // Whatever broke may be in its table.
            (Some(_), _) if keeps_table => {
                self.session_tables.forget(session);
                worker.backend = None;
            }
            (Some(_), _) => (worker.backend, worker.table) = (None, GameTable::default()),
            (None, Some(backend)) if keeps_table => backend.use_table(worker.table.handle()),
            (None, _) => {}
        }
        if std::mem::take(&mut worker.is_to_clear)
            && let Some(backend) = &mut worker.backend
        {
            backend.clear_hash();
        }
        let turn = work.turn;
        let lines = std::mem::take(&mut *lock(&lines));
        let lines = lines.at_end(&answer);
        let is_proven = answer.settled.is_some();
        let found = SearchResult { answer, lines };
        if gives_way && !is_orphan && !is_proven && trouble.is_none() {
            work.job.spend(now.saturating_duration_since(started));
            work.worker = (!keeps_table).then_some(place);
            work.since = now;
            self.queue.resume_later(task, now, work);
            return Some(Update { session, turn, kind: UpdateKind::Paused(Box::new(found)) });
        }
        self.queue.finish(task, now);
        self.tasks.remove(&(session, turn));
        self.usual = (self.usual * 7 + now.saturating_duration_since(started)) / 8;
        let result = match trouble {
            None => Ok(found),
            Some(failure) => Err(failure),
        };
        (!is_orphan).then(|| Update { session, turn, kind: UpdateKind::Finished(Box::new(result)) })
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
