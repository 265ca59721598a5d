//! The course of a batch: which queries are asked, and what becomes of their replies.
//!
//! It searches nothing and prints nothing: queries go to a [`Transport`], words to a [`BatchWatcher`].

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::record::{BatchAnswer, BatchHead, BatchRecord};
use super::workers::{BatchReplies, BatchTask};
use crate::drive::{TaskRun, drive};
use crate::journal::{self, Journal, JournalError, Journaled};
use crate::record::StopRecord;
use crate::transport::Transport;

/// The version of the journal's form.
const VERSION: u32 = 1;

/// How often a query is asked at most, where the machine fails.
const ATTEMPTS: u32 = 3;

/// How many answers are kept by one write at most.
const GROUP: usize = 256;

/// How a batch ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BatchEnd {
    /// All queries have been asked.
    Done,
    /// Somebody interrupted it.
    Interrupted,
}

/// Why a batch could not go on.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal is of other queries.
    #[error("{0} holds the batch of other queries, or of other limits: another --out is needed")]
    OtherQueries(String),
    /// Queries cannot be answered here.
    #[error("{0}")]
    Broken(String),
}

/// Receives the progress of a batch.
pub trait BatchWatcher {
    /// A query is answered, and the answer kept.
    fn answered(&mut self, answer: &BatchAnswer);

    /// Something that a person should know.
    fn note(&mut self, text: &str);
}

/// Returns the SHA-256 of all that is asked, in hexadecimal.
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
    /// The next task that may be asked.
    next: usize,
    /// Queries whose answers are kept, by place.
    done: HashSet<u64>,
    /// Queries that are to be asked again.
    again: Vec<BatchTask>,
    /// Answers that are not yet kept.
    taken: Vec<BatchAnswer>,
    /// Queries that got no answer, because the machine failed.
    failed: u64,
    is_interrupted: bool,
}

impl Batch {
    /// Opens the journal of a folder, and goes on behind it.
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
            again: Vec::new(),
            taken: Vec::new(),
            failed: 0,
            is_interrupted: false,
        })
    }

    /// Returns how many queries have their answers.
    pub fn answered(&self) -> u64 {
        self.done.len() as u64
    }

    /// Returns how many queries got no answer, because the machine failed.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// Returns whether the query in this place has its answer.
    pub fn is_answered(&self, place: u64) -> bool {
        self.done.contains(&place)
    }

    /// Asks until every query has its answer.
    pub fn run(
        &mut self,
        transport: &mut dyn Transport<BatchTask, BatchReplies, ()>,
        watcher: &mut dyn BatchWatcher,
    ) -> Result<BatchEnd, BatchError> {
        drive(transport, &mut Queries { batch: self, watcher })?;
        if !self.is_interrupted || self.done.len() == self.tasks.len() {
            return Ok(BatchEnd::Done);
        }
        let why = "interrupted".to_owned();
        self.journal.append(&[BatchRecord::Stop(StopRecord { why })])?;
        Ok(BatchEnd::Interrupted)
    }

    /// Returns the answers of a folder in the order of the queries.
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
        if let Some(task) = self.again.pop() {
            return Some(task);
        }
        while self.tasks.get(self.next).is_some_and(|task| self.done.contains(&task.number)) {
            self.next += 1;
        }
        let task = self.tasks.get(self.next)?.clone();
        self.next += 1;
        Some(task)
    }

    fn settle(&mut self, watcher: &mut dyn BatchWatcher) -> Result<(), BatchError> {
        if self.taken.is_empty() {
            return Ok(());
        }
        let answers: Vec<BatchRecord> = self.taken.drain(..).map(BatchRecord::Answer).collect();
        self.journal.append(&answers)?;
        for record in &answers {
            let BatchRecord::Answer(answer) = record else { continue };
            self.done.insert(answer.id);
            watcher.answered(answer);
        }
        Ok(())
    }
}

/// The queries of a batch, with whoever hears of them.
struct Queries<'r> {
    batch: &'r mut Batch,
    watcher: &'r mut dyn BatchWatcher,
}

impl TaskRun<BatchTask, BatchReplies, ()> for Queries<'_> {
    type Error = BatchError;

    fn next(&mut self, _: usize) -> Result<Option<BatchTask>, BatchError> {
        Ok(self.batch.next_task())
    }

    fn started(&mut self, _: BatchTask) {}

    fn take(&mut self, mut task: BatchTask, outcome: BatchReplies) -> Result<(), BatchError> {
        let BatchReplies { replies, failure } = outcome;
        if let Some(why) = failure {
            task.attempt += 1;
            if task.attempt < ATTEMPTS {
                self.batch.again.push(task);
            } else {
                self.watcher.note(&format!("query \"{}\" has no answer: {why}", task.id));
                self.batch.failed += 1;
            }
            return Ok(());
        }
        self.batch.taken.push(BatchAnswer { id: task.number, replies });
        if self.batch.taken.len() < GROUP {
            return Ok(());
        }
        self.settle()
    }

    fn settle(&mut self) -> Result<(), BatchError> {
        self.batch.settle(self.watcher)
    }

    fn interrupted(&mut self, in_flight: usize) {
        if !self.batch.is_interrupted {
            self.watcher.note(&format!(
                "interrupted: {in_flight} queries are finished; Ctrl-C again leaves them"
            ));
        }
        self.batch.is_interrupted = true;
    }

    fn broken(&self, why: String) -> BatchError {
        BatchError::Broken(why)
    }

    fn period(&self) -> Option<Duration> {
        None
    }

    fn tick(&mut self, _: &[()]) {}
}
