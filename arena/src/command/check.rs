//! `arena check`: one engine, asked step by step for what a tournament needs of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;
use tengen_engine::{Chosen, GameSpec, Limits, Position, Side};
use tengen_protocol::client::{Message, SearchRequest};

use super::{Console, Failure, Status, printed};
use crate::clock::{PlayerClock, limits, terms};
use crate::config::given::read_words;
use crate::config::{
    Config, EngineConfig, Proto, Setting, SettingSource, SettingValue, VariantName,
};
use crate::engine_host::{Dismissal, EngineHost, HostEvent};
use crate::prepare::{self, Known, Prepared, prepare_one};
use crate::process::{AbortFlag, GuardProgram, LagWatch, ProcessHost};
use crate::session::{EngineError, EngineSession, Timeouts, failure, seconds};

/// The options that a check takes beside the engine's keys.
const OPTIONS: [&str; 9] = [
    "variant",
    "rule",
    "boardsize",
    "k",
    "gravity",
    "overline",
    "startup-ms",
    "ucinewgame-ms",
    "ping-ms",
];

/// The game of an engine that was asked for none: one that every Gomocup engine plays. UCI and UGI
/// engines then get no game, and their moves are not judged.
const USUAL_GAME: &str = "gomokufreestyle";

/// The time for a move where none was given, in seconds.
const USUAL_TIME: &str = "0.5";

/// The time for the move after the command to stop.
const STOP: Duration = Duration::from_secs(2);

/// How long an engine has to leave.
const LEAVE: Duration = Duration::from_secs(3);

/// The seat of the engine.
const SEAT: usize = 0;

/// Checks an engine and prints a table of steps.
pub(super) fn check(
    args: &[String],
    catalog: &dyn Catalog,
    host: &mut dyn Console,
) -> Result<Status, Failure> {
    let (config, is_told) = read(args, catalog)?;
    let spec = config.spec(catalog)?;
    let usual = catalog
        .describe(spec.variant, &Chosen::new())
        .map_err(|why| Failure::refused(why.to_string()))?;
    let timeouts =
        Timeouts { startup: config.startup, new_game: config.new_game, ping: config.ping };
    let broken =
        |error: std::io::Error| Failure::refused(format!("no engine can be started: {error}"));
    let lag = Arc::new(LagWatch::start().map_err(broken)?);
    let mut engine_host =
        ProcessHost::new(GuardProgram::default(), AbortFlag::new().map_err(broken)?, lag);
    let mut table = Steps::default();
    let game = prepare::RunGame { spec, usual };
    let prepared =
        prepare_one(&mut engine_host, &config.engines[0], &game, timeouts, &Known::default());
    let is_good = match prepared {
        Err(error) => table.fails("handshake", error.to_string()),
        Ok(engine) => {
            let mut board = catalog.position(&game.spec);
            board.reset();
            let check = Check { spec: &game.spec, timeouts, board: &*board, is_told };
            check.play(&mut engine_host, &engine, &mut table)
        }
    };
    engine_host.settle();
    printed(host, &table.text)?;
    Ok(if is_good { Status::Done } else { Status::Refused })
}

/// Reads the command line: the engine's keys come first. The second result says whether a game was
/// named.
fn read(args: &[String], catalog: &dyn Catalog) -> Result<(Config, bool), Failure> {
    let keys = args.iter().take_while(|arg| !arg.starts_with('-')).cloned();
    let mut words: Vec<String> = vec!["-engine".to_owned()];
    words.extend(keys);
    if words.len() == 1 {
        return Err(Failure::refused("check: the keys of an engine expected, such as cmd=tengen"));
    }
    words.extend(args.iter().skip(words.len() - 1).cloned());
    let (_, mut entries) = read_words(&words)?;
    let is_other = |entry: &&Setting| !OPTIONS.contains(&entry.key.as_str());
    if let Some(entry) = entries.iter().skip(1).find(is_other) {
        let allowed = OPTIONS.join(", ");
        return Err(Failure::refused(format!("-{}: check takes only {allowed}", entry.key)));
    }
    let entry = |key: &str, value: SettingValue| Setting {
        key: key.to_owned(),
        value,
        place: SettingSource::CommandLine,
    };
    let text = |text: &str| SettingValue::Text(text.to_owned());
    let is_told = entries.iter().any(|entry| matches!(entry.key.as_str(), "variant" | "rule"));
    if !is_told {
        entries.push(entry("variant", text(USUAL_GAME)));
    }
    entries.insert(0, entry("each", SettingValue::Table(vec![entry("st", text(USUAL_TIME))])));
    let mut config = Config::read_settings(&entries, catalog)?;
    if !is_told && let Some(engine) = config.engines.first_mut() {
        untold(engine);
    }
    Ok((config, is_told))
}

/// Names no game to the engine.
fn untold(engine: &mut EngineConfig) {
    if engine.variant_name == VariantName::Usual {
        engine.variant_name = VariantName::None;
    }
}

/// What the steps said, a line each.
#[derive(Default)]
struct Steps {
    text: String,
}

impl Steps {
    fn passes(&mut self, step: &str, what: String) -> bool {
        self.line("ok", step, &what);
        true
    }

    fn fails(&mut self, step: &str, why: String) -> bool {
        self.line("FAILED", step, &why);
        false
    }

    fn skips(&mut self, step: &str, why: &str) {
        self.line("-", step, why);
    }

    fn line(&mut self, result: &str, step: &str, what: &str) {
        self.text.push_str(&format!("{result:<7}{step:<11}{what}\n"));
    }
}

/// What all steps share.
struct Check<'a> {
    spec: &'a GameSpec,
    timeouts: Timeouts,
    board: &'a dyn Position,
    /// Whether the engine got an option that selects the game.
    is_told: bool,
}

/// A move and when it came, or why none did.
type Answer = Result<(String, Instant), String>;

impl Check<'_> {
    /// Plays a game's first move, a search that is stopped, and the end. Returns whether all steps
    /// passed.
    fn play(&self, engine_host: &mut ProcessHost, engine: &Prepared, steps: &mut Steps) -> bool {
        let (setup, time) = (&engine.player.setup, &engine.player.time);
        let dialect = setup.proto;
        let asked = engine_host.now();
        let opened = EngineSession::open(engine_host, SEAT, setup, self.spec, self.timeouts);
        let mut session = match opened {
            Ok(session) => session,
            Err(error) => return steps.fails("handshake", words(&error)),
        };
        let took = since(engine_host, asked);
        let (name, options) = (&setup.name, session.options.len());
        let options = match session.dialect().declares_options() {
            true => format!(", {options} options"),
            false => String::new(),
        };
        steps.passes("handshake", format!("{name} speaks {}{options}; {took}", dialect.name()));
        let is_new = |note: &&String| !note.ends_with(&format!(" speaks {}", dialect.name()));
        for note in engine.notes.iter().filter(is_new) {
            steps.passes("note", note.clone());
        }
        let asked = engine_host.now();
        if let Err(error) = session.configure(engine_host, setup, self.spec, self.timeouts) {
            session.kill(engine_host);
            return steps.fails("options", words(&error));
        }
        let game = if self.is_told { self.spec.variant } else { "no game was named" };
        steps.passes("options", format!("{game}; {}", since(engine_host, asked)));
        let terms = terms(time, setup.launch.memory);
        let begun = session.new_game(engine_host, self.spec, &terms);
        let ready =
            session.await_game(engine_host, self.spec, &terms, begun, self.timeouts.new_game);
        if let Err(error) = ready {
            session.kill(engine_host);
            return steps.fails("new game", words(&error));
        }
        steps.passes("new game", since(engine_host, begun));

        let clocks = [PlayerClock::new(*time), PlayerClock::new(*time)];
        let keeps_clock = !session.dialect().declares_options();
        let limits = limits(&clocks, Side::First, keeps_clock);
        let asked = self.go(engine_host, &mut session, &limits);
        let until = clocks[0].deadline(asked).unwrap_or(asked + self.timeouts.ping);
        let mut is_good = match self.await_move(engine_host, &mut session, until) {
            Ok((text, at)) => self.judge(&text, at.duration_since(asked), steps),
            Err(why) => steps.fails("move", why),
        };
        is_good &= self.stop(engine_host, &mut session, dialect, steps);
        is_good & leave(engine_host, session, steps)
    }

    /// Sends the position and limits; returns when that was.
    fn go(
        &self,
        engine_host: &mut ProcessHost,
        session: &mut EngineSession,
        limits: &Limits,
    ) -> Instant {
        let turn =
            SearchRequest { position: self.board, start: None, moves: &[], texts: &[], limits };
        session.dialect().go(&turn, &mut |line| engine_host.send(SEAT, &line));
        engine_host.now()
    }

    fn await_move(
        &self,
        engine_host: &mut ProcessHost,
        session: &mut EngineSession,
        until: Instant,
    ) -> Answer {
        loop {
            match engine_host.next(until) {
                HostEvent::Line { at, text, .. } => match session.dialect().read(&text) {
                    Message::Move { text, .. } => return Ok((text, at)),
                    Message::Suggestion(cell) => {
                        session.dialect().accept(&cell, &mut |line| engine_host.send(SEAT, &line));
                    }
                    _ => {}
                },
                HostEvent::Timeout => return Err("no move in time".to_owned()),
                HostEvent::Abort => return Err("the run was interrupted".to_owned()),
                event => {
                    if let Some((_, _, why)) = failure(&event) {
                        return Err(why);
                    }
                }
            }
        }
    }

    fn judge(&self, text: &str, took: Duration, steps: &mut Steps) -> bool {
        let what = format!("{} after {}", quotable(text), millis(took));
        if !self.is_told {
            return steps.passes("move", what);
        }
        match self.board.duplicate().play_text(text) {
            Ok(_) => steps.passes("move", what),
            Err(why) => steps.fails("move", format!("illegal {why}")),
        }
    }

    /// Stops a search without limits.
    fn stop(
        &self,
        engine_host: &mut ProcessHost,
        session: &mut EngineSession,
        dialect: Proto,
        steps: &mut Steps,
    ) -> bool {
        if dialect == Proto::Gomocup {
            steps.skips("stop", "Gomocup has no search without limits");
            return true;
        }
        self.go(engine_host, session, &Limits::default().until_stopped());
        session.dialect().stop(&mut |line| engine_host.send(SEAT, &line));
        let asked = engine_host.now();
        match self.await_move(engine_host, session, asked + STOP) {
            Ok((_, at)) => {
                let took = millis(at.saturating_duration_since(asked));
                steps.passes("stop", format!("answered after {took}"))
            }
            Err(_) => steps.fails("stop", format!("no move within {}", seconds(STOP))),
        }
    }
}

/// Asks the engine to leave, and waits for its end.
fn leave(engine_host: &mut ProcessHost, mut session: EngineSession, steps: &mut Steps) -> bool {
    session.dialect().quit(&mut |line| engine_host.send(SEAT, &line));
    let asked = engine_host.now();
    let is_good = loop {
        match engine_host.next(asked + LEAVE) {
            HostEvent::Gone { how, .. } => {
                let what = format!("the process {how}; {}", since(engine_host, asked));
                break match how.as_str() {
                    "ended with status 0" => steps.passes("exit", what),
                    _ => steps.fails("exit", what),
                };
            }
            HostEvent::Timeout => {
                break steps.fails("exit", format!("it does not leave within {}", seconds(LEAVE)));
            }
            HostEvent::Abort => break steps.fails("exit", "the run was interrupted".to_owned()),
            _ => {}
        }
    };
    engine_host.dismiss(SEAT, Dismissal::Forced);
    is_good
}

fn since(engine_host: &ProcessHost, asked: Instant) -> String {
    millis(engine_host.now().saturating_duration_since(asked))
}

fn millis(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// What went wrong, in words.
fn words(error: &EngineError) -> String {
    error.end().map_or_else(|| "the run was interrupted".to_owned(), |(_, text)| text)
}
