//! [`PairCodec`]: makes tasks of the games of a run, and records of their results.

use std::ops::Range;
use std::slice;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use tengen_engine::Position;
use tengen_engine::backend::Catalog;
use tengen_runs::contract::{self, Build, TASK_MS, TaskLine, quoted};
use tengen_runs::{Codec, Task};

use super::pair::{EngineTask, GameTimes, KIND, PairData, PairTask, Seat};
use crate::config::option::{OptionSpec, has};
use crate::config::time_control::write_seconds;
use crate::config::{Config, Setting, SettingValue};
use crate::engine::prepare::Prepared;
use crate::game::{GameView, Plan, Replay, RunRules};
use crate::openings::Opening;
use crate::record::{EndKind, GameRecord};

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
    max_ms: u64,
    board: Box<dyn Position>,
    catalog: &'static dyn Catalog,
    replay: Replay,
}

impl PairCodec {
    /// Creates the codec of the run `run` with these `settings` and players. The error names the setting.
    pub fn new(
        run: &str,
        build: Build,
        rules: RunRules,
        settings: &[Setting],
        players: &[Prepared],
        catalog: &'static dyn Catalog,
    ) -> Result<Self, String> {
        let (config, spec) = (&rules.config, &rules.spec);
        let named = config.named_opening_rule();
        let rule = named.map(|(_, name)| catalog.opening_rule(spec, name)).transpose()?;
        let own = settings.iter().filter(|entry| has::<Config>(&entry.key, OptionSpec::TASK));
        Ok(Self {
            run: run.to_owned(),
            build,
            engines: players.iter().map(engine_task).collect(),
            variant: spec.variant.to_owned(),
            settings: own.map(|entry| (entry.key.clone(), json_of(&entry.value))).collect(),
            opening_rule: named.map(|(_, name)| name.to_owned()),
            no_swap: config.no_swap,
            seed: config.seed,
            max_ms: config.transport.task_ms.unwrap_or(TASK_MS),
            board: catalog.position(spec),
            catalog,
            replay: Replay::new(Arc::new(rules), rule),
        })
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

    /// Returns whether two games have the same engines with the same options, and the same opening.
    fn are_pair(&self, one: &Plan, other: &Plan) -> bool {
        let seats = self.seats(one);
        let is_same = |player: &usize| self.engine(*player, one) == self.engine(*player, other);
        seats == self.seats(other) && one.opening == other.opening && seats.iter().all(is_same)
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
            max_ms: self.max_ms,
            first,
            opening_rule: self.opening_rule.clone(),
            pair: plan.fixture.pair(),
            settings: self.settings.clone(),
        };
        let id = format!("{}-{:06}{suffix}", self.run, plan.fixture.pair());
        TaskLine::of_tasks(&id, tasks, KIND, task, &self.build)
    }
}

/// Returns the moves of an opening from the starting position, or another opening as it is.
fn moves_of(opening: &str) -> &str {
    let moves = opening.strip_prefix("startpos").map(|rest| rest.trim_start());
    moves.map_or(opening, |moves| moves.strip_prefix("moves ").unwrap_or(moves))
}

/// Returns an engine of a run as one of a task.
fn engine_task(player: &Prepared) -> EngineTask {
    let (engine, time) = (&player.config, &player.config.time);
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
        sha256: engine.identity(&player.sha256),
        name: Some(engine.label()),
        options: engine.options.iter().map(option).collect(),
        limits: limits
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect(),
    }
}

/// Returns a setting as JSON.
fn json_of(value: &SettingValue) -> Value {
    match value {
        SettingValue::Text(text) => text.clone().into(),
        SettingValue::List(texts) => texts.clone().into(),
        SettingValue::Table(inner) => {
            inner.iter().map(|entry| (entry.key.clone(), json_of(&entry.value))).collect()
        }
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

    fn is_full(&self, tasks: &[Task<Plan>]) -> bool {
        tasks.len() == 2
    }

    fn encode(&mut self, mut tasks: Vec<Task<Plan>>) -> Vec<(TaskLine, Vec<Task<Plan>>)> {
        tasks.sort_by_key(|task| task.id);
        let both = [Seat::A, if self.no_swap { Seat::A } else { Seat::B }];
        let is_whole = match tasks.as_slice() {
            [one, other] => self.are_pair(&one.work, &other.work),
            // The second game alone: the result of the whole pair may be there already.
            tasks => tasks.iter().all(|task| task.work.fixture.side() == 1),
        };
        if is_whole {
            return vec![(self.line(&tasks, both.to_vec(), ""), tasks)];
        }
        let alone = |task: Task<Plan>| {
            let side = task.work.fixture.side();
            let line = self.line(slice::from_ref(&task), vec![both[side]], ["a", "b"][side]);
            (line, vec![task])
        };
        tasks.into_iter().map(alone).collect()
    }

    fn is_reproducible(&self, _: &[Task<Plan>], data: &Value) -> bool {
        let ends = data.get("games").and_then(Value::as_array).into_iter().flatten();
        let ends = ends.map(|game| EndKind::deserialize(game.get("end").unwrap_or(&Value::Null)));
        let is_of_machine = |end: EndKind| end.is_failure() || end == EndKind::Time;
        self.replay.is_reproducible() && ends.into_iter().all(|end| !end.is_ok_and(is_of_machine))
    }

    fn view(&self, tasks: &[Task<Plan>], mut state: Value) -> Option<GameView> {
        contract::clean(&mut state);
        let mut view: GameView = serde_json::from_value(state).ok()?;
        let side = usize::try_from(view.game? % 2).ok()?;
        let task =
            tasks.iter().find(|task| tasks.len() == 1 || task.work.fixture.side() == side)?;
        let start = view.start.as_ref().map_or("startpos".to_owned(), |fen| format!("fen {fen}"));
        let line = format!("{start} moves {}", view.moves.join(" "));
        Opening::from_line(line.trim_end_matches(" moves "), &mut *self.board.duplicate()).ok()?;
        let seats = self.seats(&task.work);
        (view.game, view.players) =
            (Some(task.id), [*seats.get(view.players[0])?, *seats.get(view.players[1])?]);
        view.said.truncate(view.moves.len());
        Some(view)
    }

    fn decode(
        &self,
        tasks: &[Task<Plan>],
        mut data: Value,
        mut times: Value,
        worker: &str,
    ) -> Result<Vec<Box<GameRecord>>, String> {
        [&mut data, &mut times].into_iter().for_each(contract::clean);
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
            let board = self.replay.check(&record, plan, self.board.duplicate());
            let board = board.map_err(|why| format!("game {}: {why}", number + 1))?;
            let name = self.catalog.opening_name(&*board);
            record.opened.name = name.map(ToString::to_string);
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
