//! [`Setting`]: a setting with its value and its place, before anyone interprets it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a setting was given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum SettingSource {
    /// On the command line.
    #[default]
    CommandLine,
    /// In a file, on this line, from 1.
    File(Arc<PathBuf>, usize),
}

impl SettingSource {
    /// Returns the folder that relative paths start from.
    pub fn folder(&self) -> PathBuf {
        let parent = match self {
            Self::CommandLine => None,
            Self::File(path, _) => path.parent().filter(|folder| !folder.as_os_str().is_empty()),
        };
        parent.map_or_else(|| PathBuf::from("."), Path::to_owned)
    }
}

/// An error in the settings, with its place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct ConfigError {
    /// Where the bad setting was given.
    pub place: SettingSource,
    /// The name of the bad setting; empty if the settings are wrong together.
    pub key: String,
    /// What is wrong, and what is allowed.
    pub why: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            SettingSource::CommandLine => f.write_str(&self.why),
            SettingSource::File(path, line) => write!(f, "{}:{line}: {}", path.display(), self.why),
        }
    }
}

impl ConfigError {
    /// Creates an error at a place.
    pub fn at(place: &SettingSource, why: impl Into<String>) -> Self {
        Self { place: place.clone(), key: String::new(), why: why.into() }
    }

    /// Creates an error about a setting.
    pub fn of(entry: &Setting, why: impl Into<String>) -> Self {
        Self { key: entry.key.clone(), ..Self::at(&entry.place, why) }
    }

    /// Creates an error of the command line, or of the settings as a whole.
    pub fn new(why: impl Into<String>) -> Self {
        Self::at(&SettingSource::CommandLine, why)
    }
}

/// The value of a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SettingValue {
    /// A word, a number or a text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
    /// A table of settings.
    Table(Vec<Setting>),
}

/// A setting with its value and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The name, without dashes.
    pub key: String,
    /// The value.
    pub value: SettingValue,
    /// Where the setting was given.
    pub place: SettingSource,
}

impl Setting {
    /// Creates a setting of the command line.
    pub fn given(key: &str, value: SettingValue) -> Self {
        Self { key: key.to_owned(), value, place: SettingSource::CommandLine }
    }

    /// Creates a setting of the command line that is a text.
    pub fn text(key: &str, value: impl Into<String>) -> Self {
        Self::given(key, SettingValue::Text(value.into()))
    }

    /// Returns the line of the setting in its file; 0 on the command line.
    pub(super) fn line(&self) -> usize {
        match self.place {
            SettingSource::File(_, line) => line,
            SettingSource::CommandLine => 0,
        }
    }
}

/// The table that the arena adds to the file of a run folder.
pub(crate) const HASHES: &str = "hashes";
