//! Reads the values of settings: numbers, times, choices. Errors say what is allowed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tengen_engine::text::quotable;

use super::given::{ConfigError, Setting, SettingValue};

/// Returns the value of a setting that is one text.
pub(super) fn text(entry: &Setting) -> Result<&str, ConfigError> {
    match &entry.value {
        SettingValue::Text(text) => Ok(text),
        SettingValue::List(_) => Err(refuse(entry, "one value expected, found a list")),
        SettingValue::Table(_) => Err(refuse(entry, "one value expected, found a table")),
    }
}

/// Returns the texts of a setting that is a list or one text.
pub(super) fn texts(entry: &Setting) -> Result<Vec<String>, ConfigError> {
    match &entry.value {
        SettingValue::Text(text) => Ok(vec![text.clone()]),
        SettingValue::List(texts) => Ok(texts.clone()),
        SettingValue::Table(_) => {
            Err(refuse(entry, "a text or a list of texts expected, found a table"))
        }
    }
}

/// Returns the entries of a setting that is a table.
pub(super) fn table(entry: &Setting) -> Result<&[Setting], ConfigError> {
    match &entry.value {
        SettingValue::Table(entries) => Ok(entries),
        _ => Err(refuse(entry, "a table { key = value } expected")),
    }
}

/// Creates an error about a setting.
pub(super) fn refuse(entry: &Setting, why: &str) -> ConfigError {
    ConfigError::at(&entry.place, format!("{}: {why}", entry.key))
}

/// Creates an error that quotes the value of a setting.
pub(super) fn refuse_value(entry: &Setting, value: &str, allowed: &str) -> ConfigError {
    let found = quotable(value);
    ConfigError::at(&entry.place, format!("{} \"{found}\": it must be {allowed}", entry.key))
}

/// Creates an error about an unknown key of the table `of`.
pub(super) fn unknown_key(entry: &Setting, of: &str, known: &str) -> ConfigError {
    let found = quotable(&entry.key);
    let why = format!("{of}: unknown key \"{found}\": it must be one of {known}");
    ConfigError::at(&entry.place, why)
}

/// Reads one of the values `named`.
pub(super) fn choice<T: Copy>(entry: &Setting, named: &[(&str, T)]) -> Result<T, ConfigError> {
    let found = text(entry)?;
    let known = named.iter().find(|(name, _)| name.eq_ignore_ascii_case(found));
    known.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
        refuse_value(entry, found, &format!("one of {}", names.join(", ")))
    })
}

/// Reads `on` or `off`, also `true`, `false`, `1` and `0`.
pub(super) fn switch(entry: &Setting) -> Result<bool, ConfigError> {
    const WORDS: [(&str, bool); 6] =
        [("on", true), ("off", false), ("true", true), ("false", false), ("1", true), ("0", false)];
    let found = text(entry)?;
    let known = WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(found));
    known.map(|(_, is_on)| *is_on).ok_or_else(|| refuse_value(entry, found, "on or off"))
}

/// Reads a whole number from `least` to `most`.
pub(super) fn whole(entry: &Setting, least: u64, most: u64) -> Result<u64, ConfigError> {
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
pub(super) fn whole_u32(entry: &Setting, least: u32, most: u32) -> Result<u32, ConfigError> {
    Ok(u32::try_from(whole(entry, least.into(), most.into())?).unwrap_or(most))
}

/// Reads a number from `least` to `most`.
pub(super) fn number(entry: &Setting, least: f64, most: f64) -> Result<f64, ConfigError> {
    let found = text(entry)?;
    let number: Option<f64> = found.parse().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| refuse_value(entry, found, &format!("a number from {least} to {most}")))
}

/// Reads a number of milliseconds.
pub(super) fn millis(entry: &Setting) -> Result<Duration, ConfigError> {
    const LONGEST: u64 = 100_000_000_000;
    Ok(Duration::from_millis(whole(entry, 0, LONGEST)?))
}

/// Reads a number of bytes, such as `350M`, `2G` or `65536`.
pub(super) fn bytes(entry: &Setting) -> Result<u64, ConfigError> {
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
pub(super) fn path(entry: &Setting) -> Result<PathBuf, ConfigError> {
    Ok(join(&entry.place.folder(), text(entry)?))
}

/// Joins `folder` and `path`, without a `./` for the current folder.
pub(super) fn join(folder: &Path, path: &str) -> PathBuf {
    match folder == Path::new(".") {
        true => PathBuf::from(path),
        false => folder.join(path),
    }
}

/// Reads the size of a board in the words of a setting, as columns and rows.
pub(super) fn board(entry: &Setting, word: &str) -> Result<(u32, u32), ConfigError> {
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
