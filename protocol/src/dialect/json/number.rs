//! Types of fields with a range: whole numbers, texts, lists. Reading, writing and the schema take
//! the range from the type.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The maximum whole number that JavaScript represents exactly: 2^53 - 1.
pub const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[schemars(inline, description = "", schema_with = "Int::<MIN, MAX>::schema")]
pub struct Int<const MIN: i64, const MAX: i64>(i64);

/// A whole number of at least 0.
pub type Count = Int<0, MAX_SAFE_INTEGER>;
/// A whole number of at least 1.
pub type Positive = Int<1, MAX_SAFE_INTEGER>;

impl<const MIN: i64, const MAX: i64> Int<MIN, MAX> {
    /// Returns the number; `None` if it is out of range.
    pub const fn new(value: i64) -> Option<Self> {
        if value >= MIN && value <= MAX { Some(Self(value)) } else { None }
    }

    /// Returns the number of the range that is nearest to `value`.
    pub fn nearest(value: impl TryInto<i64>) -> Self {
        Self(value.try_into().unwrap_or(MAX).clamp(MIN, MAX))
    }

    /// Returns the number.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Returns the number as a type that holds the range; 0 in any other type.
    pub fn to<T: TryFrom<i64> + Default>(self) -> T {
        T::try_from(self.0).unwrap_or_default()
    }

    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

impl<const MIN: i64, const MAX: i64> fmt::Display for Int<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Int<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Value::deserialize(deserializer)?.as_i64().and_then(Self::new);
        let expected = || format!("expected a whole number from {MIN} to {MAX}");
        number.ok_or_else(|| D::Error::custom(expected()))
    }
}

/// A text of `MIN` to `MAX` bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[schemars(inline, description = "", schema_with = "Text::<MIN, MAX>::schema")]
pub struct Text<const MIN: usize, const MAX: usize>(String);

/// The name of a query: a text or a whole number. Replies repeat it as it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "id")]
pub enum Id {
    /// A text.
    Text(Text<1, 128>),
    /// A number.
    Number(Int<{ -MAX_SAFE_INTEGER }, MAX_SAFE_INTEGER>),
}

impl Id {
    /// Returns the name; `None` if it is empty or too long.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        Text::new(text).map(Self::Text)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => text.fmt(f),
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = match Value::deserialize(deserializer)? {
            Value::String(text) => Self::new(text),
            Value::Number(number) => number.as_i64().and_then(Int::new).map(Self::Number),
            _ => None,
        };
        let expected = "expected a string of 1 to 128 bytes or a whole number of at most 2^53 - 1";
        id.ok_or_else(|| D::Error::custom(expected))
    }
}

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    /// Returns the text; `None` if its length is out of range.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        (MIN..=MAX).contains(&text.len()).then_some(Self(text))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    // The schema counts characters, and the reader counts bytes. A character has at least one byte,
    // so a text that the reader accepts always fits the schema.
    fn schema(_: &mut SchemaGenerator) -> Schema {
        match MIN {
            0 => json_schema!({ "type": "string", "maxLength": MAX }),
            _ => json_schema!({ "type": "string", "minLength": MIN, "maxLength": MAX }),
        }
    }
}

impl<const MIN: usize, const MAX: usize> fmt::Display for Text<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Text<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(deserializer)? {
            Value::String(text) => Self::new(text),
            _ => None,
        };
        let expected = || match MIN {
            0 => format!("expected a string of at most {MAX} bytes"),
            _ => format!("expected a string of {MIN} to {MAX} bytes"),
        };
        text.ok_or_else(|| D::Error::custom(expected()))
    }
}

/// A list of at most `MAX` items.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(inline, description = "", schema_with = "List::<T, MAX>::schema")]
pub struct List<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> List<T, MAX> {
    /// Returns the items.
    pub fn items(&self) -> &[T] {
        &self.0
    }
}

impl<T: JsonSchema, const MAX: usize> List<T, MAX> {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        json_schema!({ "type": "array", "items": items, "maxItems": MAX })
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

/// Reads a list.
struct ListVisitor<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for ListVisitor<T, MAX> {
    type Value = List<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            if list.len() == MAX {
                return Err(A::Error::invalid_length(list.len() + 1, &self));
            }
            list.push(item);
        }
        Ok(List(list))
    }
}
