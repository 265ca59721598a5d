//! The session of a client that speaks UCI, UGI or Gomocup. Lines, events and instants go in,
//! [`Effect`]s come out. JSON clients have another session, [`QuerySession`](crate::queries::QuerySession).
//!
//! A session is deterministic: it reads no clock, starts no thread and prints nothing. Commands run
//! in the order in which they arrive. Some commands cannot run during a search: another `go`, a new
//! game, a new table or board, and `quit`. Such a command stops the search. It waits in a queue
//! until the answer is sent, and all later commands wait after it.

mod active_game;
mod ending;
mod engine;
#[cfg(feature = "json")]
mod load;
mod managed_game;
mod queue;
mod running;
mod searching;
mod set_option;
mod show;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tengen_engine::backend::{Event, OpenError};
use tengen_engine::text::{Style, quotable};
use tengen_engine::{Instant, Side, Strength};

use self::active_game::ActiveGame;
use self::ending::Timer;
pub use self::engine::{Engine, OpenSearch, RemoteLimits, StartBench};
use self::managed_game::{ManagedGame, OpeningTask};
use self::queue::Pending;
use self::running::{Running, WorkKind};
use self::searching::sink;
use crate::command::{self, Command, GameStatus, Question, Reply};
use crate::dialect::{self, BoardContext, Dialect, Kind, OverlongLine, Speech};
use crate::log::{Escaped, LINES};
use crate::options::Options;

/// Something that the caller of a session must do. Effects are carried out in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Write this line and a line end in one write, and flush.
    Line(String),
    /// Log to this file from now on; `None` stops logging.
    Log(Option<PathBuf>),
    /// Call [`Session::timer_ended`] after this time. A session sets at most one timer.
    Timer(Duration),
    /// Close the connection. This is the last effect.
    Quit,
}

/// The number of a backend call. Each event carries the ticket of its call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ticket(u64);

/// The callback that gets the events of backends, on any thread. It passes them to
/// [`Session::event`].
pub type Post = Arc<dyn Fn(Ticket, Event) + Send + Sync>;

/// A conversation with one client.
pub struct Session {
    engine: Engine,
    post: Post,
    dialect: Box<dyn Dialect>,
    /// Whether the dialect is still unknown.
    is_dialect_unknown: bool,
    /// Whether the caller chose the initial variant.
    is_variant_named: bool,
    options: Options,
    active: ActiveGame,
    /// The game that the engine keeps for a client that sends single stones.
    game: ManagedGame,
    /// How many lines of play a search reports.
    multi_pv: usize,
    /// The variant that `UCI_Variant value auto` selects.
    initial_variant: &'static str,
    /// How the client wants moves written: an index in [`crate::options::NOTATION_VALUES`].
    notation: usize,
    /// How moves are written.
    style: Style,
    /// Whether scores are sent with win, draw and loss chances (`UCI_ShowWDL`).
    shows_wdl: bool,
    /// Whether the client writes moves as drops, or chose a variant: clients that do so write
    /// drops.
    client_writes_drops: bool,
    /// Whether `elo` limits the strength. Clients set the two options in any order.
    uses_elo: bool,
    elo: u16,
    debug: bool,
    last_ticket: Ticket,
    /// The ticket of events of the current backend that belong to no search.
    backend_ticket: Ticket,
    running: Option<Running>,
    /// How many `isready` commands the backend has not answered yet.
    pending_readies: usize,
    queue: VecDeque<Pending>,
    /// Whether commands are left out until the next [`Command::Done`].
    is_skipping: bool,
    effects: Vec<Effect>,
    /// Limits the work that still runs when the client has left.
    timer: Timer,
    over: bool,
}

/// What a search is for.
enum Purpose {
    /// A command of the client.
    Client,
    /// A command of the client that also plays the best move.
    PlayBest,
    /// A move of the managed game.
    Play,
    /// A decision in an opening.
    Choose(Box<OpeningTask>),
}

impl Session {
    /// Returns a session that starts in `variant`; in the catalogue's first variant when `None`.
    /// Backends send their events to `post`. The client's first line chooses the dialect, unless
    /// [`set_dialect`](Self::set_dialect) is called.
    pub fn new(engine: Engine, variant: Option<&str>, post: Post) -> Result<Self, OpenError> {
        let backend_ticket = Ticket(0);
        let active = ActiveGame::new(engine.catalog, variant, sink(&post, backend_ticket))?;
        Ok(Self {
            engine,
            post,
            dialect: Box::new(dialect::uci::server::Uci),
            is_dialect_unknown: true,
            is_variant_named: variant.is_some(),
            options: engine.options(),
            initial_variant: active.variant(),
            active,
            game: ManagedGame::default(),
            multi_pv: 1,
            notation: 0,
            style: Style::Plain,
            shows_wdl: false,
            client_writes_drops: false,
            uses_elo: false,
            elo: Strength::ELO[Strength::ELO.len() - 1],
            debug: false,
            last_ticket: backend_ticket,
            backend_ticket,
            running: None,
            pending_readies: 0,
            queue: VecDeque::new(),
            is_skipping: false,
            effects: Vec::new(),
            timer: Timer::default(),
            over: false,
        })
    }

    /// Replaces the function that opens the search. Call it before the first line.
    #[must_use]
    pub fn with_search(mut self, open: OpenSearch) -> Self {
        self.active.set_search(open);
        self
    }

    /// Returns the initial variant; `None` when the caller chose none.
    pub fn named_variant(&self) -> Option<&'static str> {
        self.is_variant_named.then_some(self.initial_variant)
    }

    /// Returns whether the client has not shown its dialect yet.
    pub fn is_dialect_unknown(&self) -> bool {
        self.is_dialect_unknown
    }

    /// Changes to the dialect `kind`, if it is a dialect of commands. Call it before the first
    /// line.
    pub fn set_dialect(&mut self, kind: &'static Kind) {
        let Speech::Commands(make) = kind.speech else { return };
        self.is_dialect_unknown = false;
        self.dialect = make();
        let is_known = |name: &&str| {
            self.engine.catalog.variants().iter().any(|variant| variant.name == *name)
        };
        let expected = kind.variant.filter(|_| !self.is_variant_named);
        let Some(variant) = expected.filter(is_known) else { return };
        match self.active.change(variant, &[], None) {
            Ok(true) => self.on_game_changed(),
            Ok(false) => {}
            Err(error) => return self.refuse(error.to_string()),
        }
        self.initial_variant = variant;
    }

    /// Removes and returns the effects since the last call.
    pub fn effects(&mut self) -> impl Iterator<Item = Effect> + '_ {
        self.effects.drain(..)
    }

    /// Handles `line` from the client, without its line end, received at `at`.
    pub fn line(&mut self, line: &str, at: Instant) {
        tracing::debug!(target: LINES, ">> {}", Escaped(line));
        self.decode(line, at, |dialect, out| dialect.decode(line, out));
    }

    /// Returns whether the running search was asked to stop and has not answered yet.
    pub fn awaits_answer(&self) -> bool {
        self.running.as_ref().is_some_and(Running::is_stopped)
    }

    /// Handles a line that is too long, received at `at`. Only its `beginning` is known.
    pub fn overlong_line(&mut self, beginning: &str, at: Instant) {
        tracing::debug!(target: LINES, ">> {} ... (too long)", Escaped(beginning));
        let line = OverlongLine { beginning, max_bytes: self.engine.line_bytes() };
        self.decode(beginning, at, |dialect, out| dialect.decode_overlong(line, out));
    }

    /// Queues the commands that `decode` reads from a line. `beginning` is its first part.
    fn decode(
        &mut self,
        beginning: &str,
        at: Instant,
        decode: impl FnOnce(&mut dyn Dialect, &mut dyn FnMut(Command)),
    ) {
        if self.over {
            return;
        }
        if self.is_dialect_unknown
            && let Some(why) = dialect::foreign(beginning)
        {
            return self.refuse(why);
        }
        if self.is_dialect_unknown
            && let Some(kind) = dialect::by_first_line(beginning)
        {
            self.set_dialect(kind);
        }
        let mut commands = Vec::new();
        decode(&mut *self.dialect, &mut |command| commands.push(command));
        commands.into_iter().for_each(|command| self.command(command, at));
    }

    /// Sends a human-readable note to the client.
    pub fn note(&mut self, text: impl Into<String>) {
        self.reply(&Reply::Note(text.into()));
    }

    /// Tells the client why a command is refused.
    fn refuse(&mut self, why: impl ToString) {
        self.is_skipping = self.dialect.is_sequential();
        self.reply(&Reply::Refused(why.to_string()));
    }

    /// Handles an event of a backend.
    pub fn event(&mut self, ticket: Ticket, event: Event) {
        let span = self.running.as_ref().map(|running| running.span.clone());
        let _entered = span.as_ref().map(tracing::Span::enter);
        match event {
            Event::Note(text) => self.reply(&Reply::Note(text)),
            Event::Failed(why) => self.reply(&Reply::Note(why.to_string())),
            Event::Ready if ticket == self.backend_ticket => self.backend_ready(),
            Event::Report(report) if self.runs(ticket, WorkKind::Search) => self.reported(report),
            Event::Answer(answer) if self.runs(ticket, WorkKind::Search) => self.answered(answer),
            Event::Perft(perft) if self.runs(ticket, WorkKind::Perft) => {
                self.finish(&Reply::Perft(perft));
            }
            Event::Bench(total) if self.runs(ticket, WorkKind::Bench) => {
                self.finish(&Reply::Bench(total));
            }
            stale => tracing::trace!(?stale, ?ticket, "stale event dropped"),
        }
        self.advance();
    }

    /// Sends a reply about the current position.
    fn reply(&mut self, reply: &Reply) {
        let (position, style) = (self.active.position(), self.style);
        let (multi_pv, shows_wdl) = (self.multi_pv, self.shows_wdl);
        let context = BoardContext { position, style, multi_pv, shows_wdl };
        write_reply(&mut *self.dialect, reply, &context, &mut self.effects);
    }

    /// Sends a reply about the position in which `running` began.
    fn reply_from(&mut self, running: &Running, reply: &Reply) {
        let (position, style) = (&*running.root, running.style);
        let (multi_pv, shows_wdl) = (self.multi_pv, self.shows_wdl);
        let context = BoardContext { position, style, multi_pv, shows_wdl };
        write_reply(&mut *self.dialect, reply, &context, &mut self.effects);
    }

    fn act(&mut self, command: Command, at: Instant) {
        if self.is_skipping && !matches!(command, Command::Done | Command::Quit | Command::Stop) {
            return;
        }
        match command {
            Command::Identify => {
                let about = self.engine.catalog.about();
                self.reply(&Reply::Identity(about, self.options.specs()));
            }
            Command::Debug(on) => self.debug = on,
            Command::Ready => self.ready(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::NewGame => {
                self.active.new_game();
                self.announce();
            }
            Command::Position(setup) => {
                let read = self.active.set_position(&setup);
                self.moves_read(read);
            }
            Command::Moves(moves) => {
                let read = self.active.play_on(&moves);
                self.moves_read(read);
            }
            Command::Move(mv) => {
                if let Err(why) = self.active.play_move(&mv) {
                    self.reply(&Reply::Illegal(why));
                }
            }
            Command::Expect(side) => self.expect(side),
            Command::Undo(count) => {
                if let Err(why) = self.active.take_back(count) {
                    self.refuse(why);
                }
            }
            Command::Choose { variant, size } => {
                if let Err(why) = self.choose_game(variant.as_deref(), size) {
                    self.refuse(why);
                }
            }
            Command::Load { .. } if self.is_remote() => self.refuse_remote("loading a file"),
            Command::Load { file, before } => {
                if let Err(why) = self.load(&file, before) {
                    self.refuse(format!("cannot load \"{}\": {why}", quotable(&file)));
                }
            }
            Command::Ask(question) => self.ask(question),
            Command::Game(command) => self.game_command(command, at),
            Command::Go(request) => self.search(request, at, Purpose::Client),
            Command::GoAndPlay(request) => self.search(request, at, Purpose::PlayBest),
            Command::Done => {
                self.is_skipping = false;
                self.reply(&Reply::Done);
            }
            Command::Perft(_) if self.is_remote() => self.refuse_remote("go perft"),
            Command::Perft(depth) => self.perft(depth, at),
            Command::Stop => self.stop(),
            Command::Ponderhit => self.ponderhit(at),
            Command::Quit => self.quit(),
            Command::Show => {
                let lines = show::position(&mut self.active, self.style);
                self.reply(&Reply::Text(lines));
            }
            Command::Evaluate => {
                let lines = show::evaluation(&mut self.active);
                self.reply(&Reply::Text(lines));
            }
            Command::Bench { .. } if self.is_remote() => self.refuse_remote("bench"),
            Command::Bench { depth } => self.bench(depth),
            Command::Flip => self.flip(),
            Command::Compiler => {
                let built = show::build(&self.engine.catalog.about());
                self.reply(&Reply::Text(vec![built]));
            }
            Command::Help => self.reply(&Reply::Help),
            Command::Nothing => {}
            Command::Note(why) => self.note(why),
            Command::Unknown(line) => self.reply(&Reply::Unknown(quotable(&line))),
            Command::Refused(why) => self.refuse(why),
        }
    }

    /// Refuses to load a record.
    #[cfg(not(feature = "json"))]
    fn load(&mut self, _: &str, _: Option<usize>) -> Result<(), String> {
        Err("this program is built without records of games".to_owned())
    }

    fn is_remote(&self) -> bool {
        self.engine.remote.is_some()
    }

    fn refuse_remote(&mut self, what: &str) {
        self.refuse(format!("{what}: not for remote sessions"));
    }

    fn ready(&mut self) {
        if self.running.is_some() || self.active.ready() {
            self.reply(&Reply::Ready);
        } else {
            self.pending_readies += 1;
        }
    }

    fn backend_ready(&mut self) {
        self.send_delayed_ok();
        if self.pending_readies > 0 {
            self.pending_readies -= 1;
            self.reply(&Reply::Ready);
        }
    }

    /// Sends a note with the current board and rules.
    fn announce(&mut self) {
        self.note(self.active.announcement());
    }

    /// Handles moves of the client: whether it wrote drops, or why they are refused.
    fn moves_read(&mut self, read: Result<bool, String>) {
        match read {
            Ok(wrote_drops) => self.note_drops(wrote_drops),
            Err(why) => self.refuse(why),
        }
    }

    fn expect(&mut self, side: Side) {
        let turn = self.active.position().turn();
        if turn != side {
            self.is_skipping = self.dialect.is_sequential();
            self.reply(&Reply::WrongSide(turn));
        }
    }

    /// Answers a question about the current position.
    fn ask(&mut self, question: Question) {
        if let Some(why) = self.active.fault() {
            let why = format!("query refused: {why}");
            self.refuse(why);
            return self.reply(&Reply::Status(GameStatus::Result(None)));
        }
        let position = self.active.position();
        let (outcome, turn) = (position.outcome(), position.turn());
        self.reply(&Reply::Status(match question {
            Question::FirstToMove => GameStatus::FirstToMove(turn == Side::First),
            Question::Over => GameStatus::Over(outcome.is_some()),
            Question::Result => GameStatus::Result(outcome.map(command::winner)),
        }));
    }

    fn flip(&mut self) {
        if let Err(why) = self.active.flip() {
            self.refuse(why);
        }
    }

    fn quit(&mut self) {
        self.over = true;
        self.queue.clear();
        self.effects.push(Effect::Quit);
    }
}

/// Encodes `reply` in `dialect` and appends its lines to `effects`.
fn write_reply(
    dialect: &mut dyn Dialect,
    reply: &Reply,
    context: &BoardContext<'_>,
    effects: &mut Vec<Effect>,
) {
    dialect.encode(reply, context, &mut |line| {
        tracing::debug!(target: LINES, "<< {}", Escaped(&line));
        effects.push(Effect::Line(line));
    });
}
