//! [`PairCodec`]: makes tasks of the games of a run, and records of their results.

use std::ops::Range;

use serde_json::{Map, Value};
use tengen_engine::Position;
use tengen_runs::contract::{self, Build, TaskLine, quoted};
use tengen_runs::{Codec, Task};

use super::pair::{EngineTask, GameTimes, KIND, PairData, PairTask, Seat, json_of};
use crate::config::option::{OptionSpec, has};
use crate::config::time_control::write_seconds;
use crate::config::{Config, EngineConfig, Setting};
use crate::game::Plan;
use crate::record::GameRecord;

/// Makes tasks of pairs of games.
pub struct PairCodec {
    /// The name of the run, which begins every id.
    run: String,
    build: Build,
    /// By player: its engine in a task.
    engines: Vec<EngineTask>,
    variant: String,
    settings: Map<String, Value>,
    /// The opening rule; `None` without one.
    opening_rule: Option<String>,
    /// Whether sides are not exchanged.
    no_swap: bool,
    seed: u64,
    max_ms: Option<u64>,
    board: Box<dyn Position>,
}

impl PairCodec {
    /// Creates the codec of the run `run` with these `settings`. `engines` are the players with the
    /// SHA-256 of their programs. `board` is a board to work on.
    pub fn new(
        run: &str,
        build: Build,
        config: &Config,
        settings: &[Setting],
        engines: &[(EngineConfig, String)],
        board: Box<dyn Position>,
    ) -> Self {
        let own = settings.iter().filter(|entry| has::<Config>(&entry.key, OptionSpec::TASK));
        Self {
            run: run.to_owned(),
            build,
            engines: engines.iter().map(|(engine, sha256)| engine_task(engine, sha256)).collect(),
            variant: board.spec().variant.to_owned(),
            settings: own.map(|entry| (entry.key.clone(), json_of(&entry.value))).collect(),
            opening_rule: config.named_opening_rule().map(|(_, name)| name.to_owned()),
            no_swap: config.no_swap,
            seed: config.seed,
            max_ms: config.transport.task_ms,
            board,
        }
    }

    /// Returns the players of the first and the second engine of the pair of a game.
    fn seats(&self, plan: &Plan) -> [usize; 2] {
        let [first, second] = plan.fixture.players;
        if plan.fixture.side() == 1 && !self.no_swap { [second, first] } else { [first, second] }
    }

    /// Returns the engine of a player with the options of one game.
    fn engine(&self, player: usize, plan: &Plan) -> EngineTask {
        let mut engine = self.engines[player].clone();
        let side = usize::from(plan.fixture.players[0] != player);
        let options = plan.options[side].iter();
        engine.options.extend(options.map(|(name, value)| (name.clone(), value.clone().into())));
        engine
    }

    /// Makes the task of the games `tasks`, of which the first ones move first as in `first`.
    fn line(&mut self, tasks: &[Task<Plan>], first: Vec<Seat>, suffix: &str) -> TaskLine {
        let plan = &tasks[0].work;
        let [a, b] = self.seats(plan);
        let opening = plan.opening.to_line(&mut *self.board).unwrap_or_default();
        let task = PairTask {
            a: self.engine(a, plan),
            b: self.engine(b, plan),
            variant: self.variant.clone(),
            opening: moves_of(&opening).to_owned(),
            nodes: None,
            seed: self.seed,
            max_ms: self.max_ms.unwrap_or(PairTask::MAX_MS),
            first,
            opening_rule: self.opening_rule.clone(),
            pair: plan.fixture.pair(),
            settings: self.settings.clone(),
        };
        let attempt = tasks.iter().map(|task| task.attempt).max().unwrap_or_default();
        let again = if attempt == 0 { String::new() } else { format!("-{attempt}") };
        let id = format!("{}-{:06}{suffix}{again}", self.run, plan.fixture.pair());
        let fields = match serde_json::to_value(task) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        TaskLine::of_content(&id, KIND, fields, &self.build)
    }
}

/// Returns the moves of an opening from the starting position, or another opening as it is.
fn moves_of(opening: &str) -> &str {
    let moves = opening.strip_prefix("startpos").map(|rest| rest.trim_start());
    moves.map_or(opening, |moves| moves.strip_prefix("moves ").unwrap_or(moves))
}

/// Returns an engine of a run as one of a task.
fn engine_task(engine: &EngineConfig, sha256: &str) -> EngineTask {
    let time = &engine.time;
    let seconds = |time: std::time::Duration| write_seconds(time).into();
    let limits = [
        ("tc", time.clock.map(|clock| clock.to_string().into())),
        ("turn", time.turn.map(seconds)),
        ("nodes", time.nodes.map(Value::from)),
        ("depth", time.depth.map(Value::from)),
        ("timemargin", time.margin.map(|margin| (margin.as_millis() as u64).into())),
    ];
    let option = |(name, value): &(String, String)| (name.clone(), value.clone().into());
    EngineTask {
        sha256: sha256.to_owned(),
        name: Some(engine.label()),
        options: engine.options.iter().map(option).collect(),
        limits: limits
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect(),
    }
}

impl Codec<Plan> for PairCodec {
    fn group(&self, task: &Task<Plan>) -> u64 {
        task.work.fixture.pair()
    }

    fn tasks_of(&self, id: &str) -> Option<Range<u64>> {
        let pair = contract::number_of(id, &self.run)?;
        Some(pair.checked_mul(2)?..pair.checked_mul(2)?.checked_add(2)?)
    }

    fn is_own(&self, id: &str) -> bool {
        contract::is_of_content(id)
    }

    fn is_full(&self, tasks: &[Task<Plan>]) -> bool {
        tasks.len() == 2
    }

    fn encode(&mut self, mut tasks: Vec<Task<Plan>>) -> Vec<(TaskLine, Vec<Task<Plan>>)> {
        tasks.sort_by_key(|task| task.id);
        let both = match self.no_swap {
            true => vec![Seat::A, Seat::A],
            false => vec![Seat::A, Seat::B],
        };
        if let [one, other] = tasks.as_slice() {
            let seats = self.seats(&one.work);
            let is_pair = seats == self.seats(&other.work)
                && one.work.opening == other.work.opening
                && seats.iter().all(|player| {
                    self.engine(*player, &one.work) == self.engine(*player, &other.work)
                });
            if is_pair {
                let line = self.line(&tasks, both, "");
                return vec![(line, tasks)];
            }
            return tasks
                .into_iter()
                .map(|task| {
                    let is_second = task.work.fixture.side() == 1;
                    let first = if is_second { both[1] } else { both[0] };
                    let suffix = if is_second { "b" } else { "a" };
                    (self.line(std::slice::from_ref(&task), vec![first], suffix), vec![task])
                })
                .collect();
        }
        // The second game alone: the result of the whole pair may be there already.
        let is_second = tasks.first().is_some_and(|task| task.work.fixture.side() == 1);
        let line = match is_second {
            true => self.line(&tasks, both, ""),
            false => self.line(&tasks, vec![both[0]], "a"),
        };
        vec![(line, tasks)]
    }

    fn decode(
        &self,
        tasks: &[Task<Plan>],
        data: Value,
        times: Value,
        worker: &str,
    ) -> Result<Vec<Box<GameRecord>>, String> {
        let read = |why: serde_json::Error| format!("it is no pair of games: {why}");
        let data: PairData = serde_json::from_value(data).map_err(read)?;
        let mut times: Vec<GameTimes> = match times {
            Value::Null => Vec::new(),
            times => serde_json::from_value(times).map_err(read)?,
        };
        let count = data.games.len();
        times.resize_with(count, GameTimes::default);
        let mut records: Vec<Option<GameRecord>> = data
            .games
            .into_iter()
            .zip(times)
            .map(|(game, times)| game.record(times).map(Some))
            .collect::<Result<_, String>>()?;
        let record_of = |task: &Task<Plan>| {
            let plan = &task.work;
            let seats = self.seats(plan);
            if data.engines.each_ref() != seats.map(|player| &self.engines[player].sha256) {
                return Err("other engines have played it".to_owned());
            }
            let number = if count == 1 { 0 } else { plan.fixture.side() };
            let record = records.get_mut(number).and_then(Option::take);
            let mut record = record.ok_or_else(|| format!("it has {count} games"))?;
            record.players = record.players.map(|player| seats[player]);
            if record.players != plan.fixture.players && self.opening_rule.is_none() {
                return Err("another engine moved first".to_owned());
            }
            for warning in &mut record.warnings {
                warning.player = seats[warning.player.min(1)];
            }
            record.worker = quoted(worker);
            record.id = task.id;
            record.attempt = task.attempt;
            record.round = plan.fixture.round;
            record.opening = plan.opening_number;
            Ok(Box::new(record))
        };
        tasks.iter().map(record_of).collect()
    }
}
