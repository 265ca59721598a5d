//! The loop around a session: it waits for input or for an event, and carries out the effects of
//! the session.
//!
//! It decides nothing about the conversation. Runs on any tokio runtime with I/O and time enabled,
//! best on the current thread.

mod queries;

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tengen_engine::backend::{Event, OpenError};
use tengen_engine::{Catalog, cores};
use tokio::sync::mpsc;

use self::queries::Queries;
pub use self::queries::Workers;
use crate::analysis::pool::SearchEvent;
use crate::analysis::session::{Service, SessionLimits};
use crate::dialect::{self, Kind, Speech};
use crate::io::lines::{InputLine, LineSplitter};
use crate::io::{Connection, Output};
use crate::session::{Effect, Engine, Session, Ticket};

/// Logs to a file from now on, or no more; else says why not.
pub type SwitchLog = Box<dyn FnMut(Option<&Path>) -> Result<(), String>>;

/// Events handled in a row before input is looked at again, so that neither waits forever.
const BATCH: usize = 256;

/// How long a client that has quit may go without reading more of what it was sent.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long it takes a search to answer a stop, unless something is in its way.
const SOON: Duration = Duration::from_micros(200);

type Events = mpsc::UnboundedReceiver<(Ticket, Event)>;

/// Serves the client at standard input and output with the games of `catalog`, until it leaves:
/// what the `main` of a program with a game of its own calls.
pub fn serve(catalog: &'static dyn Catalog) -> io::Result<()> {
    let engine = Engine::new(catalog).with_cores(cores());
    let server = Server::new(engine, None).map_err(io::Error::other)?;
    let refuse = |_: Option<&Path>| Err("this program keeps no log".to_owned());
    server.run_on_stdio(Box::new(refuse))
}

/// A session with the channel of its events, ready to serve a client.
pub struct Server {
    session: Session,
    events: Events,
    /// What serves the client once it turns out to ask queries.
    service: Service,
    workers: Workers,
    asks_queries: bool,
}

/// The end of serving: by the client's wish, or because nothing can be written.
type Flow = ControlFlow<io::Result<()>>;

impl Server {
    /// Returns a server that starts in `variant`, the catalogue's first unless named.
    pub fn new(engine: Engine, variant: Option<&str>) -> Result<Self, OpenError> {
        let (sender, events) = mpsc::unbounded_channel();
        // Nobody reads the last events of a session that is over.
        let post = move |ticket, event| drop(sender.send((ticket, event)));
        let session = Session::new(engine, variant, Arc::new(post))?;
        let service = Service {
            catalog: engine.catalog,
            variant: session.named_variant(),
            workers: engine.cores,
            threads: 1,
            hash_mib: 64,
            limits: SessionLimits::LOCAL,
        };
        let server =
            Self { session, events, service, workers: Workers::default(), asks_queries: false };
        Ok(server.with_workers(Workers::default(), engine.cores))
    }

    /// Sets what searches the queries of a client that asks queries, on a machine of so many cores.
    #[must_use]
    pub fn with_workers(mut self, workers: Workers, cores: usize) -> Self {
        self.service.workers = workers.workers.unwrap_or((cores / workers.threads).max(1));
        self.service.threads = workers.threads;
        self.service.hash_mib = workers.hash_mib;
        self.workers = workers;
        self
    }

    /// Chooses the dialect, whatever the client begins with.
    #[must_use]
    pub fn with_dialect(mut self, kind: &'static Kind) -> Self {
        match kind.speech {
            Speech::Queries => self.asks_queries = true,
            Speech::Commands(_) => self.session.set_dialect(kind),
        }
        self
    }

    /// Serves the client at standard input and output, on this thread.
    pub fn run_on_stdio(self, switch_log: SwitchLog) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async { self.run(Connection::stdio(), switch_log).await })
    }

    /// Serves one client until it quits, its input has ended and its work is done, or it no longer
    /// listens.
    pub async fn run(self, connection: Connection, switch_log: SwitchLog) -> io::Result<()> {
        let Self { session, mut events, service, workers, asks_queries } = self;
        let Connection { mut input, output } = connection;
        let (post, mut search_events) = mpsc::unbounded_channel();
        let span = session_span();
        let talk = Talk::Commands(Box::new(session));
        let queries = Some((service, workers, post));
        let mut shell = Shell { talk, queries, output, switch_log, span, timer: None };
        if asks_queries {
            shell.begin_queries();
        }
        let mut lines = LineSplitter::default();
        let mut buffer = Vec::new();
        let mut end_asked = EndAsked::default();
        let mut open = true;
        loop {
            let flow = tokio::select! {
                biased;
                read = input.read(&mut buffer), if open && !shell.is_full() => {
                    open = read.is_some();
                    shell.read(&mut lines, &buffer, read)
                }
                Some((ticket, event)) = events.recv() => shell.event(ticket, event),
                Some(event) = search_events.recv() => shell.search_event(event),
                () = until(shell.timer) => shell.timer_ended(),
                () = end_asked.wait(), if shell.asks_queries() => shell.drain(),
            };
            let flow = match flow {
                ControlFlow::Continue(()) => shell.catch_up(&mut events, &mut search_events),
                leave => leave,
            };
            if let ControlFlow::Break(end) = flow {
                input.restore();
                // Whoever said quit waits for us to leave, not for the rest of our lines.
                return end.and(gone_is_fine(shell.output.finish(open.then_some(FAREWELL))));
            }
        }
    }
}

/// A conversation.
enum Talk {
    /// About one game that goes on.
    Commands(Box<Session>),
    /// Queries, each with everything that it is about.
    Queries(Box<Queries>),
}

/// The wish of the system that the process ends. It is looked for only by whom it lets end in order:
/// before that it ends the process at once.
#[derive(Default)]
struct EndAsked {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl EndAsked {
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

struct Shell {
    talk: Talk,
    /// What a conversation in queries is made of, until it begins.
    queries: Option<(Service, Workers, mpsc::UnboundedSender<SearchEvent>)>,
    output: Output,
    switch_log: SwitchLog,
    span: tracing::Span,
    /// The time at which the timer of the session ends.
    timer: Option<Instant>,
}

impl Shell {
    fn read(&mut self, lines: &mut LineSplitter, bytes: &[u8], at: Option<Instant>) -> Flow {
        let Some(at) = at else { return self.end(lines) };
        lines.feed(bytes, |line| self.line(&line, at))
    }

    fn end(&mut self, lines: &mut LineSplitter) -> Flow {
        let at = Instant::now();
        lines.finish(|line| self.line(&line, at))?;
        match &mut self.talk {
            Talk::Commands(session) => session.end_of_input(),
            Talk::Queries(queries) => {
                queries.end(&mut self.output)?;
            }
        }
        self.carry_out()
    }

    /// Begins a conversation in queries.
    fn begin_queries(&mut self) {
        if let Some((service, workers, post)) = self.queries.take() {
            let queries = Queries::new(service, workers.ends_at_once, post);
            self.talk = Talk::Queries(Box::new(queries));
        }
    }

    fn asks_queries(&self) -> bool {
        matches!(self.talk, Talk::Queries(_))
    }

    /// Returns whether no more is read for now.
    fn is_full(&self) -> bool {
        matches!(&self.talk, Talk::Queries(queries) if queries.is_full())
    }

    fn line(&mut self, line: &InputLine<'_>, at: Instant) -> Flow {
        let span = self.span.clone();
        let _entered = span.enter();
        if let Talk::Commands(session) = &self.talk
            && session.is_dialect_unknown()
            && let InputLine::Text(text) | InputLine::TooLong(text) = line
            && dialect::by_first_line(text)
                .is_some_and(|kind| matches!(kind.speech, Speech::Queries))
        {
            self.begin_queries();
        }
        match (&mut self.talk, line) {
            (Talk::Queries(queries), line) => queries.line(line, at, &mut self.output)?,
            (Talk::Commands(session), InputLine::Text(text)) => session.line(text, at),
            (Talk::Commands(session), InputLine::TooLong(beginning)) => {
                session.overlong_line(beginning, at);
            }
        }
        self.carry_out()
    }

    fn timer_ended(&mut self) -> Flow {
        self.timer = None;
        match &mut self.talk {
            Talk::Commands(session) => session.timer_ended(),
            Talk::Queries(queries) => queries.timer_ended(&mut self.output)?,
        }
        self.carry_out()
    }

    fn event(&mut self, ticket: Ticket, event: Event) -> Flow {
        let span = self.span.clone();
        let _entered = span.enter();
        if let Talk::Commands(session) = &mut self.talk {
            session.event(ticket, event);
        }
        self.carry_out()
    }

    fn search_event(&mut self, event: SearchEvent) -> Flow {
        let span = self.span.clone();
        let _entered = span.enter();
        if let Talk::Queries(queries) = &mut self.talk {
            queries.event(event, &mut self.output)?;
        }
        self.carry_out()
    }

    fn drain(&mut self) -> Flow {
        if let Talk::Queries(queries) = &mut self.talk {
            queries.drain(&mut self.output)?;
        }
        self.carry_out()
    }

    fn catch_up(
        &mut self,
        events: &mut Events,
        search_events: &mut mpsc::UnboundedReceiver<SearchEvent>,
    ) -> Flow {
        for _ in 0..BATCH {
            if let Ok((ticket, event)) = events.try_recv() {
                self.event(ticket, event)?;
            } else if let Ok(event) = search_events.try_recv() {
                self.search_event(event)?;
            } else {
                break;
            }
        }
        if self.awaits_answer() { self.fetch_answer(events) } else { ControlFlow::Continue(()) }
    }

    fn awaits_answer(&self) -> bool {
        matches!(&self.talk, Talk::Commands(session) if session.awaits_answer())
    }

    /// Waits awake for the answer of a stopped search, which comes sooner than a sleeping thread
    /// wakes up.
    fn fetch_answer(&mut self, events: &mut Events) -> Flow {
        let patience = Instant::now() + SOON;
        while self.awaits_answer() && Instant::now() < patience {
            match events.try_recv() {
                Ok((ticket, event)) => self.event(ticket, event)?,
                Err(_) => std::thread::yield_now(),
            }
        }
        ControlFlow::Continue(())
    }

    fn carry_out(&mut self) -> Flow {
        let session = match &mut self.talk {
            Talk::Commands(session) => session,
            Talk::Queries(queries) => {
                self.timer = queries.next_wake(&self.output);
                return ControlFlow::Continue(());
            }
        };
        let mut trouble = None;
        for effect in session.effects() {
            match effect {
                Effect::Line(line) => write(&mut self.output, &line)?,
                Effect::Timer(after) => self.timer = Some(Instant::now() + after),
                Effect::Quit => return ControlFlow::Break(Ok(())),
                Effect::Log(path) => {
                    trouble = (self.switch_log)(path.as_deref()).err();
                    self.span = session_span();
                }
            }
        }
        if let Some(trouble) = trouble {
            session.note(trouble);
            return self.carry_out();
        }
        ControlFlow::Continue(())
    }
}

fn write(output: &mut Output, line: &str) -> Flow {
    match output.line(line) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(gone_is_fine(Err(error))),
    }
}

/// Takes a client that has gone away for one that has quit.
fn gone_is_fine(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })
}

/// Ends at this moment, or never.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

fn session_span() -> tracing::Span {
    tracing::info_span!(target: "tengen", "session")
}
