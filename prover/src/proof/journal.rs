//! The journal of a proof of four in a row: the rules that were learned, so that a stopped run continues.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tengen_runs::Error;
use tengen_runs::journal::{self, Journaled};

use super::rules::Rule;
use super::stones::Map;

/// The number of records that are written together.
const TOGETHER: usize = 500;

/// A record: the claim first, then the rule of each position, or that there is none.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Record {
    Claim(String),
    Rule { position: u64, rule: Option<String> },
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
    folder: PathBuf,
    file: journal::Journal<Record>,
    waiting: Vec<Record>,
}

impl Journal {
    /// Opens the journal of `claim` in a folder, and returns the rules in it.
    pub(super) fn open(folder: &Path, claim: &str) -> Result<(Self, Map<Option<Rule>>), Error> {
        fs::create_dir_all(folder).map_err(Error::at(folder))?;
        let (mut file, records) = journal::Journal::open(folder)?;
        match records.first() {
            None => file.append(&[Record::Claim(claim.to_owned())])?,
            Some(Record::Claim(known)) if known == claim => {}
            Some(_) => {
                let why = format!("{}: the journal of another proof", folder.display());
                return Err(Error::OtherRun(why));
            }
        }
        let mut rules = Map::default();
        for record in records {
            if let Record::Rule { position, rule } = record {
                rules.insert(position, rule.and_then(|text| Rule::read(&text)));
            }
        }
        Ok((Self { folder: folder.to_owned(), file, waiting: Vec::new() }, rules))
    }

    /// Adds what was found in a position.
    pub(super) fn add(&mut self, position: u64, rule: Option<&Rule>) -> Result<(), Error> {
        self.waiting.push(Record::Rule { position, rule: rule.map(Rule::write) });
        if self.waiting.len() < TOGETHER {
            return Ok(());
        }
        self.save()
    }

    /// Writes what was added.
    pub(super) fn save(&mut self) -> Result<(), Error> {
        self.file.append(&std::mem::take(&mut self.waiting))
    }

    /// Removes the journal, which is no longer needed.
    pub(super) fn remove(self) {
        let Self { folder, file, .. } = self;
        drop(file);
        // What stays does no harm.
        let _ = fs::remove_dir_all(folder);
    }
}
