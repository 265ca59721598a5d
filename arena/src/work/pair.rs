//! [`PairTask`] and [`PairData`]: a pair of games as a task, and its result.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tengen_runs::contract::{TASK_MS, TaskError};

use crate::config::option::{self, OptionSpec, Options};
use crate::config::{Config, Setting, SettingValue};
use crate::record::{
    EndKind, GameEnd, GameRecord, GameScore, MoveNote, OpeningRecord, ProofNote, Said, Usage,
    Warning,
};

/// The kind of the task in the contract.
pub const KIND: &str = "pair";

/// The greatest time that a task may ask for: a day.
const MOST_MS: u64 = 86_400_000;

/// An engine of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seat {
    /// The first engine.
    A,
    /// The second engine.
    B,
}

impl Seat {
    /// Returns the number of the player.
    pub const fn player(self) -> usize {
        self as usize
    }

    /// Returns the engine of a player.
    pub const fn of(player: usize) -> Self {
        if player == 0 { Self::A } else { Self::B }
    }

    /// Returns the name of the field in a task.
    pub const fn field(self) -> &'static str {
        if self.player() == 0 { "a" } else { "b" }
    }
}

/// An engine of a task, and its limits.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineTask {
    /// The SHA-256 of the program, in hexadecimal; or `id:` and what several builds share.
    pub sha256: String,
    /// The name, which also tells engines with one program apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The options, set in the order of their names.
    #[serde(default)]
    pub options: BTreeMap<String, Value>,
    /// The limits, if the engines have different ones: the keys of an engine of the arena.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, Value>,
}

/// A pair of games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairTask {
    /// The first engine.
    pub a: EngineTask,
    /// The second engine.
    pub b: EngineTask,
    /// The variant.
    pub variant: String,
    /// The opening: moves, or `fen FEN moves MOVES`.
    #[serde(default)]
    pub opening: String,
    /// The nodes of each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The seed of random choices.
    #[serde(default = "one")]
    pub seed: u64,
    /// The longest time of the task, in milliseconds. Then the engine to move loses.
    #[serde(default = "max_ms")]
    pub max_ms: u64,
    /// Who moves first in each game.
    #[serde(default = "both")]
    pub first: Vec<Seat>,
    /// The opening rule; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening_rule: Option<String>,
    /// The number of the pair in its run. Together with `seed` it makes random choices.
    #[serde(default)]
    pub pair: u64,
    /// Settings of the arena.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
}

const fn one() -> u64 {
    1
}

const fn max_ms() -> u64 {
    TASK_MS
}

fn both() -> Vec<Seat> {
    vec![Seat::A, Seat::B]
}

/// Returns an error about a field.
pub(super) fn error(code: &str, field: &str, message: String) -> TaskError {
    TaskError::new(code, Some(field), message)
}

impl PairTask {
    /// Reads the fields of a task.
    pub fn read(fields: Map<String, Value>) -> Result<Self, TaskError> {
        let task: Self =
            serde_path_to_error::deserialize(Value::Object(fields)).map_err(|found| {
                let (path, why) = (found.path().to_string(), found.inner());
                match path.as_str() {
                    "." => TaskError::new("bad_field", None, why.to_string()),
                    path => error("bad_field", path, format!("{path}: {why}")),
                }
            })?;
        if !(1..=MOST_MS).contains(&task.max_ms) {
            let why = format!("max_ms {}: it must be from 1 to {MOST_MS}", task.max_ms);
            return Err(error("bad_field", "max_ms", why));
        }
        if !(1..=2).contains(&task.first.len()) {
            let why = format!("first: one or two games, found {}", task.first.len());
            return Err(error("bad_field", "first", why));
        }
        Ok(task)
    }

    /// Returns the engine on a seat.
    pub const fn engine(&self, seat: Seat) -> &EngineTask {
        match seat {
            Seat::A => &self.a,
            Seat::B => &self.b,
        }
    }

    /// Returns the settings of the arena.
    // Only matches read them, and they need Linux.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(super) fn settings(&self) -> Result<Vec<Setting>, TaskError> {
        let mut settings = vec![Setting::text("variant", &self.variant)];
        for (name, value) in &self.settings {
            let field = format!("settings.{name}");
            if !option::has::<Config>(name, OptionSpec::TASK) {
                let known = option::names(Config::specs(), OptionSpec::TASK);
                let why = format!("{field}: a task can set {known}");
                return Err(error("bad_field", &field, why));
            }
            settings.push(Setting::given(name, value_of(&field, value)?));
        }
        settings.extend(self.opening_rule.iter().map(|rule| Setting::text("opening-rule", rule)));
        Ok(settings)
    }
}

/// Returns a scalar of JSON as the text of a setting.
pub(super) fn scalar(field: &str, value: &Value) -> Result<String, TaskError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(is_on) => Ok(is_on.to_string()),
        _ => {
            let why = format!("{field}: a text, a number or true and false expected");
            Err(error("bad_field", field, why))
        }
    }
}

/// Returns a value of JSON as the value of a setting.
fn value_of(field: &str, value: &Value) -> Result<SettingValue, TaskError> {
    match value {
        Value::Bool(is_on) => Ok(SettingValue::Text(if *is_on { "on" } else { "off" }.to_owned())),
        Value::Object(table) => {
            let inner = table.iter().map(|(key, value)| {
                Ok(Setting::given(key, value_of(&format!("{field}.{key}"), value)?))
            });
            Ok(SettingValue::Table(inner.collect::<Result<_, TaskError>>()?))
        }
        Value::Array(list) => {
            let texts = list.iter().map(|value| scalar(field, value));
            Ok(SettingValue::List(texts.collect::<Result<_, _>>()?))
        }
        _ => Ok(SettingValue::Text(scalar(field, value)?)),
    }
}

/// The result of a pair.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PairData {
    /// The half points of the first engine in both games, which is the index of the pair among the five
    /// counts of a pentanomial test; `None` for one game.
    pub category: Option<u32>,
    /// The SHA-256 of the programs of both engines, in hexadecimal.
    pub engines: [String; 2],
    /// The games.
    pub games: Vec<GameData>,
}

/// A game without times.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameData {
    /// Who moved first.
    pub first: Seat,
    /// The result: `1-0` if the first to move won, `1/2`, `0-1`.
    pub result: String,
    /// All moves, including the opening.
    pub moves: String,
    /// The kind of the end.
    pub end: EndKind,
    /// A description of the end.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The number of moves that belong to the opening.
    #[serde(default)]
    pub opening_plies: usize,
    /// The position before the first move, as a FEN; `None` for the starting position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// What the engines said about each move after the opening: score, depth, selective depth, nodes.
    #[serde(default)]
    pub notes: Vec<Said>,
    /// The warnings about the engines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// The proof that ended the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofNote>,
    /// The opening as it was played.
    #[serde(flatten)]
    pub opened: OpeningRecord,
}

/// The times of a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GameTimes {
    started: String,
    millis: u64,
    usage: [Usage; 2],
    suspect: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_scale: Option<f64>,
    /// Of each move: the microseconds, the engine's own milliseconds, the milliseconds left, and
    /// whether the engine had pondered on it.
    moves: Vec<(u64, Option<u64>, Option<i64>, bool)>,
}

impl GameData {
    /// Splits a record into data and times.
    pub fn of(record: &GameRecord) -> (Self, GameTimes) {
        let result = match record.score {
            GameScore::Draw => "1/2",
            score => score.text(),
        };
        let data = Self {
            first: Seat::of(record.players[0]),
            result: result.to_owned(),
            moves: record.moves.join(" "),
            end: record.end.kind,
            text: record.end.text.clone(),
            opening_plies: record.opening_plies,
            start: record.start.clone(),
            notes: record.notes.iter().map(|note| note.said.clone()).collect(),
            warnings: record.warnings.clone(),
            proof: record.proof.clone(),
            opened: record.opened.clone(),
        };
        let times = GameTimes {
            started: record.started.clone(),
            millis: record.millis,
            usage: record.usage.clone(),
            suspect: record.suspect,
            clock_scale: record.clock_scale,
            moves: record
                .notes
                .iter()
                .map(|note| (note.micros, note.own_millis, note.left_millis, note.ponder_hit))
                .collect(),
        };
        (data, times)
    }

    /// Returns the half points of a player.
    pub fn half_points(&self, seat: Seat) -> Result<u32, String> {
        Ok(self.score()?.half_points(usize::from(self.first != seat)))
    }

    fn score(&self) -> Result<GameScore, String> {
        match self.result.as_str() {
            "1/2" => Ok(GameScore::Draw),
            other => GameScore::of_text(other)
                .ok_or_else(|| format!("\"{other}\" is no result of a game")),
        }
    }

    /// Joins data and times to a record without the numbers of the run. The players are 0 and 1.
    pub fn record(self, times: GameTimes) -> Result<GameRecord, String> {
        let score = self.score()?;
        let first = self.first.player();
        let mut moves = times.moves.into_iter();
        let note = |said| {
            let (micros, own_millis, left_millis, ponder_hit) = moves.next().unwrap_or_default();
            MoveNote { micros, said, own_millis, left_millis, ponder_hit }
        };
        Ok(GameRecord {
            players: [first, 1 - first],
            start: self.start,
            opening_plies: self.opening_plies,
            moves: self.moves.split_ascii_whitespace().map(str::to_owned).collect(),
            notes: self.notes.into_iter().map(note).collect(),
            score,
            end: GameEnd { kind: self.end, text: self.text },
            started: times.started,
            millis: times.millis,
            usage: times.usage,
            warnings: self.warnings,
            suspect: times.suspect,
            clock_scale: times.clock_scale,
            proof: self.proof,
            opened: self.opened,
            ..GameRecord::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<PairTask, TaskError> {
        let Value::Object(fields) = value else { panic!() };
        PairTask::read(fields)
    }

    #[test]
    fn bad_fields_are_named() {
        let good =
            json!({"a": {"sha256": "x"}, "b": {"sha256": "y"}, "variant": "gomoku", "nodes": 5});
        let task = read(good.clone()).unwrap();
        assert_eq!((task.first.as_slice(), task.max_ms), (&[Seat::A, Seat::B][..], TASK_MS));
        for (name, value, field) in [
            ("a", json!({"sha256": 5}), Some("a.sha256")),
            ("a", json!({"sha256": "x", "cmd": "/bin/sh"}), Some("a.cmd")),
            ("max_ms", json!(0), Some("max_ms")),
            ("first", json!([]), Some("first")),
            ("first", json!(["c"]), Some("first[0]")),
            ("engine", json!("x"), Some("engine")),
        ] {
            let mut task = good.clone();
            task[name] = value;
            let refused = read(task).unwrap_err();
            assert_eq!(
                (refused.code.as_str(), refused.field.as_deref()),
                ("bad_field", field),
                "{refused:?}"
            );
        }
        let mut named = good;
        named["settings"] = json!({"pgnout": "/tmp/x"});
        let refused = read(named).unwrap().settings().unwrap_err();
        assert_eq!(refused.field.as_deref(), Some("settings.pgnout"));
    }

    #[test]
    fn a_record_is_split_and_joined() {
        let record = GameRecord {
            players: [1, 0],
            opening_plies: 1,
            moves: vec!["h8".into(), "i9".into()],
            notes: vec![MoveNote {
                micros: 5,
                said: Said { nodes: Some(9), ..Said::default() },
                left_millis: Some(-1),
                ..MoveNote::default()
            }],
            score: GameScore::Draw,
            end: GameEnd { kind: EndKind::FullBoard, text: "full".into() },
            millis: 7,
            clock_scale: Some(1.257),
            ..GameRecord::default()
        };
        let (data, times) = GameData::of(&record);
        let (data, times): (Value, Value) =
            (serde_json::to_value(data).unwrap(), serde_json::to_value(times).unwrap());
        assert_eq!((&data["first"], &data["result"]), (&json!("b"), &json!("1/2")));
        let data: GameData = serde_json::from_value(data).unwrap();
        assert_eq!(data.record(serde_json::from_value(times).unwrap()).unwrap(), record);
    }
}
