//! The loop around a session: it waits for input or for an event, and carries out the effects of
//! the session.
//!
//! It decides nothing about the conversation. Runs on any tokio runtime with I/O and time enabled,
//! best on the current thread.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tengen_engine::Catalog;
use tengen_engine::backend::{Event, OpenError};
use tokio::sync::mpsc;

use crate::dialect::Kind;
use crate::io::lines::{Line, Lines};
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

type Mail = mpsc::UnboundedReceiver<(Ticket, Event)>;

/// Serves the client at standard input and output with the games of `catalog`, until it leaves:
/// what the `main` of a program with a game of its own calls.
pub fn serve(catalog: &'static dyn Catalog) -> io::Result<()> {
    let engine = Engine::new(catalog).with_cores(cores());
    let server = Server::new(engine, None).map_err(io::Error::other)?;
    let refuse = |_: Option<&Path>| Err("this program keeps no log".to_owned());
    server.run_on_stdio(Box::new(refuse))
}

/// Returns how many threads this machine runs at once.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A session with the channel of its events, ready to serve a client.
pub struct Server {
    session: Session,
    mail: Mail,
}

/// The end of serving: by the client's wish, or because nothing can be written.
type Flow = ControlFlow<io::Result<()>>;

impl Server {
    /// Returns a server that starts in `variant`, the catalogue's first unless named.
    pub fn new(engine: Engine, variant: Option<&str>) -> Result<Self, OpenError> {
        let (letters, mail) = mpsc::unbounded_channel();
        // Nobody reads the last letters of a session that is over.
        let post = move |ticket, event| drop(letters.send((ticket, event)));
        Ok(Self { session: Session::new(engine, variant, Arc::new(post))?, mail })
    }

    /// Chooses the dialect, whatever the client begins with.
    #[must_use]
    pub fn with_dialect(mut self, kind: &'static Kind) -> Self {
        self.session.set_dialect(kind);
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
        let Self { session, mut mail } = self;
        let Connection { mut input, output } = connection;
        let mut shell = Shell { session, output, switch_log, span: session_span(), timer: None };
        let mut lines = Lines::default();
        let mut buffer = Vec::new();
        let mut open = true;
        loop {
            let flow = tokio::select! {
                biased;
                read = input.read(&mut buffer), if open => {
                    open = read.is_some();
                    shell.read(&mut lines, &buffer, read)
                }
                Some((ticket, event)) = mail.recv() => shell.event(ticket, event),
                () = until(shell.timer) => shell.timer_ended(),
            };
            let flow = match flow {
                ControlFlow::Continue(()) => shell.catch_up(&mut mail),
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

struct Shell {
    session: Session,
    output: Output,
    switch_log: SwitchLog,
    span: tracing::Span,
    /// The time at which the timer of the session ends.
    timer: Option<Instant>,
}

impl Shell {
    fn read(&mut self, lines: &mut Lines, bytes: &[u8], at: Option<Instant>) -> Flow {
        let Some(at) = at else { return self.end(lines) };
        lines.feed(bytes, |line| self.line(&line, at))
    }

    fn end(&mut self, lines: &mut Lines) -> Flow {
        let at = Instant::now();
        lines.finish(|line| self.line(&line, at))?;
        self.session.end_of_input();
        self.carry_out()
    }

    fn line(&mut self, line: &Line<'_>, at: Instant) -> Flow {
        let span = self.span.clone();
        let _entered = span.enter();
        match line {
            Line::Text(text) => self.session.line(text, at),
            Line::TooLong(beginning) => self.session.overlong_line(beginning, at),
        }
        self.carry_out()
    }

    fn timer_ended(&mut self) -> Flow {
        self.timer = None;
        self.session.timer_ended();
        self.carry_out()
    }

    fn event(&mut self, ticket: Ticket, event: Event) -> Flow {
        let span = self.span.clone();
        let _entered = span.enter();
        self.session.event(ticket, event);
        self.carry_out()
    }

    fn catch_up(&mut self, mail: &mut Mail) -> Flow {
        for _ in 0..BATCH {
            let Ok((ticket, event)) = mail.try_recv() else { break };
            self.event(ticket, event)?;
        }
        if self.session.awaits_answer() {
            self.fetch_answer(mail)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Waits awake for the answer of a stopped search, which comes sooner than a sleeping thread
    /// wakes up.
    fn fetch_answer(&mut self, mail: &mut Mail) -> Flow {
        let patience = Instant::now() + SOON;
        while self.session.awaits_answer() && Instant::now() < patience {
            match mail.try_recv() {
                Ok((ticket, event)) => self.event(ticket, event)?,
                Err(_) => std::thread::yield_now(),
            }
        }
        ControlFlow::Continue(())
    }

    fn carry_out(&mut self) -> Flow {
        let mut trouble = None;
        for effect in self.session.effects() {
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
            self.session.note(trouble);
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
