//! Reads the values of settings: numbers, times, choices. Errors say what is allowed.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tengen_engine::text::quotable;
use tengen_runs::TransportKind;

use super::setting::{ConfigError, Setting, SettingValue};
use super::spec::OptionSpec;

/// The range of a number.
pub(crate) enum Within {
    /// That of a whole number.
    Whole(RangeInclusive<u64>),
    /// That of any number.
    Number(RangeInclusive<f64>),
}

impl From<RangeInclusive<u64>> for Within {
    fn from(range: RangeInclusive<u64>) -> Self {
        Self::Whole(range)
    }
}

impl From<RangeInclusive<f64>> for Within {
    fn from(range: RangeInclusive<f64>) -> Self {
        Self::Number(range)
    }
}

/// A value of an option.
pub(crate) trait Value {
    /// Reads the value from a setting. A number must be in the range `within`.
    fn set(&mut self, entry: &Setting, within: Option<Within>) -> Result<(), ConfigError>;

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
    ($($type:ty: |$entry:ident, $within:ident| $read:expr, |$value:ident| $shown:expr;)*) => {$(
        impl Value for $type {
            fn set(&mut self, $entry: &Setting, $within: Option<Within>) -> Result<(), ConfigError> {
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
    bool: |entry, _within| switch(entry), |on| if *on { "on" } else { "off" }.to_owned();
    u64: |entry, within| whole_within(entry, within, u64::MAX), |number| number.to_string();
    u32: |entry, within| narrow(entry, within), |number| number.to_string();
    f64: |entry, within| number_within(entry, within), |number| number.to_string();
    Duration: |entry, _within| millis(entry), |time| time.as_millis().to_string();
    String: |entry, _within| text(entry).map(str::to_owned), |text| text.clone();
    PathBuf: |entry, _within| path(entry), |_path| String::new();
    TransportKind: |entry, _within| choice(entry, &Self::NAMES), |kind| kind.name().to_owned();
}

impl<T: Value + Default> Value for Option<T> {
    fn set(&mut self, entry: &Setting, within: Option<Within>) -> Result<(), ConfigError> {
        self.insert(T::default()).set(entry, within)
    }

    fn keys(&self) -> Vec<&'static OptionSpec> {
        T::default().keys()
    }
}

/// Each setting adds to the list.
impl Value for Vec<String> {
    fn set(&mut self, entry: &Setting, _: Option<Within>) -> Result<(), ConfigError> {
        self.extend(texts(entry)?);
        Ok(())
    }
}

fn whole_within(entry: &Setting, within: Option<Within>, most: u64) -> Result<u64, ConfigError> {
    match within {
        Some(Within::Whole(range)) => whole(entry, *range.start(), *range.end()),
        _ => whole(entry, 0, most),
    }
}

fn narrow(entry: &Setting, within: Option<Within>) -> Result<u32, ConfigError> {
    let number = whole_within(entry, within, u32::MAX.into())?;
    Ok(u32::try_from(number).unwrap_or(u32::MAX))
}

fn number_within(entry: &Setting, within: Option<Within>) -> Result<f64, ConfigError> {
    match within {
        Some(Within::Number(range)) => number(entry, *range.start(), *range.end()),
        _ => number(entry, f64::MIN, f64::MAX),
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
    ConfigError::at(&entry.place, format!("{}: {why}", entry.key))
}

/// Creates an error that quotes the value of a setting.
pub(crate) fn refuse_value(entry: &Setting, value: &str, allowed: &str) -> ConfigError {
    let found = quotable(value);
    ConfigError::at(&entry.place, format!("{} \"{found}\": it must be {allowed}", entry.key))
}

/// Reads one of the values `named`.
pub(crate) fn choice<T: Copy>(entry: &Setting, named: &[(&str, T)]) -> Result<T, ConfigError> {
    let found = text(entry)?;
    let known = named.iter().find(|(name, _)| name.eq_ignore_ascii_case(found));
    known.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
        refuse_value(entry, found, &format!("one of {}", names.join(", ")))
    })
}

/// Reads `on` or `off`, also `true`, `false`, `1` and `0`.
pub(crate) fn switch(entry: &Setting) -> Result<bool, ConfigError> {
    const WORDS: [(&str, bool); 6] =
        [("on", true), ("off", false), ("true", true), ("false", false), ("1", true), ("0", false)];
    let found = text(entry)?;
    let known = WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(found));
    known.map(|(_, is_on)| *is_on).ok_or_else(|| refuse_value(entry, found, "on or off"))
}

/// Reads a whole number from `least` to `most`.
pub(crate) fn whole(entry: &Setting, least: u64, most: u64) -> Result<u64, ConfigError> {
    let found = text(entry)?;
    let number = found.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| {
        let allowed = match most {
            u64::MAX => format!("a whole number from {least}"),
            _ => format!("a whole number from {least} to {most}"),
        };
        refuse_value(entry, found, &allowed)
    })
}

/// Reads a whole number from `least` to `most`, as `u32`.
pub(crate) fn whole_u32(entry: &Setting, least: u32, most: u32) -> Result<u32, ConfigError> {
    Ok(u32::try_from(whole(entry, least.into(), most.into())?).unwrap_or(most))
}

/// Reads a number from `least` to `most`.
pub(crate) fn number(entry: &Setting, least: f64, most: f64) -> Result<f64, ConfigError> {
    let found = text(entry)?;
    let number: Option<f64> = found.parse().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| refuse_value(entry, found, &format!("a number from {least} to {most}")))
}

/// Reads a number of milliseconds.
pub(crate) fn millis(entry: &Setting) -> Result<Duration, ConfigError> {
    const LONGEST: u64 = 100_000_000_000;
    Ok(Duration::from_millis(whole(entry, 0, LONGEST)?))
}

/// Reads a number of bytes, such as `350M`, `2G` or `65536`.
pub(crate) fn bytes(entry: &Setting) -> Result<u64, ConfigError> {
    let found = text(entry)?;
    let digits = found.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match found[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => Some(1),
        "K" | "KB" | "KIB" => Some(1 << 10),
        "M" | "MB" | "MIB" => Some(1 << 20),
        "G" | "GB" | "GIB" => Some(1 << 30),
        _ => None,
    };
    let number: Option<u64> = digits.parse().ok().filter(|number| *number > 0);
    let bytes = number.zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
    bytes.ok_or_else(|| refuse_value(entry, found, "a number of bytes, such as 350M or 2G"))
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
