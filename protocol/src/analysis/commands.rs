//! [`CommandClient`]: a client of UCI, UGI or Gomocup whose searches take their turn in the queue of a
//! pool that it shares with others.
//!
//! The conversation is [`Session`]'s. Its backend is a stand-in without thread and table: what it is
//! asked to search becomes a [`Job`], and what becomes of the job goes back as the backend's events.
//! It reads no clock and starts nothing.

use std::collections::VecDeque;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tengen_engine::backend::{Backend, Catalog, Event, Go, OpenError, Perft, Settings, Sink};
use tengen_engine::table::TableHandle;
use tengen_engine::{Answer, Control, GameSpec, Move, Position, Report, Score, Signal, Term};

use super::job::{Failure, Job, Reports, SearchResult};
use super::queue::Rank;
use super::session::{Effect, Search, Service, SessionLimits, TurnKey};
use crate::session::{Effect as SessionEffect, Engine, RemoteLimits, Session, Ticket};

/// Something to search, as the session asked for it.
struct Request {
    position: Box<dyn Position>,
    go: Go,
    settings: Settings,
    sink: Sink,
    signal: Arc<Signal>,
}

type Shared<T> = Arc<Mutex<VecDeque<T>>>;

/// A client that sends commands.
pub struct CommandClient {
    session: Session,
    limits: SessionLimits,
    /// The most MiB of its table.
    most_hash_mib: usize,
    /// What the session asked to search.
    requests: Shared<Request>,
    /// Whether the session's table is to be emptied before the next search.
    is_cleared: Arc<AtomicBool>,
    /// Events for the session.
    events: Shared<(Ticket, Event)>,
    search: Option<PooledSearch>,
    last_search: u64,
    effects: Vec<Effect>,
    /// When the session's timer ends.
    timer: Option<Instant>,
    is_over: bool,
}

/// A search that waits or runs.
struct PooledSearch {
    key: TurnKey,
    position: Box<dyn Position>,
    sink: Sink,
    signal: Arc<Signal>,
    is_infinite: bool,
    is_running: bool,
    is_cancelled: bool,
    has_told_ponderhit: bool,
    /// What was found before it gave way to others.
    found: Option<Answer<Move>>,
    /// When the server ends it.
    ends_at: Option<Instant>,
}

impl CommandClient {
    /// Returns a client that has said nothing yet.
    pub fn new(service: Service) -> Result<Self, OpenError> {
        let (requests, events) = (Shared::default(), Shared::default());
        let is_cleared = Arc::<AtomicBool>::default();
        let engine = Engine::new(service.catalog).with_remote_limits(RemoteLimits {
            hash_mib: service.hash_mib,
            threads: service.threads,
            multi_pv: service.limits.multi_pv,
        });
        let posted = Arc::clone(&events);
        let post = move |ticket, event| lock(&posted).push_back((ticket, event));
        let (asked, catalog) = (Arc::clone(&requests), service.catalog);
        let clears = Arc::clone(&is_cleared);
        let open = move |spec: &GameSpec, settings: &Settings, _: Sink| -> Box<dyn Backend> {
            // A backend begins with an empty table.
            clears.store(true, Relaxed);
            Box::new(PooledBackend {
                catalog,
                spec: spec.clone(),
                settings: *settings,
                requests: Arc::clone(&asked),
                is_cleared: Arc::clone(&clears),
            })
        };
        let session = Session::new(engine, service.variant, Arc::new(post))?;
        Ok(Self {
            session: session.with_search(Arc::new(open)),
            limits: service.limits,
            most_hash_mib: service.hash_mib,
            requests,
            is_cleared,
            events,
            search: None,
            last_search: 0,
            effects: Vec::new(),
            timer: None,
            is_over: false,
        })
    }

    /// Returns what is to be done since the last call.
    pub fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Returns whether it has ended.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns whether a search waits or runs.
    pub fn is_busy(&self) -> bool {
        self.search.is_some()
    }

    /// Handles a line without its end.
    pub fn line(&mut self, line: &str, now: Instant) {
        self.session.line(line, now);
        self.settle(now);
    }

    /// Handles the beginning of a line that is too long.
    pub fn overlong_line(&mut self, beginning: &str, now: Instant) {
        self.session.overlong_line(beginning, now);
        self.settle(now);
    }

    /// The client sends no more: a search that is bound to end is finished.
    pub fn end_of_input(&mut self, now: Instant) {
        self.session.end_of_input();
        self.settle(now);
    }

    /// The server goes down: a search that is bound to end is finished, and the session ends.
    pub fn drain(&mut self, now: Instant) {
        self.session.note("the server is shutting down");
        self.end_of_input(now);
    }

    /// The time of [`Self::drain`] is over: the search is stopped.
    pub fn end_drain(&mut self, now: Instant) {
        if let Some(search) = &self.search {
            search.signal.stop();
        }
        self.settle(now);
    }

    /// Returns when [`Self::wake`] is to be called.
    pub fn next_wake(&self) -> Option<Instant> {
        let cap = self.search.as_ref().and_then(|search| search.ends_at);
        [self.timer, cap].into_iter().flatten().min()
    }

    /// Does what is due.
    pub fn wake(&mut self, now: Instant) {
        if self.timer.is_some_and(|at| at <= now) {
            self.timer = None;
            self.session.timer_ended();
        }
        if let Some(search) = &mut self.search
            && search.ends_at.is_some_and(|at| at <= now)
        {
            search.ends_at = None;
            self.effects.push(Effect::Cancel(search.key));
        }
        self.settle(now);
    }

    /// The search has begun.
    pub fn started(&mut self, key: TurnKey, now: Instant) {
        let SessionLimits { infinite, time, .. } = self.limits;
        let Some(search) = self.search.as_mut().filter(|search| search.key == key) else { return };
        search.is_running = true;
        self.is_cleared.store(false, Relaxed);
        if search.ends_at.is_none() {
            let most = if search.is_infinite { infinite } else { time };
            search.ends_at = most.map(|most| now + most);
        }
        // A search that begins again after a pause has not heard it.
        search.has_told_ponderhit = false;
        self.settle(now);
    }

    /// The pool has something to say about the search.
    pub fn noted(&mut self, key: TurnKey, text: String, now: Instant) {
        self.deliver(key, Event::Note(text));
        self.settle(now);
    }

    /// The search has reported.
    pub fn reported(&mut self, key: TurnKey, report: Report<Move>, now: Instant) {
        self.deliver(key, Event::Report(report));
        self.settle(now);
    }

    /// The search has given way, and waits again.
    pub fn paused(&mut self, key: TurnKey, found: &SearchResult) {
        if let Some(search) = self.search.as_mut().filter(|search| search.key == key) {
            search.is_running = false;
            search.found = Some(found.answer.clone());
        }
    }

    /// The search has ended.
    pub fn finished(&mut self, key: TurnKey, result: Result<SearchResult, Failure>, now: Instant) {
        match result {
            Ok(found) => self.deliver(key, Event::Answer(found.answer)),
            Err(Failure::NoMemory(why) | Failure::Internal(why)) => {
                self.deliver(key, Event::Note(format!("{why}: this is the first legal move")));
                self.answer_without_search(key);
            }
        }
        self.search = self.search.take().filter(|search| search.key != key);
        self.settle(now);
    }

    fn deliver(&self, key: TurnKey, event: Event) {
        if let Some(search) = self.search.as_ref().filter(|search| search.key == key) {
            (search.sink)(event);
        }
    }

    /// Answers with what was found before a pause, else with a legal move.
    fn answer_without_search(&mut self, key: TurnKey) {
        let Some(search) = self.search.as_mut().filter(|search| search.key == key) else { return };
        let found = search.found.take();
        let first = search.position.legal().first().copied();
        let answer = found.unwrap_or_else(|| Answer::blank(Score::DRAW, first));
        (search.sink)(Event::Answer(answer));
    }

    /// Does what follows, until nothing more does.
    fn settle(&mut self, now: Instant) {
        loop {
            let event = lock(&self.events).pop_front();
            if let Some((ticket, event)) = event {
                self.session.event(ticket, event);
                continue;
            }
            if self.obey() {
                continue;
            }
            let request = lock(&self.requests).pop_front();
            match request {
                Some(request) => self.ask(request),
                None => break,
            }
        }
        for effect in self.session.effects() {
            match effect {
                SessionEffect::Line(line) => self.effects.push(Effect::Line(line)),
                SessionEffect::Timer(after) => self.timer = Some(now + after),
                SessionEffect::Quit => {
                    self.is_over = true;
                    self.effects.push(Effect::Quit);
                }
                // Remote sessions write no log.
                SessionEffect::Log(_) => {}
            }
        }
    }

    /// Passes on what the session tells its search. Whether there was something.
    fn obey(&mut self) -> bool {
        let Some(search) = &mut self.search else { return false };
        if let Some(at) = search.signal.ponderhit_at()
            && search.is_running
            && !search.has_told_ponderhit
        {
            search.has_told_ponderhit = true;
            self.effects.push(Effect::PonderHit(search.key, at));
            return true;
        }
        if !search.signal.is_stopped() || search.is_cancelled {
            return false;
        }
        search.is_cancelled = true;
        let (key, is_running) = (search.key, search.is_running);
        self.effects.push(Effect::Cancel(key));
        if !is_running {
            self.answer_without_search(key);
            self.search = None;
        }
        true
    }

    /// Puts a search into the queue.
    fn ask(&mut self, request: Request) {
        let Request { position, go, settings, sink, signal } = request;
        let settings = settings.with_hash_mib(settings.hash_mib.min(self.most_hash_mib));
        self.last_search += 1;
        let key = TurnKey(self.last_search);
        let Go { mut limits, search_moves, received, .. } = go;
        let is_infinite = !limits.is_bounded();
        // A client's clock runs while it waits for its turn.
        let received = limits.clock.is_some().then_some(received);
        // A search without a time of its own is stopped in time; with one it would choose its move by
        // the clock.
        if let (Some(time), Some(most)) = (&mut limits.movetime, self.limits.time) {
            *time = most.min(*time);
        }
        let rank = Rank { priority: 0, turn: 0, threads: settings.threads as u32, is_infinite };
        self.search = Some(PooledSearch {
            key,
            position: position.duplicate(),
            sink,
            signal,
            is_infinite,
            is_running: false,
            is_cancelled: false,
            has_told_ponderhit: false,
            found: None,
            ends_at: None,
        });
        let job = Job {
            position,
            limits,
            search_moves,
            settings,
            is_fresh: self.is_cleared.load(Relaxed),
            keeps_table: true,
            received,
            reports: Reports::PassedOn,
        };
        self.effects.push(Effect::Search(vec![Search { key, rank, job }]));
    }
}

/// A backend whose searches are made by a pool.
struct PooledBackend {
    catalog: &'static dyn Catalog,
    spec: GameSpec,
    settings: Settings,
    requests: Shared<Request>,
    is_cleared: Arc<AtomicBool>,
}

impl Backend for PooledBackend {
    fn spec(&self) -> &GameSpec {
        &self.spec
    }

    fn configure(&mut self, settings: &Settings, _: Sink) {
        self.settings = *settings;
    }

    /// Keeps the game's own book: remote sessions name no file.
    fn open_book(&mut self, _: Option<&Path>) -> Result<(), Box<dyn Error>> {
        Ok(())
    }

    /// Keeps the game's own weights: remote sessions name no file.
    fn open_eval_file(&mut self, _: Option<&Path>) -> Result<(), Box<dyn Error>> {
        Ok(())
    }

    fn eval_source(&self) -> Option<String> {
        self.spec.own_eval.clone()
    }

    /// The pool has the tables.
    fn use_table(&mut self, _: TableHandle) {}

    /// The next search finds its session's table empty.
    fn clear_hash(&mut self) {
        self.is_cleared.store(true, Relaxed);
    }

    fn evaluate(&self, position: &dyn Position) -> Option<(Score, Vec<Term>)> {
        let settings = self.settings.with_hash_mib(1).with_threads(1);
        self.catalog.open(&self.spec, &settings, Arc::new(|_| ())).evaluate(position)
    }

    fn go(&mut self, position: &dyn Position, go: Go, sink: Sink) -> Control {
        let signal = Arc::new(Signal::default());
        let (position, settings) = (position.duplicate(), self.settings);
        let request = Request { position, go, settings, sink, signal: Arc::clone(&signal) };
        lock(&self.requests).push_back(request);
        Control::new(signal)
    }

    /// Counts nothing: the session has refused it.
    fn perft(&mut self, _: &dyn Position, _: u32, _: Instant, sink: Sink) -> Control {
        sink(Event::Perft(Perft::default()));
        Control::new(Arc::default())
    }

    fn ready(&mut self, _: Sink) -> bool {
        true
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
