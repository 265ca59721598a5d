//! Options and keys of other match runners, and what to write instead.

use tengen_engine::text::quotable;

use super::setting::{ConfigError, Setting, SettingValue};

/// The table: an option and its advice on each line.
const FOREIGN: &str = include_str!("foreign.txt");

/// Returns the options of other match runners with their advice. `table.key` is a key of an option.
fn foreign() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = FOREIGN.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| row.split_once(' ')).map(|(name, instead)| (name, instead.trim_start()))
}

/// Returns what to write instead of an option or of `table.key`.
fn instead_of(name: &str) -> Option<&'static str> {
    foreign().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, instead)| instead)
}

/// Returns why there is no option `name`, which the user wrote as `found`.
pub(crate) fn unknown(name: &str, found: &str, known: &str) -> String {
    match instead_of(name) {
        Some(instead) => format!("{found}: {instead}"),
        None => format!("unknown option {found}: it must be one of {known}"),
    }
}

/// Returns whether other match runners have the key `key` of the option `of`.
pub(crate) fn is_key(of: &str, key: &str) -> bool {
    instead_of(&format!("{of}.{key}")).is_some()
}

/// Creates an error about a key that the table `of` does not have.
pub(crate) fn refuse_key(of: &str, entry: &Setting, known: &str) -> ConfigError {
    let key = quotable(&entry.key);
    let why = match instead_of(&format!("{of}.{}", entry.key)) {
        // A bare word after a file.
        Some(instead) if entry.value == SettingValue::Text(String::new()) => {
            format!("-{of} FILE {key}: {instead}")
        }
        Some(instead) => format!("{of}: {key}=: {instead}"),
        None => format!("{of}: unknown key \"{key}\": it must be one of {known}"),
    };
    ConfigError::at(&entry.place, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::config::engine::EngineConfig;
    use crate::config::given::read_words;
    use crate::config::option::find;
    use crate::config::values::Value;

    #[test]
    fn a_foreign_option_names_ours_and_is_none_of_ours() {
        for (name, instead) in foreign() {
            let Some((table, key)) = name.split_once('.') else {
                let refused = read_words(&[format!("-{name}")]).unwrap_err().to_string();
                assert_eq!(refused, format!("-{name}: {instead}"));
                assert!(find::<Config>(name).is_none(), "{name}");
                continue;
            };
            let keys = SettingValue::Table(vec![Setting::text(key, "x")]);
            let entry = Setting::given(table, keys);
            let refused = match table {
                "engine" => EngineConfig::default().set(&entry, None),
                _ => crate::config::option::Options::set_option(&mut Config::default(), &entry),
            };
            assert_eq!(refused.unwrap_err().to_string(), format!("{table}: {key}=: {instead}"));
        }
    }
}
