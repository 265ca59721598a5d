//! Workers on other machines, by NATS JetStream: a [`NatsCarrier`] carries the tasks of a run, [`work`]
//! does them.
//!
//! The server only carries tasks and results. A lost server loses nothing: a run makes its tasks again
//! from its journal and its list of tasks.

mod carrier;
mod claims;
mod connection;
mod consumers;
mod desk;
mod fleet;
mod keeper;
mod lease;
mod metrics;
mod worker;
mod workers;

use std::error::Error as _;
use std::time::Duration;

use async_nats::jetstream::consumer::AckPolicy;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::context::{GetStreamError, GetStreamErrorKind, PublishError};
use async_nats::jetstream::kv::{Config as BucketConfig, Store};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{Context, Error as JetStreamError, ErrorCode};
use serde::{Deserialize, Serialize};

pub use self::carrier::NatsCarrier;
use self::connection::{Note, Refused, Role, open, unless_refused};
pub use self::desk::WorkerSettings;
pub use self::fleet::{Change, Fleet, RunRow, WorkerRow};
use self::lease::silence;
pub use self::metrics::metrics;
pub use self::worker::{Stop, work};
use crate::settings::{Access, Progress};

/// The version of what workers and coordinators tell each other. From 2 on, the id of a task says what the
/// task is, and a worker tells failures apart from results. From 3 on, subjects of results name the worker.
const EXCHANGE: u64 = 3;

/// The streams.
const TASKS: &str = "TENGEN_TASK";
const RESULTS: &str = "TENGEN_RESULT";
const DEAD: &str = "TENGEN_DEAD";

/// The buckets of keys.
const RUNS: &str = "tengen_run";
const WORKERS: &str = "tengen_worker";

/// The key in the bucket of runs with the names of the workers that take no more tasks. No run has a name
/// with a dot.
const DRAINED: &str = "fleet.drained";

/// The delivery at which a task is given up.
const LAST_DELIVERY: i64 = 6;

/// The default time after which a task whose worker is silent goes to another one.
const ACK_WAIT: Duration = Duration::from_secs(30);

/// How long a worker stays in the list of workers without a heartbeat.
const WORKER_AGE: Duration = Duration::from_secs(60);

/// After this time without a heartbeat, a coordinator is silent.
pub const SILENT: Duration = Duration::from_secs(30);

/// How long results are kept.
const RESULT_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The window in which the server drops a message with a known id.
const DUPLICATES: Duration = Duration::from_secs(120);

/// The pause before a failed request is repeated.
const PAUSE: Duration = Duration::from_millis(250);

/// The state of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RunState {
    Running,
    /// Workers take no tasks of it.
    Paused,
    /// The run is to end, or its coordinator ends it. Workers drop its tasks.
    Stopping,
    /// An operator has ended it. It can be continued.
    Cancelled,
    Done,
}

impl RunState {
    const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
            Self::Cancelled => "cancelled",
            Self::Done => "done",
        }
    }
}

/// A run in the bucket of runs. It is changed only with the known revision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct RunEntry {
    state: RunState,
    /// The version of the exchange between coordinator and workers: [`EXCHANGE`].
    task_version: u64,
    /// The version that all workers must have.
    version: String,
    /// The number of nodes of the bench that all workers must have; `None` if any will do.
    bench: Option<u64>,
    /// The SHA-256 of each engine, in hexadecimal.
    engines: Vec<String>,
    /// The coordinator that holds the run.
    holder: String,
    /// How often the coordinator has changed.
    epoch: u64,
    /// How often the coordinator has shown that it lives.
    beat: u64,
    /// The workers that get no tasks of the run.
    #[serde(default)]
    excluded: Vec<String>,
    /// Excluded workers whose results the user has removed.
    #[serde(default)]
    purged: Vec<String>,
    /// How far the run is.
    #[serde(default)]
    progress: Progress,
    /// The interval at which a worker shows each of its tasks, in seconds; 0 if it does not.
    #[serde(default)]
    view_secs: u64,
    /// How many tasks of the run a worker takes while it takes one of a run with the share 1.
    #[serde(default = "one")]
    share: u32,
    /// When the coordinator gave its last sign of life, in seconds since 1970, if an operator has written the entry
    /// since.
    #[serde(default)]
    alive: Option<i64>,
    /// Whether the coordinator has ended before the aim of the run.
    #[serde(default)]
    is_left: bool,
}

const fn one() -> u32 {
    1
}

impl RunEntry {
    /// Returns whether no coordinator has the run any more.
    const fn has_ended(&self) -> bool {
        self.is_left || matches!(self.state, RunState::Done | RunState::Cancelled)
    }

    /// Returns the state as users see it.
    const fn shown_state(&self) -> &'static str {
        match self.state {
            RunState::Running if self.is_left => "stopped",
            state => state.name(),
        }
    }

    fn json(&self) -> Vec<u8> {
        // An entry holds only texts and numbers, so that it always has a JSON form.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// A worker in the bucket of workers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct WorkerEntry {
    slots: usize,
    version: String,
    bench: Option<u64>,
    /// By run: why the worker takes none of its tasks.
    refuses: std::collections::BTreeMap<String, String>,
}

/// The variable of the environment with the address of the server. A command line is shown to all
/// users of a machine, a variable is not.
const ADDRESS: &str = "TENGEN_NATS";

/// A message of the stream of tasks that were given up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct DeadTask {
    id: String,
    error: String,
    /// Whether the task is tried again: this is the error of one try.
    #[serde(default)]
    retry: bool,
    /// The digest of the task and the code of the error, if a worker refused the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refusal: Option<(String, String)>,
    /// Whether the worker only says that it begins a task that others had before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    begins: bool,
}

impl DeadTask {
    fn new(id: &str) -> Self {
        let (error, retry, refusal, begins) = (String::new(), false, None, false);
        Self { id: id.to_owned(), error, retry, refusal, begins }
    }

    /// Returns the message about the task.
    fn message(&self, id: &str) -> PublishMessage {
        message(id, serde_json::to_string(self).unwrap_or_default())
    }
}

/// Returns the address of the server: as given, or from the environment.
pub fn address(given: Option<&str>) -> Result<String, String> {
    let given = given.filter(|url| !url.is_empty()).map(str::to_owned);
    let url = given.or_else(|| std::env::var(ADDRESS).ok().filter(|url| !url.is_empty()));
    url.ok_or_else(|| {
        format!(
            "the address of the server is missing: add it, such as nats://host, or set {ADDRESS}"
        )
    })
}

/// The header of a task that names the workers which should leave it to others.
const NOT_BY: &str = "Tengen-Not-By";

/// Makes the streams and buckets that are absent.
async fn make_streams(context: &Context) -> Result<(), String> {
    let dead = Config {
        name: DEAD.to_owned(),
        subjects: vec!["tengen.dead.>".to_owned()],
        storage: StorageType::File,
        ..Config::default()
    };
    let first_counts = |name: &str, subject: &str| Config {
        name: name.to_owned(),
        subjects: vec![subject.to_owned()],
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        discard_new_per_subject: true,
        duplicate_window: DUPLICATES,
        ..dead.clone()
    };
    let tasks =
        Config { retention: RetentionPolicy::WorkQueue, ..first_counts(TASKS, "tengen.task.>") };
    let results = Config { max_age: RESULT_AGE, ..first_counts(RESULTS, "tengen.result.>") };
    for config in [tasks, results, dead] {
        let name = config.name.clone();
        let stream = context.get_or_create_stream(config.clone()).await;
        let stream = stream.map_err(|why| {
            format!("stream {name}: {why}: does this user have the rights of a coordinator?")
        })?;
        check_stream(&config, &stream.cached_info().config)?;
    }
    for (bucket, max_age) in [(RUNS, Duration::ZERO), (WORKERS, WORKER_AGE)] {
        if context.get_key_value(bucket).await.is_ok() {
            continue;
        }
        let config = BucketConfig {
            bucket: bucket.to_owned(),
            max_age,
            history: 1,
            storage: StorageType::File,
            ..BucketConfig::default()
        };
        context.create_key_value(config).await.map_err(|why| format!("bucket {bucket}: {why}"))?;
    }
    Ok(())
}

/// Removes the tasks of a run that wait for workers.
async fn drop_tasks(context: &Context, run: &str) {
    if let Ok(tasks) = context.get_stream_no_info(TASKS).await {
        let _ = tasks.purge().filter(format!("tengen.task.{run}.>")).await;
    }
}

/// Checks the settings of a stream without which tasks or results would be lost or doubled.
fn check_stream(wanted: &Config, found: &Config) -> Result<(), String> {
    let kept = |config: &Config| {
        let Config { retention, storage, discard, discard_new_per_subject, .. } = *config;
        // The server writes -1 for "no limit".
        let most = config.max_messages_per_subject.max(0);
        format!(
            "{retention:?}, {storage:?}, {discard:?}, per subject {discard_new_per_subject} {most}"
        )
    };
    let (name, wanted, found) = (&wanted.name, kept(wanted), kept(found));
    if wanted == found {
        return Ok(());
    }
    Err(format!(
        "stream {name}: it has {found}; {wanted} is needed: delete the stream, and it is made again"
    ))
}

/// What an absent bucket means.
const NO_RUN: &str = "no run was started at this server yet";

/// Returns a bucket.
async fn bucket(context: &Context, name: &str) -> Result<Store, String> {
    context.get_key_value(name).await.map_err(|why| {
        match why.source().and_then(|source| source.downcast_ref()) {
            Some(source) if is_lost(source) => NO_RUN.to_owned(),
            _ => format!("bucket {name}: {why}: does this user have the rights for it?"),
        }
    })
}

/// Returns whether the server says that it has no such stream.
fn is_lost(why: &GetStreamError) -> bool {
    let GetStreamErrorKind::JetStream(error) = why.kind() else { return false };
    error.error_code() == ErrorCode::STREAM_NOT_FOUND
}

/// Returns the consumer of the tasks of a run.
fn task_consumer(run: &str, ack_wait: Duration) -> PullConfig {
    PullConfig {
        durable_name: Some(format!("w-{run}")),
        filter_subject: format!("tengen.task.{run}.>"),
        ack_policy: AckPolicy::Explicit,
        ack_wait,
        max_deliver: -1,
        max_ack_pending: 10_000,
        ..PullConfig::default()
    }
}

/// What a stream answered to a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stored {
    /// The message is stored.
    New,
    /// There is a message of this id or subject already.
    Known,
}

/// Publishes a message once. The error is one that can pass.
async fn publish(
    context: &Context,
    subject: &str,
    message: PublishMessage,
) -> Result<Stored, PublishError> {
    match context.send_publish(subject.to_owned(), message).await?.await {
        Ok(answer) if answer.duplicate => Ok(Stored::Known),
        Ok(_) => Ok(Stored::New),
        Err(error) if has_other(&error) => Ok(Stored::Known),
        Err(error) => Err(error),
    }
}

/// Returns a message with an id.
fn message(id: &str, payload: String) -> PublishMessage {
    PublishMessage::build().payload(payload.into()).message_id(id)
}

/// Returns a message that its stream keeps only if the subject has no other one.
fn first_message(id: &str, payload: String) -> PublishMessage {
    message(id, payload).expected_last_subject_sequence(0)
}

/// Returns the reason of a stream that refused a message; `None` if the message did not reach it.
fn refusal(error: &PublishError) -> Option<&JetStreamError> {
    error.source().and_then(|source| source.downcast_ref())
}

/// Returns whether a stream refused a message because its subject has one already.
fn has_other(error: &PublishError) -> bool {
    let codes =
        [ErrorCode::STREAM_WRONG_LAST_SEQUENCE, ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT];
    refusal(error).is_some_and(|source| codes.contains(&source.error_code()))
}

/// Returns a runtime for one thread.
fn runtime() -> Result<tokio::runtime::Runtime, String> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().map_err(|why| format!("no thread can be started: {why}"))
}

/// Returns the subject under which a worker shows a task that it does. No stream keeps these messages.
fn view_subject(worker: &str, run: &str, id: &str) -> String {
    format!("tengen.view.{worker}.{run}.{id}")
}

/// Returns the last token of a subject: the id of a task.
fn id_of(subject: &str) -> &str {
    subject.rsplit('.').next().unwrap_or_default()
}

/// Returns the worker in a subject `tengen.result.WORKER.RUN.ID`. The server can check that a user names no
/// other worker.
fn worker_in(subject: &str) -> &str {
    subject.split('.').nth(2).unwrap_or_default()
}
