//! `arena check`: tests step by step whether an engine can play in a tournament.

use std::time::{Duration, Instant};

use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;
use tengen_engine::{GameSpec, Limits, Position, Side};
use tengen_protocol::client::{Message, SearchRequest};

use super::before::{check_options, run_game, start_host};
use super::{Console, Failure, Status, print};
use crate::config::given::read_words;
use crate::config::option::OptionSpec;
use crate::config::{Config, Proto, Setting, SettingValue, Timeouts, VariantName};
use crate::engine::conversation::{Conversation, EngineError, seconds};
use crate::engine::host::{Dismissal, EngineHost, HostEvent};
use crate::engine::prepare::{KnownEngines, Prepared, prepare_one};
use crate::engine::process::ProcessHost;
use crate::game::clock::{PlayerClock, limits, terms};
use crate::record::EndKind;

/// The game if none is named; every Gomocup engine plays it. UCI and UGI engines then get no
/// variant option, and their moves are not judged.
const DEFAULT_GAME: &str = "gomokufreestyle";

/// The time for a move if none is given, in seconds.
const DEFAULT_TIME: &str = "0.5";

/// The time for the answer to the stop command.
const STOP: Duration = Duration::from_secs(2);

/// The time that an engine has to exit.
const QUIT: Duration = Duration::from_secs(3);

/// The seat of the checked engine.
const SEAT: usize = 0;

/// Checks an engine and prints a table of steps.
pub(super) fn check(
    args: &[String],
    catalog: &dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let (config, names_game) = read(args, catalog)?;
    let game = run_game(config.spec(catalog)?, catalog)?;
    let timeouts = config.timeouts;
    let mut host = start_host()?;
    let mut steps = Steps::default();
    let known = KnownEngines::default();
    let prepared = prepare_one(&mut host, &config.engines[0], &game, timeouts, &known);
    let is_good = match prepared {
        Err(error) => steps.fails("handshake", error.to_string()),
        Ok(engine) => {
            let mut board = catalog.position(&game.spec);
            board.reset();
            let check = Check { spec: &game.spec, timeouts, board: &*board, names_game };
            check.play(&mut host, &engine, &mut steps)
        }
    };
    host.await_exits();
    print(console, &steps.text)?;
    Ok(if is_good { Status::Done } else { Status::Refused })
}

/// Reads the command line, which begins with the keys of the engine. The second result says whether
/// it names a game.
fn read(args: &[String], catalog: &dyn Catalog) -> Result<(Config, bool), Failure> {
    let keys = args.iter().take_while(|arg| !arg.starts_with('-')).cloned();
    let mut engine_args: Vec<String> = vec!["-engine".to_owned()];
    engine_args.extend(keys);
    if engine_args.len() == 1 {
        return Err(Failure::refused("check: the keys of an engine expected, such as cmd=tengen"));
    }
    engine_args.extend(args.iter().skip(engine_args.len() - 1).cloned());
    let (_, mut entries) = read_words(&engine_args)?;
    check_options(&entries[1..], OptionSpec::CHECK, "check takes only")?;
    let names_game = entries.iter().any(|entry| matches!(entry.key.as_str(), "variant" | "rule"));
    if !names_game {
        entries.push(Setting::text("variant", DEFAULT_GAME));
    }
    let time = SettingValue::Table(vec![Setting::text("st", DEFAULT_TIME)]);
    entries.insert(0, Setting::given("each", time));
    let mut config = Config::read_settings(&entries, catalog)?;
    // Then no variant option is sent.
    if let Some(engine) = config.engines.first_mut()
        && !names_game
        && engine.variant_name == VariantName::Default
    {
        engine.variant_name = VariantName::None;
    }
    Ok((config, names_game))
}

/// The table of results, one line for each step.
#[derive(Default)]
struct Steps {
    text: String,
}

impl Steps {
    fn passes(&mut self, step: &str, what: String) -> bool {
        self.line("ok", step, &what)
    }

    fn fails(&mut self, step: &str, why: String) -> bool {
        self.line("FAILED", step, &why)
    }

    /// Writes the line of a step. Returns whether the step did not fail.
    fn line(&mut self, result: &str, step: &str, what: &str) -> bool {
        self.text.push_str(&format!("{result:<7}{step:<11}{what}\n"));
        result != "FAILED"
    }
}

/// The data that all steps share.
struct Check<'a> {
    spec: &'a GameSpec,
    timeouts: Timeouts,
    board: &'a dyn Position,
    /// Whether the command line names a game.
    names_game: bool,
}

/// A move with its time of arrival, or why there is none.
type Answer = Result<(String, Instant), String>;

impl Check<'_> {
    /// Asks for the first move of a game, stops a search, and ends the engine. Returns whether all
    /// steps passed.
    fn play(&self, host: &mut ProcessHost, engine: &Prepared, steps: &mut Steps) -> bool {
        let config = &engine.config;
        let dialect = config.proto;
        let asked = host.now();
        let opened = Conversation::open(host, SEAT, config, self.spec, self.timeouts);
        let mut session = match opened {
            Ok(session) => session,
            Err(error) => return steps.fails("handshake", error_text(&error)),
        };
        let took = since(host, asked);
        let (name, options) = (config.label(), session.options.len());
        let options = match session.dialect().declares_options() {
            true => format!(", {options} options"),
            false => String::new(),
        };
        steps.passes("handshake", format!("{name} speaks {}{options}; {took}", dialect.name()));
        let is_new = |note: &&String| !note.ends_with(&format!(" speaks {}", dialect.name()));
        for note in engine.notes.iter().filter(is_new) {
            steps.passes("note", note.clone());
        }
        let asked = host.now();
        if let Err(error) = session.configure(host, config, self.spec, self.timeouts) {
            session.kill(host);
            return steps.fails("options", error_text(&error));
        }
        let game = if self.names_game { self.spec.variant } else { "no game was named" };
        steps.passes("options", format!("{game}; {}", since(host, asked)));
        let terms = terms(&config.time, config.launch.memory);
        let asked = host.now();
        let ready = session.new_game(host, self.spec, &terms, self.timeouts.new_game);
        if let Err(error) = ready {
            session.kill(host);
            return steps.fails("new game", error_text(&error));
        }
        steps.passes("new game", since(host, asked));

        let clocks = [PlayerClock::new(config.time); 2];
        let keeps_clock = !session.dialect().declares_options();
        let limits = limits(&clocks, Side::First, keeps_clock);
        let asked = self.go(host, &mut session, &limits);
        let until = clocks[0].deadline(asked).unwrap_or(asked + self.timeouts.ping);
        let mut is_good = match self.await_move(host, &mut session, until) {
            Ok((text, at)) => self.judge(&text, at.duration_since(asked), steps),
            Err(why) => steps.fails("move", why),
        };
        is_good &= is_good && self.says_no_more(host, &mut session, steps);
        is_good &= self.stop(host, &mut session, dialect, steps);
        is_good & quit(host, session, steps)
    }

    /// Sends the position and the limits. Returns the time of sending.
    fn go(&self, host: &mut ProcessHost, session: &mut Conversation, limits: &Limits) -> Instant {
        let turn =
            SearchRequest { position: self.board, start: None, moves: &[], texts: &[], limits };
        session.dialect().go(&turn, &mut |line| host.send(SEAT, &line));
        host.now()
    }

    fn await_move(
        &self,
        host: &mut ProcessHost,
        session: &mut Conversation,
        until: Instant,
    ) -> Answer {
        let mut unread = String::new();
        loop {
            match host.next(until) {
                HostEvent::Line { at, text, .. } => match session.dialect().read(&text) {
                    Message::Move { text, .. } => return Ok((text, at)),
                    Message::Suggestion(cell) => {
                        session.dialect().accept(&cell, &mut |line| host.send(SEAT, &line));
                    }
                    Message::Error(line) | Message::Other(line) => unread = line,
                    _ => {}
                },
                HostEvent::Timeout if unread.trim().is_empty() => {
                    return Err("no move in time".to_owned());
                }
                HostEvent::Timeout => {
                    return Err(format!("no move in time; it answered \"{}\"", quotable(&unread)));
                }
                HostEvent::Abort => return Err("the run was interrupted".to_owned()),
                HostEvent::Failed { text, .. } => return Err(text),
            }
        }
    }

    /// Asks the engine for a sign, and fails if another move comes before it.
    fn says_no_more(
        &self,
        host: &mut ProcessHost,
        session: &mut Conversation,
        steps: &mut Steps,
    ) -> bool {
        let asks = session.dialect().ask_ready(&mut |line| host.send(SEAT, &line))
            || session.dialect().ask_name(&mut |line| host.send(SEAT, &line));
        let until = host.now() + STOP;
        while asks && let HostEvent::Line { text, .. } = host.next(until) {
            match session.dialect().read(&text) {
                Message::Move { text, .. } => {
                    let what = format!("{} comes after the move, as a second one", quotable(&text));
                    return steps.fails("one move", what);
                }
                Message::Ready | Message::Name(_) => break,
                _ => {}
            }
        }
        true
    }

    fn judge(&self, text: &str, took: Duration, steps: &mut Steps) -> bool {
        let what = format!("{} after {}", quotable(text), millis(took));
        if !self.names_game {
            return steps.passes("move", what);
        }
        match self.board.duplicate().play_text(text) {
            Ok(_) => steps.passes("move", what),
            Err(why) => steps.fails("move", format!("illegal {why}")),
        }
    }

    /// Starts a search without limits and stops it.
    fn stop(
        &self,
        host: &mut ProcessHost,
        session: &mut Conversation,
        dialect: Proto,
        steps: &mut Steps,
    ) -> bool {
        if dialect == Proto::Gomocup {
            return steps.line("-", "stop", "Gomocup has no search without limits");
        }
        self.go(host, session, &Limits::default().until_stopped());
        session.dialect().stop(&mut |line| host.send(SEAT, &line));
        let asked = host.now();
        match self.await_move(host, session, asked + STOP) {
            Ok((_, at)) => {
                let took = millis(at.saturating_duration_since(asked));
                steps.passes("stop", format!("answered after {took}"))
            }
            Err(_) => steps.fails("stop", format!("no move within {}", seconds(STOP))),
        }
    }
}

/// Asks the engine to quit and waits until its process has ended.
fn quit(host: &mut ProcessHost, mut session: Conversation, steps: &mut Steps) -> bool {
    session.dialect().quit(&mut |line| host.send(SEAT, &line));
    let asked = host.now();
    let is_good = loop {
        match host.next(asked + QUIT) {
            HostEvent::Failed { kind: EndKind::Crash, text, .. } => {
                let what = format!("{text}; {}", since(host, asked));
                break match text.as_str() {
                    text if text.starts_with("the process ended with status 0") => {
                        steps.passes("exit", what)
                    }
                    _ => steps.fails("exit", what),
                };
            }
            HostEvent::Timeout => {
                break steps.fails("exit", format!("it does not leave within {}", seconds(QUIT)));
            }
            HostEvent::Abort => break steps.fails("exit", "the run was interrupted".to_owned()),
            _ => {}
        }
    };
    host.dismiss(SEAT, Dismissal::Forced);
    is_good
}

fn since(host: &ProcessHost, asked: Instant) -> String {
    millis(host.now().saturating_duration_since(asked))
}

fn millis(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// Returns the text of an error.
fn error_text(error: &EngineError) -> String {
    error.end().map_or_else(|| "the run was interrupted".to_owned(), |(_, text)| text)
}
