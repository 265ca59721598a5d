//! Reads the values of settings: numbers, times, choices. Errors say what is allowed.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use tengen_engine::text::quotable;
use tengen_records::TextEncoding;
use tengen_runs::TransportKind;

use super::setting::{ConfigError, Setting, SettingValue};
use super::spec::OptionSpec;
use crate::stats::llr::EloModel;

/// The names of encodings that messages show.
pub(crate) const ENCODINGS: &str = "UTF-8, GBK, Big5, Shift_JIS, EUC-KR or the like";

/// A value of an option.
pub(crate) trait Value {
    /// What limits the value: the range of a number.
    type Within;

    /// Reads the value from a setting.
    fn set(&mut self, entry: &Setting, within: Option<Self::Within>) -> Result<(), ConfigError>;

    /// Returns the value as the help shows it; empty if there is none.
    fn shown(&self) -> String {
        String::new()
    }

    /// Returns the keys of a table.
    fn keys(&self) -> Vec<&'static OptionSpec> {
        Vec::new()
    }
}

/// Implements [`Value`] for types that a function reads.
macro_rules! values {
    ($($type:ty, $limit:ty: |$entry:ident, $within:ident| $read:expr, |$value:ident| $shown:expr;)*) => {$(
        impl Value for $type {
            type Within = $limit;

            fn set(&mut self, $entry: &Setting, $within: Option<$limit>) -> Result<(), ConfigError> {
                *self = $read?;
                Ok(())
            }

            fn shown(&self) -> String {
                let $value = self;
                $shown
            }
        }
    )*};
}

values! {
    bool, (): |entry, _within| switch(entry), |on| if *on { "on" } else { "off" }.to_owned();
    u64, RangeInclusive<u64>: |entry, within| whole(entry, within.unwrap_or(0..=u64::MAX)),
        |number| number.to_string();
    u32, RangeInclusive<u32>: |entry, within| whole(entry, within.unwrap_or(0..=u32::MAX)),
        |number| number.to_string();
    f64, RangeInclusive<f64>: |entry, within| number(entry, within.unwrap_or(f64::MIN..=f64::MAX)),
        |number| number.to_string();
    Duration, (): |entry, _within| millis(entry), |time| time.as_millis().to_string();
    String, (): |entry, _within| text(entry).map(str::to_owned), |text| text.clone();
    PathBuf, (): |entry, _within| path(entry), |_path| String::new();
    TransportKind, (): |entry, _within| choice(entry, &Self::NAMES), |kind| kind.name().to_owned();
    TextEncoding, (): |entry, _within| parsed(entry, ENCODINGS, TextEncoding::named),
        |encoding| encoding.name().to_owned();
    EloModel, (): |entry, _within| choice(entry, &Self::NAMES), |model| model.name().to_owned();
}

impl<T: Value + Default> Value for Option<T> {
    type Within = T::Within;

    fn set(&mut self, entry: &Setting, within: Option<T::Within>) -> Result<(), ConfigError> {
        self.insert(T::default()).set(entry, within)
    }

    fn keys(&self) -> Vec<&'static OptionSpec> {
        T::default().keys()
    }
}

/// Each setting adds to the list.
impl Value for Vec<String> {
    type Within = ();

    fn set(&mut self, entry: &Setting, _: Option<()>) -> Result<(), ConfigError> {
        self.extend(texts(entry)?);
        Ok(())
    }
}

/// Returns the value of a setting that is one text.
pub(crate) fn text(entry: &Setting) -> Result<&str, ConfigError> {
    match &entry.value {
        SettingValue::Text(text) => Ok(text),
        SettingValue::List(_) => Err(refuse(entry, "one value expected, found a list")),
        SettingValue::Table(_) => Err(refuse(entry, "one value expected, found a table")),
    }
}

/// Returns the texts of a setting that is a list or one text.
pub(crate) fn texts(entry: &Setting) -> Result<Vec<String>, ConfigError> {
    match &entry.value {
        SettingValue::Text(text) => Ok(vec![text.clone()]),
        SettingValue::List(texts) => Ok(texts.clone()),
        SettingValue::Table(_) => {
            Err(refuse(entry, "a text or a list of texts expected, found a table"))
        }
    }
}

/// Returns the entries of a setting that is a table.
pub(crate) fn table(entry: &Setting) -> Result<&[Setting], ConfigError> {
    match &entry.value {
        SettingValue::Table(entries) => Ok(entries),
        _ => Err(refuse(entry, "a table { key = value } expected")),
    }
}

/// Creates an error about a setting.
pub(crate) fn refuse(entry: &Setting, why: &str) -> ConfigError {
    ConfigError::of(entry, format!("{}: {why}", entry.key))
}

/// Creates an error that quotes the value of a setting.
pub(crate) fn refuse_value(entry: &Setting, value: &str, allowed: &str) -> ConfigError {
    let found = quotable(value);
    ConfigError::of(entry, format!("{} \"{found}\": it must be {allowed}", entry.key))
}

/// Reads a value by `read`. The error says what is allowed.
pub(crate) fn parsed<T>(
    entry: &Setting,
    allowed: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, ConfigError> {
    let found = text(entry)?;
    read(found).ok_or_else(|| refuse_value(entry, found, allowed))
}

/// Returns the names of values, as a message lists them.
pub(crate) fn one_of<T>(named: &[(&str, T)]) -> String {
    let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
    format!("one of {}", names.join(", "))
}

/// Reads one of the values `named`.
pub(crate) fn choice<T: Copy>(entry: &Setting, named: &[(&str, T)]) -> Result<T, ConfigError> {
    let value = |found: &str| {
        let known = named.iter().find(|(name, _)| name.eq_ignore_ascii_case(found));
        known.map(|(_, value)| *value)
    };
    parsed(entry, &one_of(named), value)
}

/// Reads `on` or `off`, also `true`, `false`, `1` and `0`.
pub(crate) fn switch(entry: &Setting) -> Result<bool, ConfigError> {
    parsed(entry, "on or off", |found| match found.to_ascii_lowercase().as_str() {
        "on" | "true" | "1" => Some(true),
        "off" | "false" | "0" => Some(false),
        _ => None,
    })
}

/// Reads a whole number of a range.
pub(crate) fn whole<T>(entry: &Setting, range: RangeInclusive<T>) -> Result<T, ConfigError>
where
    T: Copy + PartialOrd + FromStr + Display + Into<u64>,
{
    let (least, most) = (*range.start(), *range.end());
    let allowed = match most.into() {
        u64::MAX => format!("a whole number from {least}"),
        _ => format!("a whole number from {least} to {most}"),
    };
    parsed(entry, &allowed, |found| found.parse().ok().filter(|number| range.contains(number)))
}

/// Reads a number of a range.
fn number(entry: &Setting, range: RangeInclusive<f64>) -> Result<f64, ConfigError> {
    let allowed = format!("a number from {} to {}", range.start(), range.end());
    parsed(entry, &allowed, |found| found.parse().ok().filter(|number| range.contains(number)))
}

/// Reads a number of milliseconds.
pub(crate) fn millis(entry: &Setting) -> Result<Duration, ConfigError> {
    const LONGEST: u64 = 100_000_000_000;
    whole(entry, 0..=LONGEST).map(Duration::from_millis)
}

/// Reads a number of bytes, such as `350M`, `2G` or `65536`.
pub(crate) fn bytes(entry: &Setting) -> Result<u64, ConfigError> {
    parsed(entry, "a number of bytes, such as 350M or 2G", |found| {
        let digits = found.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match found[digits.len()..].to_ascii_uppercase().as_str() {
            "" | "B" => 1,
            "K" | "KB" | "KIB" => 1 << 10,
            "M" | "MB" | "MIB" => 1 << 20,
            "G" | "GB" | "GIB" => 1 << 30,
            _ => return None,
        };
        let number: Option<u64> = digits.parse().ok().filter(|number| *number > 0);
        number.and_then(|number| number.checked_mul(unit))
    })
}

/// Reads a path, relative to the folder of the file that names it.
pub(crate) fn path(entry: &Setting) -> Result<PathBuf, ConfigError> {
    Ok(join(&entry.place.folder(), text(entry)?))
}

/// Joins `folder` and `path`, without a `./` for the current folder.
pub(crate) fn join(folder: &Path, path: &str) -> PathBuf {
    match folder == Path::new(".") {
        true => PathBuf::from(path),
        false => folder.join(path),
    }
}

/// Reads the size of a board in the words of a setting, as columns and rows.
pub(crate) fn board(entry: &Setting, word: &str) -> Result<(u32, u32), ConfigError> {
    size(word).ok_or_else(|| refuse_value(entry, word, "a board such as 15 or 7x6"))
}

/// Reads the size of a board, such as `15` or `15x15`, as columns and rows.
fn size(text: &str) -> Option<(u32, u32)> {
    let side = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().ok()).flatten().filter(|side| *side > 0)
    };
    match text.split_once(['x', 'X']) {
        Some((width, height)) => Some((side(width)?, side(height)?)),
        None => side(text).map(|side| (side, side)),
    }
}
