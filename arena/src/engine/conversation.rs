//! [`Conversation`]: the conversation with a running engine: handshake, options, new games.
//!
//! A session lasts for several games. It does not depend on rules. Its only clock is that of the
//! engine host.

use std::time::{Duration, Instant};

use tengen_engine::GameSpec;
use tengen_engine::text::quotable;
use tengen_protocol::client::{ClientDialect, EngineOption, GameTerms, Message};
use tengen_protocol::dialect::gomocup::client::GomocupClient;
use tengen_protocol::dialect::uci::client::{UciClient, VARIANT_OPTION};
use tengen_protocol::dialect::ugi::client::ugi;

use crate::config::{Proto, Timeouts};
use crate::engine::host::{Dismissal, EngineHost, HostEvent, Launch};
use crate::tournament::record::EndKind;

/// How an engine is started and set up.
#[derive(Clone, PartialEq, Debug)]
pub struct EngineSetup {
    /// The name in messages.
    pub name: String,
    /// The program.
    pub launch: Launch,
    /// The dialect; never [`Proto::Auto`].
    pub proto: Proto,
    /// Lines to send before the options.
    pub init: Vec<String>,
    /// The options to set.
    pub options: Vec<(String, String)>,
    /// The value of the engine's option for the variant; `None` if it is not set.
    pub variant_name: Option<String>,
    /// Whether a Gomocup engine gets the whole board before each move.
    pub send_by_board: bool,
    /// The folder that a Gomocup engine may write to.
    pub folder: Option<String>,
}

/// Why an engine cannot continue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineError {
    /// The engine failed in a way that loses a game.
    Failed(EndKind, String),
    /// The engine does not speak the dialect. The text is its answer, or empty.
    Foreign(String),
    /// The program could not be started.
    NotStarted(String),
    /// The run was aborted.
    Aborted,
}

impl EngineError {
    /// Returns the end of a game with this error; `None` if the run was aborted.
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

/// The conversation with the engine on a seat.
pub struct Conversation {
    seat: usize,
    dialect: Box<dyn ClientDialect>,
    /// The name that the engine reported.
    pub name: Option<String>,
    /// The options that the engine declared.
    pub options: Vec<EngineOption>,
}

/// The timeout of the question for a name, which not every engine answers.
const NAME_TIMEOUT: Duration = Duration::from_secs(1);

impl Conversation {
    /// Starts the program and performs the handshake.
    pub fn open(
        host: &mut dyn EngineHost,
        seat: usize,
        setup: &EngineSetup,
        spec: &GameSpec,
        timeouts: Timeouts,
    ) -> Result<Self, EngineError> {
        host.start(seat, &setup.launch).map_err(EngineError::NotStarted)?;
        let dialect: Box<dyn ClientDialect> = match setup.proto {
            Proto::Ugi => Box::new(ugi()),
            Proto::Gomocup => {
                Box::new(GomocupClient::new(setup.send_by_board, setup.folder.clone()))
            }
            Proto::Uci | Proto::Auto => Box::new(UciClient::default()),
        };
        let mut session = Self { seat, dialect, name: None, options: Vec::new() };
        let opened = session.shake_hands(host, spec, timeouts.startup);
        if let Err(error) = opened {
            host.dismiss(seat, Dismissal::Forced);
            return Err(error);
        }
        Ok(session)
    }

    /// Performs the handshake and asks for the name of the engine.
    fn shake_hands(
        &mut self,
        host: &mut dyn EngineHost,
        spec: &GameSpec,
        timeout: Duration,
    ) -> Result<(), EngineError> {
        let mut first = String::new();
        self.dialect.greet(spec, &mut |line| {
            if first.is_empty() {
                first.clone_from(&line);
            }
            host.send(self.seat, &line);
        });
        let until = host.now() + timeout;
        let mut last_text = String::new();
        loop {
            match self.wait(host, until)? {
                Some(Message::Welcome | Message::Ready) => break,
                Some(Message::Name(name)) => self.name = Some(name),
                Some(Message::Option(option)) => self.options.push(option),
                Some(Message::Foreign) => return Err(EngineError::Foreign(last_text)),
                Some(Message::Error(text)) => return Err(EngineError::Foreign(text)),
                Some(Message::Other(text) | Message::Text(text)) => last_text = text,
                Some(_) => {}
                None => {
                    let text = format!("no answer to \"{first}\" within {}", seconds(timeout));
                    return Err(EngineError::Failed(EndKind::Stall, text));
                }
            }
        }
        if self.name.is_none() && self.dialect.ask_name(&mut |line| host.send(self.seat, &line)) {
            let until = host.now() + NAME_TIMEOUT;
            loop {
                match self.wait(host, until)? {
                    Some(Message::Name(name)) => {
                        self.name = Some(name);
                        break;
                    }
                    // An engine without this command answers with an error or not at all.
                    Some(Message::Error(_)) | None => break,
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Sends the initial lines, the options and the variant, and waits until the engine is ready.
    pub fn configure(
        &mut self,
        host: &mut dyn EngineHost,
        setup: &EngineSetup,
        spec: &GameSpec,
        timeouts: Timeouts,
    ) -> Result<(), EngineError> {
        for line in &setup.init {
            host.send(self.seat, line);
        }
        self.set_options(host, &setup.options);
        if let Some(name) = &setup.variant_name {
            self.dialect.set_variant(spec, name, &mut |line| host.send(self.seat, &line));
            // Options of the board, if the engine has them.
            for (option, value) in &spec.chosen {
                if let Some(text) = self.option_value(option, *value) {
                    self.dialect.set_option(option, &text, &mut |line| host.send(self.seat, &line));
                }
            }
        }
        self.ping(host, timeouts.ping)
    }

    /// Sends options to the engine.
    pub fn set_options(&mut self, host: &mut dyn EngineHost, options: &[(String, String)]) {
        for (name, value) in options {
            self.dialect.set_option(name, value, &mut |line| host.send(self.seat, &line));
        }
    }

    /// Returns the value of an option of the board as text for the engine; `None` if the engine has
    /// no such option.
    fn option_value(&self, name: &str, value: i64) -> Option<String> {
        use tengen_protocol::client::EngineOptionKind::Check;
        Some(match self.option(name)?.kind {
            Check => (value != 0).to_string(),
            _ => value.to_string(),
        })
    }

    /// Returns the option that the engine declared; case does not matter.
    pub fn option(&self, name: &str) -> Option<&EngineOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Returns whether the dialect of the engine has a command that sets the variant.
    pub fn has_variants(&self) -> bool {
        !self.dialect.declares_options() || self.option(VARIANT_OPTION).is_some()
    }

    /// Sends `isready` and waits for the answer. Does nothing if the dialect has no such command.
    pub fn ping(
        &mut self,
        host: &mut dyn EngineHost,
        timeout: Duration,
    ) -> Result<(), EngineError> {
        if !self.dialect.ask_ready(&mut |line| host.send(self.seat, &line)) {
            return Ok(());
        }
        self.await_ready(host, "isready", timeout)
    }

    /// Starts a game, and waits until the engine is ready for it.
    pub fn new_game(
        &mut self,
        host: &mut dyn EngineHost,
        spec: &GameSpec,
        terms: &GameTerms,
        timeout: Duration,
    ) -> Result<(), EngineError> {
        self.dialect.new_game(spec, terms, &mut |line| host.send(self.seat, &line));
        self.await_ready(host, "a new game", timeout)?;
        self.dialect.game_ready(spec, terms, &mut |line| host.send(self.seat, &line));
        Ok(())
    }

    fn await_ready(
        &mut self,
        host: &mut dyn EngineHost,
        what: &str,
        timeout: Duration,
    ) -> Result<(), EngineError> {
        let until = host.now() + timeout;
        loop {
            match self.wait(host, until)? {
                Some(Message::Ready) => return Ok(()),
                Some(Message::Error(text)) if !self.dialect.declares_options() => {
                    let text = format!("answered {what} with \"{}\"", quotable(&text));
                    return Err(EngineError::Failed(EndKind::Stall, text));
                }
                // Lines of an earlier game are dropped.
                Some(_) => {}
                None => {
                    let text = format!("no answer to {what} within {}", seconds(timeout));
                    return Err(EngineError::Failed(EndKind::Stall, text));
                }
            }
        }
    }

    /// Waits for a line of this engine; `None` at `until`.
    ///
    /// Events of the other seat are dropped. [`EngineHost::exit_event`] tells later whether its
    /// process has ended.
    fn wait(
        &mut self,
        host: &mut dyn EngineHost,
        until: Instant,
    ) -> Result<Option<Message>, EngineError> {
        loop {
            match host.next(until) {
                HostEvent::Line { seat, text, .. } if seat == self.seat => {
                    return Ok(Some(self.dialect.read(&text)));
                }
                HostEvent::Timeout => return Ok(None),
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

    /// Sends the command to quit and frees the seat.
    pub fn quit(mut self, host: &mut dyn EngineHost) {
        self.dialect.quit(&mut |line| host.send(self.seat, &line));
        host.dismiss(self.seat, Dismissal::Asked);
    }

    /// Kills an engine that does not respond, and frees the seat.
    pub fn kill(self, host: &mut dyn EngineHost) {
        host.dismiss(self.seat, Dismissal::Forced);
    }

    /// Returns the dialect of the engine.
    pub fn dialect(&mut self) -> &mut dyn ClientDialect {
        &mut *self.dialect
    }
}

/// Returns the failure that an event means, with its seat; `None` if it means none.
pub(crate) fn failure(event: &HostEvent) -> Option<(usize, EndKind, String)> {
    match event {
        HostEvent::Exited { seat, how, .. } => {
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

/// Writes a time in whole seconds if possible, otherwise in milliseconds.
pub(crate) fn seconds(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{} s", time.as_secs()),
        _ => format!("{} ms", time.as_millis()),
    }
}
