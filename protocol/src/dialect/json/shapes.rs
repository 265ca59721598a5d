//! Fields with more than one form, such as a word or a list.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use tengen_records::Format;

use super::number::{Int, List, Positive};

/// The maximum number of moves of a game: a board has at most 26x26 points.
pub const MAX_MOVES: usize = 676;

/// The number of a turn: turn `t` is the position after the first `t` moves.
pub type TurnNumber = Int<0, 676>;

/// Moves: a list, or one text as `tengen solve` reads it.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(inline, description = "", schema_with = "Moves::schema")]
pub enum Moves {
    /// All moves in one text, such as `"4455"` or `"d1 d2"`.
    Text(String),
    /// A list with one move per item.
    List(List<String, MAX_MOVES>),
}

impl Moves {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let list = generator.subschema_for::<List<String, MAX_MOVES>>();
        json_schema!({ "anyOf": [{ "type": "string" }, list] })
    }
}

/// A format in which records are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(inline, schema_with = "RecordFormat::schema")]
pub struct RecordFormat(pub Format);

impl RecordFormat {
    fn schema(_: &mut SchemaGenerator) -> Schema {
        let value = |format: Format| {
            let description = format!("{}.", format.summary());
            json!({ "type": "string", "const": format.name(), "description": description })
        };
        json_schema!({ "oneOf": Format::written().map(value).collect::<Vec<_>>() })
    }
}

impl<'de> Deserialize<'de> for RecordFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let named = Format::written().find(|format| format.name() == name);
        named.map(Self).ok_or_else(|| {
            let names: Vec<&str> = Format::written().map(Format::name).collect();
            D::Error::custom(format!("expected one of {}", names.join(", ")))
        })
    }
}

/// A list of turns, or all of them.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(inline, description = "", schema_with = "AnalyzeTurns::schema")]
pub enum AnalyzeTurns {
    /// Every turn of the game.
    All,
    /// A list of distinct turns.
    These(List<TurnNumber, 1000>),
}

impl AnalyzeTurns {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let turn = generator.subschema_for::<TurnNumber>();
        json_schema!({ "anyOf": [
            { "const": "all" },
            { "type": "array", "items": turn, "minItems": 1, "maxItems": 1000, "uniqueItems": true },
        ] })
    }
}

/// Milliseconds between reports: 0, or 20 to 60,000.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, JsonSchema)]
#[schemars(inline, description = "", schema_with = "Interval::schema")]
pub struct Interval(u32);

impl Interval {
    /// Returns the milliseconds.
    pub const fn millis(self) -> u32 {
        self.0
    }

    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "const": 0 },
            { "type": "integer", "minimum": 20, "maximum": 60_000 },
        ] })
    }
}

/// Moves to allow or to avoid: a list, or KataGo's objects.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(inline, description = "", schema_with = "MoveFilter::schema")]
pub struct MoveFilter {
    /// Moves of the side to move; empty with `rules`.
    pub moves: Vec<String>,
    /// Moves of a side, for a number of plies; empty with `moves`.
    pub rules: Vec<FilterRule>,
}

impl MoveFilter {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let rule = generator.subschema_for::<FilterRule>();
        json_schema!({ "anyOf": [
            { "type": "array", "items": { "type": "string" } },
            { "type": "array", "items": rule },
        ] })
    }
}

/// Moves that a side may or may not play.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct FilterRule {
    /// The side; without one, the side to move.
    pub side: Option<SideName>,
    /// The moves.
    pub moves: List<String, MAX_MOVES>,
    /// For how many plies from the root: 1 is supported.
    pub until_depth: Option<Positive>,
}

/// A board that is not the variant's usual one.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "board")]
pub struct BoardOptions {
    /// Columns; 0 for the usual number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<Int<0, 26>>,
    /// Rows; 0 for the usual number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<Int<0, 26>>,
    /// How many stones make a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connect: Option<Int<1, 26>>,
    /// Whether stones fall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<bool>,
    /// Whether longer lines win too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overline: Option<bool>,
}

/// The number of a player: 1 begins the opening.
pub type PlayerNumber = Int<1, 2>;

/// A side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SideName {
    /// The first player: moves first in the starting position.
    First,
    /// The second player.
    Second,
}

/// Reads a string or a list. Each function returns `None` if the value does not fit.
struct TextOrList<T, L> {
    expected: &'static str,
    text: fn(&str) -> Option<T>,
    list: fn(L) -> Option<T>,
}

impl<'de, T, L: Deserialize<'de>> Visitor<'de> for TextOrList<T, L> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.text)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<T, A::Error> {
        let list = L::deserialize(SeqAccessDeserializer::new(items))?;
        (self.list)(list).ok_or_else(|| A::Error::invalid_value(Unexpected::Seq, &self))
    }
}

impl<'de> Deserialize<'de> for Moves {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrList {
            expected: "a string or a list of at most 676 moves",
            text: |text| Some(Self::Text(text.to_owned())),
            list: |moves| Some(Self::List(moves)),
        })
    }
}

impl<'de> Deserialize<'de> for AnalyzeTurns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrList {
            expected: "\"all\" or a list of at most 1000 turns, each once",
            text: |text| (text == "all").then_some(Self::All),
            list: |turns: List<TurnNumber, 1000>| {
                let mut sorted = turns.items().to_vec();
                sorted.sort_unstable();
                let is_unique = sorted.windows(2).all(|pair| pair[0] != pair[1]);
                (is_unique && !sorted.is_empty()).then_some(Self::These(turns))
            },
        })
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Value::deserialize(deserializer)?.as_u64();
        match number.and_then(|number| u32::try_from(number).ok()) {
            Some(millis @ (0 | 20..=60_000)) => Ok(Self(millis)),
            _ => Err(D::Error::custom("expected 0 or a whole number from 20 to 60000")),
        }
    }
}

impl<'de> Deserialize<'de> for MoveFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// An item of the list, of either kind.
        enum Item {
            Move(String),
            Rule(FilterRule),
        }
        impl<'de> Deserialize<'de> for Item {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct ItemVisitor;
                impl<'de> Visitor<'de> for ItemVisitor {
                    type Value = Item;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("a move or an object with moves")
                    }

                    fn visit_str<E: Error>(self, text: &str) -> Result<Item, E> {
                        Ok(Item::Move(text.to_owned()))
                    }

                    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Item, A::Error> {
                        let fields = MapAccessDeserializer::new(fields);
                        FilterRule::deserialize(fields).map(Item::Rule)
                    }
                }
                deserializer.deserialize_any(ItemVisitor)
            }
        }
        deserializer.deserialize_any(TextOrList {
            expected: "a list of moves, or a list of objects with moves",
            text: |_| None,
            list: |items: Vec<Item>| {
                let (mut moves, mut rules) = (Vec::new(), Vec::new());
                for item in items {
                    match item {
                        Item::Move(text) => moves.push(text),
                        Item::Rule(rule) => rules.push(rule),
                    }
                }
                (moves.is_empty() || rules.is_empty()).then_some(Self { moves, rules })
            },
        })
    }
}
