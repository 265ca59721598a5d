//! Workers in other processes: the options of a batch, and tasks of its queries.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tengen_protocol::dialect::json::reply::Reply;
use tengen_protocol::queries::Service;
use tengen_runs::contract::{TaskLine, run_name};
use tengen_runs::{
    Codec, Error, Remote, RunInfo, Task, Transport, TransportKind, TransportSettings, connect,
    contract,
};

use super::run::{Answer, Batch, Query};
use crate::exit_status::Refusal;
use crate::interrupt;

/// Where the workers of a batch are.
#[derive(clap::Args)]
#[command(next_help_heading = "Workers in other processes")]
pub(super) struct TransportArgs {
    /// Where the workers are: in this process, in child processes, or at a server of NATS.
    #[arg(long, value_name = "KIND", default_value = "local", value_parser = ["local", "pipe", "nats"])]
    transport: String,

    /// With --transport pipe, a command that runs `tengen work`, as often as there are commands [default:
    /// this program, for each of --workers].
    #[arg(long, value_name = "COMMAND")]
    pipe: Vec<String>,

    /// With --transport nats, the address of the server [default: the variable TENGEN_NATS].
    #[arg(long, value_name = "URL")]
    nats: Option<String>,

    /// The file with the credentials for NATS.
    #[arg(long, value_name = "FILE")]
    nats_creds: Option<PathBuf>,

    /// The name of the run, which begins the ids of its tasks [default: from the folder].
    #[arg(long, value_name = "NAME", value_parser = run_name_of)]
    run_name: Option<String>,

    /// How many tasks are queued for each slot of a worker [default: 4].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    ahead: Option<u32>,

    /// After how many milliseconds the task of a silent worker goes to another one [default: 30000].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(100..=86_400_000))]
    ack_wait_ms: Option<u64>,

    /// Go on without tasks that were given up because their workers ended.
    #[arg(long)]
    allow_dead: bool,

    /// How many queries are one task.
    #[arg(long, value_name = "N", default_value_t = 16,
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    chunk: u64,

    /// The longest time of a task, in milliseconds [default: 600000].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    task_ms: Option<u64>,
}

/// Checks the name of a run.
fn run_name_of(text: &str) -> Result<String, String> {
    match contract::is_id(text) && text.len() <= contract::MAX_RUN {
        true => Ok(text.to_owned()),
        false => Err(format!("it must be 1 to {} of A-Z a-z 0-9 _ -", contract::MAX_RUN)),
    }
}

impl TransportArgs {
    /// Returns whether the workers are other processes.
    pub(super) fn is_remote(&self) -> bool {
        self.kind() != TransportKind::Local
    }

    /// Refuses an option of another transport.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        self.settings().check("--").map_err(Refusal)
    }

    fn kind(&self) -> TransportKind {
        let known = TransportKind::NAMES.iter().find(|(name, _)| *name == self.transport);
        known.map_or(TransportKind::Local, |(_, kind)| *kind)
    }

    fn settings(&self) -> TransportSettings {
        TransportSettings {
            kind: self.kind(),
            pipes: self.pipe.clone(),
            nats: self.nats.clone(),
            credentials: self.nats_creds.clone(),
            name: self.run_name.clone(),
            ahead: self.ahead,
            ack_wait_ms: self.ack_wait_ms,
            allow_dead: self.allow_dead,
            task_ms: self.task_ms,
        }
    }
}

/// Starts the workers of the batch in `folder`. An interruption by the user ends the batch.
pub(super) fn start(
    args: &TransportArgs,
    folder: &Path,
    service: Service,
    batch: &Batch,
) -> anyhow::Result<Box<dyn Transport<Query>>> {
    let settings = args.settings();
    let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let folder = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let default = || run_name(&folder.unwrap_or_default(), &batch.fingerprint);
    let name = settings.name.clone().unwrap_or_else(default);
    let codec = QueryCodec {
        run: name.clone(),
        chunk: args.chunk,
        count: batch.len(),
        service,
        max_ms: settings.task_ms,
    };
    let version = env!("CARGO_PKG_VERSION");
    let run = RunInfo {
        name,
        version,
        holder: format!("{}:{}", tengen_runs::host(), path.display()),
        engines: Vec::new(),
        children: service.workers,
        env: Vec::new(),
    };
    let remote =
        Remote::start(codec, batch.results().clone(), version, settings.allow_dead, |arrivals| {
            connect(&settings, run, arrivals)
        })
        .map_err(|why| match why {
            Error::Broken(why) => Refusal(format!("--transport {}: {why}", args.transport)).into(),
            other => anyhow::Error::from(other),
        })?;
    interrupt::on_interrupt(remote.interrupter())?;
    Ok(Box::new(remote))
}

/// Makes tasks of queries.
struct QueryCodec {
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
