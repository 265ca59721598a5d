//! [`FieldValue`]: a value inside a query and the way to it. Types are read from it with the derived
//! `Deserialize`, and what does not fit is told with the name of the field and the value found.
//!
//! It knows no field by name. A field that is `null` counts as absent.

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
const QUOTED: usize = 64;

/// Why a value is not what its field asks for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FieldError {
    /// The field, such as `board.width` or `moves[5]`; empty for the object itself.
    pub(super) field: String,
    /// For people.
    pub(super) message: String,
    /// What was expected, until the value that was found joins it.
    expected: Option<String>,
    /// The field that is missing, until the way to it is known.
    missing: Option<&'static str>,
}

impl FieldError {
    fn expecting(expected: &dyn Display) -> Self {
        Self { expected: Some(expected.to_string()), ..Self::default() }
    }

    /// Names the field that is missing from the object at `trail`.
    fn missing_from(mut self, trail: &Trail<'_>) -> Self {
        if let Some(name) = self.missing.take() {
            self.field = Trail::Field(trail, name).to_string();
            self.message = format!("{} is missing", self.field);
        }
        self
    }

    /// Names the field and quotes what was found there, unless that was done nearer to the value.
    fn at(self, trail: &Trail<'_>, found: &Value) -> Self {
        let mut fault = self.missing_from(trail);
        if fault.field.is_empty() {
            fault.field = trail.to_string();
        }
        if let Some(expected) = fault.expected.take() {
            fault.message = format!("{} {} is not {expected}", fault.field, quoted(found));
        }
        fault
    }
}

/// A value in quotation marks, as it was written, but no more of it than an error may quote.
pub(super) fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", clipped(text)),
        other => format!("\"{}\"", clipped(&other.to_string())),
    }
}

/// The beginning of a text that an error may quote, with what cannot be seen escaped.
pub fn clipped(text: &str) -> String {
    let end = (0..=QUOTED.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
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

/// The known and the unknown names of an object.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Of the object itself, of which several types read their part.
    known: Vec<&'static [&'static str]>,
    /// Inside of it, each with the way to it.
    unused: Vec<String>,
}

/// The way to a value.
#[derive(Clone, Copy)]
enum Trail<'a> {
    Root,
    Field(&'a Trail<'a>, &'a str),
    Item(&'a Trail<'a>, usize),
}

impl Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(&clipped(name)),
            Self::Field(parent, name) => write!(f, "{parent}.{}", clipped(name)),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// An object of which several types read their fields.
pub(super) struct Object<'a> {
    fields: &'a Map<String, Value>,
    value: &'a Value,
    names: RefCell<Names>,
}

impl<'a> Object<'a> {
    /// The object of a value; `None` when it is another.
    pub(super) fn of(value: &'a Value) -> Option<Self> {
        let fields = value.as_object()?;
        Some(Self { fields, value, names: RefCell::default() })
    }

    /// The value of a field; `None` where it is absent or null.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// Reads the fields of `T`.
    pub(super) fn read<T: Deserialize<'a>>(&'a self) -> Result<T, FieldError> {
        T::deserialize(FieldValue { value: self.value, trail: Trail::Root, names: &self.names })
    }

    /// The fields that no type has read, in order.
    pub(super) fn unused(&self) -> Vec<String> {
        let names = self.names.borrow();
        let is_known = |name: &str| names.known.iter().any(|known| known.contains(&name));
        let own = self.fields.keys().filter(|name| !is_known(name));
        own.map(|name| clipped(name)).chain(names.unused.iter().cloned()).collect()
    }
}

/// A value and the way to it.
#[derive(Clone, Copy)]
struct FieldValue<'a, 't> {
    value: &'a Value,
    trail: Trail<'t>,
    names: &'t RefCell<Names>,
}

impl<'a> FieldValue<'a, '_> {
    fn tell(&self, fault: FieldError) -> FieldError {
        fault.at(&self.trail, self.value)
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
        self.visit(visitor).map_err(|fault| self.tell(fault))
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
            return Err(self.tell(FieldError::expecting(&"an object")));
        };
        let known = matches!(self.trail, Trail::Root).then_some(known);
        if let Some(known) = known {
            self.names.borrow_mut().known.push(known);
        }
        let read = visitor.visit_map(Fields::new(fields.iter(), &self, known));
        read.map_err(|fault| fault.missing_from(&self.trail))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        let Value::String(text) = self.value else {
            return Err(self.tell(FieldError::expecting(&"a string")));
        };
        visitor.visit_enum(Word(text)).map_err(|fault| self.tell(fault))
    }

    /// Notes a field that no type asks for.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        self.names.borrow_mut().unused.push(self.trail.to_string());
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier
    }
}

/// The fields of an object, of these names alone where names are given, without those that are
/// null.
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
        let is_asked = |name: &str| known.is_none_or(|known: &[&str]| known.contains(&name));
        let mut wanted =
            self.fields.by_ref().filter(|(name, value)| is_asked(name) && !value.is_null());
        let Some((name, value)) = wanted.next() else { return Ok(None) };
        self.next = Some((name, value));
        let name: StrDeserializer<'_, FieldError> = name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, FieldError> {
        let Some((name, value)) = self.next.take() else {
            return Err(FieldError::custom("a value without a name"));
        };
        let trail = Trail::Field(&self.of.trail, name);
        seed.deserialize(FieldValue { value, trail, names: self.of.names })
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
        let trail = Trail::Item(&self.of.trail, index);
        seed.deserialize(FieldValue { value, trail, names: self.of.names }).map(Some)
    }
}

/// A word out of a list.
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
