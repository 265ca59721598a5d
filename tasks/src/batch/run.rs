//! [`Batch`]: the run of a batch. It chooses the next query, journals the replies, and asks again
//! after failures.
//!
//! This module searches and prints nothing: queries go to a transport, progress goes to a watcher.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tengen_protocol::dialect::json::number::Id;
use tengen_runs::journal::{self, Journal, Journaled, StopRecord};
use tengen_runs::{Control, Error, Ids, Outcome, Refusal, Run, Task, Work};

/// The version of the journal format.
const VERSION: u32 = 1;

/// The greatest number of answers in one write of the journal.
const MAX_UNSAVED: usize = 256;

/// A query to answer.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    /// The id of the query, unique in the batch.
    pub(crate) id: Id,
    /// The query as one line of JSON.
    pub(crate) text: Arc<str>,
}

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The replies in the order of arrival, one JSON object each, without progress reports.
    pub(crate) replies: Vec<String>,
    /// The host and the slot that answered; empty for this process.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) worker: String,
}

impl Work for Query {
    type Result = Answer;
    type View = ();
}

/// One record of a batch.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum BatchRecord {
    /// The first record: identifies the queries.
    Head(BatchHead),
    /// The replies to a query.
    Answer(BatchAnswer),
    /// A result that does not count, because its worker differs or because it is damaged.
    Refused(Refusal),
    /// The batch was interrupted.
    Stop(StopRecord),
}

impl Journaled for BatchRecord {
    const UNIT: &'static str = "query";
    const HOLDER: &'static str = "another batch works";

    fn result_of(&self) -> Option<u64> {
        match self {
            Self::Answer(answer) => Some(answer.id),
            _ => None,
        }
    }
}

/// Identifies the queries of a batch.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct BatchHead {
    /// The version of the record format.
    version: u32,
    /// The program that wrote the journal.
    program: String,
    /// The SHA-256 of the variant and all queries, in hexadecimal.
    fingerprint: String,
    /// The number of queries.
    queries: u64,
}

/// The record of an answer.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct BatchAnswer {
    /// The index of the query in its file, from 0.
    pub(super) id: u64,
    /// The answer.
    #[serde(flatten)]
    pub(super) answer: Answer,
}

/// A batch with its journal.
pub(super) struct Batch {
    queries: Vec<Query>,
    journal: Journal<BatchRecord>,
    /// The SHA-256 of the queries, in hexadecimal.
    pub(super) fingerprint: String,
    /// The index of the next query.
    next: usize,
    /// Failed queries to ask again.
    retries: Vec<Task<Query>>,
    /// Answers that are not in the journal yet.
    unsaved: Vec<BatchRecord>,
    /// The number of queries without an answer after all attempts.
    pub(super) failed: u64,
}

impl Batch {
    /// Opens the journal in `folder` and continues after its records.
    pub(super) fn open(
        folder: &Path,
        queries: Vec<Query>,
        variant: Option<&str>,
    ) -> Result<Self, Error> {
        let mut first = None;
        let mut journal = Journal::open_with(folder, |record| {
            first.get_or_insert(record);
        })?;
        let fingerprint = fingerprint(&queries, variant);
        match first {
            None => {
                let program = concat!("tengen ", env!("CARGO_PKG_VERSION")).to_owned();
                let queries = queries.len() as u64;
                let fingerprint = fingerprint.clone();
                let head = BatchHead { version: VERSION, program, fingerprint, queries };
                journal.append(&[BatchRecord::Head(head)])?;
            }
            Some(BatchRecord::Head(head))
                if head.version == VERSION && head.fingerprint == fingerprint => {}
            Some(_) => {
                let folder = folder.display();
                return Err(Error::OtherRun(format!(
                    "{folder} holds the batch of other queries, or of other limits: another --out is needed"
                )));
            }
        }
        let (retries, unsaved) = (Vec::new(), Vec::new());
        Ok(Self { queries, journal, fingerprint, next: 0, retries, unsaved, failed: 0 })
    }

    /// Lets the journal wait for room on the disk, for workers in other processes.
    pub(super) fn wait_for_room(&mut self) {
        self.journal.wait_for_room(journal::PATIENCE);
    }

    /// Returns the number of queries.
    pub(super) fn len(&self) -> u64 {
        self.queries.len() as u64
    }

    /// Returns the indices of the queries whose answers are in the journal.
    pub(super) fn results(&self) -> &Ids {
        self.journal.results()
    }

    /// Returns the number of queries whose answers are in the journal.
    pub(super) fn answered(&self) -> u64 {
        self.journal.results().len()
    }

    /// Returns whether the journal holds the answer of the query at `index`, from 0.
    pub(super) fn is_answered(&self, index: u64) -> bool {
        self.journal.results().contains(index)
    }

    /// Returns whether the journal holds all answers.
    pub(super) fn is_done(&self) -> bool {
        self.answered() == self.queries.len() as u64
    }

    /// Calls `each` with the answers in `folder`, in the order in which they came.
    pub(super) fn answers(folder: &Path, mut each: impl FnMut(BatchAnswer)) -> Result<(), Error> {
        journal::read_each(folder, |record| {
            if let BatchRecord::Answer(answer) = record {
                each(answer);
            }
        })
    }
}

/// Returns the SHA-256 of the variant and all queries, in hexadecimal.
fn fingerprint(queries: &[Query], variant: Option<&str>) -> String {
    let mut hasher = Sha256::new();
    hasher.update(variant.unwrap_or_default());
    for query in queries {
        hasher.update("\n");
        hasher.update(query.text.as_bytes());
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Run for Batch {
    type Work = Query;
    type Record = BatchAnswer;
    const TASKS: &'static str = "queries";

    fn next(
        &mut self,
        _: usize,
        control: &mut Control<'_, Self>,
    ) -> Result<Option<Task<Query>>, Error> {
        if control.is_ending() {
            return Ok(None);
        }
        if let Some(task) = self.retries.pop() {
            return Ok(Some(task));
        }
        while self.is_answered(self.next as u64) {
            self.next += 1;
        }
        let (id, work) = (self.next as u64, self.queries.get(self.next).cloned());
        self.next += 1;
        Ok(work.map(|work| Task { id, attempt: 0, work }))
    }

    fn handle(
        &mut self,
        task: Task<Query>,
        outcome: Outcome<Answer>,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        match outcome {
            Outcome::Aborted => {}
            Outcome::Failed(why) => {
                let id = task.work.id.clone();
                match task.next_attempt() {
                    Some(task) => self.retries.push(task),
                    None => {
                        control.watcher.note(&format!("query \"{id}\" has no answer: {why}"));
                        self.failed += 1;
                    }
                }
            }
            Outcome::Finished(answer) => {
                self.unsaved.push(BatchRecord::Answer(BatchAnswer { id: task.id, answer }));
                if self.unsaved.len() == MAX_UNSAVED {
                    self.flush(control)?;
                }
            }
        }
        Ok(())
    }

    fn flush(&mut self, control: &mut Control<'_, Self>) -> Result<(), Error> {
        let answers = std::mem::take(&mut self.unsaved);
        if answers.is_empty() {
            return Ok(());
        }
        self.journal.append(&answers)?;
        for record in &answers {
            if let BatchRecord::Answer(answer) = record {
                control.watcher.saved(self, answer);
            }
        }
        Ok(())
    }

    fn refused(&mut self, refusal: Refusal) -> Result<(), Error> {
        self.journal.append(&[BatchRecord::Refused(refusal)])
    }

    fn stopped(&mut self, why: &str) -> Result<(), Error> {
        if self.is_done() {
            return Ok(());
        }
        self.journal.append(&[BatchRecord::Stop(StopRecord { why: why.to_owned() })])
    }
}
