//! Reads the query in a line.
//!
//! It does not depend on a game: the session checks variants, positions and moves.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::VERSION;
use super::code::{Code, Problem};
use super::field_value::{Object, clipped, quoted};
use super::number::Id;
use super::query::Query;

/// A query, and the unknown fields of its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadQuery {
    /// The query.
    pub query: Query,
    /// The names of fields that the action does not have.
    pub unused: Vec<String>,
}

/// Why a line is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedQuery {
    /// The name of the query; `None` if it could not be read.
    pub id: Option<Id>,
    /// The error.
    pub problem: Problem,
}

/// Reads the query in `line`. `number` is the number of the line, for messages.
pub fn query(line: &str, number: u64) -> Result<ReadQuery, RefusedQuery> {
    let value = document(line, number).map_err(|problem| RefusedQuery { id: None, problem })?;
    let mut object = Object::of(&value).ok_or_else(|| RefusedQuery {
        id: None,
        problem: Problem::new(
            Code::BadJson,
            format!("line {number}: expected an object, found {}", quoted(&value)),
        ),
    })?;
    let id = object.get("id").and_then(|id| Id::deserialize(id).ok());
    let refusal = |problem| RefusedQuery { id: id.clone(), problem };
    if object.get("jsonrpc").is_some() {
        let message =
            "jsonrpc: this is JSON-RPC; Tengen's queries have an action, see \"tengen schema\"";
        return Err(refusal(Problem::with(Code::UnknownAction, "jsonrpc", message)));
    }
    let action = match object.get("action") {
        None => Query::ACTIONS[0],
        Some(Value::String(action)) => action,
        Some(other) => {
            let message = format!("action {} is not a string", quoted(other));
            return Err(refusal(Problem::with(Code::BadField, "action", message)));
        }
    };
    let Some(query) = Query::read(action, &mut object) else {
        let known = Query::ACTIONS.join(", ");
        let message = format!("no action \"{}\": there are {known}", clipped(action));
        return Err(refusal(Problem::with(Code::UnknownAction, "action", message)));
    };
    let query = query.map_err(refusal)?;
    if let Some(version) = query.head().protocol
        && version.get() != VERSION
    {
        let message = format!("protocol {version}: this server speaks {VERSION}");
        return Err(refusal(Problem::with(Code::Unsupported, "protocol", message)));
    }
    let mut unused = object.unused();
    unused.retain(|name| name != "action");
    Ok(ReadQuery { query, unused })
}

/// Reads one JSON value. Refuses an object with two fields of the same name.
fn document(line: &str, number: u64) -> Result<Value, Problem> {
    let mut reader = serde_json::Deserializer::from_str(line);
    let read = UniqueFields.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    read.map_err(|error| {
        let (text, column) = (error.to_string(), error.column());
        let place = format!(" at line {} column {column}", error.line());
        let what = text.strip_suffix(&place).unwrap_or(&text);
        Problem::new(Code::BadJson, format!("line {number}, column {column}: {what}"))
    })
}

/// Reads a JSON value, and refuses duplicate fields.
struct UniqueFields;

impl<'de> DeserializeSeed<'de> for UniqueFields {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueFields {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format!("duplicate field \"{}\"", clipped(&name))));
            }
            let value = fields.next_value_seed(Self)?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}
