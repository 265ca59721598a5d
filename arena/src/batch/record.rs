//! What is kept of a batch. The results follow from these records.

use serde::{Deserialize, Serialize};

use crate::journal::Journaled;
use crate::record::StopRecord;

/// One record of a batch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BatchRecord {
    /// The first record: what is asked.
    Head(BatchHead),
    /// The replies to a query.
    Answer(BatchAnswer),
    /// The batch was left.
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

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BatchHead {
    /// The version of this form.
    pub version: u32,
    /// The program that wrote it.
    pub program: String,
    /// The SHA-256 of all that is asked.
    pub fingerprint: String,
    /// How many queries there are.
    pub queries: u64,
}

/// The replies to a query.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BatchAnswer {
    /// The place of the query in its file, from 0.
    pub id: u64,
    /// The replies, a JSON object each, in the order in which they came.
    pub replies: Vec<String>,
}
