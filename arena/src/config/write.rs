//! Writes settings as a tournament file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::Config;
use super::option::{self, Form, Options};
use super::setting::{HASHES, Setting, SettingSource, SettingValue};
use super::values::{self, texts};

/// Writes settings as a tournament file with absolute paths. Of several settings with one name, the
/// last one is written, or a list. `here` is the current folder.
pub fn to_toml(entries: &[Setting], here: &Path) -> String {
    let mut out = String::new();
    let tables = |key: &'static str| entries.iter().filter(move |entry| entry.key == key);
    for name in Config::specs().iter().map(|spec| spec.name()) {
        match name {
            "engine" => {}
            "each" => {
                let each = tables("each").filter_map(table).collect::<Vec<_>>().concat();
                if !each.is_empty() {
                    line(&mut out, name, &inline(&each, here));
                }
            }
            _ => {
                let own: Vec<Setting> = tables(name).cloned().collect();
                let merged = merged(&own);
                merged.iter().for_each(|entry| line(&mut out, name, &value(entry, here)));
            }
        }
    }
    // In TOML, tables with a header come after all other settings.
    for inner in tables("engine").filter_map(table) {
        section(&mut out, "[[engine]]", inner, here);
    }
    if let Some(inner) = tables(HASHES).next_back().and_then(table) {
        section(&mut out, "[hashes]", inner, here);
    }
    out
}

/// Writes the file of a worker: the `engines` that it may run, each a table of settings, and the
/// `files` that options of a task may name.
pub fn worker_toml(engines: &[Vec<Setting>], files: &[Setting], here: &Path) -> String {
    let mut out = String::new();
    if !files.is_empty() {
        section(&mut out, "[files]", files, here);
    }
    engines.iter().for_each(|engine| section(&mut out, "[[engine]]", engine, here));
    out
}

fn table(entry: &Setting) -> Option<&[Setting]> {
    values::table(entry).ok()
}

fn section(out: &mut String, header: &str, inner: &[Setting], here: &Path) {
    let _ = write!(out, "\n{header}\n{}\n", pairs(inner, here).join("\n"));
}

/// Writes merged settings, each as a key and a value.
fn pairs(inner: &[Setting], here: &Path) -> Vec<String> {
    let pair = |entry: &Setting| format!("{} = {}", key(&entry.key), value(entry, here));
    merged(inner).iter().map(pair).collect()
}

/// Merges repeated settings: the last one counts; `init`, `env` and `pipe` add up to a list.
fn merged(inner: &[Setting]) -> Vec<Setting> {
    let mut kept: Vec<Setting> = Vec::new();
    for entry in inner {
        let before = kept.iter_mut().find(|known| known.key == entry.key);
        match before {
            Some(known) if matches!(entry.key.as_str(), "init" | "env" | "pipe") => {
                let both = [&*known, entry].map(|entry| texts(entry).unwrap_or_default());
                known.value = SettingValue::List(both.concat());
            }
            Some(known) => *known = entry.clone(),
            None => kept.push(entry.clone()),
        }
    }
    kept
}

fn line(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key} = {value}");
}

fn inline(inner: &[Setting], here: &Path) -> String {
    format!("{{ {} }}", pairs(inner, here).join(", "))
}

fn value(entry: &Setting, here: &Path) -> String {
    match &entry.value {
        SettingValue::Text(text) if is_path(entry, text) => {
            quoted(&absolute(text, &entry.place, here))
        }
        SettingValue::Text(text) => scalar(&entry.key, text),
        SettingValue::List(texts) => {
            let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
            format!("[{}]", texts.join(", "))
        }
        SettingValue::Table(inner) => inline(inner, here),
    }
}

fn is_path(entry: &Setting, text: &str) -> bool {
    match entry.key.as_str() {
        "cmd" => text.contains('/'),
        key => {
            let specs = Config::specs();
            let mut known =
                specs.iter().flat_map(|spec| (spec.keys)()).chain(specs.iter().copied());
            known.any(|spec| spec.name() == key && spec.is_path()) && !matches!(text, "on" | "off")
        }
    }
}

fn absolute(text: &str, place: &SettingSource, here: &Path) -> String {
    let folder = match place {
        SettingSource::CommandLine => PathBuf::new(),
        SettingSource::File(..) => place.folder(),
    };
    // Collecting the components removes "./", so that equal paths are written alike.
    let path: PathBuf = here.join(folder).join(text).components().collect();
    path.to_string_lossy().into_owned()
}

/// Writes a whole number or a switch without quotes, anything else in quotes.
fn scalar(key: &str, text: &str) -> String {
    let is_switch = option::find::<Config>(key).is_some_and(|spec| spec.form() == Form::Switch);
    let is_number =
        text.parse::<i64>().is_ok_and(|number| number >= 0 && number.to_string() == text);
    match text {
        "on" if is_switch => "true".to_owned(),
        "off" if is_switch => "false".to_owned(),
        _ if is_number => text.to_owned(),
        _ => quoted(text),
    }
}

/// Writes a key, in quotes if TOML requires them.
fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !name.is_empty() && name.bytes().all(is_bare) { name.to_owned() } else { quoted(name) }
}

/// Writes a basic string of TOML: a string of JSON, where TOML escapes one more character.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::given::{read_toml, read_words};

    #[test]
    fn a_written_file_has_the_settings_of_the_command_line() {
        let line = [
            "-engine",
            "cmd=./a/b",
            "name=A \"x\"",
            "init=one",
            "init=two",
            "option.Move Overhead=10",
            "-engine",
            "cmd=c",
            "args=-x 'a b'",
            "-each",
            "tc=30+0.3",
            "-rounds",
            "5",
            "-repeat",
            "-variant",
            "renju",
            "-openings",
            "file=o.txt",
            "format=offset",
            "-recover",
            "off",
            "-use-affinity",
            "0-3",
            "-rounds",
            "7",
        ];
        let words: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
        let (_, entries) = read_words(&words).unwrap();
        let text = to_toml(&entries, Path::new("/here"));
        let read = read_toml(Path::new("/run/run.toml"), &text).unwrap();
        assert_eq!(to_toml(&read, Path::new("/elsewhere")), text, "{text}");
        for part in [
            "rounds = 7\n",
            "cmd = \"/here/a/b\"\n",
            "name = \"A \\\"x\\\"\"\n",
            "init = [\"one\", \"two\"]\n",
            "\"option.Move Overhead\" = 10\n",
            "cmd = \"c\"\n",
            "file = \"/here/o.txt\"",
            "recover = false\n",
            "use-affinity = \"0-3\"\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
