//! Workers of a batch in other processes: tasks of its queries.

use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tengen_arena::work::build;
use tengen_games::CATALOG;
use tengen_protocol::dialect::json::reply::Reply;
use tengen_protocol::queries::Service;
use tengen_runs::contract::{self, Build, TASK_MS, TaskLine};
use tengen_runs::{Codec, Ids, Remote, RunInfo, Task, TransportSettings};

use super::replies;
use super::run::{Answer, Query};
use crate::{Console, Failure};

/// Starts the workers of the batch with this folder, fingerprint and workers whose answers were removed: at most
/// so many queries in a task, the expected time of each, and those that have an answer. An interruption by
/// the user ends the batch.
pub(super) fn start(
    settings: &TransportSettings,
    (folder, fingerprint, purged): (&Path, &str, &[String]),
    service: Service,
    (chunk, costs_ms, done): (u64, &[u64], Ids),
    console: &dyn Console,
) -> Result<Remote<Query, QueryCodec>, Failure> {
    let build = build(settings.kind, &CATALOG).map_err(Failure::Failed)?;
    let run = RunInfo::new(settings, folder, fingerprint, build.clone());
    let run = RunInfo { children: service.workers, purged: purged.to_vec(), ..run };
    let max_ms = settings.task_ms;
    let groups = groups(chunk, costs_ms, max_ms.unwrap_or(TASK_MS) / 4);
    let codec = QueryCodec { run: run.name.clone(), build, groups, service, max_ms };
    let remote = Remote::connect(codec, done, settings, run, "--")?;
    console.on_interrupt(remote.interrupter())?;
    Ok(remote)
}

/// Returns the first query of each task, and the number of all. A task has at most `chunk` queries, and is
/// expected to take `most_ms` milliseconds, unless it has a single query.
fn groups(chunk: u64, costs_ms: &[u64], most_ms: u64) -> Vec<u64> {
    let (mut starts, mut sum) = (vec![0], 0_u64);
    for (id, cost) in (0..).zip(costs_ms) {
        let start = starts.last().copied().unwrap_or_default();
        sum = sum.saturating_add(*cost);
        if id > start && (id - start == chunk || sum > most_ms) {
            starts.push(id);
            sum = *cost;
        }
    }
    starts.push(costs_ms.len() as u64);
    starts
}

/// The fields of a task of queries.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueryTask {
    pub(crate) queries: Vec<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_ms: Option<u64>,
    pub(crate) hash_mib: Option<usize>,
    pub(crate) threads: Option<usize>,
    /// The game of queries that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) variant: Option<String>,
}

/// Makes tasks of queries.
pub(super) struct QueryCodec {
    run: String,
    build: Build,
    /// The first query of each task, and the number of all.
    groups: Vec<u64>,
    service: Service,
    max_ms: Option<u64>,
}

impl QueryCodec {
    fn line(&self, id: &str, tasks: &[Task<Query>]) -> TaskLine {
        let query = |task: &Task<Query>| serde_json::from_str(&task.work.text).unwrap_or_default();
        let Service { hash_mib, threads, variant, .. } = self.service;
        let fields = QueryTask {
            queries: tasks.iter().map(query).collect(),
            max_ms: self.max_ms,
            hash_mib: Some(hash_mib),
            threads: Some(threads),
            variant: variant.map(str::to_owned),
        };
        TaskLine::of_tasks(id, tasks, "analyze", fields, &self.build)
    }

    /// Returns the queries of the task with this number; `None` if there is no such task.
    fn queries_of(&self, group: u64) -> Option<Range<u64>> {
        let start = usize::try_from(group).ok()?;
        Some(*self.groups.get(start)?..*self.groups.get(start + 1)?)
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
        (self.groups.partition_point(|start| *start <= task.id) as u64).saturating_sub(1)
    }

    fn tasks_of(&self, id: &str) -> Option<Range<u64>> {
        self.queries_of(contract::number_of(id, &self.run)?)
    }

    fn is_full(&self, tasks: &[Task<Query>]) -> bool {
        let own = tasks.first().and_then(|task| self.queries_of(self.group(task)));
        own.is_some_and(|own| own.end - own.start == tasks.len() as u64)
    }

    fn encode(&mut self, tasks: Vec<Task<Query>>) -> Vec<(TaskLine, Vec<Task<Query>>)> {
        if self.is_full(&tasks) {
            let group = tasks.first().map_or(0, |task| self.group(task));
            return vec![(self.line(&format!("{}-{group:06}", self.run), &tasks), tasks)];
        }
        let alone = |task: Task<Query>| {
            let id = format!("{}-q{:06}", self.run, task.id);
            (self.line(&id, std::slice::from_ref(&task)), vec![task])
        };
        tasks.into_iter().map(alone).collect()
    }

    fn is_reproducible(&self, tasks: &[Task<Query>], _: &Value) -> bool {
        let is_counted = |task: &Task<Query>| {
            let query: Fields = serde_json::from_str(&task.work.text).unwrap_or_default();
            let has = |names: &[&str]| names.iter().any(|name| query.contains_key(*name));
            has(&["nodes", "depth"]) && !has(&["time_ms", "clock"])
        };
        self.service.threads == 1 && tasks.iter().all(is_counted)
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
        let answers: Vec<Answer> = data.replies.into_iter().zip(times).map(join).collect();
        for (task, answer) in tasks.iter().zip(&answers) {
            replies::check(self.service, &task.work, &answer.replies)
                .map_err(|why| format!("query \"{}\": {why}", task.work.id))?;
        }
        Ok(answers)
    }
}

/// Writes a reply with its fields in the order of the protocol.
fn in_order(reply: &Value) -> String {
    let text = json!(reply).to_string();
    let known =
        Reply::read(&text).ok().flatten().and_then(|reply| serde_json::to_string(&reply).ok());
    known.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn tasks_are_cut_by_number_and_by_cost() {
        assert_eq!(groups(4, &[1; 10], 100), [0, 4, 8, 10]);
        assert_eq!(groups(16, &[40, 40, 40, 500, 1, 1], 100), [0, 2, 3, 4, 6]);
        assert_eq!(groups(1, &[u64::MAX, u64::MAX], 100), [0, 1, 2]);
        assert_eq!(groups(16, &[], 100), [0, 0]);
    }
}
