//! The journal of a proof: what was found, so that a stopped run continues.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tengen_runs::Error;
use tengen_runs::journal::{self, Journaled};

use super::rules::Rule;
use super::stones::Map;

/// The number of records that are written together.
const TOGETHER: usize = 500;
/// The time after which fewer records are written.
const PAUSE: Duration = Duration::from_secs(5);

/// A record of the journal.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Record {
    /// The claim: the first record.
    Claim(String),
    /// Four in a row: the rule of a position; `None` if none was found.
    Rule { position: u64, rule: Option<String> },
    /// Other games: the line of a position, by the key of its stones in hexadecimal digits.
    Line { position: String, line: String },
    /// Other games: a position of an opening from which all lines were found, by the key of its least image.
    Proven { position: String },
}

/// What was found before.
#[derive(Default)]
pub(super) struct Found {
    /// The rules, by the code of the least position; `None` where none was found.
    pub(super) rules: Map<Option<Rule>>,
    /// The lines, by the key of the stones of their position.
    pub(super) lines: HashMap<u128, Box<str>>,
    /// The positions of an opening from which all lines were found, by the key of their least image.
    pub(super) proven: HashSet<u128>,
}

impl Journaled for Record {
    const UNIT: &'static str = "position";
    const HOLDER: &'static str = "another process proves";

    fn result_of(&self) -> Option<u64> {
        None
    }
}

/// An open journal.
pub(super) struct Journal {
    file: journal::Journal<Record>,
    waiting: Vec<Record>,
    saved: Instant,
}

impl Journal {
    /// Opens the journal of `claim` in a folder, and returns what is in it.
    pub(super) fn open(folder: &Path, claim: &str) -> Result<(Self, Found), Error> {
        fs::create_dir_all(folder).map_err(Error::at(folder))?;
        let (mut file, records) = journal::Journal::open(folder)?;
        match records.first() {
            None => file.append(&[Record::Claim(claim.to_owned())])?,
            Some(Record::Claim(known)) if known == claim => {}
            Some(_) => {
                let why = format!(
                    "{}: the journal of another proof: remove it, or name another --out",
                    folder.display()
                );
                return Err(Error::OtherRun(why));
            }
        }
        let mut found = Found::default();
        let key = |text: &str| u128::from_str_radix(text, 16).ok();
        for record in records {
            match record {
                Record::Claim(_) => {}
                Record::Rule { position, rule } => {
                    found.rules.insert(position, rule.and_then(|text| Rule::read(&text)));
                }
                Record::Line { position, line } => {
                    found.lines.extend(key(&position).map(|key| (key, line.into())));
                }
                Record::Proven { position } => found.proven.extend(key(&position)),
            }
        }
        let (waiting, saved) = (Vec::new(), Instant::now());
        Ok((Self { file, waiting, saved }, found))
    }

    /// Adds the rule of a position, or that none was found.
    pub(super) fn add_rule(&mut self, position: u64, rule: Option<&Rule>) -> Result<(), Error> {
        self.add(Record::Rule { position, rule: rule.map(Rule::write) })
    }

    /// Adds the line of a position.
    pub(super) fn add_line(&mut self, key: u128, line: &str) -> Result<(), Error> {
        self.add(Record::Line { position: format!("{key:x}"), line: line.to_owned() })
    }

    /// Adds a position of an opening from which all lines were found.
    pub(super) fn add_proven(&mut self, key: u128) -> Result<(), Error> {
        self.add(Record::Proven { position: format!("{key:x}") })
    }

    fn add(&mut self, record: Record) -> Result<(), Error> {
        self.waiting.push(record);
        if self.waiting.len() < TOGETHER && self.saved.elapsed() < PAUSE {
            return Ok(());
        }
        self.save()
    }

    /// Writes what was added.
    pub(super) fn save(&mut self) -> Result<(), Error> {
        self.saved = Instant::now();
        self.file.append(&std::mem::take(&mut self.waiting))
    }
}
