//! [`Fleet`]: the runs and workers at a server, for the user who steers them.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::kv::{Entry, Store};
use futures_util::StreamExt;
use futures_util::future::join_all;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{
    Access, DEAD, DRAINED, NO_RUN, Note, RESULTS, RUNS, Refused, Role, RunEntry, RunState, SILENT,
    TASKS, WORKERS, WorkerEntry, bucket, drop_tasks, open, runtime, silence, unless_refused,
};
use crate::settings::Progress;

/// How often a change of a run is tried again that its coordinator has changed at the same time.
const TRIES: usize = 10;

/// How long a question about health waits for the server. Who asks expects an answer within a second.
const HEALTH_WAIT: Duration = Duration::from_millis(800);

/// How long a question for metrics waits for the server.
const ROWS_WAIT: Duration = Duration::from_secs(5);

/// A run at the server.
#[derive(Clone, Debug, Serialize)]
pub struct RunRow {
    /// The name.
    pub name: String,
    /// `running`, `paused`, `stopping`, `stopped`, `cancelled` or `done`.
    pub state: &'static str,
    /// Whether the run has no coordinator any more.
    pub has_ended: bool,
    /// The host and the folder of its coordinator.
    pub holder: String,
    /// The seconds since the last heartbeat of the coordinator.
    pub silent_s: i64,
    /// How many of its tasks a worker takes while it takes one of a run with the share 1.
    pub share: u32,
    /// How far the run is.
    #[serde(flatten)]
    pub progress: Progress,
    /// The workers that get no more tasks of the run.
    pub excluded: Vec<String>,
}

/// A worker at the server.
#[derive(Clone, Debug, Serialize)]
pub struct WorkerRow {
    /// The name.
    pub name: String,
    /// How many tasks it does at a time.
    pub slots: usize,
    /// The version of its program.
    pub version: String,
    /// The number of nodes of its bench.
    pub bench: Option<u64>,
    /// Whether it takes no more tasks.
    pub is_drained: bool,
    /// By run: why it takes none of its tasks.
    pub refuses: BTreeMap<String, String>,
}

/// A change of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Workers take no more tasks of the run, and end those that they have.
    Pause,
    /// Workers take tasks of the run again.
    Resume,
    /// The run ends, and can be continued.
    Cancel,
    /// The run gets this share of the workers.
    Share(u32),
    /// Nothing of the run stays at the server. It must have ended.
    Remove,
}

/// The runs and workers at a server.
pub struct Fleet {
    runtime: tokio::runtime::Runtime,
    context: Context,
    refused: Refused,
    runs: Store,
}

impl Fleet {
    /// Connects to a server. `note` tells the user what happens to the connection. The error says what is wrong,
    /// and what to do.
    pub fn open(url: &str, access: &Access, note: Note) -> Result<Self, String> {
        let runtime = runtime()?;
        let opened = runtime.block_on(async {
            let (context, refused) = open(url, access, Role::Operator, "fleet", note).await?;
            let runs = unless_refused(&refused, bucket(&context, RUNS)).await.map_err(|why| {
                // The buckets are those of the first run.
                let more = "; workers that are connected show themselves from the first run on";
                if why == NO_RUN { why + more } else { why }
            })?;
            Ok::<_, String>((context, refused, runs))
        });
        let (context, refused, runs) = opened?;
        Ok(Self { runtime, context, refused, runs })
    }

    /// Waits for an answer of the server.
    fn ask<T>(&self, answer: impl Future<Output = Result<T, String>>) -> Result<T, String> {
        self.runtime.block_on(unless_refused(&self.refused, answer))
    }

    /// Returns the runs by name.
    pub fn runs(&self) -> Result<Vec<RunRow>, String> {
        self.ask(self.read_runs())
    }

    async fn read_runs(&self) -> Result<Vec<RunRow>, String> {
        let entries = entries::<RunEntry>(&self.runs).await?;
        let row = |(entry, run): (Entry, RunEntry)| RunRow {
            silent_s: silence(&entry, &run),
            name: entry.key,
            state: run.shown_state(),
            has_ended: run.has_ended(),
            holder: run.holder,
            share: run.share,
            progress: run.progress,
            excluded: run.excluded,
        };
        Ok(entries.into_iter().map(row).collect())
    }

    /// Returns the workers by name.
    pub fn workers(&self) -> Result<Vec<WorkerRow>, String> {
        self.ask(self.read_workers())
    }

    async fn read_workers(&self) -> Result<Vec<WorkerRow>, String> {
        let drained = self.drained().await?;
        let workers = bucket(&self.context, WORKERS).await?;
        let row = |(entry, worker): (Entry, WorkerEntry)| WorkerRow {
            is_drained: drained.contains(&entry.key),
            name: entry.key,
            slots: worker.slots,
            version: worker.version,
            bench: worker.bench,
            refuses: worker.refuses,
        };
        Ok(entries(&workers).await?.into_iter().map(row).collect())
    }

    /// Returns the runs and the workers by name, for a client that does not wait long.
    pub fn rows(&self) -> Result<(Vec<RunRow>, Vec<WorkerRow>), String> {
        self.within(ROWS_WAIT, async { Ok((self.read_runs().await?, self.read_workers().await?)) })
    }

    /// Returns whether the server is there. The error says why not.
    pub fn check_server(&self) -> Result<(), String> {
        self.within(HEALTH_WAIT, async {
            // The status of the bucket is one that was read before.
            self.context.get_stream(RESULTS).await.map(|_| ()).map_err(|why| why.to_string())
        })
    }

    /// Returns whether the coordinator of a run is there. The error says why not.
    pub fn check_run(&self, name: &str) -> Result<(), String> {
        self.within(HEALTH_WAIT, async {
            let (entry, run) = self.run(name).await?;
            match silence(&entry, &run) {
                _ if run.is_left => Err("its command has ended before its aim".to_owned()),
                seconds if seconds > SILENT.as_secs() as i64 && !run.has_ended() => {
                    Err(format!("its coordinator is silent for {seconds} s"))
                }
                _ => Ok(()),
            }
        })
    }

    /// Returns whether a worker is there. The error says why not.
    pub fn check_worker(&self, name: &str) -> Result<(), String> {
        self.within(HEALTH_WAIT, async {
            let workers = bucket(&self.context, WORKERS).await?;
            let found = workers.get(name).await.map_err(|why| why.to_string())?;
            let why = || "no such worker has given a sign of life for a minute".to_owned();
            found.map(|_| ()).ok_or_else(why)
        })
    }

    /// Waits for an answer of the server, at most for `most`.
    fn within<T>(
        &self,
        most: Duration,
        answer: impl Future<Output = Result<T, String>>,
    ) -> Result<T, String> {
        let millis = most.as_millis();
        self.ask(async {
            let answered = tokio::time::timeout(most, answer).await;
            answered
                .unwrap_or_else(|_| Err(format!("the server has given no answer for {millis} ms")))
        })
    }

    /// Changes a run. Returns since how many seconds no coordinator answers; `None` if one does. The error says why
    /// the change is not possible.
    pub fn change(&self, run: &str, change: Change) -> Result<Option<i64>, String> {
        self.ask(async {
            if change == Change::Remove {
                return self.remove(run).await.map(|()| None);
            }
            for _ in 0..TRIES {
                let (found, mut entry) = self.run(run).await?;
                let silent = (!is_held(&found, &entry)).then(|| silence(&found, &entry));
                let cancels_silent = change == Change::Cancel && silent.is_some();
                entry.state = match (change, entry.state) {
                    (_, RunState::Done | RunState::Cancelled) => {
                        return Err(format!("run {run} is {}", entry.state.name()));
                    }
                    // Nobody else would end it.
                    (Change::Cancel, _) if cancels_silent => RunState::Cancelled,
                    (_, RunState::Stopping) => return Err(format!("run {run} is stopping")),
                    (Change::Pause, _) => RunState::Paused,
                    (Change::Cancel, _) => RunState::Stopping,
                    (Change::Share(share), state) => {
                        entry.share = share;
                        state
                    }
                    (Change::Resume | Change::Remove, _) => RunState::Running,
                };
                entry.alive.get_or_insert_with(|| found.created.unix_timestamp());
                if cancels_silent {
                    entry.progress = Progress { done: entry.progress.done, ..Progress::default() };
                }
                if self.runs.update(run, entry.json().into(), found.revision).await.is_ok() {
                    if cancels_silent {
                        drop_tasks(&self.context, run).await;
                    }
                    return Ok(silent);
                }
            }
            Err(format!(
                "run {run} was not changed: its coordinator wrote at the same time. Try again"
            ))
        })
    }

    async fn run(&self, name: &str) -> Result<(Entry, RunEntry), String> {
        let found = self.runs.entry(name).await.map_err(|why| why.to_string())?;
        let read = found.and_then(|found| {
            let run = serde_json::from_slice::<RunEntry>(&found.value).ok()?;
            Some((found, run))
        });
        read.ok_or_else(|| format!("there is no run {name}: \"tengen runs --nats\" lists them"))
    }

    /// Removes a run and all of its messages. Workers drop its tasks.
    async fn remove(&self, run: &str) -> Result<(), String> {
        let (found, entry) = self.run(run).await?;
        if is_held(&found, &entry) {
            return Err(match entry.state {
                RunState::Stopping => format!(
                    "run {run} is stopping, and its coordinator has not ended yet: remove the run when \"tengen runs --nats\" shows it as cancelled or done"
                ),
                _ => format!(
                    "run {run} is still running: \"tengen runs --nats --cancel {run}\" ends it first"
                ),
            });
        }
        let removed = self.runs.delete_expect_revision(run, Some(found.revision)).await;
        removed.map_err(|why| format!("run {run} was not removed: {why}: try again"))?;
        for (stream, letter, subject) in [
            (TASKS, 'w', format!("tengen.task.{run}.>")),
            (RESULTS, 'c', format!("tengen.result.*.{run}.>")),
            (DEAD, 'd', format!("tengen.dead.*.{run}.>")),
        ] {
            let stream = self.context.get_stream_no_info(stream).await;
            let stream = stream.map_err(|why| why.to_string())?;
            let purged = stream.purge().filter(subject).await;
            purged.map_err(|why| why.to_string())?;
            // A run that is done has none.
            let _ = stream.delete_consumer(&format!("{letter}-{run}")).await;
        }
        Ok(())
    }

    /// Lets a worker take no more tasks, or take tasks again. Returns whether there is such a worker.
    pub fn drain(&self, worker: &str, is_drained: bool) -> Result<bool, String> {
        let is_there = self.workers()?.iter().any(|row| row.name == worker);
        self.ask(async {
            let mut drained = self.drained().await?;
            if !is_there && !drained.iter().any(|name| name == worker) {
                return Ok(false);
            }
            drained.retain(|name| name != worker);
            drained.extend(is_drained.then(|| worker.to_owned()));
            let value = serde_json::to_vec(&drained).unwrap_or_default();
            self.runs.put(DRAINED, value.into()).await.map_err(|why| why.to_string())?;
            Ok(true)
        })
    }

    async fn drained(&self) -> Result<Vec<String>, String> {
        let found = self.runs.get(DRAINED).await.map_err(|why| why.to_string())?;
        Ok(found.and_then(|value| serde_json::from_slice(&value).ok()).unwrap_or_default())
    }
}

/// Returns whether a coordinator that lives has the run.
fn is_held(found: &Entry, run: &RunEntry) -> bool {
    !run.has_ended() && silence(found, run) <= SILENT.as_secs() as i64
}

/// Returns the entries of a bucket that can be read, by key.
async fn entries<T: DeserializeOwned>(store: &Store) -> Result<Vec<(Entry, T)>, String> {
    let keys = store.keys().await.map_err(|why| why.to_string())?;
    let mut keys: Vec<String> = keys.filter_map(|key| async { key.ok() }).collect().await;
    keys.sort();
    let found = join_all(keys.into_iter().map(|key| store.entry(key))).await;
    let read = |entry: Entry| {
        let value = serde_json::from_slice(&entry.value).ok()?;
        Some((entry, value))
    };
    Ok(found.into_iter().filter_map(|entry| read(entry.ok()??)).collect())
}
