//! The journal records of a batch. The result files are made from them.

use serde::{Deserialize, Serialize};

use crate::journal::Journaled;
use crate::tournament::record::StopRecord;

/// One record of a batch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BatchRecord {
    /// The first record: identifies the queries.
    Head(BatchHead),
    /// The replies to a query.
    Answer(BatchAnswer),
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
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BatchHead {
    /// The version of the record format.
    pub version: u32,
    /// The program that wrote the journal.
    pub program: String,
    /// The SHA-256 of the variant and all queries, in hexadecimal.
    pub fingerprint: String,
    /// The number of queries.
    pub queries: u64,
}

/// The replies to a query.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BatchAnswer {
    /// The index of the query in its file, from 0.
    pub id: u64,
    /// The replies in the order of arrival, one JSON object each.
    pub replies: Vec<String>,
}
