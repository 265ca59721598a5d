//! The session: lines, events and instants in; [`Effect`]s out. The one state machine behind every
//! dialect.
//!
//! It is deterministic: it reads no clock, starts no thread and prints nothing. Commands are
//! carried out in the order they came. One that must not meet a running search (another `go`, a new
//! game, whatever replaces the table or the board, the end) has that search stopped and waits in a
//! queue, everything behind it too, until the answer is out.

mod board;
mod running;
mod set_option;
mod show;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use tengen_engine::backend::{Catalog, Event, Go, OpenError, Sink};
use tengen_engine::control::Control;
use tengen_engine::limits::Limits;
use tengen_engine::notation::quotable;
use tengen_engine::report::Answer;
use tengen_engine::score::Score;

use self::board::Board;
use self::running::{Running, Task, neutral};
use crate::command::{Command, Reply, Request, Setup};
use crate::dialect::{self, Dialect};
use crate::options::{Key, Options};

/// What the outside world is to do for a session, in this order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Write this line, flushed, in one piece with its line end.
    Line(String),
    /// Log to this file from now on, or no more.
    Log(Option<PathBuf>),
    /// Leave. Nothing follows.
    Quit,
}

/// Which call of a backend an event belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ticket(u64);

/// Where backends leave their events, from any thread, for [`Session::event`].
pub type Post = Arc<dyn Fn(Ticket, Event) + Send + Sync>;

/// Starts a bench of a catalogue's positions and returns at once; the sink gets notes, then the
/// total.
pub type StartBench = fn(&'static dyn Catalog, Option<u32>, Sink) -> Control;

/// What a session drives.
#[derive(Clone, Copy)]
pub struct Engine {
    /// The games.
    pub catalog: &'static dyn Catalog,
    /// Its bench.
    pub bench: StartBench,
    /// How much memory the machine has, where that is known: no table can be larger.
    pub memory_mib: Option<usize>,
}

/// A line's command and when it came.
enum Pending {
    Command(Command, Instant),
    EndOfInput,
}

/// A conversation with one client.
pub struct Session {
    engine: Engine,
    post: Post,
    dialect: Box<dyn Dialect>,
    options: Options,
    board: Board,
    /// The variant it started with.
    own_variant: &'static str,
    /// How the client wants moves written: a place in [`crate::options::NOTATIONS`].
    notation: usize,
    /// Whether the client writes drops, or chose a variant as those who write drops do.
    speaks_drops: bool,
    debug: bool,
    last_ticket: Ticket,
    /// For events of the backend in force that belong to no search.
    house: Ticket,
    house_sink: Sink,
    running: Option<Running>,
    /// `isready`s that the backend has not answered yet.
    unready: usize,
    queue: VecDeque<Pending>,
    effects: Vec<Effect>,
    over: bool,
}

impl Session {
    /// A session that starts in `variant`, the catalogue's first unless named. Events go through
    /// `post`.
    pub fn new(engine: Engine, variant: Option<&str>, post: Post) -> Result<Self, OpenError> {
        let house = Ticket(0);
        let house_sink = sink(&post, house);
        let board = Board::open(engine.catalog, variant, house_sink.clone())?;
        Ok(Self {
            engine,
            post,
            dialect: dialect::initial(),
            options: Options::new(engine.catalog, engine.memory_mib),
            own_variant: board.variant(),
            board,
            notation: 0,
            speaks_drops: false,
            debug: false,
            last_ticket: house,
            house,
            house_sink,
            running: None,
            unready: 0,
            queue: VecDeque::new(),
            effects: Vec::new(),
            over: false,
        })
    }

    /// What is to be done since the last call.
    pub fn effects(&mut self) -> impl Iterator<Item = Effect> + '_ {
        self.effects.drain(..)
    }

    /// A line from the client, without its end, received at `at`.
    pub fn line(&mut self, line: &str, at: Instant) {
        tracing::debug!(target: "tengen::line", ">> {line}");
        if self.over {
            return;
        }
        let command = self.dialect.decode(line);
        if self.is_counting() {
            // What waits for a count's end has not begun: these are not behind it.
            match command {
                Command::Stop => return self.stop(),
                Command::Ready => return self.ready(),
                _ => {}
            }
        }
        self.queue.push_back(Pending::Command(command, at));
        self.advance();
    }

    /// Whether the client has quit and only a count keeps the session.
    pub fn lingers(&self) -> bool {
        let quits = |pending: &Pending| matches!(pending, Pending::Command(Command::Quit, _));
        self.is_counting() && self.queue.iter().any(quits)
    }

    /// Stops what the session lingers for.
    pub fn hurry(&mut self) {
        if self.lingers() {
            self.stop();
        }
    }

    /// Whether an answer is due at any moment: what runs was told to stop.
    pub fn awaits_answer(&self) -> bool {
        self.running.as_ref().is_some_and(Running::is_stopped)
    }

    /// A line from the client that is too long to be served.
    pub fn overlong_line(&mut self) {
        self.note("a line longer than 1 MiB was skipped");
    }

    /// Something that a person should know, from outside.
    pub fn note(&mut self, text: impl Into<String>) {
        self.reply(&Reply::Note(text.into()));
    }

    /// The client says no more. What bounded work it asked for is finished, then the session quits.
    pub fn end_of_input(&mut self) {
        tracing::debug!(target: "tengen::line", "end of input");
        if !self.over {
            self.queue.push_back(Pending::EndOfInput);
            self.advance();
        }
    }

    /// An event that came through the post.
    pub fn event(&mut self, ticket: Ticket, event: Event) {
        let span = self.running.as_ref().map(|running| running.span.clone());
        let _entered = span.as_ref().map(tracing::Span::enter);
        match event {
            Event::Note(text) => self.reply(&Reply::Note(text)),
            Event::Ready if ticket == self.house => self.backend_ready(),
            Event::Report(report) if self.runs(ticket, Task::Search) => {
                self.reply(&Reply::Report(report));
            }
            Event::Answer(answer) if self.runs(ticket, Task::Search) => self.answered(answer),
            Event::Perft(perft) if self.runs(ticket, Task::Perft) => {
                self.finish(&Reply::Perft(perft));
            }
            Event::Bench(total) if self.runs(ticket, Task::Bench) => {
                self.finish(&Reply::Bench(total));
            }
            stale => tracing::trace!(?stale, ?ticket, "stale event dropped"),
        }
        self.advance();
    }

    fn runs(&self, ticket: Ticket, task: Task) -> bool {
        self.running.as_ref().is_some_and(|r| r.ticket == ticket && r.task == task)
    }

    fn reply(&mut self, reply: &Reply) {
        self.dialect.encode(reply, &mut |line| {
            tracing::debug!(target: "tengen::line", "<< {line}");
            self.effects.push(Effect::Line(line));
        });
    }

    /// Carries out what waits in the queue, as far as a running search lets it.
    fn advance(&mut self) {
        while let Some(pending) = self.queue.pop_front() {
            if !self.may_act(&pending) {
                self.queue.push_front(pending);
                return;
            }
            match pending {
                Pending::Command(command, at) => self.act(command, at),
                Pending::EndOfInput => self.quit(),
            }
        }
    }

    /// Whether `pending` can be carried out now. Where a search must end first, this stops it.
    fn may_act(&mut self, pending: &Pending) -> bool {
        let waits_for_end = match pending {
            Pending::Command(command, _) => self.replaces_search(command),
            Pending::EndOfInput if self.running.as_ref().is_some_and(Running::is_bounded) => {
                return false;
            }
            Pending::EndOfInput => true,
        };
        // A count is finished first: it ends by itself, and whoever asked wants the number.
        if waits_for_end && !self.is_counting() {
            self.make_way();
        }
        let leaves = matches!(pending, Pending::EndOfInput | Pending::Command(Command::Quit, _));
        // What an isready waits for must be done before the backend can be let go: to answer it
        // costs no time.
        let is_answered = self.unready == 0 || !leaves;
        (!waits_for_end || self.running.is_none()) && is_answered
    }

    /// Whether a perft or a bench runs.
    fn is_counting(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.task != Task::Search)
    }

    fn replaces_search(&self, command: &Command) -> bool {
        match command {
            Command::Go(_)
            | Command::Perft(_)
            | Command::Bench { .. }
            | Command::NewGame
            | Command::Quit => true,
            Command::SetOption { name, .. } => matches!(
                self.options.key(name),
                Some(Key::Hash | Key::ClearHash | Key::Variant | Key::Game(_))
            ),
            _ => false,
        }
    }

    fn act(&mut self, command: Command, at: Instant) {
        match command {
            Command::Identify => self.reply(&Reply::Identity(self.options.specs())),
            Command::Debug(on) => self.debug = on,
            Command::Ready => self.ready(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::NewGame => self.new_game(),
            Command::Position(setup) => self.set_position(&setup),
            Command::Go(request) => self.go(request, at),
            Command::Perft(depth) => self.perft(depth, at),
            Command::Stop => self.stop(),
            Command::Ponderhit => self.ponderhit(at),
            Command::Quit => self.quit(),
            Command::Show => self.reply(&Reply::Text(show::picture(&self.board))),
            Command::Evaluate => self.reply(&Reply::Text(show::evaluation(&self.board))),
            Command::Bench { depth } => self.bench(depth),
            Command::Flip => self.flip(),
            Command::Compiler => self.reply(&Reply::Text(vec![show::build()])),
            Command::Help => self.reply(&Reply::Help),
            Command::Nothing => {}
            Command::Unknown(line) => {
                self.note(format!("unknown command: \"{}\"", quotable(&line)));
            }
            Command::Refused(why) => self.note(why),
        }
    }

    fn ready(&mut self) {
        if self.running.is_some() || self.board.ready(self.house_sink.clone()) {
            self.reply(&Reply::Ready);
        } else {
            self.unready += 1;
        }
    }

    fn backend_ready(&mut self) {
        if self.unready > 0 {
            self.unready -= 1;
            self.reply(&Reply::Ready);
        }
    }

    fn new_game(&mut self) {
        self.board.new_game();
        self.announce();
    }

    /// Says which board and rules are in force.
    fn announce(&mut self) {
        self.note(self.board.announcement());
    }

    fn set_position(&mut self, setup: &Setup) {
        match self.board.set_position(setup) {
            Ok(wrote_drops) => self.heard_drops(wrote_drops),
            Err(why) => self.note(why),
        }
    }

    fn flip(&mut self) {
        if let Err(why) = self.board.flip() {
            self.note(why);
        }
    }

    fn go(&mut self, request: Request, at: Instant) {
        for complaint in request.complaints {
            self.note(complaint);
        }
        self.heard_drops(request.search_moves.iter().any(|mv| board::is_drop(mv)));
        let ticket = self.next_ticket();
        let mut running = Running::new(ticket, Task::Search, request.limits.clone());
        if let Some(why) = self.board.fault() {
            let why = format!("nothing is searched: {why}");
            self.note(why);
            running.held = Some(neutral(Score::DRAW));
        } else if let Some(score) = self.board.settled() {
            running.held = Some(neutral(score));
        } else {
            let go =
                Go { limits: request.limits, search_moves: request.search_moves, received: at };
            running.control = Some(self.board.go(go, sink(&self.post, ticket)));
        }
        self.running = Some(running);
        self.conclude();
    }

    fn perft(&mut self, depth: u32, at: Instant) {
        if let Some(why) = self.board.fault() {
            let why = format!("nothing is counted: {why}");
            return self.note(why);
        }
        let ticket = self.next_ticket();
        let control = self.board.perft(depth, at, sink(&self.post, ticket));
        self.start(ticket, Task::Perft, control);
    }

    fn bench(&mut self, depth: Option<u32>) {
        let ticket = self.next_ticket();
        let Engine { catalog, bench, .. } = self.engine;
        let control = bench(catalog, depth, sink(&self.post, ticket));
        self.start(ticket, Task::Bench, control);
    }

    fn start(&mut self, ticket: Ticket, task: Task, control: Control) {
        let mut running = Running::new(ticket, task, Limits::default());
        running.control = Some(control);
        self.running = Some(running);
    }

    fn stop(&mut self) {
        let Some(running) = &mut self.running else { return };
        running.stop();
        self.conclude();
    }

    /// Ends what runs for the sake of a command behind it.
    fn make_way(&mut self) {
        if self.debug && self.running.as_ref().is_some_and(|running| !running.is_stopped()) {
            self.note("the search is stopped: a command waits for its end");
        }
        self.stop();
    }

    fn ponderhit(&mut self, at: Instant) {
        if let Some(running) = &mut self.running {
            running.ponderhit(at);
            self.conclude();
        }
    }

    fn answered(&mut self, answer: Answer<String>) {
        if let Some(running) = &mut self.running {
            running.held = Some(answer);
            self.conclude();
        }
    }

    /// Lets the answer out when there is one and nothing withholds it: the one place that ends a
    /// search.
    fn conclude(&mut self) {
        if let Some(answer) = self.running.as_mut().and_then(Running::due) {
            self.finish(&Reply::Answer(answer));
        }
    }

    fn finish(&mut self, reply: &Reply) {
        self.running = None;
        self.reply(reply);
    }

    fn quit(&mut self) {
        self.over = true;
        self.queue.clear();
        self.effects.push(Effect::Quit);
    }

    fn next_ticket(&mut self) -> Ticket {
        self.last_ticket = Ticket(self.last_ticket.0 + 1);
        self.last_ticket
    }
}

fn sink(post: &Post, ticket: Ticket) -> Sink {
    let post = Arc::clone(post);
    Arc::new(move |event| post(ticket, event))
}
