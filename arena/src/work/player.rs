//! [`PairPlayer`]: plays the games of a task.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tengen_engine::backend::Catalog;
use tengen_engine::{GameSpec, Position};
use tengen_runs::contract::{TaskError, TaskFailure};
use tengen_runs::{Outcome, Task, TaskSignal};

use super::listing::Listing;
use super::pair::{GameData, GameTimes, PairData, PairTask, Seat, error, scalar};
use crate::config::option::{self, OptionSpec, Options};
use crate::config::{Config, ConfigError, EngineConfig, Setting, Timeouts};
use crate::engine::prepare::{KnownEngines, RunGame, check_books, find_program, prepare_one};
use crate::engine::process::{ProcessHost, TaskLimit};
use crate::game::{GameRunner, Plan, RunRules};
use crate::openings::Opening;
use crate::record::{EndKind, GameRecord, GameScore, utc};
use crate::schedule::Fixture;

/// The most engines whose checks are kept.
const MAX_CHECKED: usize = 256;

/// The engines of a slot. They stay between two tasks with the same engines and game.
pub struct PairSlot {
    host: ProcessHost,
    /// The runner of the last task; `None` if its engines were ended.
    kept: Option<GameRunner>,
}

impl PairSlot {
    /// Creates a slot without engines.
    pub fn new(host: ProcessHost) -> Self {
        Self { host, kept: None }
    }

    /// Ends the engines, and waits for their ends.
    pub fn rest(&mut self) {
        if let Some(mut runner) = self.kept.take() {
            runner.quit(&mut self.host);
        }
        self.host.await_exits();
    }
}

impl Drop for PairSlot {
    fn drop(&mut self) {
        self.rest();
    }
}

/// An engine with options and limits that was checked for a game.
struct CheckedEngine {
    asked: EngineConfig,
    spec: GameSpec,
    prepared: EngineConfig,
}

/// Plays pairs of games with the engines of a listing.
pub struct PairPlayer {
    catalog: &'static dyn Catalog,
    listing: Listing,
    /// The greatest table of an engine, in MiB.
    most_hash_mib: usize,
    checked: Mutex<Vec<CheckedEngine>>,
    /// By program: its length and time of change when its SHA-256 was last found right.
    stamps: Mutex<HashMap<PathBuf, Stamp>>,
}

/// The length of a file and the time of its last change.
type Stamp = (u64, Option<SystemTime>);

impl PairPlayer {
    /// Creates a player with the engines of `listing`. Tables of engines have at most `most_hash_mib` MiB.
    pub fn new(catalog: &'static dyn Catalog, listing: Listing, most_hash_mib: usize) -> Self {
        let (checked, stamps) = (Mutex::default(), Mutex::default());
        Self { catalog, listing, most_hash_mib, checked, stamps }
    }

    /// Refuses a table or a number of threads that is too large for this worker.
    fn check_limit(&self, field: &str, name: &str, value: &str) -> Result<(), TaskError> {
        let most = match name.to_ascii_lowercase().as_str() {
            "hash" => self.most_hash_mib,
            "threads" => tengen_engine::cores(),
            _ => return Ok(()),
        };
        if value.parse::<usize>().map_or(true, |value| value <= most) {
            return Ok(());
        }
        let field = format!("{field}.options.{name}");
        let why = format!("{field} {value}: this worker allows {most}");
        Err(error("bad_field", &field, why))
    }

    /// Plays the games of the task with these fields. Returns their data and their times. The engines stay
    /// in the slot, unless one has failed.
    pub fn play(
        &self,
        slot: &mut PairSlot,
        fields: Map<String, Value>,
        signal: &Arc<TaskSignal>,
    ) -> Result<(Value, Value), TaskFailure> {
        let task = PairTask::read(fields)?;
        let settings = task.settings()?;
        let mut config = Config::read_settings(&settings, self.catalog).map_err(of_settings)?;
        config.seed = task.seed;
        let spec = config.spec(self.catalog).map_err(of_settings)?;
        if let Some(name) = &task.opening_rule {
            let known = self.catalog.opening_rule(&spec, name);
            known.map_err(|why| {
                error("bad_field", "opening_rule", format!("opening_rule: {why}"))
            })?;
        }
        let opening = opening(&task, &mut *self.catalog.position(&spec))?;
        let game = RunGame::new(&spec, self.catalog);
        let game = game.map_err(|why| error("bad_field", "variant", why))?;
        let mut players = Vec::new();
        for seat in [Seat::A, Seat::B] {
            players.push(self.engine(slot, &task, seat, &game, config.timeouts)?);
        }
        let rules = RunRules { spec: spec.clone(), players, config };
        let mut runner = GameRunner::open(rules, self.catalog).map_err(TaskFailure::machine)?;
        if let Some(before) = slot.kept.take() {
            runner.take_over(before, &mut slot.host);
        }
        let view = runner.view.clone();
        signal.show_by(Box::new(move || serde_json::to_value(view.get()).unwrap_or_default()));
        slot.host.limit = Some(TaskLimit::new(task.max_ms, signal));
        let mut records = play_games(&task, &opening, &mut runner, &mut slot.host);
        let is_good = |records: &Vec<GameRecord>| {
            records.iter().all(|record| record.failed_side().is_none())
                && slot.host.loser().is_none()
        };
        match records.as_ref().is_ok_and(is_good) {
            true => slot.kept = Some(runner),
            false => runner.quit(&mut slot.host),
        }
        slot.host.limit = None;
        records.iter_mut().flatten().for_each(|record| self.note_programs(&task, record));
        result(&task, &records?)
    }

    /// Returns the engine of a task, with its dialect and checked options.
    fn engine(
        &self,
        slot: &mut PairSlot,
        task: &PairTask,
        seat: Seat,
        game: &RunGame,
        timeouts: Timeouts,
    ) -> Result<EngineConfig, TaskFailure> {
        let (field, asked) = (seat.field(), task.engine(seat));
        let listed = self.listing.find(field, asked)?;
        let mut keys = Vec::new();
        keys.extend(asked.name.as_deref().map(|name| Setting::text("name", name)));
        for (name, value) in &asked.options {
            let value = scalar(&format!("{field}.options.{name}"), value)?;
            self.check_limit(field, name, &value)?;
            let value = match self.listing.option(field, name, &value)? {
                listed if listed == value => value,
                // Another machine may have the file.
                file => self::file(file).map_err(|why| {
                    TaskFailure::machine(format!("{field}.options.{name}: {why}"))
                })?,
            };
            keys.push(Setting::text(&format!("option.{name}"), value));
        }
        keys.extend(task.nodes.map(|nodes| Setting::text("nodes", nodes.to_string())));
        for (name, value) in &asked.limits {
            let place = format!("{field}.limits.{name}");
            if !option::has::<EngineConfig>(name, OptionSpec::TASK) {
                let known = option::names(EngineConfig::specs(), OptionSpec::TASK);
                let why = format!("{place}: it must be one of {known}");
                return Err(error("bad_field", &place, why).into());
            }
            keys.push(Setting::text(name, scalar(&place, value)?));
        }
        let of_engine =
            |why: &ConfigError| error("bad_field", field, format!("{field}: {}", why.why));
        let engine = listed.config(keys).map_err(|why| of_engine(&why))?;
        let is_same = |known: &&CheckedEngine| known.asked == engine && known.spec == game.spec;
        let known = self.checked.lock().iter().find(is_same).map(|known| known.prepared.clone());
        if let Some(prepared) = known {
            check_books(&prepared).map_err(TaskFailure::machine)?;
            return self.unchanged(prepared, &listed.sha256);
        }
        // An absent program is trouble of this machine, not of the task.
        let engine = self.unchanged(engine, &listed.sha256)?;
        // It needs a free seat.
        slot.rest();
        let known = KnownEngines::default();
        let prepared = prepare_one(&mut slot.host, &engine, game, timeouts, &known);
        let prepared = prepared.map_err(|why| of_engine(&why))?.config;
        let mut checked = self.checked.lock();
        if checked.len() >= MAX_CHECKED {
            checked.clear();
        }
        let spec = game.spec.clone();
        checked.push(CheckedEngine { asked: engine, spec, prepared: prepared.clone() });
        drop(checked);
        self.unchanged(prepared, &listed.sha256)
    }

    /// Notes the programs of engines that have another identity.
    fn note_programs(&self, task: &PairTask, record: &mut GameRecord) {
        for (side, player) in record.players.into_iter().enumerate() {
            let seat = Seat::of(player);
            let listed = self.listing.find(seat.field(), task.engine(seat)).ok();
            let listed = listed.filter(|listed| listed.identity != listed.sha256);
            record.usage[side].program = listed.map_or_else(String::new, |it| it.sha256.clone());
        }
    }

    /// Checks that the program of an engine is there, and is the one that was listed.
    fn unchanged(&self, engine: EngineConfig, listed: &str) -> Result<EngineConfig, TaskFailure> {
        let metadata = std::fs::metadata(&engine.launch.cmd);
        let stamp = metadata.ok().map(|found| (found.len(), found.modified().ok()));
        let mut stamps = self.stamps.lock();
        if stamp.is_some() && stamps.get(&engine.launch.cmd) == stamp.as_ref() {
            return Ok(engine);
        }
        let (path, found) = find_program(&engine.launch.cmd).map_err(TaskFailure::machine)?;
        if found == listed {
            stamps.extend(stamp.map(|stamp| (path, stamp)));
            return Ok(engine);
        }
        let path = path.display();
        Err(TaskFailure::machine(format!(
            "{path} has changed since the worker started: its SHA-256 is {found}"
        )))
    }
}

/// Returns the path of a listed file, if the file is there.
fn file(path: String) -> Result<String, String> {
    match std::fs::metadata(&path) {
        Ok(found) if found.is_file() => Ok(path),
        Ok(_) => Err(format!("{path}: this is no file")),
        Err(why) => Err(format!("{path}: {why}")),
    }
}

/// Plays the games of a task. After the deadline the engine to move loses this game and the next.
fn play_games(
    task: &PairTask,
    opening: &Opening,
    runner: &mut GameRunner,
    host: &mut ProcessHost,
) -> Result<Vec<GameRecord>, TaskFailure> {
    let mut records: Vec<GameRecord> = Vec::new();
    for (number, first) in task.first.iter().enumerate() {
        let players = [first.player(), 1 - first.player()];
        if host.loser().is_none() {
            let id = task.pair.saturating_mul(2).saturating_add(number as u64);
            let fixture = Fixture { id, round: 0, encounter: 0, players };
            let started = utc(SystemTime::now()).unwrap_or_default();
            let (opening, options) = (opening.clone(), Default::default());
            let work = Plan { fixture, opening_number: 0, opening, started, options };
            match runner.play(host, &Task { id, attempt: 0, work }) {
                Outcome::Finished(record) => {
                    records.push(*record);
                    continue;
                }
                // The deadline passed before the first move.
                Outcome::Failed(_) if host.loser().is_some() => {}
                Outcome::Failed(why) => return Err(TaskFailure::machine(why)),
                Outcome::Aborted => return Err(TaskFailure::machine("the task was cancelled")),
            }
        }
        if let Some((seat, text)) = host.loser() {
            records.push(lost(players, runner.player_on(seat), text));
        }
    }
    Ok(records)
}

/// Returns the record of a game that is not played, because a player has lost by the deadline.
fn lost(players: [usize; 2], loser: usize, text: &str) -> GameRecord {
    let score = GameScore::won_by(usize::from(players[0] == loser));
    let mut record = GameRecord::of_result(0, players, score, EndKind::Stall);
    record.end.text = text.to_owned();
    record
}

/// Reads the opening of a task.
fn opening(task: &PairTask, position: &mut dyn Position) -> Result<Opening, TaskError> {
    let text = task.opening.trim();
    let has_start = text.starts_with("fen ") || text.starts_with("startpos");
    let line = if has_start { text.to_owned() } else { format!("startpos moves {text}") };
    let read = Opening::from_line(&line, position);
    let why = |why: String| error("bad_move", "opening", format!("opening: {why}"));
    let opening = read.map_err(why)?;
    match position.outcome() {
        None => Ok(opening),
        Some(_) => Err(why("the game is over after it".to_owned())),
    }
}

/// Returns the data and the times of a task.
fn result(task: &PairTask, records: &[GameRecord]) -> Result<(Value, Value), TaskFailure> {
    let (games, times): (Vec<GameData>, Vec<GameTimes>) = records.iter().map(GameData::of).unzip();
    let points: Result<u32, String> = games.iter().map(|game| game.half_points(Seat::A)).sum();
    let points = points.map_err(TaskFailure::machine)?;
    let category = (task.first.len() == 2).then_some(points);
    let engines = [task.a.sha256.clone(), task.b.sha256.clone()];
    let data = serde_json::to_value(PairData { category, engines, games });
    let times = serde_json::to_value(times);
    Ok((data.map_err(TaskFailure::machine)?, times.map_err(TaskFailure::machine)?))
}

/// Returns the failure for a wrong game or setting.
fn of_settings(wrong: ConfigError) -> TaskError {
    let field = if wrong.key == "variant" { "variant" } else { "settings" };
    error("bad_field", field, wrong.why)
}
