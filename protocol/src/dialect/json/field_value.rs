//! Reads the fields of a query. Errors name the field and quote the value.
//!
//! A field that is `null` counts as absent.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_path_to_error::Segment;
use tengen_engine::text::quotable;

use super::code::{Code, Problem};

/// How many bytes of a value an error quotes.
const QUOTED_BYTES: usize = 64;

/// Returns a value in quotation marks, shortened for an error message.
pub(super) fn quoted(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    format!("\"{}\"", clipped(&text))
}

/// Returns a text shortened for an error message, with invisible characters escaped.
pub fn clipped(text: &str) -> String {
    let end = (0..=QUOTED_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let (start, rest) = text.split_at(end.unwrap_or_default());
    let dots = if rest.is_empty() { "" } else { "..." };
    format!("{}{dots}", quotable(start))
}

/// An object from which several types are read, each with some of the fields.
pub(super) struct Object<'a> {
    /// The object as it was sent, for quotations.
    sent: &'a Value,
    /// The object without fields of inner objects that are `null`.
    value: Value,
    /// How many types were read.
    types: usize,
    /// How many types did not read a field. A field of an inner object belongs to one type.
    ignored: BTreeMap<String, usize>,
}

impl<'a> Object<'a> {
    /// Returns the object in `sent`; `None` if it is no object.
    pub(super) fn of(sent: &'a Value) -> Option<Self> {
        let fields = sent.as_object()?.iter();
        let value = fields.map(|(name, value)| (name.clone(), without_nulls(value))).collect();
        Some(Self { sent, value, types: 0, ignored: BTreeMap::new() })
    }

    /// Returns the value of a field; `None` if it is absent or null.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.sent.get(name).filter(|value| !value.is_null())
    }

    /// Reads the fields of `T`.
    pub(super) fn read<T: for<'de> Deserialize<'de>>(&mut self) -> Result<T, Problem> {
        let Self { sent, value, types, ignored } = self;
        *types += 1;
        let mut ignore = |path: serde_ignored::Path<'_>| {
            *ignored.entry(ignored_field(&path)).or_default() += 1;
        };
        let fields = serde_ignored::Deserializer::new(&*value, &mut ignore);
        serde_path_to_error::deserialize(fields).map_err(|error| explain(&error, sent))
    }

    /// Returns the names of the fields that no type has read.
    pub(super) fn unused(&self) -> Vec<String> {
        let is_own = |name: &String| self.sent.get(name).is_some();
        let is_unused = |(name, count): &(&String, &usize)| **count >= self.types || !is_own(name);
        let mut unused: Vec<String> =
            self.ignored.iter().filter(is_unused).map(|(name, _)| name.clone()).collect();
        unused.sort_by_key(|name| !is_own(name));
        unused
    }
}

/// Removes fields that are `null`.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let set = fields.iter().filter(|(_, value)| !value.is_null());
            set.map(|(name, value)| (name.clone(), without_nulls(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

/// Returns the name of a field that was not read.
fn ignored_field(path: &serde_ignored::Path<'_>) -> String {
    use serde_ignored::Path::{Map, NewtypeStruct, NewtypeVariant, Root, Seq, Some};
    match path {
        Root => String::new(),
        Map { parent: Root, key } => clipped(key),
        Map { parent, key } => format!("{}.{}", ignored_field(parent), clipped(key)),
        Seq { parent, index } => format!("{}[{index}]", ignored_field(parent)),
        Some { parent } | NewtypeStruct { parent } | NewtypeVariant { parent } => {
            ignored_field(parent)
        }
    }
}

/// Names the field of an error, and says what was expected instead of its value in `object`.
fn explain(error: &serde_path_to_error::Error<serde_json::Error>, object: &Value) -> Problem {
    let (mut field, mut found) = (String::new(), object);
    for segment in error.path() {
        let dot = if field.is_empty() { "" } else { "." };
        let (name, inner) = match segment {
            Segment::Map { key } => (format!("{dot}{key}"), found.get(key)),
            Segment::Seq { index } => (format!("[{index}]"), found.get(index)),
            Segment::Enum { .. } | Segment::Unknown => continue,
        };
        field += &name;
        found = inner.unwrap_or(&Value::Null);
    }
    let text = error.inner().to_string();
    if let Some(name) = text.strip_prefix("missing field `") {
        let dot = if field.is_empty() { "" } else { "." };
        field = format!("{field}{dot}{}", name.trim_end_matches('`'));
        found = &Value::Null;
    }
    let is_item = field.ends_with(']');
    if found.is_null() && !is_item {
        let message = format!("{field} is missing");
        return Problem::with(code_of(&field), field, message);
    }
    let expected = text.rsplit_once("expected ").map_or(text.as_str(), |(_, expected)| expected);
    let is_unknown_word = text.starts_with("unknown variant");
    let expected = match expected {
        words if is_unknown_word && found.is_string() => {
            let words = words.trim_start_matches("one of ").replace(" or ", ", ");
            format!("one of {}", words.replace('`', ""))
        }
        // A word, as serde_json describes it.
        "string or map" | "map with a single key" | "unit" => "a string".to_owned(),
        _ if is_unknown_word => "a string".to_owned(),
        other => other.to_owned(),
    };
    let message = format!("{field} {} is not {expected}", quoted(found));
    Problem::with(code_of(&field), field, message)
}

fn code_of(field: &str) -> Code {
    if field.starts_with("board.") { Code::BadBoard } else { Code::BadField }
}

/// Reads an object, for a field that takes no list of its fields' values instead.
pub(super) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    struct ObjectVisitor<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
        type Value = Option<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
            T::deserialize(MapAccessDeserializer::new(fields)).map(Some)
        }
    }
    deserializer.deserialize_any(ObjectVisitor(PhantomData))
}
