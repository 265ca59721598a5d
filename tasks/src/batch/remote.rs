//! Workers of a batch in other processes: tasks of its queries.

use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tengen_protocol::dialect::json::reply::Reply;
use tengen_protocol::queries::Service;
use tengen_runs::contract::{TaskLine, run_name};
use tengen_runs::{Codec, Error, Ids, Remote, RunInfo, Task, TransportSettings, contract};

use super::run::{Answer, Query};
use crate::{Console, Failure};

/// Starts the workers of the batch in `folder`: its fingerprint, the number of its queries, and those that
/// have an answer. An interruption by the user ends the batch.
pub(super) fn start(
    settings: &TransportSettings,
    chunk: u64,
    folder: &Path,
    service: Service,
    (fingerprint, count, done): (&str, u64, Ids),
    console: &dyn Console,
) -> Result<Remote<Query, QueryCodec>, Failure> {
    let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let folder = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let default = || run_name(&folder.unwrap_or_default(), fingerprint);
    let name = settings.name.clone().unwrap_or_else(default);
    let codec = QueryCodec { run: name.clone(), chunk, count, service, max_ms: settings.task_ms };
    let run = RunInfo {
        name,
        version: env!("CARGO_PKG_VERSION"),
        holder: format!("{}:{}", tengen_runs::host(), path.display()),
        engines: Vec::new(),
        children: service.workers,
        env: Vec::new(),
    };
    let remote = Remote::connect(codec, done, settings, run).map_err(|why| match why {
        Error::Broken(why) => {
            Failure::Refused(format!("--transport {}: {why}", settings.kind.name()))
        }
        other => other.into(),
    })?;
    console.on_interrupt(remote.interrupter())?;
    Ok(remote)
}

/// Makes tasks of queries.
pub(super) struct QueryCodec {
    run: String,
    /// The number of queries of a task.
    chunk: u64,
    /// The number of all queries.
    count: u64,
    service: Service,
    max_ms: Option<u64>,
}

impl QueryCodec {
    fn line(&self, id: String, tasks: &[Task<Query>]) -> TaskLine {
        let query =
            |task: &Task<Query>| serde_json::from_str(&task.work.text).unwrap_or(Value::Null);
        let queries: Vec<Value> = tasks.iter().map(query).collect();
        let Service { hash_mib, threads, variant, .. } = self.service;
        let mut fields = Map::new();
        fields.insert("queries".to_owned(), queries.into());
        fields.insert("hash_mib".to_owned(), hash_mib.into());
        fields.insert("threads".to_owned(), threads.into());
        fields.extend(variant.map(|name| ("variant".to_owned(), name.into())));
        fields.extend(self.max_ms.map(|most| ("max_ms".to_owned(), most.into())));
        let attempt = tasks.iter().map(|task| task.attempt).max().unwrap_or_default();
        let again = if attempt == 0 { String::new() } else { format!("-{attempt}") };
        TaskLine { id: format!("{id}{again}"), kind: "analyze".to_owned(), fields }
    }
}

/// The fields of a reply.
type Fields = Map<String, Value>;

/// The data of a task: the replies to each query.
#[derive(Deserialize)]
struct Replies {
    replies: Vec<Vec<Fields>>,
}

impl Codec<Query> for QueryCodec {
    fn group(&self, task: &Task<Query>) -> u64 {
        task.id / self.chunk
    }

    fn tasks_of(&self, id: &str) -> Option<Range<u64>> {
        let first = contract::number_of(id, &self.run)?.checked_mul(self.chunk)?;
        Some(first..first.checked_add(self.chunk)?.min(self.count))
    }

    fn is_full(&self, tasks: &[Task<Query>]) -> bool {
        let first = tasks.first().map_or(0, |task| self.group(task)) * self.chunk;
        tasks.len() as u64 == self.chunk.min(self.count - first)
    }

    fn encode(&mut self, tasks: Vec<Task<Query>>) -> Vec<(TaskLine, Vec<Task<Query>>)> {
        if self.is_full(&tasks) {
            let group = tasks.first().map_or(0, |task| self.group(task));
            return vec![(self.line(format!("{}-{group:06}", self.run), &tasks), tasks)];
        }
        let alone = |task: Task<Query>| {
            let id = format!("{}-q{:06}", self.run, task.id);
            (self.line(id, std::slice::from_ref(&task)), vec![task])
        };
        tasks.into_iter().map(alone).collect()
    }

    fn decode(
        &self,
        tasks: &[Task<Query>],
        data: Value,
        times: Value,
        worker: &str,
    ) -> Result<Vec<Answer>, String> {
        let read = |why: serde_json::Error| format!("it has no replies: {why}");
        let data: Replies = serde_json::from_value(data).map_err(read)?;
        let times: Vec<Vec<Fields>> = serde_json::from_value(times).map_err(read)?;
        let (found, wanted) = (data.replies.len(), tasks.len());
        if found != wanted || times.len() != wanted {
            return Err(format!("it has replies to {found} queries, not to {wanted}"));
        }
        let join = |(replies, times): (Vec<Fields>, Vec<Fields>)| {
            let both = replies.into_iter().zip(times);
            let replies = both.map(|(mut reply, times)| {
                reply.extend(times);
                in_order(&Value::Object(reply))
            });
            Answer { replies: replies.collect(), worker: contract::quoted(worker) }
        };
        Ok(data.replies.into_iter().zip(times).map(join).collect())
    }
}

/// Writes a reply with its fields in the order of the protocol.
fn in_order(reply: &Value) -> String {
    let text = json!(reply).to_string();
    let known =
        Reply::read(&text).ok().flatten().and_then(|reply| serde_json::to_string(&reply).ok());
    known.unwrap_or(text)
}
