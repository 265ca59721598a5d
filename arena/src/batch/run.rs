//! Runs a batch: chooses the next query, journals the replies, retries after failures.
//!
//! This module searches and prints nothing: queries go to a [`Transport`], progress goes to a
//! [`BatchWatcher`].

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::record::{BatchAnswer, BatchHead, BatchRecord};
use super::workers::{BatchReplies, BatchTask};
use crate::drive::{TaskRun, drive};
use crate::journal::{self, Journal, JournalError, Journaled};
use crate::tournament::record::StopRecord;
use crate::transport::Transport;

/// The version of the journal format.
const VERSION: u32 = 1;

/// The greatest number of attempts for a query whose search fails.
const MAX_ATTEMPTS: u32 = 3;

/// The greatest number of answers in one write of the journal.
const MAX_UNSAVED: usize = 256;

/// How a batch ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BatchEnd {
    /// No query is left to ask.
    Done,
    /// The user interrupted the batch.
    Interrupted,
}

/// Why a batch could not continue.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal belongs to other queries.
    #[error("{0} holds the batch of other queries, or of other limits: another --out is needed")]
    OtherQueries(String),
    /// The workers have failed.
    #[error("{0}")]
    Broken(String),
}

/// Receives the progress of a batch.
pub trait BatchWatcher {
    /// Called when an answer is in the journal.
    fn answered(&mut self, answer: &BatchAnswer);

    /// Shows a note or a warning to the user.
    fn note(&mut self, text: &str);
}

/// Returns the SHA-256 of the variant and all queries, in hexadecimal.
pub fn fingerprint(tasks: &[BatchTask], variant: Option<&str>) -> String {
    let mut hasher = Sha256::new();
    hasher.update(variant.unwrap_or_default());
    for task in tasks {
        hasher.update("\n");
        hasher.update(task.query.as_bytes());
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A batch with its journal.
pub struct Batch {
    tasks: Vec<BatchTask>,
    journal: Journal<BatchRecord>,
    /// The index of the next task.
    next: usize,
    /// The indices of the queries whose answers are in the journal.
    done: HashSet<u64>,
    /// Failed queries to ask again.
    retries: Vec<BatchTask>,
    /// Answers that are not in the journal yet.
    unsaved: Vec<BatchAnswer>,
    /// BatchRun without an answer after all attempts.
    failed: u64,
    is_interrupted: bool,
}

impl Batch {
    /// Opens the journal in `folder` and continues after its records.
    pub fn open(
        folder: &Path,
        tasks: Vec<BatchTask>,
        fingerprint: String,
        program: &str,
    ) -> Result<Self, BatchError> {
        let (mut journal, records) = Journal::open(folder)?;
        let queries = tasks.len() as u64;
        match records.first() {
            None => {
                let program = program.to_owned();
                let head = BatchHead { version: VERSION, program, fingerprint, queries };
                journal.append(&[BatchRecord::Head(head)])?;
            }
            Some(BatchRecord::Head(head))
                if head.version == VERSION && head.fingerprint == fingerprint => {}
            Some(_) => return Err(BatchError::OtherQueries(folder.display().to_string())),
        }
        let done = records.iter().filter_map(BatchRecord::result_of).collect();
        Ok(Self {
            tasks,
            journal,
            next: 0,
            done,
            retries: Vec::new(),
            unsaved: Vec::new(),
            failed: 0,
            is_interrupted: false,
        })
    }

    /// Returns the number of queries whose answers are in the journal.
    pub fn answered(&self) -> u64 {
        self.done.len() as u64
    }

    /// Returns the number of queries without an answer after all attempts.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// Returns whether the journal holds the answer of the query at `index`, from 0.
    pub fn is_answered(&self, index: u64) -> bool {
        self.done.contains(&index)
    }

    /// Asks all queries that have no answer yet.
    pub fn run(
        &mut self,
        transport: &mut dyn Transport<BatchTask, BatchReplies, ()>,
        watcher: &mut dyn BatchWatcher,
    ) -> Result<BatchEnd, BatchError> {
        drive(transport, &mut BatchRun { batch: self, watcher })?;
        if !self.is_interrupted || self.done.len() == self.tasks.len() {
            return Ok(BatchEnd::Done);
        }
        let why = "interrupted".to_owned();
        self.journal.append(&[BatchRecord::Stop(StopRecord { why })])?;
        Ok(BatchEnd::Interrupted)
    }

    /// Reads the answers in `folder`, in the order of the queries.
    pub fn answers(folder: &Path) -> Result<Vec<BatchAnswer>, JournalError> {
        let records: Vec<BatchRecord> = journal::read_folder(folder)?;
        let answer = |record| match record {
            BatchRecord::Answer(answer) => Some(answer),
            _ => None,
        };
        let mut answers: Vec<BatchAnswer> = records.into_iter().filter_map(answer).collect();
        answers.sort_unstable_by_key(|answer| answer.id);
        Ok(answers)
    }

    fn next_task(&mut self) -> Option<BatchTask> {
        if self.is_interrupted {
            return None;
        }
        if let Some(task) = self.retries.pop() {
            return Some(task);
        }
        while self.tasks.get(self.next).is_some_and(|task| self.done.contains(&task.number)) {
            self.next += 1;
        }
        let task = self.tasks.get(self.next)?.clone();
        self.next += 1;
        Some(task)
    }

    fn flush(&mut self, watcher: &mut dyn BatchWatcher) -> Result<(), BatchError> {
        if self.unsaved.is_empty() {
            return Ok(());
        }
        let answers: Vec<BatchRecord> = self.unsaved.drain(..).map(BatchRecord::Answer).collect();
        self.journal.append(&answers)?;
        for record in &answers {
            let BatchRecord::Answer(answer) = record else { continue };
            self.done.insert(answer.id);
            watcher.answered(answer);
        }
        Ok(())
    }
}

/// Connects a batch and its watcher to [`TaskRun`].
struct BatchRun<'r> {
    batch: &'r mut Batch,
    watcher: &'r mut dyn BatchWatcher,
}

impl TaskRun<BatchTask, BatchReplies, ()> for BatchRun<'_> {
    type Error = BatchError;

    fn next(&mut self, _: usize) -> Result<Option<BatchTask>, BatchError> {
        Ok(self.batch.next_task())
    }

    fn started(&mut self, _: BatchTask) {}

    fn handle(&mut self, mut task: BatchTask, outcome: BatchReplies) -> Result<(), BatchError> {
        let BatchReplies { replies, failure } = outcome;
        if let Some(why) = failure {
            task.attempt += 1;
            if task.attempt < MAX_ATTEMPTS {
                self.batch.retries.push(task);
            } else {
                self.watcher.note(&format!("query \"{}\" has no answer: {why}", task.id));
                self.batch.failed += 1;
            }
            return Ok(());
        }
        self.batch.unsaved.push(BatchAnswer { id: task.number, replies });
        if self.batch.unsaved.len() < MAX_UNSAVED {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<(), BatchError> {
        self.batch.flush(self.watcher)
    }

    fn interrupted(&mut self, in_flight: usize) {
        if !self.batch.is_interrupted {
            self.watcher.note(&format!(
                "interrupted: {in_flight} queries are finished; Ctrl-C again leaves them"
            ));
        }
        self.batch.is_interrupted = true;
    }

    fn transport_error(&self, why: String) -> BatchError {
        BatchError::Broken(why)
    }

    fn period(&self) -> Option<Duration> {
        None
    }

    fn tick(&mut self, _: &[()]) {}
}
