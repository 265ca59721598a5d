//! [`Conversation`]: the conversation with a running engine: handshake, options, new games.
//!
//! A session lasts for several games. It does not depend on rules. Its only clock is that of the
//! engine host.

use std::time::{Duration, Instant};

use tengen_engine::GameSpec;
use tengen_engine::text::quotable;
use tengen_protocol::client::{
    ClientDialect, EngineOption, EngineOptionKind, GameNeeds, GameTerms, Message,
};
use tengen_protocol::dialect::gomocup::client::GomocupClient;
use tengen_protocol::dialect::gtp::client::GtpClient;
use tengen_protocol::dialect::uci::client::UciClient;
use tengen_protocol::dialect::ugi::client::ugi;

use crate::config::{EngineConfig, Proto, Timeouts};
use crate::engine::host::{Dismissal, EngineHost, HostEvent};
use crate::record::EndKind;

/// Why an engine cannot continue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineError {
    /// The engine failed in a way that loses a game.
    Failed(EndKind, String),
    /// The engine does not speak the dialect. The text quotes its answer.
    Foreign(String),
    /// The engine speaks the dialect and refuses the board. The text quotes its answer.
    Refused(String),
    /// The program could not be started.
    NotStarted(String),
    /// The run was aborted.
    Aborted,
}

impl EngineError {
    /// Returns the end of a game with this error; `None` if the run was aborted.
    pub fn end(&self) -> Option<(EndKind, String)> {
        let (kind, text) = match self {
            Self::Failed(kind, text) => return Some((*kind, text.clone())),
            Self::Foreign(text) => (EndKind::Stall, format!("does not speak the dialect: {text}")),
            Self::Refused(text) => (EndKind::Stall, format!("refuses the board: {text}")),
            Self::NotStarted(why) => (EndKind::Crash, format!("cannot be started: {why}")),
            Self::Aborted => return None,
        };
        Some((kind, text))
    }

    /// Adds what the engine said on standard error.
    fn with_words(mut self, words: &str) -> Self {
        if let Self::Failed(_, text) | Self::Foreign(text) | Self::Refused(text) = &mut self {
            text.push_str(words);
        }
        self
    }
}

/// The result of a step of a conversation.
pub type Result<T = ()> = std::result::Result<T, EngineError>;

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
        engine: &EngineConfig,
        spec: &GameSpec,
        timeouts: Timeouts,
    ) -> Result<Self> {
        host.start(seat, &engine.launch).map_err(EngineError::NotStarted)?;
        let dialect: Box<dyn ClientDialect> = match engine.proto {
            Proto::Ugi => Box::new(ugi()),
            Proto::Gomocup => {
                Box::new(GomocupClient::new(engine.send_by_board, engine.folder.clone()))
            }
            Proto::Gtp => Box::new(GtpClient::default()),
            Proto::Uci | Proto::Auto => Box::new(UciClient::default()),
        };
        let mut session = Self { seat, dialect, name: None, options: Vec::new() };
        let opened = session.shake_hands(host, spec, timeouts.startup);
        if let Err(error) = opened {
            let error = error.with_words(&host.words(seat));
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
    ) -> Result {
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
                Some(Message::Foreign) => return Err(EngineError::Foreign(quoted(&last_text))),
                // An answer to START: other dialects have no such word.
                Some(Message::Error(text))
                    if !self.dialect.declares_options() && has_word(&text, "ERROR") =>
                {
                    return Err(EngineError::Refused(quoted(&text)));
                }
                Some(Message::Error(text)) => return Err(EngineError::Foreign(quoted(&text))),
                Some(Message::Other(text) | Message::Text(text)) => last_text = text,
                Some(_) => {}
                None => return self.silence(host, &format!("\"{first}\""), timeout, &last_text),
            }
        }
        if self.name.is_none() && self.dialect.ask_name(&mut |line| host.send(self.seat, &line)) {
            let until = host.now() + NAME_TIMEOUT;
            while self.name.is_none() {
                match self.wait(host, until)? {
                    Some(Message::Name(name)) => self.name = Some(name),
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
        engine: &EngineConfig,
        spec: &GameSpec,
        timeouts: Timeouts,
    ) -> Result {
        for line in &engine.init {
            self.dialect.say(line, &mut |line| host.send(self.seat, &line));
        }
        self.set_options(host, &engine.options)?;
        if let Some(name) = engine.variant_option(spec) {
            self.dialect.set_variant(spec, name, &mut |line| host.send(self.seat, &line));
            // Options of the board, if the engine has them.
            for (option, value) in &spec.chosen {
                let text = match self.option(option).map(|known| &known.kind) {
                    Some(EngineOptionKind::Check) => (*value != 0).to_string(),
                    Some(_) => value.to_string(),
                    None => continue,
                };
                self.set_options(host, &[((*option).to_owned(), text)])?;
            }
        }
        self.ping(host, timeouts.ping)
    }

    /// Sends options to the engine.
    pub fn set_options(
        &mut self,
        host: &mut dyn EngineHost,
        options: &[(String, String)],
    ) -> Result {
        for (name, value) in options {
            let set = self.dialect.set_option(name, value, &mut |line| host.send(self.seat, &line));
            set.map_err(|why| EngineError::NotStarted(format!("an option: {why}")))?;
        }
        Ok(())
    }

    /// Returns the option that the engine declared; case does not matter.
    pub fn option(&self, name: &str) -> Option<&EngineOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Returns whether the engine declared all its options.
    pub fn declares_options(&self) -> bool {
        self.dialect.declares_options()
    }

    /// Returns why the engine cannot play a game, whatever options it declared; `None` if it can.
    pub fn cannot_play(&self, needs: &GameNeeds<'_>) -> Option<String> {
        self.dialect.cannot_play(needs)
    }

    /// Sends `isready` and waits for the answer. Does nothing if the dialect has no such command.
    pub fn ping(&mut self, host: &mut dyn EngineHost, timeout: Duration) -> Result {
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
    ) -> Result {
        self.dialect.new_game(spec, terms, &mut |line| host.send(self.seat, &line));
        self.await_ready(host, "a new game", timeout)?;
        self.dialect.game_ready(spec, terms, &mut |line| host.send(self.seat, &line));
        Ok(())
    }

    fn await_ready(&mut self, host: &mut dyn EngineHost, what: &str, timeout: Duration) -> Result {
        let ready = self.hear_ready(host, what, timeout);
        ready.map_err(|error| error.with_words(&host.words(self.seat)))
    }

    fn hear_ready(&mut self, host: &mut dyn EngineHost, what: &str, timeout: Duration) -> Result {
        let until = host.now() + timeout;
        let mut last = String::new();
        loop {
            match self.wait(host, until)? {
                Some(Message::Ready) => return Ok(()),
                Some(Message::Error(text)) if !self.dialect.declares_options() => {
                    let text = format!("answered {what} with \"{}\"", quotable(&text));
                    return Err(EngineError::Failed(EndKind::Stall, text));
                }
                Some(Message::Error(text) | Message::Other(text)) => last = text,
                // Lines of an earlier game are dropped.
                Some(_) => {}
                None => return self.silence(host, what, timeout, &last),
            }
        }
    }

    /// Returns the failure of an engine that did not answer `what`. It quotes what has no line end, or
    /// `line`, the last line that is no answer, if there is either.
    fn silence(&self, host: &dyn EngineHost, what: &str, timeout: Duration, line: &str) -> Result {
        let said = match (host.unfinished(self.seat).trim(), line.trim()) {
            ("", "") => String::new(),
            ("", line) => format!("; it said \"{}\"", quotable(line)),
            (line, _) => format!("; it said \"{}\" without a line end", quotable(line)),
        };
        let text = format!("no answer to {what} within {}{said}", seconds(timeout));
        Err(EngineError::Failed(EndKind::Stall, text))
    }

    /// Waits for a line of this engine; `None` at `until`.
    ///
    /// Events of the other seat are dropped. [`EngineHost::failure`] tells later whether its
    /// process has ended.
    fn wait(&mut self, host: &mut dyn EngineHost, until: Instant) -> Result<Option<Message>> {
        loop {
            match host.next(until) {
                HostEvent::Line { seat, text, .. } if seat == self.seat => {
                    return Ok(Some(self.dialect.read(&text)));
                }
                HostEvent::Timeout => return Ok(None),
                HostEvent::Failed { seat, kind, text } if seat == self.seat => {
                    return Err(EngineError::Failed(kind, text));
                }
                HostEvent::Abort => return Err(EngineError::Aborted),
                HostEvent::Line { .. } | HostEvent::Failed { .. } => {}
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

fn quoted(text: &str) -> String {
    format!("\"{}\"", quotable(text))
}

/// Returns whether the first word of a line is `word`; case does not matter.
fn has_word(line: &str, word: &str) -> bool {
    line.split_ascii_whitespace().next().is_some_and(|first| first.eq_ignore_ascii_case(word))
}

/// Writes a time in whole seconds if possible, otherwise in milliseconds.
pub(crate) fn seconds(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{} s", time.as_secs()),
        _ => format!("{} ms", time.as_millis()),
    }
}
