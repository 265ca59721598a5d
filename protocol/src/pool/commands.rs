//! [`CommandSession`]: a client of UCI, UGI or Gomocup that shares a pool with other clients.
//!
//! A [`Session`] handles the conversation. Its backend is a stub without threads and table: each
//! search becomes a [`Job`] in the pool's queue, and the results of the job become events of the
//! backend. This module reads no clock and starts no thread.

use std::collections::VecDeque;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tengen_engine::backend::{Backend, Catalog, Event, Go, OpenError, Perft, Settings, Sink};
use tengen_engine::table::TableHandle;
use tengen_engine::{Answer, Control, GameSpec, Instant, Move, Position, Score, Signal, Term};

use super::interface::{Effect, PoolSession, Room, Search, TurnKey, UpdateKind};
use super::job::{Failure, Job, ReportMode};
use super::queue::Rank;
use crate::service::{Service, SessionLimits};
use crate::session::{Effect as SessionEffect, Engine, RemoteLimits, Session, Ticket};

/// A search that the session started.
struct Request {
    position: Box<dyn Position>,
    go: Go,
    settings: Settings,
    sink: Sink,
    signal: Arc<Signal>,
}

/// What a client shares with the stub of its backend.
#[derive(Default)]
struct Shared {
    /// Searches that the session started and the pool has not got yet.
    requests: VecDeque<Request>,
    /// Events of the backend for the session.
    events: VecDeque<(Ticket, Event)>,
    /// Whether the next search clears the session's table first.
    clears_table: bool,
}

/// A client of commands whose searches run in a pool.
pub struct CommandSession {
    session: Session,
    limits: SessionLimits,
    /// The maximum table size, in MiB.
    max_hash_mib: usize,
    shared: Arc<Mutex<Shared>>,
    search: Option<PooledSearch>,
    last_search: u64,
    effects: Vec<Effect>,
    /// When the session's timer ends; `None` if it is not set.
    timer: Option<Instant>,
    is_over: bool,
}

/// A search in the pool, waiting or running.
struct PooledSearch {
    key: TurnKey,
    position: Box<dyn Position>,
    sink: Sink,
    signal: Arc<Signal>,
    is_infinite: bool,
    is_running: bool,
    is_cancelled: bool,
    has_sent_ponderhit: bool,
    /// The result before the last pause.
    partial_answer: Option<Answer<Move>>,
    /// When the server's time limit stops the search; `None` before the start or without a limit.
    deadline: Option<Instant>,
}

impl PooledSearch {
    /// Answers with the result before the last pause, else with a legal move.
    fn answer_without_result(&mut self) {
        let first = self.position.legal().first().copied();
        let answer = self.partial_answer.take();
        let answer = answer.unwrap_or_else(|| Answer::blank(Score::DRAW, first));
        (self.sink)(Event::Answer(answer));
    }
}

impl CommandSession {
    /// Returns a client before its first line.
    pub fn new(service: Service) -> Result<Self, OpenError> {
        let shared = Arc::<Mutex<Shared>>::default();
        let remote = Some(RemoteLimits {
            hash_mib: service.hash_mib,
            threads: service.threads,
            multi_pv: service.limits.multi_pv,
            line_bytes: service.limits.line_bytes,
        });
        let engine = Engine { remote, ..Engine::new(service.catalog) };
        let (posted, opened) = (Arc::clone(&shared), Arc::clone(&shared));
        let post = move |ticket, event| posted.lock().events.push_back((ticket, event));
        let catalog = service.catalog;
        let open = move |spec: &GameSpec, settings: &Settings, _: Sink| -> Box<dyn Backend> {
            // A new backend starts with an empty table.
            opened.lock().clears_table = true;
            let (spec, settings, shared) = (spec.clone(), *settings, Arc::clone(&opened));
            Box::new(PooledBackend { catalog, spec, settings, shared })
        };
        let session = Session::new(engine, service.variant, Arc::new(post))?;
        Ok(Self {
            session: session.with_search(Arc::new(open)),
            limits: service.limits,
            max_hash_mib: service.hash_mib,
            shared,
            search: None,
            last_search: 0,
            effects: Vec::new(),
            timer: None,
            is_over: false,
        })
    }

    /// Handles events, signals and requests until there are none left.
    fn process_all(&mut self, now: Instant) {
        loop {
            let event = self.shared.lock().events.pop_front();
            if let Some((ticket, event)) = event {
                self.session.event(ticket, event);
                continue;
            }
            if self.forward_signal() {
                continue;
            }
            let request = self.shared.lock().requests.pop_front();
            match request {
                Some(request) => self.enqueue(request),
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
                // Remote sessions cannot set the log file.
                SessionEffect::Log(_) => {}
            }
        }
    }

    /// Forwards a ponderhit or stop of the session to the pool. Returns whether there was one.
    fn forward_signal(&mut self) -> bool {
        let Some(search) = &mut self.search else { return false };
        if let Some(at) = search.signal.ponderhit_at()
            && search.is_running
            && !search.has_sent_ponderhit
        {
            search.has_sent_ponderhit = true;
            self.effects.push(Effect::PonderHit(search.key, at));
            return true;
        }
        if !search.signal.is_stopped() || search.is_cancelled {
            return false;
        }
        search.is_cancelled = true;
        self.effects.push(Effect::Cancel(search.key));
        if !search.is_running {
            search.answer_without_result();
            self.search = None;
        }
        true
    }

    /// Puts a search into the pool's queue.
    fn enqueue(&mut self, request: Request) {
        let Request { position, go, settings, sink, signal } = request;
        let settings = settings.with_hash_mib(settings.hash_mib.min(self.max_hash_mib));
        self.last_search += 1;
        let key = TurnKey(self.last_search);
        let Go { mut limits, search_moves, received, follows_game, .. } = go;
        let is_infinite = !limits.is_bounded();
        // The client's clock also runs while the search waits in the queue.
        let received = limits.clock.is_some().then_some(received);
        // The server's limit caps only a `movetime` of the client. Other searches are stopped at
        // the deadline: with a `movetime` they would manage their time and could end earlier.
        if let (Some(time), Some(max)) = (&mut limits.movetime, self.limits.time) {
            *time = max.min(*time);
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
            has_sent_ponderhit: false,
            partial_answer: None,
            deadline: None,
        });
        let job = Job {
            position,
            limits,
            search_moves,
            settings,
            is_fresh: self.shared.lock().clears_table,
            keeps_table: true,
            follows_game,
            received,
            reports: ReportMode::Forwarded,
        };
        self.effects.push(Effect::Search(vec![Search { key, rank, job }]));
    }
}

impl PoolSession for CommandSession {
    fn line(&mut self, line: &str, now: Instant, _: Room) {
        self.session.line(line, now);
        self.process_all(now);
    }

    fn overlong_line(&mut self, beginning: &str, now: Instant) {
        self.session.overlong_line(beginning, now);
        self.process_all(now);
    }

    fn end_of_input(&mut self, _: bool, now: Instant) {
        self.session.end_of_input();
        self.process_all(now);
    }

    fn probe(&mut self, now: Instant) {
        self.session.note("the input has ended: the last search goes on");
        self.process_all(now);
    }

    fn update(&mut self, turn: TurnKey, update: UpdateKind, now: Instant) {
        let Some(search) = self.search.as_mut().filter(|search| search.key == turn) else { return };
        match update {
            UpdateKind::Started(_) => {
                let SessionLimits { infinite, time, .. } = self.limits;
                search.is_running = true;
                self.shared.lock().clears_table = false;
                if search.deadline.is_none() {
                    let limit = if search.is_infinite { infinite } else { time };
                    search.deadline = limit.map(|limit| now + limit);
                }
                // A search that resumes after a pause needs the ponderhit again.
                search.has_sent_ponderhit = false;
            }
            UpdateKind::Noted(text) => (search.sink)(Event::Note(text)),
            UpdateKind::Forwarded(report) => (search.sink)(Event::Report(report)),
            // Commands get reports unchanged, as `Forwarded`.
            UpdateKind::Reported(_) => {}
            // Commands look nothing up.
            UpdateKind::LookedUp(_) => {}
            UpdateKind::Paused(result) => {
                search.is_running = false;
                search.partial_answer = Some(result.answer);
                return;
            }
            UpdateKind::Finished(result) => {
                match *result {
                    Ok(result) => (search.sink)(Event::Answer(result.answer)),
                    Err(Failure::NoMemory(why) | Failure::Internal(why)) => {
                        (search.sink)(Event::Note(format!("{why}: this is the first legal move")));
                        search.answer_without_result();
                    }
                }
                self.search = None;
            }
        }
        self.process_all(now);
    }

    fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    fn next_wake(&self) -> Option<Instant> {
        let deadline = self.search.as_ref().and_then(|search| search.deadline);
        [self.timer, deadline].into_iter().flatten().min()
    }

    fn wake(&mut self, now: Instant) {
        if self.timer.is_some_and(|at| at <= now) {
            self.timer = None;
            self.session.timer_ended();
        }
        if let Some(search) = &mut self.search
            && search.deadline.is_some_and(|at| at <= now)
        {
            search.deadline = None;
            self.effects.push(Effect::Cancel(search.key));
        }
        self.process_all(now);
    }

    fn drain(&mut self, _: Duration, now: Instant) {
        self.session.note("the server is shutting down");
        self.end_of_input(false, now);
    }

    fn end_drain(&mut self, now: Instant) {
        if let Some(search) = &self.search {
            search.signal.stop();
        }
        self.process_all(now);
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn is_busy(&self) -> bool {
        self.search.is_some()
    }
}

/// A stub of a backend that sends its searches to a pool.
struct PooledBackend {
    catalog: &'static dyn Catalog,
    spec: GameSpec,
    settings: Settings,
    shared: Arc<Mutex<Shared>>,
}

impl Backend for PooledBackend {
    fn spec(&self) -> &GameSpec {
        &self.spec
    }

    fn configure(&mut self, settings: &Settings, _: Sink) {
        self.settings = *settings;
    }

    /// Keeps the game's own book, because remote sessions cannot name files.
    fn open_book(&mut self, _: Option<&Path>) -> Result<(), Box<dyn Error>> {
        Ok(())
    }

    /// Keeps the built-in weights, because remote sessions cannot name files.
    fn open_eval_file(&mut self, _: Option<&Path>) -> Result<(), Box<dyn Error>> {
        Ok(())
    }

    fn eval_source(&self) -> Option<String> {
        self.spec.own_eval.clone()
    }

    /// Does nothing, because the pool has the tables.
    fn use_table(&mut self, _: TableHandle) {}

    /// Makes the next search clear the session's table first.
    fn clear_hash(&mut self) {
        self.shared.lock().clears_table = true;
    }

    fn evaluate(&self, position: &dyn Position) -> Option<(Score, Vec<Term>)> {
        let settings = self.settings.with_hash_mib(1).with_threads(1);
        self.catalog.open(&self.spec, &settings, Arc::new(|_| ())).evaluate(position)
    }

    fn go(&mut self, position: &dyn Position, go: Go, sink: Sink) -> Control {
        let signal = Arc::new(Signal::default());
        let (position, settings) = (position.duplicate(), self.settings);
        let request = Request { position, go, settings, sink, signal: Arc::clone(&signal) };
        self.shared.lock().requests.push_back(request);
        Control::new(signal)
    }

    /// Counts nothing, because the session refuses perft.
    fn perft(&mut self, _: &dyn Position, _: u32, _: Instant, sink: Sink) -> Control {
        sink(Event::Perft(Perft::default()));
        Control::new(Arc::default())
    }

    fn ready(&mut self, _: Sink) -> bool {
        true
    }
}
