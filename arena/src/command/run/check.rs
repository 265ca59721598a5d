//! `arena check`: tests step by step whether an engine can play in a tournament.

use std::time::{Duration, Instant};

use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;
use tengen_engine::{GameSpec, Limits, Position, Side};
use tengen_protocol::client::{Message, SearchRequest};

use super::before::{check_options, start_host};
use super::{Context, Ended, Failure, Status, refuse};
use crate::config::given::read_words;
use crate::config::option::OptionSpec;
use crate::config::{Config, EngineConfig, Proto, Setting, SettingValue, Timeouts, VariantName};
use crate::engine::conversation::{Conversation, EngineError, seconds};
use crate::engine::host::{Dismissal, EngineHost, HostEvent};
use crate::engine::prepare::{KnownEngines, Prepared, RunGame, prepare_one};
use crate::engine::process::ProcessHost;
use crate::game::clock::{PlayerClock, limits};
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
pub(super) fn check(args: &[String], context: &mut Context<'_>) -> Ended {
    let (config, names_game) = read(args, context.catalog)?;
    let game = RunGame::new(&config.spec(context.catalog)?, context.catalog);
    let game = game.map_err(Failure::refused)?;
    let (spec, timeouts) = (&game.spec, config.timeouts);
    let mut host = start_host()?;
    let mut steps = Steps::default();
    let known = KnownEngines::default();
    let prepared = prepare_one(&mut host, &config.engines[0], &game, timeouts, &known);
    let opened = prepared.map_err(|error| error.to_string()).and_then(|engine| {
        let asked = host.now();
        let session = Conversation::open(&mut host, SEAT, &engine.config, spec, timeouts);
        let session = session.map_err(|error| error_text(&error))?;
        Ok((engine, session, since(&host, asked)))
    });
    let is_good = match opened {
        Err(why) => steps.add("handshake", Err(why)),
        Ok((engine, session, took)) => {
            let mut board = context.catalog.position(spec);
            board.reset();
            let (host, steps) = (&mut host, &mut steps);
            Check { spec, timeouts, board, names_game, host, session, steps }.play(&engine, &took)
        }
    };
    host.await_exits();
    context.print(&steps.text)?;
    Ok(if is_good { Status::Done } else { Status::Refused })
}

/// Reads the command line, which begins with the keys of the engine. The second result says whether
/// it names a game.
fn read(args: &[String], catalog: &dyn Catalog) -> Result<(Config, bool), Failure> {
    let keys = args.iter().take_while(|arg| !arg.starts_with('-')).cloned();
    let mut engine_args: Vec<String> = vec!["-engine".to_owned()];
    engine_args.extend(keys);
    if engine_args.len() == 1 {
        return refuse!("check: the keys of an engine expected, such as cmd=tengen");
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
    /// Writes the line of a step: what was found, or why it failed. Returns whether it passed.
    fn add(&mut self, step: &str, found: Result<String, String>) -> bool {
        let result = if found.is_ok() { "ok" } else { "FAILED" };
        let is_good = found.is_ok();
        self.line(result, step, &found.unwrap_or_else(|why| why));
        is_good
    }

    fn line(&mut self, result: &str, step: &str, what: &str) {
        self.text.push_str(&format!("{result:<7}{step:<11}{what}\n"));
    }
}

/// The check of an engine whose session is open.
struct Check<'a> {
    spec: &'a GameSpec,
    timeouts: Timeouts,
    board: Box<dyn Position>,
    /// Whether the command line names a game.
    names_game: bool,
    host: &'a mut ProcessHost,
    session: Conversation,
    steps: &'a mut Steps,
}

impl Check<'_> {
    /// Asks for the first move of a game, stops a search, and ends the engine. `took` is the time of the
    /// handshake. Returns whether all steps passed.
    fn play(mut self, engine: &Prepared, took: &str) -> bool {
        let config = &engine.config;
        let (name, dialect) = (config.label(), config.proto.name());
        let options = match self.session.dialect().declares_options() {
            true => format!(", {} options", self.session.options.len()),
            false => String::new(),
        };
        self.steps.add("handshake", Ok(format!("{name} speaks {dialect}{options}; {took}")));
        let is_new = |note: &&String| !note.ends_with(&format!(" speaks {dialect}"));
        for note in engine.notes.iter().filter(is_new) {
            self.steps.add("note", Ok(note.clone()));
        }
        if !self.get_ready(config) {
            self.session.kill(self.host);
            return false;
        }
        let clocks = [PlayerClock::new(config.time); 2];
        let keeps_clock = self.session.dialect().keeps_clock();
        let asked = self.go(&limits(&clocks, Side::First, keeps_clock));
        let until = clocks[0].deadline(asked).unwrap_or(asked + self.timeouts.ping);
        let answer = self.await_move(until);
        let found = answer.and_then(|(text, at)| self.judge(&text, at.duration_since(asked)));
        let mut is_good = self.steps.add("move", found) && self.says_no_more();
        is_good &= self.stop(config.proto);
        is_good & self.quit()
    }

    /// Sets the options and starts a game. Returns whether the engine is ready.
    fn get_ready(&mut self, config: &EngineConfig) -> bool {
        let asked = self.host.now();
        let ready = self.session.configure(self.host, config, self.spec, self.timeouts);
        let game = if self.names_game { self.spec.variant } else { "no game was named" };
        let found = ready.map(|()| format!("{game}; {}", since(self.host, asked)));
        if !self.steps.add("options", found.map_err(|error| error_text(&error))) {
            return false;
        }
        let terms = config.time.terms(config.launch.memory);
        let asked = self.host.now();
        let ready = self.session.new_game(self.host, self.spec, &terms, self.timeouts.new_game);
        let found = ready.map(|()| since(self.host, asked));
        self.steps.add("new game", found.map_err(|error| error_text(&error)))
    }

    /// Sends the position and the limits. Returns the time of sending.
    fn go(&mut self, limits: &Limits) -> Instant {
        let position = &*self.board;
        let turn = SearchRequest { position, start: None, moves: &[], texts: &[], limits };
        self.session.dialect().go(&turn, &mut |line| self.host.send(SEAT, &line));
        self.host.now()
    }

    /// Waits for a move. Returns the move with its time of arrival, or why there is none.
    fn await_move(&mut self, until: Instant) -> Result<(String, Instant), String> {
        let mut unread = String::new();
        loop {
            match self.host.next(until) {
                HostEvent::Line { at, text, .. } => match self.session.dialect().read(&text) {
                    Message::Move { text, .. } => return Ok((text, at)),
                    Message::Suggestion(cell) => {
                        let dialect = self.session.dialect();
                        dialect.accept(&cell, &mut |line| self.host.send(SEAT, &line));
                    }
                    Message::Resign => return Err("it resigns".to_owned()),
                    Message::Refused(text) => {
                        return Err(format!("it refuses: \"{}\"", quotable(&text)));
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
    fn says_no_more(&mut self) -> bool {
        let dialect = self.session.dialect();
        let asks = dialect.ask_ready(&mut |line| self.host.send(SEAT, &line))
            || dialect.ask_name(&mut |line| self.host.send(SEAT, &line));
        let until = self.host.now() + STOP;
        while asks && let HostEvent::Line { text, .. } = self.host.next(until) {
            match self.session.dialect().read(&text) {
                Message::Move { text, .. } => {
                    let what = format!("{} comes after the move, as a second one", quotable(&text));
                    return self.steps.add("one move", Err(what));
                }
                Message::Ready | Message::Name(_) => break,
                _ => {}
            }
        }
        true
    }

    fn judge(&self, text: &str, took: Duration) -> Result<String, String> {
        if self.names_game {
            let played = self.board.duplicate().play_text(text);
            played.map_err(|why| format!("illegal {why}"))?;
        }
        Ok(format!("{} after {}", quotable(text), millis(took)))
    }

    /// Starts a search without limits and stops it.
    fn stop(&mut self, dialect: Proto) -> bool {
        if let Proto::Gomocup | Proto::Gtp = dialect {
            let what = format!("{} has no search without limits", dialect.name());
            self.steps.line("-", "stop", &what);
            return true;
        }
        self.go(&Limits::default().until_stopped());
        self.session.dialect().stop(&mut |line| self.host.send(SEAT, &line));
        let asked = self.host.now();
        let found = match self.await_move(asked + STOP) {
            Ok((_, at)) => {
                Ok(format!("answered after {}", millis(at.saturating_duration_since(asked))))
            }
            Err(_) => Err(format!("no move within {}", seconds(STOP))),
        };
        self.steps.add("stop", found)
    }

    /// Asks the engine to quit and waits until its process has ended.
    fn quit(mut self) -> bool {
        self.session.dialect().quit(&mut |line| self.host.send(SEAT, &line));
        let asked = self.host.now();
        let found = loop {
            match self.host.next(asked + QUIT) {
                HostEvent::Failed { kind: EndKind::Crash, text, .. } => {
                    let what = format!("{text}; {}", since(self.host, asked));
                    let is_good = text.starts_with("the process ended with status 0");
                    break if is_good { Ok(what) } else { Err(what) };
                }
                HostEvent::Timeout => {
                    break Err(format!("it does not leave within {}", seconds(QUIT)));
                }
                HostEvent::Abort => break Err("the run was interrupted".to_owned()),
                _ => {}
            }
        };
        self.host.dismiss(SEAT, Dismissal::Forced);
        self.steps.add("exit", found)
    }
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
