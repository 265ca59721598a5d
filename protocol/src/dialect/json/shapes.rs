//! Fields with more than one form, such as a word or a list.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use tengen_engine::Side;

use super::number::{Int, List, ListVisitor, MAX_SAFE_INTEGER, Positive};

/// The most moves of a game: a board has at most 26x26 points.
pub const MAX_MOVES: usize = 676;

/// The number of a turn: turn `t` is the position after the first `t` moves.
pub type TurnNumber = Int<0, 676>;

/// Moves: a list, or one text as `tengen solve` reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Moves {
    /// Such as `"4455"` or `"d1 d2"`.
    Text(String),
    /// One by one.
    List(List<String, MAX_MOVES>),
}

/// A list of turns, or all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AnalyzeTurns {
    /// Every turn of the game.
    All,
    /// These, each once.
    These(List<TurnNumber, 1000>),
}

/// Milliseconds between reports: 0, or 20 to 60,000.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Interval(u32);

impl Interval {
    /// Returns the milliseconds.
    pub const fn millis(self) -> u32 {
        self.0
    }
}

/// Moves to allow or to avoid: a list, or KataGo's objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveFilter {
    /// For the side to move.
    Moves(Vec<String>),
    /// For a side and so many plies.
    Rules(Vec<FilterRule>),
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

/// A side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SideName {
    /// Who moves first in the starting position.
    First,
    /// The other one.
    Second,
}

impl From<Side> for SideName {
    fn from(side: Side) -> Self {
        match side {
            Side::First => Self::First,
            Side::Second => Self::Second,
        }
    }
}

impl<'de> Deserialize<'de> for Moves {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MovesVisitor;
        impl<'de> Visitor<'de> for MovesVisitor {
            type Value = Moves;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a string or a list of at most {MAX_MOVES} moves")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Moves, E> {
                Ok(Moves::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Moves, A::Error> {
                ListVisitor(PhantomData).visit_seq(items).map(Moves::List)
            }
        }
        deserializer.deserialize_any(MovesVisitor)
    }
}

impl JsonSchema for Moves {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "moves".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let list = generator.subschema_for::<List<String, MAX_MOVES>>();
        json_schema!({ "anyOf": [{ "type": "string" }, list] })
    }
}

impl<'de> Deserialize<'de> for AnalyzeTurns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TurnsVisitor;
        impl<'de> Visitor<'de> for TurnsVisitor {
            type Value = AnalyzeTurns;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"all\" or a list of at most 1000 turns, each once")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<AnalyzeTurns, E> {
                match text {
                    "all" => Ok(AnalyzeTurns::All),
                    _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<AnalyzeTurns, A::Error> {
                let turns: List<TurnNumber, 1000> = ListVisitor(PhantomData).visit_seq(items)?;
                let mut sorted = turns.items().to_vec();
                sorted.sort_unstable();
                if turns.items().is_empty() || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
                    return Err(A::Error::invalid_value(Unexpected::Seq, &self));
                }
                Ok(AnalyzeTurns::These(turns))
            }
        }
        deserializer.deserialize_any(TurnsVisitor)
    }
}

impl JsonSchema for AnalyzeTurns {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "analyze_turns".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let turn = generator.subschema_for::<TurnNumber>();
        json_schema!({ "anyOf": [
            { "const": "all" },
            { "type": "array", "items": turn, "minItems": 1, "maxItems": 1000, "uniqueItems": true },
        ] })
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IntervalVisitor;
        impl Visitor<'_> for IntervalVisitor {
            type Value = Interval;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("0 or a whole number from 20 to 60000")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Interval, E> {
                match u32::try_from(value) {
                    Ok(millis @ (0 | 20..=60_000)) => Ok(Interval(millis)),
                    _ => Err(E::invalid_value(Unexpected::Signed(value), &self)),
                }
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Interval, E> {
                self.visit_i64(i64::try_from(value).unwrap_or(MAX_SAFE_INTEGER))
            }
        }
        deserializer.deserialize_i64(IntervalVisitor)
    }
}

impl JsonSchema for Interval {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "interval".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "const": 0 },
            { "type": "integer", "minimum": 20, "maximum": 60_000 },
        ] })
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
        struct FilterVisitor;
        impl<'de> Visitor<'de> for FilterVisitor {
            type Value = MoveFilter;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of moves, or a list of objects with moves")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<MoveFilter, A::Error> {
                let (mut moves, mut rules) = (Vec::new(), Vec::new());
                while let Some(item) = items.next_element()? {
                    match item {
                        Item::Move(text) => moves.push(text),
                        Item::Rule(rule) => rules.push(rule),
                    }
                }
                match (moves.is_empty(), rules.is_empty()) {
                    (false, false) => Err(A::Error::invalid_value(Unexpected::Seq, &self)),
                    (_, true) => Ok(MoveFilter::Moves(moves)),
                    (true, false) => Ok(MoveFilter::Rules(rules)),
                }
            }
        }
        deserializer.deserialize_any(FilterVisitor)
    }
}

impl JsonSchema for MoveFilter {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "move_filter".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let rule = generator.subschema_for::<FilterRule>();
        json_schema!({ "anyOf": [
            { "type": "array", "items": { "type": "string" } },
            { "type": "array", "items": rule },
        ] })
    }
}
