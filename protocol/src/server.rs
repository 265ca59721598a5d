//! [`Server`]: the event loop of a session. It waits for input, events and timers, passes them to
//! the session, and carries out the session's effects.
//!
//! It runs on any tokio runtime with I/O and time enabled, best on a current-thread one.

mod json_client;

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tengen_engine::backend::{Event, OpenError};
use tengen_engine::{Catalog, cores};
use tokio::sync::mpsc;

use self::json_client::JsonClient;
pub use self::json_client::Workers;
use crate::dialect::{self, Kind, Speech};
use crate::explorer::OptionalExplorer;
use crate::io::lines::{InputLine, LineSplitter};
use crate::io::{Connection, Output, QUIT_TIMEOUT, ignore_broken_pipe};
use crate::pool::SearchEvent;
use crate::queries::Service;
use crate::session::{Effect, Engine, Session, Ticket};

/// A callback that logs to a file from now on; `None` stops logging. The error is a message for the
/// user.
pub type SwitchLog = Box<dyn FnMut(Option<&Path>) -> Result<(), String>>;

/// How many events are handled in a row before input is read again.
const EVENT_BATCH: usize = 256;

/// How long to poll for the answer of a stopped search before the thread sleeps.
const STOP_POLL_TIME: Duration = Duration::from_micros(200);

/// An event from another thread.
enum ServerEvent {
    /// An event of a backend of the session of commands.
    Backend(Ticket, Event),
    /// An event of a search of a query.
    Search(SearchEvent),
}

type Events = mpsc::UnboundedReceiver<ServerEvent>;

/// Serves the client at standard input and output with the games of `catalog`, until the client
/// quits. A program with its own game calls this function from `main`. Clients see the name that
/// [`Catalog::about`] gives, and only options that have an effect on the games.
pub fn serve(catalog: &'static dyn Catalog) -> io::Result<()> {
    let engine = Engine { cores: cores(), keeps_log: false, ..Engine::new(catalog) };
    let server = Server::new(engine, None, Workers::default()).map_err(io::Error::other)?;
    let refuse = |_: Option<&Path>| Err("this program keeps no log".to_owned());
    server.run_on_stdio(Box::new(refuse))
}

/// A session with the channel of its events, ready to serve a client.
pub struct Server {
    session: Session,
    sender: mpsc::UnboundedSender<ServerEvent>,
    events: Events,
    /// For a client that sends queries.
    service: Service,
    workers: Workers,
    starts_with_queries: bool,
}

/// Whether serving continues. Breaks when the client quits or the output fails.
type Flow = ControlFlow<io::Result<()>>;

impl Server {
    /// Returns a server that starts in `variant`; in the catalogue's first variant when `None`.
    pub fn new(engine: Engine, variant: Option<&str>, workers: Workers) -> Result<Self, OpenError> {
        let (sender, events) = mpsc::unbounded_channel();
        // An error means that the session has ended; its last events are dropped.
        let post = sender.clone();
        let post = move |ticket, event| drop(post.send(ServerEvent::Backend(ticket, event)));
        let session = Session::new(engine, variant, Arc::new(post))?;
        let service = workers.service(engine.catalog, session.named_variant(), engine.cores);
        Ok(Self { session, sender, events, service, workers, starts_with_queries: false })
    }

    /// Sets the dialect, whatever the client's first line is.
    #[must_use]
    pub fn with_dialect(mut self, kind: &'static Kind) -> Self {
        match kind.speech {
            Speech::Queries => self.starts_with_queries = true,
            Speech::Commands(_) => self.session.set_dialect(kind),
        }
        self
    }

    /// Sets what looks up positions and games for a client that sends queries.
    #[must_use]
    pub fn with_explorer(mut self, explorer: OptionalExplorer) -> Self {
        self.service.explorer = explorer;
        self
    }

    /// Serves the client at standard input and output, on this thread.
    pub fn run_on_stdio(self, switch_log: SwitchLog) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async { self.run(Connection::stdio()?, switch_log).await })
    }

    /// Serves one client until it quits, its input has ended and its work is done, or it closes its
    /// end of the output.
    pub async fn run(self, connection: Connection, switch_log: SwitchLog) -> io::Result<()> {
        let Self { session, sender, mut events, service, workers, starts_with_queries } = self;
        let Connection { mut input, output } = connection;
        let span = session_span();
        let conversation = Conversation::Commands(Box::new(session));
        let queries = Some((service, workers, sender));
        let mut shell = Shell { conversation, queries, output, switch_log, span, timer: None };
        if starts_with_queries {
            shell.begin_queries();
        }
        let mut lines = LineSplitter::default();
        let mut buffer = Vec::new();
        let mut sigterm = Sigterm::default();
        let mut is_open = true;
        loop {
            let flow = tokio::select! {
                biased;
                read = input.read(&mut buffer), if is_open && !shell.is_full() => {
                    is_open = read.is_some();
                    shell.read(&mut lines, &buffer, read)
                }
                Some(event) = events.recv() => shell.event(event),
                () = sleep_until(shell.timer) => shell.timer_ended(),
                () = sigterm.wait(),
                    if matches!(shell.conversation, Conversation::Queries(_)) => shell.drain(),
            };
            let flow = match flow {
                ControlFlow::Continue(()) => shell.handle_pending(&mut events),
                quit => quit,
            };
            if let ControlFlow::Break(result) = flow {
                input.restore();
                // A client that sent `quit` waits for our exit, and may not read the remaining
                // lines.
                let timeout = is_open.then_some(QUIT_TIMEOUT);
                return result.and(ignore_broken_pipe(shell.output.finish(timeout)));
            }
        }
    }
}

/// The conversation with the client.
enum Conversation {
    /// Commands about one current game.
    Commands(Box<Session>),
    /// Self-contained queries in JSON.
    Queries(Box<JsonClient>),
}

/// SIGTERM. Caught only while a JSON session runs, so that it can drain. Otherwise SIGTERM ends the
/// process immediately.
#[derive(Default)]
struct Sigterm {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl Sigterm {
    #[cfg(unix)]
    async fn wait(&mut self) {
        use tokio::signal::unix::{SignalKind, signal};
        if self.signal.is_none() {
            self.signal = signal(SignalKind::terminate()).ok();
        }
        match &mut self.signal {
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }

    #[cfg(not(unix))]
    async fn wait(&mut self) {
        std::future::pending().await
    }
}

/// The state of the event loop.
struct Shell {
    conversation: Conversation,
    /// The parts of a conversation in queries; `None` once it has begun.
    queries: Option<(Service, Workers, mpsc::UnboundedSender<ServerEvent>)>,
    output: Output,
    switch_log: SwitchLog,
    span: tracing::Span,
    /// When the timer of the session ends; `None` if it is not set.
    timer: Option<Instant>,
}

impl Shell {
    fn read(&mut self, lines: &mut LineSplitter, bytes: &[u8], at: Option<Instant>) -> Flow {
        let Some(at) = at else { return self.end(lines) };
        lines.feed(bytes, |line| self.line(line, at))
    }

    fn end(&mut self, lines: &mut LineSplitter) -> Flow {
        let at = Instant::now();
        lines.finish(|line| self.line(line, at))?;
        match &mut self.conversation {
            Conversation::Commands(session) => session.end_of_input(),
            Conversation::Queries(queries) => queries.end(&mut self.output)?,
        }
        self.run_effects()
    }

    /// Replaces the session of commands by a session of queries.
    fn begin_queries(&mut self) {
        if let Some((service, workers, sender)) = self.queries.take() {
            // An error means that the server has ended; the last events are dropped.
            let send = move |event| drop(sender.send(ServerEvent::Search(event)));
            let queries = JsonClient::new(service, workers.ends_at_once, Arc::new(send));
            self.conversation = Conversation::Queries(Box::new(queries));
        }
    }

    /// Returns whether reading of input must pause.
    fn is_full(&self) -> bool {
        matches!(&self.conversation, Conversation::Queries(queries) if queries.is_full())
    }

    fn line(&mut self, line: InputLine<'_>, at: Instant) -> Flow {
        let span = self.span.clone();
        let _entered = span.enter();
        if let Conversation::Commands(session) = &self.conversation
            && session.is_dialect_unknown()
            && let InputLine::Text(text) | InputLine::TooLong(text) = &line
            && dialect::by_first_line(text)
                .is_some_and(|kind| matches!(kind.speech, Speech::Queries))
        {
            self.begin_queries();
        }
        match (&mut self.conversation, line) {
            (Conversation::Queries(queries), line) => queries.line(line, at, &mut self.output)?,
            (Conversation::Commands(session), InputLine::Text(text)) => session.line(&text, at),
            (Conversation::Commands(session), InputLine::TooLong(beginning)) => {
                session.overlong_line(&beginning, at);
            }
        }
        self.run_effects()
    }

    fn timer_ended(&mut self) -> Flow {
        self.timer = None;
        match &mut self.conversation {
            Conversation::Commands(session) => session.timer_ended(),
            Conversation::Queries(queries) => queries.timer_ended(&mut self.output)?,
        }
        self.run_effects()
    }

    fn event(&mut self, event: ServerEvent) -> Flow {
        let span = self.span.clone();
        let _entered = span.enter();
        match (&mut self.conversation, event) {
            (Conversation::Commands(session), ServerEvent::Backend(ticket, event)) => {
                session.event(ticket, event);
            }
            (Conversation::Queries(queries), ServerEvent::Search(event)) => {
                queries.event(event, &mut self.output)?;
            }
            // The session of commands has been replaced.
            _ => {}
        }
        self.run_effects()
    }

    fn drain(&mut self) -> Flow {
        if let Conversation::Queries(queries) = &mut self.conversation {
            queries.drain(&mut self.output)?;
        }
        self.run_effects()
    }

    /// Handles up to [`EVENT_BATCH`] events that have already arrived.
    fn handle_pending(&mut self, events: &mut Events) -> Flow {
        for _ in 0..EVENT_BATCH {
            let Ok(event) = events.try_recv() else { break };
            self.event(event)?;
        }
        if self.awaits_answer() { self.poll_for_answer(events) } else { ControlFlow::Continue(()) }
    }

    fn awaits_answer(&self) -> bool {
        matches!(&self.conversation, Conversation::Commands(session) if session.awaits_answer())
    }

    /// Polls for the answer of a stopped search. The answer usually comes sooner than a sleeping
    /// thread would wake up.
    fn poll_for_answer(&mut self, events: &mut Events) -> Flow {
        let deadline = Instant::now() + STOP_POLL_TIME;
        while self.awaits_answer() && Instant::now() < deadline {
            match events.try_recv() {
                Ok(event) => self.event(event)?,
                Err(_) => std::thread::yield_now(),
            }
        }
        ControlFlow::Continue(())
    }

    fn run_effects(&mut self) -> Flow {
        let session = match &mut self.conversation {
            Conversation::Commands(session) => session,
            Conversation::Queries(queries) => {
                self.timer = queries.next_wake(&self.output);
                return ControlFlow::Continue(());
            }
        };
        let mut log_error = None;
        for effect in session.effects() {
            match effect {
                Effect::Line(line) => write(&mut self.output, &line)?,
                Effect::Timer(after) => self.timer = Some(Instant::now() + after),
                Effect::Quit => return ControlFlow::Break(Ok(())),
                Effect::Log(path) => {
                    log_error = (self.switch_log)(path.as_deref()).err();
                    self.span = session_span();
                }
            }
        }
        if let Some(error) = log_error {
            session.note(error);
            return self.run_effects();
        }
        ControlFlow::Continue(())
    }
}

fn write(output: &mut Output, line: &str) -> Flow {
    match output.line(line) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(ignore_broken_pipe(Err(error))),
    }
}

/// Waits until `deadline`; forever when `None`.
pub async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}

fn session_span() -> tracing::Span {
    tracing::info_span!(target: "tengen", "session")
}
