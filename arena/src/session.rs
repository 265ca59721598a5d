//! A conversation with an engine that runs: handshake, options, new games.
//!
//! It outlasts games. It knows no rules and no clock but the engine host's.

use std::time::{Duration, Instant};

use tengen_engine::GameSpec;
use tengen_engine::text::quotable;
use tengen_protocol::client::{ClientDialect, EngineOption, GameTerms, Message};
use tengen_protocol::dialect::gomocup::client::GomocupClient;
use tengen_protocol::dialect::uci::client::{UciClient, VARIANT_OPTION};
use tengen_protocol::dialect::ugi::client::UgiClient;

use crate::config::Proto;
use crate::engine_host::{Dismissal, EngineHost, HostEvent, Launch};
use crate::record::EndKind;

/// An engine as it is to be started and set up.
#[derive(Clone, PartialEq, Debug)]
pub struct EngineSetup {
    /// Its name in messages.
    pub name: String,
    /// The program.
    pub launch: Launch,
    /// Which dialect it speaks; never [`Proto::Auto`].
    pub proto: Proto,
    /// Lines that it is sent before its options.
    pub init: Vec<String>,
    /// Its options.
    pub options: Vec<(String, String)>,
    /// The engine's name for the game; `None` if no option selects the game.
    pub variant_name: Option<String>,
    /// Whether a Gomocup engine gets whole boards.
    pub send_by_board: bool,
    /// A folder that a Gomocup engine may write to.
    pub folder: Option<String>,
}

/// How long an engine may take, beside its clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// For the handshake.
    pub startup: Duration,
    /// For a new game.
    pub new_game: Duration,
    /// For `isready`.
    pub ping: Duration,
}

/// Why an engine cannot continue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineError {
    /// It failed, in a way that loses a game.
    Failed(EndKind, String),
    /// It does not speak the dialect; what it said, or nothing.
    Foreign(String),
    /// The program could not be started.
    NotStarted(String),
    /// The run ends.
    Aborted,
}

impl EngineError {
    /// The end of a game in which this happened; `None` where the run ends.
    pub fn end(&self) -> Option<(EndKind, String)> {
        match self {
            Self::Failed(kind, text) => Some((*kind, text.clone())),
            Self::Foreign(text) => Some((
                EndKind::Stall,
                format!("does not speak the dialect: \"{}\"", quotable(text)),
            )),
            Self::NotStarted(why) => Some((EndKind::Crash, format!("cannot be started: {why}"))),
            Self::Aborted => None,
        }
    }
}

/// A conversation with an engine on a seat.
pub struct EngineSession {
    seat: usize,
    dialect: Box<dyn ClientDialect>,
    /// What the engine calls itself.
    pub name: Option<String>,
    /// The options that it declared.
    pub options: Vec<EngineOption>,
}

/// What ends a wait.
enum Waited {
    Message(Message),
    TimedOut,
}

/// The time that an engine has to tell its name, where not every engine answers.
const NAME_TIMEOUT: Duration = Duration::from_secs(1);

impl EngineSession {
    /// Starts the program and shakes hands.
    pub fn open(
        engine_host: &mut dyn EngineHost,
        seat: usize,
        setup: &EngineSetup,
        spec: &GameSpec,
        timeouts: Timeouts,
    ) -> Result<Self, EngineError> {
        engine_host.start(seat, &setup.launch).map_err(EngineError::NotStarted)?;
        let dialect: Box<dyn ClientDialect> = match setup.proto {
            Proto::Ugi => Box::new(UgiClient),
            Proto::Gomocup => {
                Box::new(GomocupClient::new(setup.send_by_board, setup.folder.clone()))
            }
            Proto::Uci | Proto::Auto => Box::new(UciClient::default()),
        };
        let mut session = Self { seat, dialect, name: None, options: Vec::new() };
        let opened = session.shake_hands(engine_host, spec, timeouts.startup);
        if let Err(error) = opened {
            engine_host.dismiss(seat, Dismissal::Forced);
            return Err(error);
        }
        Ok(session)
    }

    fn shake_hands(
        &mut self,
        engine_host: &mut dyn EngineHost,
        spec: &GameSpec,
        timeouts: Duration,
    ) -> Result<(), EngineError> {
        let mut first = String::new();
        self.dialect.greet(spec, &mut |line| {
            if first.is_empty() {
                first.clone_from(&line);
            }
            engine_host.send(self.seat, &line);
        });
        let until = engine_host.now() + timeouts;
        let mut heard = String::new();
        loop {
            match self.wait(engine_host, until)? {
                Waited::Message(Message::Welcome | Message::Ready) => break,
                Waited::Message(Message::Name(name)) => self.name = Some(name),
                Waited::Message(Message::Option(option)) => self.options.push(option),
                Waited::Message(Message::Foreign) => return Err(EngineError::Foreign(heard)),
                Waited::Message(Message::Error(text)) => return Err(EngineError::Foreign(text)),
                Waited::Message(Message::Other(text) | Message::Text(text)) => heard = text,
                Waited::Message(_) => {}
                Waited::TimedOut => {
                    let text = format!("no answer to \"{first}\" within {}", seconds(timeouts));
                    return Err(EngineError::Failed(EndKind::Stall, text));
                }
            }
        }
        if self.name.is_none()
            && self.dialect.ask_name(&mut |line| engine_host.send(self.seat, &line))
        {
            let until = engine_host.now() + NAME_TIMEOUT;
            loop {
                match self.wait(engine_host, until)? {
                    Waited::Message(Message::Name(name)) => {
                        self.name = Some(name);
                        break;
                    }
                    // An engine without this command says so, or nothing.
                    Waited::Message(Message::Error(_)) | Waited::TimedOut => break,
                    Waited::Message(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Sends the first lines, the options and the game, and waits until the engine is ready.
    pub fn configure(
        &mut self,
        engine_host: &mut dyn EngineHost,
        setup: &EngineSetup,
        spec: &GameSpec,
        timeouts: Timeouts,
    ) -> Result<(), EngineError> {
        for line in &setup.init {
            engine_host.send(self.seat, line);
        }
        self.set_options(engine_host, &setup.options);
        if let Some(name) = &setup.variant_name {
            self.dialect.set_variant(spec, name, &mut |line| engine_host.send(self.seat, &line));
            // Boards of other sizes, where the engine has options for them.
            for (option, value) in &spec.chosen {
                if let Some(text) = self.option_value(option, *value) {
                    self.dialect
                        .set_option(option, &text, &mut |line| engine_host.send(self.seat, &line));
                }
            }
        }
        self.ping(engine_host, timeouts.ping)
    }

    /// Sets options.
    pub fn set_options(&mut self, engine_host: &mut dyn EngineHost, options: &[(String, String)]) {
        for (name, value) in options {
            self.dialect.set_option(name, value, &mut |line| engine_host.send(self.seat, &line));
        }
    }

    /// The value of an option of the board, as the engine takes it; `None` where it has no such
    /// option.
    fn option_value(&self, name: &str, value: i64) -> Option<String> {
        use tengen_protocol::client::EngineOptionKind::Check;
        let option = self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))?;
        Some(match option.kind {
            Check => (value != 0).to_string(),
            _ => value.to_string(),
        })
    }

    /// Returns whether the engine declared this option.
    pub fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Returns whether the dialect can name the game to the engine.
    pub fn has_variants(&self) -> bool {
        !self.dialect.declares_options() || self.has_option(VARIANT_OPTION)
    }

    /// Asks whether the engine is ready, and waits for it; nothing where there is no such question.
    pub fn ping(
        &mut self,
        engine_host: &mut dyn EngineHost,
        timeouts: Duration,
    ) -> Result<(), EngineError> {
        if !self.dialect.ask_ready(&mut |line| engine_host.send(self.seat, &line)) {
            return Ok(());
        }
        let until = engine_host.now() + timeouts;
        self.await_ready(engine_host, until, "isready", timeouts)
    }

    /// Begins a game; [`await_game`](Self::await_game) waits for the engine.
    pub fn new_game(
        &mut self,
        engine_host: &mut dyn EngineHost,
        spec: &GameSpec,
        terms: &GameTerms,
    ) -> Instant {
        self.dialect.new_game(spec, terms, &mut |line| engine_host.send(self.seat, &line));
        engine_host.now()
    }

    /// Waits until the engine is ready for a game that was begun at `begun`.
    pub fn await_game(
        &mut self,
        engine_host: &mut dyn EngineHost,
        spec: &GameSpec,
        terms: &GameTerms,
        begun: Instant,
        timeouts: Duration,
    ) -> Result<(), EngineError> {
        self.await_ready(engine_host, begun + timeouts, "a new game", timeouts)?;
        self.dialect.game_ready(spec, terms, &mut |line| engine_host.send(self.seat, &line));
        Ok(())
    }

    fn await_ready(
        &mut self,
        engine_host: &mut dyn EngineHost,
        until: Instant,
        what: &str,
        timeouts: Duration,
    ) -> Result<(), EngineError> {
        loop {
            match self.wait(engine_host, until)? {
                Waited::Message(Message::Ready) => return Ok(()),
                Waited::Message(Message::Error(text)) if !self.dialect.declares_options() => {
                    let text = format!("answered {what} with \"{}\"", quotable(&text));
                    return Err(EngineError::Failed(EndKind::Stall, text));
                }
                // Whatever an earlier game left behind.
                Waited::Message(_) => {}
                Waited::TimedOut => {
                    let text = format!("no answer to {what} within {}", seconds(timeouts));
                    return Err(EngineError::Failed(EndKind::Stall, text));
                }
            }
        }
    }

    /// Waits for a line of this engine. What the other seat does meanwhile is dropped. Whether its
    /// process has ended can be asked later, [`EngineHost::gone`].
    fn wait(
        &mut self,
        engine_host: &mut dyn EngineHost,
        until: Instant,
    ) -> Result<Waited, EngineError> {
        loop {
            match engine_host.next(until) {
                HostEvent::Line { seat, text, .. } if seat == self.seat => {
                    return Ok(Waited::Message(self.dialect.read(&text)));
                }
                HostEvent::Timeout => return Ok(Waited::TimedOut),
                HostEvent::Abort => return Err(EngineError::Aborted),
                event => {
                    if let Some((seat, kind, text)) = failure(&event)
                        && seat == self.seat
                    {
                        return Err(EngineError::Failed(kind, text));
                    }
                }
            }
        }
    }

    /// Asks the engine to leave, and frees its seat.
    pub fn quit(mut self, engine_host: &mut dyn EngineHost) {
        self.dialect.quit(&mut |line| engine_host.send(self.seat, &line));
        engine_host.dismiss(self.seat, Dismissal::Asked);
    }

    /// Ends an engine that does not respond, and frees its seat.
    pub fn kill(self, engine_host: &mut dyn EngineHost) {
        engine_host.dismiss(self.seat, Dismissal::Forced);
    }

    /// The seat of the engine.
    pub fn seat(&self) -> usize {
        self.seat
    }

    /// The dialect that the engine speaks.
    pub fn dialect(&mut self) -> &mut dyn ClientDialect {
        &mut *self.dialect
    }
}

/// The failure that an event is, and whose.
pub(crate) fn failure(event: &HostEvent) -> Option<(usize, EndKind, String)> {
    match event {
        HostEvent::Gone { seat, how, .. } => {
            Some((*seat, EndKind::Crash, format!("the process {how}")))
        }
        HostEvent::Memory { seat, bytes } => {
            let text = format!("took at least {} MiB of memory", bytes >> 20);
            Some((*seat, EndKind::Memory, text))
        }
        HostEvent::Flood { seat } => {
            Some((*seat, EndKind::Flood, "wrote more than 64 MiB without an answer".to_owned()))
        }
        HostEvent::InputStalled { seat } => {
            Some((*seat, EndKind::Stall, "did not read its input for 5 s".to_owned()))
        }
        HostEvent::Line { .. } | HostEvent::Timeout | HostEvent::Abort => None,
    }
}

/// A time in words.
pub(crate) fn seconds(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{} s", time.as_secs()),
        _ => format!("{} ms", time.as_millis()),
    }
}
