//! The run folder: it keeps the settings of a run, with hashes of its files.

use std::fs;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use tengen_engine::Position;
use tengen_runs::{Error, journal, replace};

use super::{Failure, Status, refuse};
use crate::config::given::read_toml;
use crate::config::option::{self, OptionSpec};
use crate::config::setting::HASHES;
use crate::config::{Config, EngineConfig, OpeningFormat, Proto, Setting, SettingValue, to_toml};
use crate::engine::prepare::{KnownDialect, KnownEngines, Prepared};
use crate::openings::OpeningList;

/// The file of settings.
pub(super) const SETTINGS: &str = "run.toml";

/// The file of openings.
pub(super) const OPENINGS: &str = "openings.txt";

/// The folder of the engines' own folders and their standard error.
const ENGINES: &str = "engines";

/// The folder of a run.
#[derive(Clone, Debug)]
pub(super) struct RunFolder(pub(super) PathBuf);

impl RunFolder {
    /// Creates the folder of a new run: `named`, or the first free one of `arena-1`, `arena-2`, ...
    pub(super) fn create(named: Option<&Path>) -> Result<Self, Failure> {
        let folder = named.map_or_else(first_free, Path::to_owned);
        // A run that was killed before its first record cannot be continued.
        let holds_run = folder.join(journal::FILE).metadata().is_ok_and(|file| file.len() > 0);
        if holds_run {
            let name = folder.display();
            return refuse!(
                "{name} holds a run; resume with \"tengen arena resume {name}\", or name another folder by -out"
            );
        }
        fs::create_dir_all(&folder).map_err(Error::at(&folder))?;
        Ok(Self(std::path::absolute(&folder).map_err(Error::at(&folder))?))
    }

    /// Opens the folder of an earlier run.
    pub(super) fn open(folder: &Path) -> Result<Self, Failure> {
        if !folder.join(SETTINGS).is_file() {
            return refuse!("{} holds no run: there is no {SETTINGS} in it", folder.display());
        }
        let absolute = std::path::absolute(folder);
        Ok(Self(absolute.unwrap_or_else(|_| folder.to_owned())))
    }

    /// Saves the settings of the run with the hashes of its engines and openings, and its start in UTC.
    pub(super) fn save_settings(
        &self,
        entries: &[Setting],
        prepared: &[Prepared],
        openings: Option<&str>,
        started: &str,
    ) -> Result<(), Failure> {
        // An address of before would send the next run to another server.
        let hides_server = entries.iter().any(has_password);
        let is_saved = |entry: &&Setting| {
            entry.key != HASHES
                && !option::has::<Config>(&entry.key, OptionSpec::UNSAVED)
                && !(hides_server && entry.key == "nats")
        };
        let mut entries: Vec<Setting> = entries.iter().filter(is_saved).cloned().collect();
        entries.push(hashes(prepared, openings, started));
        let here = std::env::current_dir().unwrap_or_default();
        let text = format!(
            "# A run of tengen arena. Resume with: tengen arena resume {}\n{}",
            self.0.display(),
            to_toml(&entries, &here)
        );
        self.write(SETTINGS, text.as_bytes())
    }

    /// Writes a file of the folder.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        Ok(replace(&self.0.join(name), bytes)?)
    }

    /// Returns the title of a report: the event, or the name of the folder.
    pub(super) fn title(&self, config: &Config) -> String {
        let name = || self.0.file_name().map(|name| name.to_string_lossy().into_owned());
        config.event.clone().or_else(name).unwrap_or_default()
    }

    /// Reads the saved settings.
    pub(super) fn settings(&self) -> Result<Vec<Setting>, Failure> {
        let path = self.0.join(SETTINGS);
        let text = fs::read_to_string(&path)
            .map_err(|error| changed(format!("{}: {error}", path.display())))?;
        Ok(read_toml(&path, &text)?)
    }

    /// Reads the openings and checks their hash; `None` if the run has no list.
    pub(super) fn openings(
        &self,
        config: &Config,
        board: &mut dyn Position,
    ) -> Result<Option<OpeningList>, Failure> {
        let has_list =
            config.openings.as_ref().is_some_and(|openings| openings.style != OpeningFormat::Swap2);
        if !has_list {
            return Ok(None);
        }
        let path = self.0.join(OPENINGS);
        let name = path.display();
        let text =
            fs::read_to_string(&path).map_err(|error| changed(format!("{name}: {error}")))?;
        let saved = saved(config, "openings");
        if saved != Some(hash(&text).as_str()) && !config.allow_changed {
            return Err(changed(format!(
                "{name} has changed since the run began; use -allow-changed to continue"
            )));
        }
        let list = OpeningList::from_text(&text, board);
        list.map(Some).map_err(|why| changed(format!("{name}: {why}")))
    }

    /// Returns the folder of an engine of a worker.
    pub(super) fn of_engine(&self, name: &str, worker: usize) -> PathBuf {
        let file_name: String = name
            .chars()
            .map(
                |c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ') { c } else { '_' },
            )
            .collect();
        self.0.join(ENGINES).join(file_name).join((worker + 1).to_string())
    }
}

/// Returns whether a setting is an address with a user or a password, which a run folder does not keep.
fn has_password(entry: &Setting) -> bool {
    let SettingValue::Text(text) = &entry.value else { return false };
    entry.key == "nats" && text.contains('@')
}

/// Returns the first of `arena-1`, `arena-2`, ... that does not exist.
fn first_free() -> PathBuf {
    let names = (1_u32..).map(|number| PathBuf::from(format!("arena-{number}")));
    let mut free = names.filter(|path| !path.exists());
    free.next().unwrap_or_else(|| PathBuf::from("arena"))
}

/// Creates the failure for a run folder that has changed.
pub(super) fn changed(message: String) -> Failure {
    Failure { status: Status::Folder, message }
}

/// Returns the SHA-256 of a text, in hexadecimal.
fn hash(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text))
}

/// Returns the setting `hashes`: the start of the run, the openings' hash, and the hash, dialect and
/// name of each engine.
fn hashes(prepared: &[Prepared], openings: Option<&str>, started: &str) -> Setting {
    let mut inner = vec![Setting::text("started", started)];
    inner.extend(openings.map(|text| Setting::text("openings", hash(text))));
    for (number, engine) in (1..).zip(prepared) {
        inner.push(Setting::text(&format!("engine{number}"), &engine.sha256));
        inner.push(Setting::text(&format!("dialect{number}"), engine.config.proto.name()));
        inner.push(Setting::text(&format!("name{number}"), engine.config.label()));
    }
    Setting::given(HASHES, SettingValue::Table(inner))
}

/// Returns the value of `key` in the saved `hashes`.
pub(super) fn saved<'a>(config: &'a Config, key: &str) -> Option<&'a str> {
    config.hashes.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
}

/// Returns the dialects that earlier sessions of the run found out.
pub(super) fn known_engines(config: &Config) -> KnownEngines {
    let mut known = KnownEngines::default();
    for (number, engine) in (1..).zip(&config.engines) {
        let hash = saved(config, &format!("engine{number}"));
        let proto = saved(config, &format!("dialect{number}")).and_then(Proto::named);
        if engine.proto == Proto::Auto
            && let (Some(hash), Some(proto)) = (hash, proto)
        {
            let engine = EngineConfig { proto, ..engine.clone() };
            known.dialects.push(KnownDialect::new(hash.to_owned(), &engine));
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_games::CATALOG;

    #[test]
    fn a_server_is_kept_without_its_password_and_not_instead_of_one_with_it() {
        let path = std::env::temp_dir().join(format!("tengen-servers-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let folder = RunFolder(path.clone());
        for (servers, kept) in [
            (&["nats://old"][..], Some("nats://old")),
            (&["nats://user:word@new"], None),
            (&["nats://old", "nats://user:word@new"], None),
        ] {
            let entries: Vec<_> = servers.iter().map(|url| Setting::text("nats", *url)).collect();
            folder.save_settings(&entries, &[], None, "now").unwrap();
            let saved = folder.settings().unwrap();
            let saved = saved.into_iter().find(|entry| entry.key == "nats");
            let kept = kept.map(|url| SettingValue::Text(url.to_owned()));
            assert_eq!(saved.map(|entry| entry.value), kept, "{servers:?}");
        }
        fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn a_configured_dialect_is_not_used_for_other_engines() {
        let text = "variant = \"renju\"\n[each]\nst = 1\n[[engine]]\ncmd = \"a\"\nproto = \"ugi\"\n\
                    [[engine]]\ncmd = \"a\"\n[hashes]\nengine1 = \"h\"\ndialect1 = \"ugi\"\n\
                    engine2 = \"h\"\ndialect2 = \"uci\"\n";
        let entries = read_toml(Path::new("run.toml"), text).unwrap();
        let config = Config::read(&entries, &CATALOG).unwrap();
        let engine = EngineConfig { proto: Proto::Uci, ..config.engines[1].clone() };
        let found = KnownDialect::new("h".to_owned(), &engine);
        assert_eq!(known_engines(&config).dialects, [found]);
    }
}
