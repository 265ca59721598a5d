//! [`Desk`]: what a worker tells the server, and hears from it, beside its tasks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::kv::Watch;
use async_nats::jetstream::message::Message;
use async_nats::jetstream::{AckKind, Context};
use futures_util::StreamExt;
use parking_lot::Mutex;

use super::keeper::Refusals;
use super::{
    Access, DRAINED, EXCHANGE, Note, RUNS, RunEntry, RunState, SILENT, TASKS, WORKERS, WorkerEntry,
    bucket,
};
use crate::task::TaskSignal;

/// The time between two heartbeats of a worker.
const ALIVE: Duration = Duration::from_secs(20);

/// The pause between two looks of an idle worker.
pub(super) const IDLE: Duration = Duration::from_millis(100);

/// Who works, and where.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// The address of the server.
    pub url: String,
    /// Who the worker is there.
    pub access: Access,
    /// The name of the worker, unique at the server.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// The number of nodes of its bench.
    pub bench: Option<u64>,
    /// The SHA-256 of each engine that it may start, in hexadecimal.
    pub engines: Vec<String>,
}

/// A run whose tasks the worker takes.
pub(super) struct OpenRun {
    pub(super) name: String,
    pub(super) consumer: PullConsumer,
    /// The last heartbeat of its coordinator.
    pub(super) alive: Instant,
    /// When tasks are looked for again, if there was none.
    pub(super) next_look: Instant,
    /// The interval at which each task is shown, in seconds; 0 if it is not.
    pub(super) view_secs: u64,
    pub(super) share: u32,
    /// The tasks of the run that were taken, divided by its share. The run with the smallest number is next.
    pub(super) turn: f64,
}

/// A task that a slot does.
pub(super) struct Held {
    pub(super) run: String,
    pub(super) signal: Arc<TaskSignal>,
    pub(super) message: Message,
}

/// The runs as the worker sees them, and the tasks that it holds.
#[derive(Default)]
pub(super) struct Runs {
    pub(super) open: Vec<OpenRun>,
    pub(super) refused: Refusals,
    pub(super) held: Vec<Held>,
    /// Whether the worker takes no more tasks.
    pub(super) is_drained: bool,
}

impl Runs {
    /// Returns the runs in which tasks are looked for now, in the order of their turns.
    pub(super) fn due(&self) -> Vec<(String, PullConsumer)> {
        let now = Instant::now();
        let mut due: Vec<&OpenRun> = self.open.iter().filter(|run| run.next_look <= now).collect();
        due.sort_by(|one, other| one.turn.total_cmp(&other.turn));
        due.iter().map(|run| (run.name.clone(), run.consumer.clone())).collect()
    }

    /// Counts a task of a run. A run that had none for a while does not get all turns afterwards.
    pub(super) fn count(&mut self, name: &str) {
        let Some(run) = self.open.iter_mut().find(|run| run.name == name) else { return };
        run.turn += f64::from(run.share.max(1)).recip();
        let least = run.turn - 1.0;
        self.open.iter_mut().for_each(|run| run.turn = run.turn.max(least));
    }

    /// Takes no more tasks of a run.
    fn close(&mut self, name: &str) {
        self.open.retain(|run| run.name != name);
    }
}

pub(super) type SharedRuns = Arc<Mutex<Runs>>;

/// What a worker tells the server, and hears from it, beside its tasks.
pub(super) struct Desk {
    pub(super) context: Context,
    pub(super) settings: WorkerSettings,
    pub(super) runs: SharedRuns,
    pub(super) note: Note,
}

/// Watches the runs at the server.
pub(super) async fn watch_runs(desk: Arc<Desk>) {
    let mut is_told = false;
    loop {
        match watch(&desk.context).await {
            Ok(mut watch) => {
                is_told = false;
                let made = made_at(&desk.context).await;
                loop {
                    let entry = tokio::select! {
                        entry = watch.next() => entry,
                        () = tokio::time::sleep(ALIVE) => {
                            // A server that has lost its streams numbers the changes of the new one anew: this
                            // watch would wait for the old numbers for ever.
                            if made_at(&desk.context).await == made { continue } else { break }
                        }
                    };
                    let Some(Ok(entry)) = entry else { break };
                    if entry.key == DRAINED {
                        desk.see_drained(&entry.value);
                        continue;
                    }
                    match serde_json::from_slice::<RunEntry>(&entry.value) {
                        Ok(found) => desk.see_run(&entry.key, &found).await,
                        Err(_) => desk.runs.lock().close(&entry.key),
                    }
                }
            }
            Err(why) => {
                if !std::mem::replace(&mut is_told, true) {
                    (desk.note)(&format!("no task can be taken yet: {why}"));
                }
            }
        }
        tokio::time::sleep(IDLE).await;
    }
}

/// Returns when the bucket of runs was made; `None` if the server does not tell it.
async fn made_at(context: &Context) -> Option<i128> {
    let stream = context.get_stream(format!("KV_{RUNS}")).await.ok()?;
    Some(stream.cached_info().created.unix_timestamp_nanos())
}

/// Returns all changes of runs from now on, and the runs that are there.
async fn watch(context: &Context) -> Result<Watch, String> {
    let store = bucket(context, RUNS).await?;
    let watch = store.watch_with_history(">").await;
    watch.map_err(|why| format!("{why}: does this user have the rights of a worker?"))
}

impl Desk {
    /// Handles a change of the list of workers that take no more tasks. Runs open again at their next sign
    /// of life.
    fn see_drained(&self, names: &[u8]) {
        let names: Vec<String> = serde_json::from_slice(names).unwrap_or_default();
        let is_drained = names.contains(&self.settings.name);
        let mut runs = self.runs.lock();
        if std::mem::replace(&mut runs.is_drained, is_drained) != is_drained {
            runs.open.clear();
            drop(runs);
            (self.note)(if is_drained {
                "drained: no task is taken"
            } else {
                "tasks are taken again"
            });
        }
    }

    /// Handles a change of a run.
    async fn see_run(&self, name: &str, entry: &RunEntry) {
        let Self { context, settings, runs, note } = self;
        if entry.state != RunState::Running {
            let mut runs = runs.lock();
            runs.close(name);
            runs.refused.remove(name);
            // In a pause the tasks in hand are ended.
            if entry.state != RunState::Paused {
                let held = runs.held.iter().filter(|held| held.run == name);
                held.for_each(|held| held.signal.cancel());
            }
            return;
        }
        let is_drained = runs.lock().is_drained;
        let why = if is_drained { Err("it is drained".to_owned()) } else { suits(settings, entry) };
        if let Err(why) = why {
            let mut runs = runs.lock();
            runs.close(name);
            if runs.refused.insert(name.to_owned(), why.clone()).is_none() {
                note(&format!("run {name}: no task is taken: {why}"));
            }
            return;
        }
        runs.lock().refused.remove(name);
        if let Some(run) = runs.lock().open.iter_mut().find(|run| run.name == name)
            && entry.beat > 0
        {
            // An operator who changes the run is no sign of life of its coordinator.
            if entry.alive.is_none() {
                let now = Instant::now();
                if run.alive.elapsed() > SILENT {
                    run.next_look = now;
                }
                run.alive = now;
            }
            (run.view_secs, run.share) = (entry.view_secs, entry.share);
            return;
        }
        let Ok(stream) = context.get_stream_no_info(TASKS).await else { return };
        let Ok(consumer) = stream.get_consumer(&format!("w-{name}")).await else { return };
        let mut runs = runs.lock();
        runs.close(name);
        let now = Instant::now();
        let (name, alive, next_look) = (name.to_owned(), now, now);
        let (view_secs, share) = (entry.view_secs, entry.share);
        let turn = runs.open.iter().map(|run| run.turn).reduce(f64::min).unwrap_or_default();
        runs.open.push(OpenRun { name, consumer, alive, next_look, view_secs, share, turn });
    }
}

/// Checks that the worker suits a run. The error says why not.
fn suits(settings: &WorkerSettings, entry: &RunEntry) -> Result<(), String> {
    if entry.task_version != EXCHANGE {
        return Err(format!("its tasks are of version {}, not {EXCHANGE}", entry.task_version));
    }
    let remedy = "repair it, and start it under another --name";
    if entry.purged.contains(&settings.name) {
        return Err(format!("the results of this worker were purged from the run: {remedy}"));
    }
    if entry.excluded.contains(&settings.name) {
        return Err(format!("this worker is excluded, because its results did not fit: {remedy}"));
    }
    if entry.version != settings.version {
        return Err(format!("it wants version {}, this is {}", entry.version, settings.version));
    }
    if let (Some(wanted), Some(own)) = (entry.bench, settings.bench)
        && wanted != own
    {
        return Err(format!("it wants a bench of {wanted} nodes, this has {own}"));
    }
    match entry.engines.iter().find(|engine| !settings.engines.contains(engine)) {
        Some(engine) => Err(format!(
            "the run needs engine {engine}: list it in the file of --config of this worker, by its program or its id"
        )),
        None => Ok(()),
    }
}

/// Tells the server that the worker is there.
pub(super) async fn show_life(desk: Arc<Desk>, slots: usize) {
    let Desk { context, settings, runs, note } = &*desk;
    let mut is_told = false;
    let mut last: Option<(std::time::Instant, BTreeMap<String, String>)> = None;
    loop {
        let refuses = runs.lock().refused.clone();
        let is_due =
            last.as_ref().is_none_or(|(at, said)| at.elapsed() >= ALIVE || *said != refuses);
        if is_due && let Ok(store) = bucket(context, WORKERS).await {
            let entry = WorkerEntry {
                slots,
                version: settings.version.clone(),
                bench: settings.bench,
                refuses: refuses.clone(),
            };
            let value = serde_json::to_vec(&entry).unwrap_or_default();
            match store.put(&settings.name, value.into()).await {
                Ok(_) => last = Some((std::time::Instant::now(), refuses)),
                Err(why) if !std::mem::replace(&mut is_told, true) => note(&format!(
                    "the server does not take heartbeats of {}: {why}: may this user work under this --name?",
                    settings.name
                )),
                Err(_) => {}
            }
        }
        tokio::time::sleep(5 * IDLE).await;
    }
}

/// Gives the tasks in hand back, so that other workers get them at once, and leaves the list of workers.
pub(super) async fn leave(desk: &Desk) -> Result<(), String> {
    let held: Vec<Held> = desk.runs.lock().held.drain(..).collect();
    for Held { message, .. } in held {
        let _ = message.ack_with(AckKind::Nak(None)).await;
    }
    if let Ok(store) = bucket(&desk.context, WORKERS).await {
        let _ = store.delete(&desk.settings.name).await;
    }
    let _ = desk.context.client().flush().await;
    Ok(())
}
