//! [`Queries`]: the queries of a batch as tasks, and their answers in the journal.
//!
//! This module searches and prints nothing: queries go to a transport, progress goes to a watcher.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tengen_protocol::dialect::json::number::Id;
use tengen_runs::journal::Journaled;
use tengen_runs::{Error, Task, TaskList, Tasks, Work};

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

/// The record of an answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "answer")]
pub(super) struct BatchAnswer {
    /// The index of the query in its file, from 0.
    pub(super) id: u64,
    /// The answer.
    #[serde(flatten)]
    pub(super) answer: Answer,
}

impl Journaled for BatchAnswer {
    const UNIT: &'static str = "query";
    const HOLDER: &'static str = "another batch works";

    fn result_of(&self) -> Option<u64> {
        Some(self.id)
    }
}

/// The queries of a batch.
pub(super) struct Queries(pub(super) Vec<Query>);

impl Tasks for Queries {
    type Work = Query;
    type Record = BatchAnswer;
    const TASKS: &'static str = "queries";

    fn work(&mut self, id: u64) -> Option<Query> {
        self.0.get(id as usize).cloned()
    }

    fn record(task: Task<Query>, answer: Answer) -> BatchAnswer {
        BatchAnswer { id: task.id, answer }
    }

    fn note(task: &Task<Query>, why: &str) -> Option<String> {
        Some(format!("query \"{}\" has no answer: {why}", task.work.id))
    }
}

/// Opens the journal of a batch in `folder` and continues after its records.
pub(super) fn open(
    folder: &Path,
    queries: Vec<Query>,
    fingerprint: &str,
) -> Result<TaskList<Queries>, Error> {
    let other = "holds the batch of other queries, or of other limits: another --out is needed";
    let count = queries.len() as u64;
    TaskList::open(folder, Queries(queries), count, &[fingerprint.to_owned()], other)
}

/// Returns the SHA-256 of the variant and all queries, in hexadecimal.
pub(super) fn fingerprint(queries: &[Query], variant: Option<&str>) -> String {
    let mut hasher = Sha256::new();
    hasher.update(variant.unwrap_or_default());
    for query in queries {
        hasher.update("\n");
        hasher.update(query.text.as_bytes());
    }
    data_encoding::HEXLOWER.encode(&hasher.finalize())
}
