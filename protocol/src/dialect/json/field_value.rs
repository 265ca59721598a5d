//! [`FieldValue`]: a `Deserializer` for a value inside a query that knows the path to the value. Its
//! errors name the field and quote the value.
//!
//! A field that is `null` counts as absent.

use std::cell::RefCell;
use std::fmt::{self, Display};

use serde::Deserialize;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};
use tengen_engine::text::quotable;

/// How many bytes of a value an error quotes.
const QUOTED_BYTES: usize = 64;

/// Why a value does not fit its field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FieldError {
    /// The field, such as `board.width` or `moves[5]`; empty for the object itself.
    pub(super) field: String,
    /// The human-readable message.
    pub(super) message: String,
    /// The expected value. `at` turns it into the message.
    expected: Option<String>,
    /// The missing field. `missing_from` turns it into the message.
    missing: Option<&'static str>,
}

impl FieldError {
    fn expecting(expected: &dyn Display) -> Self {
        Self { expected: Some(expected.to_string()), ..Self::default() }
    }

    /// Sets field and message if a field of the object at `path` is missing.
    fn missing_from(mut self, path: &Path<'_>) -> Self {
        if let Some(name) = self.missing.take() {
            self.field = Path::Field(path, name).to_string();
            self.message = format!("{} is missing", self.field);
        }
        self
    }

    /// Sets field and message from the value `found` at `path`, unless they are already set.
    fn at(self, path: &Path<'_>, found: &Value) -> Self {
        let mut error = self.missing_from(path);
        if error.field.is_empty() {
            error.field = path.to_string();
        }
        if let Some(expected) = error.expected.take() {
            error.message = format!("{} {} is not {expected}", error.field, quoted(found));
        }
        error
    }
}

/// Returns a value in quotation marks, shortened for an error message.
pub(super) fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", clipped(text)),
        other => format!("\"{}\"", clipped(&other.to_string())),
    }
}

/// Returns a text shortened for an error message, with invisible characters escaped.
pub fn clipped(text: &str) -> String {
    let end = (0..=QUOTED_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let (start, rest) = text.split_at(end.unwrap_or_default());
    let dots = if rest.is_empty() { "" } else { "..." };
    format!("{}{dots}", quotable(start))
}

impl Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FieldError {}

impl Error for FieldError {
    fn custom<T: Display>(message: T) -> Self {
        Self { message: message.to_string(), ..Self::default() }
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expecting(&expected)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expecting(&expected)
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::expecting(&expected)
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::expecting(&format_args!("one of {}", expected.join(", ")))
    }

    fn missing_field(field: &'static str) -> Self {
        Self { missing: Some(field), ..Self::default() }
    }
}

/// The known and the unused field names of an object.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The fields of each type that was read from the object.
    known: Vec<&'static [&'static str]>,
    /// The paths of unused fields in inner objects.
    unused: Vec<String>,
}

/// The path to a value.
#[derive(Clone, Copy)]
enum Path<'a> {
    Root,
    Field(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(&clipped(name)),
            Self::Field(parent, name) => write!(f, "{parent}.{}", clipped(name)),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// An object from which several types are read, each with some of the fields.
pub(super) struct Object<'a> {
    fields: &'a Map<String, Value>,
    value: &'a Value,
    names: RefCell<Names>,
}

impl<'a> Object<'a> {
    /// Returns the object in `value`; `None` if it is no object.
    pub(super) fn of(value: &'a Value) -> Option<Self> {
        let fields = value.as_object()?;
        Some(Self { fields, value, names: RefCell::default() })
    }

    /// Returns the value of a field; `None` if it is absent or null.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// Reads the fields of `T`.
    pub(super) fn read<T: Deserialize<'a>>(&'a self) -> Result<T, FieldError> {
        T::deserialize(FieldValue { value: self.value, path: Path::Root, names: &self.names })
    }

    /// Returns the names of the fields that no type has read.
    pub(super) fn unused(&self) -> Vec<String> {
        let names = self.names.borrow();
        let is_known = |name: &str| names.known.iter().any(|known| known.contains(&name));
        let own = self.fields.keys().filter(|name| !is_known(name));
        own.map(|name| clipped(name)).chain(names.unused.iter().cloned()).collect()
    }
}

/// A value and the path to it.
#[derive(Clone, Copy)]
struct FieldValue<'a, 't> {
    value: &'a Value,
    path: Path<'t>,
    names: &'t RefCell<Names>,
}

impl<'a> FieldValue<'a, '_> {
    fn locate(&self, error: FieldError) -> FieldError {
        error.at(&self.path, self.value)
    }

    fn visit<V: Visitor<'a>>(&self, visitor: V) -> Result<V::Value, FieldError> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => {
                visitor.visit_seq(Items { items: items.iter().enumerate(), of: self })
            }
            Value::Object(fields) => visitor.visit_map(Fields::new(fields.iter(), self, None)),
        }
    }
}

impl<'de> Deserializer<'de> for FieldValue<'de, '_> {
    type Error = FieldError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        self.visit(visitor).map_err(|error| self.locate(error))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        let Value::Object(fields) = self.value else {
            return Err(self.locate(FieldError::expecting(&"an object")));
        };
        let known = matches!(self.path, Path::Root).then_some(known);
        if let Some(known) = known {
            self.names.borrow_mut().known.push(known);
        }
        let read = visitor.visit_map(Fields::new(fields.iter(), &self, known));
        read.map_err(|error| error.missing_from(&self.path))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        let Value::String(text) = self.value else {
            return Err(self.locate(FieldError::expecting(&"a string")));
        };
        visitor.visit_enum(Word(text)).map_err(|error| self.locate(error))
    }

    /// Records an unused field.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        self.names.borrow_mut().unused.push(self.path.to_string());
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier
    }
}

/// The fields of an object that are not null; if `known` is `Some`, only the fields with these
/// names.
struct Fields<'a, 't, I> {
    fields: I,
    of: &'t FieldValue<'a, 't>,
    known: Option<&'static [&'static str]>,
    next: Option<(&'a str, &'a Value)>,
}

impl<'a, 't, I> Fields<'a, 't, I> {
    fn new(fields: I, of: &'t FieldValue<'a, 't>, known: Option<&'static [&'static str]>) -> Self {
        Self { fields, of, known, next: None }
    }
}

impl<'a, I: Iterator<Item = (&'a String, &'a Value)>> MapAccess<'a> for Fields<'a, '_, I> {
    type Error = FieldError;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, FieldError> {
        let known = self.known;
        let is_known = |name: &str| known.is_none_or(|known: &[&str]| known.contains(&name));
        let mut wanted =
            self.fields.by_ref().filter(|(name, value)| is_known(name) && !value.is_null());
        let Some((name, value)) = wanted.next() else { return Ok(None) };
        self.next = Some((name, value));
        let name: StrDeserializer<'_, FieldError> = name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, FieldError> {
        let Some((name, value)) = self.next.take() else {
            return Err(FieldError::custom("a value without a name"));
        };
        let path = Path::Field(&self.of.path, name);
        seed.deserialize(FieldValue { value, path, names: self.of.names })
    }
}

struct Items<'a, 't, I> {
    items: I,
    of: &'t FieldValue<'a, 't>,
}

impl<'a, I: Iterator<Item = (usize, &'a Value)>> SeqAccess<'a> for Items<'a, '_, I> {
    type Error = FieldError;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, FieldError> {
        let Some((index, value)) = self.items.next() else { return Ok(None) };
        let path = Path::Item(&self.of.path, index);
        seed.deserialize(FieldValue { value, path, names: self.of.names }).map(Some)
    }
}

/// The name of an enum variant.
struct Word<'a>(&'a str);

impl<'a> EnumAccess<'a> for Word<'a> {
    type Error = FieldError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'a>>(self, seed: V) -> Result<(V::Value, Self), FieldError> {
        let word: StrDeserializer<'_, FieldError> = self.0.into_deserializer();
        Ok((seed.deserialize(word)?, self))
    }
}

impl<'a> VariantAccess<'a> for Word<'a> {
    type Error = FieldError;

    fn unit_variant(self) -> Result<(), FieldError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, _: T) -> Result<T::Value, FieldError> {
        Err(FieldError::expecting(&"a word"))
    }

    fn tuple_variant<V: Visitor<'a>>(self, _: usize, _: V) -> Result<V::Value, FieldError> {
        Err(FieldError::expecting(&"a word"))
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, FieldError> {
        Err(FieldError::expecting(&"a word"))
    }
}
