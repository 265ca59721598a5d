//! Reads settings with their places from the command line or from TOML.
//!
//! This module uses only the form of each option: a switch, a word or a table. The meaning comes
//! later.

use std::iter::Peekable;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::slice::Iter;
use std::sync::Arc;

use tengen_engine::text::quotable;
use toml::de::{DeTable, DeValue};

use super::option::{self, Form, OptionSpec, Options};
use super::setting::{ConfigError, HASHES, Setting, SettingSource, SettingValue};
use super::{Config, foreign};

/// Returns the option that `name` names. `found` is what the user wrote.
fn option(name: &str, found: &str) -> Result<&'static OptionSpec, String> {
    let all = || option::names(Config::specs(), 0);
    option::find::<Config>(name).ok_or_else(|| foreign::unknown(name, found, &all()))
}

/// Reads the arguments of a command line. Returns the positional arguments, which come before the
/// first option, and the settings.
pub fn read_words(words: &[String]) -> Result<(Vec<String>, Vec<Setting>), ConfigError> {
    let count = words.iter().position(|word| option_name(word).is_some()).unwrap_or(words.len());
    let (positional, words) = words.split_at(count);
    let mut entries = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let Some(name) = option_name(word) else {
            let why = format!("\"{}\": an option such as -rounds expected", quotable(word));
            return Err(ConfigError::new(why));
        };
        let spec = option(name, &quotable(word)).map_err(ConfigError::new)?;
        let name = spec.name();
        let value = match spec.form() {
            Form::Switch => {
                let is_value = |word: &&String| option_name(word).is_none() && !word.contains('=');
                let given = words.next_if(is_value);
                SettingValue::Text(given.map_or_else(|| "on".to_owned(), Clone::clone))
            }
            Form::Word => {
                // A negative number is a value: no option begins with a dash and a digit.
                let given = words.next_if(|word| option_name(word).is_none());
                let missing = || ConfigError::new(format!("-{name}: a value expected"));
                let first = given.ok_or_else(missing)?;
                let keys = (spec.keys)();
                match keys.is_empty() {
                    true => SettingValue::Text(first.clone()),
                    false => file_words(name, &keys, first, &mut words)?,
                }
            }
            Form::Table => SettingValue::Table(table_words(spec, &mut words)?),
        };
        entries.push(Setting::given(name, value));
    }
    Ok((positional.to_vec(), entries))
}

/// The words of a command line that are not read yet.
type Words<'a> = Peekable<Iter<'a, String>>;

/// Reads a file and keys, such as `games.pgn append=on`, of which `first` is the first word.
fn file_words(
    name: &str,
    keys: &[&'static OptionSpec],
    first: &str,
    words: &mut Words<'_>,
) -> Result<SettingValue, ConfigError> {
    let key_of = |word: &str| {
        let (key, value) = word.split_once('=')?;
        let is_known = keys.iter().any(|spec| spec.is(key)) || foreign::is_key(name, key);
        is_known.then(|| Setting::text(key, value))
    };
    // A name of a file may have an equals sign.
    let mut entries = vec![key_of(first).unwrap_or_else(|| Setting::text("file", first))];
    while let Some(word) = words.next_if(|word| option_name(word).is_none()) {
        match key_of(word) {
            Some(key) => entries.push(key),
            // Cute Chess writes `fi` for finished games only. Other games are never written.
            None if word == "fi" => {}
            None => {
                let key = Setting::text(word, "");
                return Err(foreign::refuse_key(name, &key, &option::names(keys.to_vec(), 0)));
            }
        }
    }
    Ok(match entries.as_slice() {
        [Setting { key, value, .. }] if key == "file" => value.clone(),
        _ => SettingValue::Table(entries),
    })
}

/// Returns the name of an option without its dashes; `None` if the word is not an option.
fn option_name(word: &str) -> Option<&str> {
    let name = word.strip_prefix('-')?;
    let name = name.strip_prefix('-').unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(name)
}

/// Reads the words `key=value` after an option.
fn table_words(spec: &OptionSpec, words: &mut Words<'_>) -> Result<Vec<Setting>, ConfigError> {
    let (name, keys) = (spec.name(), (spec.keys)());
    let mut entries = Vec::new();
    while let Some(word) = words.next_if(|word| option_name(word).is_none()) {
        let Some((key, value)) = word.split_once('=') else {
            let found = quotable(word);
            let why = format!("-{name}: key=value expected, found \"{found}\"");
            return Err(ConfigError::new(why));
        };
        let known = keys.iter().find(|spec| spec.aliases.contains(&key));
        entries.push(Setting::text(known.map_or(key, |spec| spec.name()), value));
    }
    if entries.is_empty() {
        return Err(ConfigError::new(format!("-{name}: needs key=value")));
    }
    Ok(entries)
}

/// Reads a tournament file.
pub fn read_toml(path: &Path, text: &str) -> Result<Vec<Setting>, ConfigError> {
    read_settings(path, text, |name| match name {
        HASHES => Ok(HASHES),
        name => option(name, &format!("\"{}\"", quotable(name))).map(OptionSpec::name),
    })
}

/// Reads a file of settings. `name_of` returns the name of a setting, or why there is none.
pub fn read_settings(
    path: &Path,
    text: &str,
    name_of: impl Fn(&str) -> Result<&str, String>,
) -> Result<Vec<Setting>, ConfigError> {
    let source = Source { path: Arc::new(path.to_owned()), text };
    let table = DeTable::parse(text).map_err(|error| {
        let place = source.place(&error.span().unwrap_or(0..0));
        ConfigError::at(&place, error.message().trim_end().replace('\n', "; "))
    })?;
    let mut entries = Vec::new();
    for (key, value) in table.get_ref() {
        let place = source.place(&key.span());
        let name = name_of(key.get_ref()).map_err(|why| ConfigError::at(&place, why))?;
        let mut add = |value: &DeValue<'_>, place: SettingSource| {
            let value = source.value(name, value, &place)?;
            entries.push(Setting { key: name.to_owned(), value, place });
            Ok(())
        };
        match value.get_ref() {
            // [[engine]]
            DeValue::Array(tables) if name == "engine" => {
                tables
                    .iter()
                    .try_for_each(|table| add(table.get_ref(), source.place(&table.span())))?;
            }
            other => add(other, place)?,
        }
    }
    // The TOML parser sorts tables by key. Users expect the first error in the file.
    entries.sort_by_key(Setting::line);
    Ok(entries)
}

/// A tournament file with its text.
struct Source<'a> {
    path: Arc<PathBuf>,
    text: &'a str,
}

impl Source<'_> {
    fn place(&self, span: &Range<usize>) -> SettingSource {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        SettingSource::File(Arc::clone(&self.path), 1 + before.matches('\n').count())
    }

    fn value(
        &self,
        key: &str,
        value: &DeValue<'_>,
        place: &SettingSource,
    ) -> Result<SettingValue, ConfigError> {
        if let Some(text) = scalar(value) {
            return Ok(SettingValue::Text(text));
        }
        match value {
            DeValue::Array(items) => {
                let texts = items.iter().map(|item| {
                    scalar(item.get_ref()).ok_or_else(|| {
                        let place = self.place(&item.span());
                        ConfigError::at(&place, format!("{key}: a list of texts expected"))
                    })
                });
                Ok(SettingValue::List(texts.collect::<Result<_, _>>()?))
            }
            DeValue::Table(table) => {
                let entries = table.iter().map(|(key, value)| {
                    let place = self.place(&key.span());
                    let value = self.value(key.get_ref(), value.get_ref(), &place)?;
                    Ok(Setting { key: key.get_ref().to_string(), value, place })
                });
                let mut entries = entries.collect::<Result<Vec<Setting>, ConfigError>>()?;
                entries.sort_by_key(Setting::line);
                Ok(SettingValue::Table(entries))
            }
            _ => {
                let kind = value.type_str();
                Err(ConfigError::at(place, format!("{key}: a {kind} is not allowed here")))
            }
        }
    }
}

/// Returns a scalar as text; `None` for lists, tables and dates.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().replace('_', "")),
        DeValue::Float(number) => Some(number.as_str().replace('_', "")),
        DeValue::Boolean(is_on) => Some(if *is_on { "on" } else { "off" }.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn refused(text: &str) -> String {
        read_words(&words(text)).unwrap_err().to_string()
    }

    #[test]
    fn options_have_one_dash_or_two() {
        let (positional, entries) =
            read_words(&words("run.toml -engine cmd=a tc=1+0 --rounds 5 -repeat -recover off"))
                .unwrap();
        assert_eq!(positional, ["run.toml"]);
        let keys: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, ["engine", "rounds", "repeat", "recover"]);
        assert!(matches!(&entries[0].value, SettingValue::Table(keys) if keys.len() == 2));
        assert_eq!(entries[2].value, SettingValue::Text("on".into()));
        assert_eq!(entries[3].value, SettingValue::Text("off".into()));
    }

    #[test]
    fn unexpected_words_are_quoted() {
        assert!(
            refused("-round 5")
                .starts_with("unknown option -round: it must be one of engine, each,")
        );
        assert_eq!(refused("-rounds"), "-rounds: a value expected");
        assert_eq!(refused("-rounds -repeat"), "-rounds: a value expected");
        assert_eq!(refused("-engine tengen"), "-engine: key=value expected, found \"tengen\"");
        assert_eq!(refused("-engine"), "-engine: needs key=value");
        assert_eq!(refused("-rounds 5 6"), "\"6\": an option such as -rounds expected");
        assert!(refused("-hashes a=b").contains("unknown option"));
    }

    #[test]
    fn options_of_other_match_runners_work_or_name_ours() {
        let line = "-pgn a.pgn -sgf a.sgf -openings file=o.txt type=pos -draw number=3 count=2";
        let (_, entries) = read_words(&words(line)).unwrap();
        let keys: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, ["pgnout", "sgfout", "openings", "draw"]);
        let SettingValue::Table(draw) = &entries[3].value else { panic!() };
        assert_eq!([&draw[0].key, &draw[1].key], ["movenumber", "movecount"]);
    }

    #[test]
    fn a_file_of_games_has_keys() {
        let read = |line: &str| read_words(&words(line)).unwrap().1.remove(0).value;
        assert_eq!(read("-pgnout file=a.pgn"), read("-pgnout a.pgn fi"));
        assert_eq!(read("-pgnout a=b.pgn"), SettingValue::Text("a=b.pgn".into()));
        let keys = read("-pgnout append=true file=a.pgn");
        assert!(matches!(keys, SettingValue::Table(keys) if keys.len() == 2));
        assert!(
            refused("-pgnout a.pgn min").starts_with("-pgnout FILE min: leave it out: every move")
        );
        assert!(
            refused("-pgnout a.pgn b.pgn").contains("unknown key \"b.pgn\": it must be one of")
        );
    }

    #[test]
    fn settings_of_a_file_have_their_lines() {
        let text = "rounds = 7\nseed = 3\nopenings = { file = \"o.txt\", transform = true }\n\n\
                    [[engine]]\nname = \"A\"\ninit = [\"x\", \"y\"]\noptions = { Hash = 16 }\n\n\
                    [[engine]]\nname = \"B\"\n";
        let entries = read_toml(Path::new("cup/run.toml"), text).unwrap();
        let lines: Vec<(&str, usize)> = entries
            .iter()
            .map(|entry| match &entry.place {
                SettingSource::File(_, line) => (entry.key.as_str(), *line),
                SettingSource::CommandLine => panic!(),
            })
            .collect();
        assert_eq!(
            lines,
            [("rounds", 1), ("srand", 2), ("openings", 3), ("engine", 5), ("engine", 10)]
        );
        assert_eq!(entries[0].place.folder(), Path::new("cup"));
        let SettingValue::Table(engine) = &entries[3].value else { panic!() };
        assert_eq!(engine[1].value, SettingValue::List(vec!["x".into(), "y".into()]));
        assert!(
            matches!(&engine[2].value, SettingValue::Table(options) if options[0].key == "Hash")
        );
    }

    #[test]
    fn a_bad_file_is_refused_with_its_line() {
        let refused = |text: &str| read_toml(Path::new("run.toml"), text).unwrap_err().to_string();
        assert!(
            refused("rounds = 7\nround = 3\n").starts_with("run.toml:2: unknown option \"round\"")
        );
        assert!(refused("rounds = 7\n\nvariant = \"renju\n").starts_with("run.toml:3: "));
        assert!(refused("rounds = 7\nrounds = 8\n").starts_with("run.toml:2: "));
        assert_eq!(
            refused("event = 1979-05-27\n"),
            "run.toml:1: event: a datetime is not allowed here"
        );
    }
}
