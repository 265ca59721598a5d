//! [`Listing`]: the engines that a worker may run, and the files that options of a task may name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tengen_engine::text::quotable;
use tengen_runs::contract::TaskError;

use super::pair::{EngineTask, error};
use crate::config::given::read_settings;
use crate::config::option::{OptionSpec, has};
use crate::config::{ConfigError, EngineConfig, Setting, SettingSource, SettingValue};

/// The settings of a worker's file.
const SETTINGS: [&str; 3] = ["engine", "files", "slots"];

/// Words in the names of options that name files. A value of such an option is the name of a file, or
/// of a folder.
const FILE_WORDS: &str =
    "file path folder directory log book syzygy tablebase egtb weights model network";

/// An engine that a worker may run.
#[derive(Clone, PartialEq, Debug)]
pub struct ListedEngine {
    /// The name; `None` if the listing gives none.
    pub name: Option<String>,
    /// The SHA-256 of the program, in hexadecimal.
    pub sha256: String,
    /// What tasks name it by: its `id`, or the SHA-256.
    pub identity: String,
    /// The keys of the engine.
    keys: Vec<Setting>,
    place: SettingSource,
}

/// What a worker may run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Listing {
    /// The engines.
    pub engines: Vec<ListedEngine>,
    /// The number of slots; `None` for the number of cores.
    pub slots: Option<usize>,
    /// The paths of files, by the names that tasks use.
    files: BTreeMap<String, String>,
}

impl Listing {
    /// Reads a listing from the file `path`. `find` returns the path and the SHA-256 of a program.
    pub fn read(
        path: &Path,
        find: impl Fn(&Path) -> Result<(PathBuf, String), String>,
    ) -> Result<Self, ConfigError> {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| ConfigError::new(format!("{shown}: cannot be read: {error}")))?;
        let entries = read_settings(path, &text, |name| match SETTINGS.contains(&name) {
            true => Ok(name),
            false => {
                let (found, known) = (quotable(name), SETTINGS.join(", "));
                Err(format!("unknown setting \"{found}\": it must be one of {known}"))
            }
        })?;
        let mut listing = Self::default();
        for entry in entries {
            let refuse = |why: &str| ConfigError::at(&entry.place, format!("{}: {why}", entry.key));
            match (entry.key.as_str(), &entry.value) {
                ("slots", SettingValue::Text(text)) => {
                    let slots = text.parse().ok().filter(|slots| (1..=512).contains(slots));
                    let refused =
                        || refuse(&format!("\"{}\": it must be from 1 to 512", quotable(text)));
                    listing.slots = Some(slots.ok_or_else(refused)?);
                }
                ("files", SettingValue::Table(files)) => {
                    for file in files {
                        let SettingValue::Text(path) = &file.value else {
                            return Err(refuse(&format!("{}: a path expected", file.key)));
                        };
                        let path = file.place.folder().join(path).to_string_lossy().into_owned();
                        listing.files.insert(file.key.clone(), path);
                    }
                }
                ("engine", SettingValue::Table(keys)) => {
                    listing.engines.push(ListedEngine::read(keys, &entry.place, &find)?);
                }
                _ => return Err(refuse("[[engine]], [files] or slots = N expected")),
            }
        }
        Ok(listing)
    }

    /// Returns the engine that a task names by its hash, and by its name if several engines share a
    /// program. `seat` is the field of the task.
    pub fn find(&self, seat: &str, task: &EngineTask) -> Result<&ListedEngine, TaskError> {
        let same: Vec<&ListedEngine> =
            self.engines.iter().filter(|engine| engine.identity == task.sha256).collect();
        let refuse = |why: String| error("unlisted_engine", &format!("{seat}.sha256"), why);
        let hash = quotable(&task.sha256);
        match same.as_slice() {
            [] => Err(refuse(format!(
                "{seat}.sha256 \"{hash}\": this worker lists no engine with this SHA-256 or id: its --config names the engines that it may run"
            ))),
            [engine] => Ok(engine),
            several => {
                let is_named = |engine: &&&ListedEngine| engine.name == task.name;
                let named = several.iter().find(is_named).filter(|_| task.name.is_some());
                let count = several.len();
                let why = format!(
                    "{seat}.sha256 \"{hash}\": {count} engines have it: {seat}.name must name one"
                );
                named.copied().ok_or_else(|| refuse(why))
            }
        }
    }

    /// Returns the value of an option of a task. An option that names a file is refused, unless the
    /// listing has a file of this name.
    pub fn option(&self, seat: &str, name: &str, value: &str) -> Result<String, TaskError> {
        if !names_file(name, value) {
            return Ok(value.to_owned());
        }
        self.files.get(value).cloned().ok_or_else(|| {
            let (field, value) = (format!("{seat}.options.{name}"), quotable(value));
            let why = format!(
                "{field} \"{value}\": a task names no file; [files] in the --config of the worker gives names to files"
            );
            error("forbidden", &field, why)
        })
    }
}

/// Returns whether an option names a file or a folder.
pub(crate) fn names_file(name: &str, value: &str) -> bool {
    if value.is_empty() || value == "<empty>" {
        return false;
    }
    let is_plain = value.parse::<i64>().is_ok() || matches!(value, "true" | "false");
    let name = name.to_ascii_lowercase();
    let has_word = FILE_WORDS.split(' ').any(|word| name.contains(word));
    value.contains(['/', '\\']) || has_word && (!is_plain || name.contains("file"))
}

impl ListedEngine {
    fn read(
        keys: &[Setting],
        place: &SettingSource,
        find: &impl Fn(&Path) -> Result<(PathBuf, String), String>,
    ) -> Result<Self, ConfigError> {
        let (own, keys): (Vec<Setting>, Vec<Setting>) =
            keys.iter().cloned().partition(|key| key.key == "sha256");
        if let Some(time) = keys.iter().find(|key| has::<EngineConfig>(&key.key, OptionSpec::TASK))
        {
            let why = format!("engine: {}: a task gives the limits", time.key);
            return Err(ConfigError::at(&time.place, why));
        }
        let (sha256, identity, place) = (String::new(), String::new(), place.clone());
        let engine = Self { name: None, sha256, identity, keys, place };
        let place = &engine.place;
        let config = engine.config([Setting::text("nodes", "1")])?;
        let (program, sha256) = find(&config.launch.cmd)
            .map_err(|why| ConfigError::at(place, format!("engine {}: {why}", config.label())))?;
        if let Some(Setting { value: SettingValue::Text(given), place, .. }) = own.last()
            && !given.eq_ignore_ascii_case(&sha256)
        {
            let why = format!(
                "engine {}: sha256 \"{}\": {} has {sha256}",
                config.label(),
                quotable(given),
                program.display()
            );
            return Err(ConfigError::at(place, why));
        }
        let identity = config.identity(&sha256);
        Ok(Self { name: config.name, sha256, identity, ..engine })
    }

    /// Returns the engine with more keys.
    pub(super) fn config(
        &self,
        more: impl IntoIterator<Item = Setting>,
    ) -> Result<EngineConfig, ConfigError> {
        let keys = self.keys.iter().cloned().chain(more).collect();
        let (key, value) = ("engine".to_owned(), SettingValue::Table(keys));
        EngineConfig::read(&[], &Setting { key, value, place: self.place.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_name_files_are_found() {
        for (name, value, is_file) in [
            ("Debug Log File", "x", true),
            ("BookFile", "1", true),
            ("EvalFile", "<empty>", false),
            ("OwnBook", "true", false),
            ("Book", "small.bin", true),
            ("SyzygyPath", "tables", true),
            ("Hash", "16", false),
            ("Style", "../secret", true),
            ("Style", "solid", false),
        ] {
            assert_eq!(names_file(name, value), is_file, "{name} {value}");
        }
    }

    #[test]
    fn a_bad_listing_names_the_line() {
        let folder = tempfile();
        let path = folder.join("work.toml");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let found = Listing::read(&path, |cmd| Ok((cmd.to_owned(), "aa".to_owned())));
            found.map_err(|why| why.to_string().replace(&format!("{}:", path.display()), ""))
        };
        for (text, why) in [
            ("slots = 0", "1: slots: \"0\": it must be from 1 to 512"),
            (
                "\nengines = 1",
                "2: unknown setting \"engines\": it must be one of engine, files, slots",
            ),
            ("[[engine]]\nname = \"a\"", "1: engine: cmd= is missing: the program to start"),
            ("[[engine]]\ncmd = \"a\"\nnodes = 5", "3: engine: nodes: a task gives the limits"),
            ("[[engine]]\ncmd = \"a\"\nsha256 = \"bb\"", "3: engine a: sha256 \"bb\": a has aa"),
        ] {
            assert_eq!(read(text).unwrap_err(), why);
        }
        let listing =
            read("slots = 3\n[files]\nsmall = \"b.book\"\n[[engine]]\ncmd = \"a\"").unwrap();
        assert_eq!((listing.slots, listing.engines[0].sha256.as_str()), (Some(3), "aa"));
        assert!(listing.option("a", "BookFile", "small").unwrap().ends_with("b.book"));
        let refused = listing.option("a", "BookFile", "large").unwrap_err();
        assert_eq!(
            (refused.code.as_str(), refused.field.as_deref()),
            ("forbidden", Some("a.options.BookFile"))
        );
        std::fs::remove_dir_all(folder).unwrap();
    }

    fn tempfile() -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tengen-listing-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }
}
