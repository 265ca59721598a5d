//! [`QueryTasks`]: answers the queries of a task with the sessions and the pool of the JSON protocol.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;
use tengen_protocol::dialect::json::Problem;
use tengen_protocol::queries::Service;
use tengen_runs::contract::{TASK_MS, TaskError, TaskFailure, quoted};
use tengen_runs::{Event, Outcome, Task, TaskSignal, Transport};

use crate::batch::remote::QueryTask;
use crate::batch::run::Query;
use crate::batch::workers::{QueryWorkers, check};

/// The fields of a reply that differ each time.
const TIMES: [&str; 3] = ["time_ms", "nps", "queue_ms"];

/// How often a task looks whether it is cancelled.
const LOOK: Duration = Duration::from_millis(200);

/// The default size of the table, in MiB.
const HASH_MIB: usize = 64;

/// What workers are started with: the size of the table, threads and the default game.
type Key = (usize, usize, Option<&'static str>);

/// Answers queries.
pub(super) struct QueryTasks {
    /// The commit of the program; `None` if the build did not know it.
    git: Option<&'static str>,
    most_hash_mib: usize,
    /// The workers of the last task, with the size of their table, their threads and the default game.
    workers: Option<(Key, QueryWorkers)>,
}

impl QueryTasks {
    /// Starts nothing yet. Tables have at most `most_hash_mib` MiB.
    pub(super) fn new(most_hash_mib: usize, git: Option<&'static str>) -> Self {
        Self { git, most_hash_mib, workers: None }
    }

    /// Answers the queries of a task of this kind. Returns the replies without times, and the times.
    pub(super) fn answer(
        &mut self,
        kind: &str,
        fields: Map<String, Value>,
        signal: &TaskSignal,
    ) -> Result<(Value, Value), TaskFailure> {
        let task: QueryTask = serde_json::from_value(Value::Object(fields))
            .map_err(|why| refused("bad_field", None, why.to_string()))?;
        let (hash_mib, threads) = (task.hash_mib.unwrap_or(HASH_MIB), task.threads.unwrap_or(1));
        let (most_hash_mib, cores) = (self.most_hash_mib, tengen_engine::cores());
        if !(1..=most_hash_mib).contains(&hash_mib) {
            let why = format!("hash_mib {hash_mib}: this worker allows 1 to {most_hash_mib}");
            return Err(refused("bad_field", Some("hash_mib"), why));
        }
        if !(1..=cores).contains(&threads) {
            let why = format!("threads {threads}: this worker has {cores} cores");
            return Err(refused("bad_field", Some("threads"), why));
        }
        let known = |name: &String| {
            let why = || format!("variant \"{}\": there is no such game", quoted(name));
            let variant = CATALOG.variant(name).map(|variant| variant.name);
            variant.ok_or_else(|| refused("unknown_variant", Some("variant"), why()))
        };
        let service = Service {
            variant: task.variant.as_ref().map(known).transpose()?,
            threads,
            hash_mib,
            git: self.git,
            explorer: Err("a worker has no shelf"),
            ..Service::new(&CATALOG)
        };
        let queries = read(kind, task.queries, service)?;
        let max_ms = task.max_ms.unwrap_or(TASK_MS);
        let until = Instant::now() + Duration::from_millis(max_ms);
        let count = queries.len();
        let replies = self.search(queries, service, until, signal)?;
        if replies.len() < count {
            // The searches that still run are ended.
            self.workers = None;
            let why =
                format!("max_ms {max_ms}: {} of {count} queries have an answer", replies.len());
            return Err(refused("timeout", Some("max_ms"), why));
        }
        let (data, times): (Vec<Value>, Vec<Value>) = (0..count as u64)
            .filter_map(|id| replies.get(&id))
            .map(|replies| split(replies))
            .unzip();
        Ok((json!({ "replies": data }), Value::Array(times)))
    }

    /// Searches queries until all are answered, or until `until`. Returns the replies by number.
    fn search(
        &mut self,
        queries: Vec<Query>,
        service: Service,
        until: Instant,
        signal: &TaskSignal,
    ) -> Result<HashMap<u64, Vec<String>>, TaskFailure> {
        let key = (service.hash_mib, service.threads, service.variant);
        if self.workers.as_ref().is_none_or(|(known, _)| *known != key) {
            let workers = QueryWorkers::start(service).map_err(TaskFailure::machine)?;
            self.workers = Some((key, workers));
        }
        let mut replies = HashMap::new();
        let Some((_, workers)) = &mut self.workers else { return Ok(replies) };
        let count = queries.len();
        for (id, work) in queries.into_iter().enumerate() {
            workers.submit(Task { id: id as u64, attempt: 0, work });
        }
        let mut failed = None;
        let mut ended = 0;
        while ended < count {
            if signal.is_cancelled() {
                self.workers = None;
                return Err(TaskFailure::machine("the task was cancelled"));
            }
            let now = Instant::now();
            if now >= until {
                break;
            }
            match workers.next_event(Some(until.min(now + LOOK))) {
                // A search of this process counts nodes as long as it runs.
                None => signal.step(),
                Some(Event::Finished(task, outcome)) => {
                    ended += 1;
                    let why = match outcome {
                        Outcome::Finished(answer) => {
                            replies.insert(task.id, answer.replies);
                            continue;
                        }
                        Outcome::Failed(why) => format!("queries[{}]: {why}", task.id),
                        Outcome::Aborted => "the worker is ending".to_owned(),
                    };
                    failed.get_or_insert(why);
                }
                Some(Event::Broken(why)) => {
                    self.workers = None;
                    return Err(TaskFailure::machine(why));
                }
                Some(_) => {}
            }
        }
        failed.map_or(Ok(replies), |why| Err(TaskFailure::machine(why)))
    }
}

/// Checks the queries of a task. Each of them is searched with an empty table.
fn read(
    kind: &str,
    queries: Vec<Map<String, Value>>,
    service: Service,
) -> Result<Vec<Query>, TaskFailure> {
    if queries.is_empty() {
        return Err(refused("bad_field", Some("queries"), "queries: there is none".to_owned()));
    }
    let mut checked: Vec<Query> = Vec::new();
    for (number, mut query) in queries.into_iter().enumerate() {
        if kind == "solve" {
            query.entry("action").or_insert("solve".into());
        }
        let action = query.get("action").and_then(Value::as_str);
        if action != Some("position") {
            query.insert("fresh".to_owned(), true.into());
        }
        let text = Value::Object(query).to_string();
        let place = format!("queries[{number}]");
        let found = check(service, &text, number as u64 + 1)
            .map_err(|problem| of_query(&place, problem))?;
        if let Some(first) = checked.iter().position(|query| query.id == found.id) {
            let why = format!("{place}.id \"{}\": queries[{first}] has it", found.id);
            return Err(refused("bad_field", Some(&format!("{place}.id")), why));
        }
        checked.push(Query { id: found.id, text: text.into() });
    }
    Ok(checked)
}

/// Splits replies into data and times.
fn split(replies: &[String]) -> (Value, Value) {
    let split_one = |line: &String| {
        let mut reply: Value = serde_json::from_str(line).unwrap_or_default();
        let mut times = Map::new();
        if let Value::Object(fields) = &mut reply {
            let own = TIMES.iter().filter_map(|name| fields.remove_entry(*name));
            times.extend(own);
        }
        (reply, Value::Object(times))
    };
    let (data, times): (Vec<Value>, Vec<Value>) = replies.iter().map(split_one).unzip();
    (Value::Array(data), Value::Array(times))
}

/// Returns the failure for a refused query.
fn of_query(place: &str, problem: Problem) -> TaskFailure {
    let field = problem.field.map_or_else(|| place.to_owned(), |field| format!("{place}.{field}"));
    let message = format!("{place}: {}", problem.message);
    refused(&problem.code.to_string(), Some(&field), message)
}

fn refused(code: &str, field: Option<&str>, message: String) -> TaskFailure {
    let message = if message.len() > 1000 { quoted(&message) } else { message };
    TaskError::new(code, field, message).into()
}
