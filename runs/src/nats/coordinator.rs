//! [`Coordinator`]: queues the tasks of a run, and reads their results.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer};
use async_nats::jetstream::kv::{Store, UpdateErrorKind};
use async_nats::jetstream::message::Message;
use futures_util::StreamExt;
use serde::Deserialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{
    ACK_WAIT, DEAD, PAUSE, RESULTS, RUNS, RunEntry, RunState, Stored, TASKS, WORKERS, WorkerEntry,
    bucket, id_of, make_streams, open, publish, runtime, task_consumer,
};
use crate::Error;
use crate::contract::{ResultLine, TaskLine, VERSION, quoted};
use crate::remote::{Arrival, Carrier};
use crate::settings::{RunInfo, TransportSettings};

/// How many tasks are queued for each slot, by default.
const AHEAD: usize = 4;

/// The time between two signs of life of a coordinator.
const BEAT: Duration = Duration::from_secs(5);

/// How long a new coordinator waits for a sign of life of another one.
const WATCH: Duration = Duration::from_secs(12);

/// The time after which the server sends a result again that was not acknowledged.
const RESULT_WAIT: Duration = Duration::from_secs(60);

/// How long the end of a run that is done waits for the server.
const DONE_WAIT: Duration = Duration::from_secs(15);

/// How long the end of a run that stopped early waits for the server.
const STOP_WAIT: Duration = Duration::from_secs(2);

/// How many results are asked for at a time.
const BATCH: usize = 256;

/// Queues tasks at a server of NATS.
pub struct Coordinator {
    commands: UnboundedSender<Command>,
    room: Arc<AtomicUsize>,
    /// Closed when the keeper has ended.
    ended: Receiver<()>,
    is_stopped: bool,
}

enum Command {
    Submit(TaskLine),
    Refuse(TaskLine, u64),
    Saved(Vec<u64>),
    Stop(bool),
}

impl Coordinator {
    /// Connects to the server, and takes the lease of the run.
    pub fn start(
        settings: &TransportSettings,
        run: RunInfo,
        arrivals: Sender<Arrival>,
    ) -> Result<Self, Error> {
        let broken = |why: String| Error::Broken(why);
        let url = settings.nats.clone();
        let url =
            url.ok_or_else(|| broken("the address of the server is missing: nats URL".to_owned()))?;
        let (commands, received) = unbounded_channel();
        let ahead = settings.ahead.map_or(AHEAD, |ahead| ahead as usize);
        let ack_wait = settings.ack_wait_ms.map_or(ACK_WAIT, Duration::from_millis);
        let room = Arc::new(AtomicUsize::new(ahead));
        let (ready, started) = channel();
        let (keeps, ended) = channel::<()>();
        let (credentials, shared) = (settings.credentials.clone(), Arc::clone(&room));
        let keep = move || {
            let _keeps = keeps;
            let runtime = match runtime() {
                Ok(runtime) => runtime,
                Err(why) => return drop(ready.send(Err(Error::Broken(why)))),
            };
            runtime.block_on(async {
                let name = format!("tengen {}", run.name);
                let opened = match open(&url, credentials.as_deref(), &name).await {
                    Ok((_, context)) => {
                        Keeper::open(context, run, arrivals, shared, ahead, ack_wait).await
                    }
                    Err(why) => Err(Error::Broken(why)),
                };
                match opened {
                    Ok(keeper) => {
                        let _ = ready.send(Ok(()));
                        keeper.run(received).await;
                    }
                    Err(why) => drop(ready.send(Err(why))),
                }
            });
        };
        let thread = thread::Builder::new().name("nats".to_owned()).spawn(keep);
        thread.map_err(|why| broken(why.to_string()))?;
        match started.recv() {
            Ok(Ok(())) => Ok(Self { commands, room, ended, is_stopped: false }),
            Ok(Err(why)) => Err(why),
            Err(_) => Err(broken("the thread of the connection has ended".to_owned())),
        }
    }

    fn send(&self, command: Command) {
        // The keeper has told why it ended.
        let _ = self.commands.send(command);
    }
}

impl Carrier for Coordinator {
    fn room(&self) -> usize {
        self.room.load(Ordering::Relaxed)
    }

    fn submit(&mut self, task: &TaskLine) {
        self.send(Command::Submit(task.clone()));
    }

    fn refuse(&mut self, task: &TaskLine, number: u64, _: bool) {
        self.send(Command::Refuse(task.clone(), number));
    }

    fn saved(&mut self, numbers: &[u64]) {
        self.send(Command::Saved(numbers.to_vec()));
    }

    fn stop(&mut self, is_done: bool) {
        if self.is_stopped {
            return;
        }
        self.is_stopped = true;
        self.send(Command::Stop(is_done));
        // A server that is away must not hold the run for ever.
        let _ = self.ended.recv_timeout(if is_done { DONE_WAIT } else { STOP_WAIT });
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.stop(false);
    }
}

/// A task that waits for its result.
struct Queued {
    line: TaskLine,
    /// How often it was queued again. It is a part of the message's id.
    round: u32,
    since: Instant,
}

/// The task that keeps the connection of a run.
struct Keeper {
    context: Context,
    run: RunInfo,
    arrivals: Sender<Arrival>,
    room: Arc<AtomicUsize>,
    ahead: usize,
    ack_wait: Duration,
    runs: Store,
    entry: RunEntry,
    revision: u64,
    results: PullConsumer,
    queued: HashMap<String, Queued>,
    /// Results that are not in the journal yet, by their numbers in the stream.
    unsaved: HashMap<u64, Message>,
    /// What was said about workers.
    said: HashSet<String>,
}

/// A task that was given up.
#[derive(Deserialize)]
struct DeadTask {
    error: String,
}

impl Keeper {
    async fn open(
        context: Context,
        run: RunInfo,
        arrivals: Sender<Arrival>,
        room: Arc<AtomicUsize>,
        ahead: usize,
        ack_wait: Duration,
    ) -> Result<Self, Error> {
        make_streams(&context).await.map_err(Error::Broken)?;
        let runs = bucket(&context, RUNS).await.map_err(Error::Broken)?;
        // Workers look for this consumer when they see the lease.
        open_tasks(&context, &run.name, ack_wait).await.map_err(Error::Broken)?;
        let (entry, revision) = take_lease(&runs, &run).await?;
        let results = open_results(&context, &run.name, run.is_new).await.map_err(Error::Broken)?;
        let (queued, unsaved, said) = (HashMap::new(), HashMap::new(), HashSet::new());
        Ok(Self {
            context,
            run,
            arrivals,
            room,
            ahead,
            ack_wait,
            runs,
            entry,
            revision,
            results,
            queued,
            unsaved,
            said,
        })
    }

    async fn run(mut self, mut commands: UnboundedReceiver<Command>) {
        // A request for results must not be dropped: its messages would be withheld for a while.
        let (found, mut messages) = unbounded_channel();
        let mut reader = tokio::spawn(read_results(self.results.clone(), found.clone()));
        let mut beat = tokio::time::interval(BEAT);
        // Lost tasks are queued again: every minute, by default.
        let mut requeue = tokio::time::interval(2 * self.ack_wait);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        requeue.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                command = commands.recv() => match command {
                    Some(Command::Submit(line)) => self.submit(line).await,
                    Some(Command::Refuse(line, number)) => self.refuse(line, number).await,
                    Some(Command::Saved(numbers)) => self.save(&numbers).await,
                    Some(Command::Stop(is_done)) => return self.stop(is_done).await,
                    None => return,
                },
                Some(message) = messages.recv() => self.take(message).await,
                _ = beat.tick() => {
                    match self.beat().await {
                        Ok(true) => {
                            // The server has lost its streams: everything is made again.
                            reader.abort();
                            reader = tokio::spawn(read_results(self.results.clone(), found.clone()));
                        }
                        Ok(false) => {}
                        Err(why) => {
                            let _ = self.arrivals.send(Arrival::Broken(why));
                            return pending().await;
                        }
                    }
                }
                _ = requeue.tick() => self.requeue(requeue.period()).await,
            }
        }
    }

    /// Queues a task, until the server has it.
    async fn submit(&mut self, line: TaskLine) {
        self.publish(&line, 0).await;
        let queued = Queued { round: 0, since: Instant::now(), line };
        self.queued.insert(queued.line.id.clone(), queued);
    }

    async fn publish(&mut self, line: &TaskLine, round: u32) -> Stored {
        let run = &self.run.name;
        let subject = format!("tengen.task.{run}.{}", line.id);
        let again = if round == 0 { String::new() } else { format!("/{round}") };
        let message_id = format!("{run}/{}/{}{again}", line.id, self.entry.epoch);
        let mut failures = 0;
        loop {
            match publish(&self.context, &subject, &message_id, line.text()).await {
                Ok(stored) => return stored,
                Err(why) => {
                    failures += 1;
                    if failures == 1 {
                        let note = format!("nats: task {} is not queued yet: {why}", line.id);
                        let _ = self.arrivals.send(Arrival::Note(note));
                    }
                    tokio::time::sleep(PAUSE).await;
                    // A server that has lost its streams gets them again.
                    let _ = make_streams(&self.context).await;
                }
            }
        }
    }

    /// Removes a result that does not count, and queues its task again.
    async fn refuse(&mut self, line: TaskLine, number: u64) {
        if let Some(message) = self.unsaved.remove(&number) {
            let _ = message.ack().await;
        }
        if let Ok(stream) = self.context.get_stream_no_info(RESULTS).await {
            let _ = stream.delete_message(number).await;
        }
        let round = self.queued.get(&line.id).map_or(1, |queued| queued.round + 1);
        self.publish(&line, round).await;
        self.queued.insert(line.id.clone(), Queued { round, since: Instant::now(), line });
    }

    /// Acknowledges results that are in the journal.
    async fn save(&mut self, numbers: &[u64]) {
        for number in numbers {
            if let Some(message) = self.unsaved.remove(number) {
                self.queued.remove(id_of(&message.subject));
                // A lost acknowledgement costs one more delivery, which is acknowledged again.
                let _ = message.ack().await;
            }
        }
    }

    /// Takes a message of the stream of results.
    async fn take(&mut self, message: Message) {
        let Ok(number) = message.info().map(|info| info.stream_sequence) else { return };
        // The server sends what is not acknowledged again.
        if let Some(known) = self.unsaved.get_mut(&number) {
            *known = message;
            return;
        }
        let id = id_of(&message.subject).to_owned();
        let read = serde_json::from_slice::<ResultLine>(&message.payload);
        match read {
            Ok(result) if result.id.as_deref() == Some(id.as_str()) => {
                let bench = result.worker.as_ref().and_then(|worker| worker.bench);
                self.entry.bench = self.entry.bench.or(bench);
                self.unsaved.insert(number, message);
                let _ = self.arrivals.send(Arrival::Result(Box::new(result), number));
            }
            _ => {
                let note = format!("nats: a message of task {id} is no result, and is removed");
                let _ = self.arrivals.send(Arrival::Note(note));
                self.unsaved.insert(number, message);
                if let Some(queued) = self.queued.get(&id) {
                    let line = queued.line.clone();
                    self.refuse(line, number).await;
                }
            }
        }
    }

    /// Keeps the lease, reads which workers are there, and which tasks were given up. Returns whether
    /// the streams were made again. The error says that another coordinator has the run.
    async fn beat(&mut self) -> Result<bool, String> {
        self.entry.beat += 1;
        let value = serde_json::to_vec(&self.entry).unwrap_or_default();
        match self.runs.update(&self.run.name, value.into(), self.revision).await {
            Ok(revision) => self.revision = revision,
            Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {
                return self.find_lease().await;
            }
            Err(_) => {
                // The server is away, or has lost its streams.
                if self.context.get_stream(RESULTS).await.is_err() {
                    return Ok(self.make_again().await);
                }
            }
        }
        self.read_workers().await;
        self.read_dead().await;
        Ok(false)
    }

    /// Looks why the lease has another revision: a lost answer to an own change, or another holder.
    async fn find_lease(&mut self) -> Result<bool, String> {
        let Ok(found) = self.runs.entry(&self.run.name).await else { return Ok(false) };
        let Some(found) = found else { return Ok(self.make_again().await) };
        let read = serde_json::from_slice::<RunEntry>(&found.value).ok();
        match read {
            Some(entry) if entry.holder != self.entry.holder => Err(format!(
                "{} has taken over the run {}: this coordinator stops",
                quoted(&entry.holder),
                self.run.name
            )),
            _ => {
                self.revision = found.revision;
                Ok(false)
            }
        }
    }

    /// Makes streams, the lease and the queue again. Returns whether that succeeded.
    async fn make_again(&mut self) -> bool {
        if make_streams(&self.context).await.is_err() {
            return false;
        }
        let Ok(runs) = bucket(&self.context, RUNS).await else { return false };
        let value = serde_json::to_vec(&self.entry).unwrap_or_default();
        let Ok(revision) = runs.put(&self.run.name, value.into()).await else { return false };
        if open_tasks(&self.context, &self.run.name, self.ack_wait).await.is_err() {
            return false;
        }
        let Ok(results) = open_results(&self.context, &self.run.name, true).await else {
            return false;
        };
        (self.runs, self.revision, self.results) = (runs, revision, results);
        self.unsaved.clear();
        let note = "nats: the server has lost its streams: they are made again".to_owned();
        let _ = self.arrivals.send(Arrival::Note(note));
        self.requeue(Duration::ZERO).await;
        true
    }

    /// Queues the tasks again that have waited for `age` and are neither in the stream nor done.
    async fn requeue(&mut self, age: Duration) {
        let old = |queued: &&mut Queued| queued.since.elapsed() >= age;
        let lines: Vec<(TaskLine, u32)> = self
            .queued
            .values_mut()
            .filter(old)
            .map(|queued| {
                queued.round += 1;
                queued.since = Instant::now();
                (queued.line.clone(), queued.round)
            })
            .collect();
        for (line, round) in lines {
            self.publish(&line, round).await;
        }
    }

    /// Counts the slots of the workers that take tasks of this run.
    async fn read_workers(&mut self) {
        let Ok(workers) = bucket(&self.context, WORKERS).await else { return };
        let Ok(mut keys) = workers.keys().await else { return };
        let mut slots = 0;
        while let Some(Ok(key)) = keys.next().await {
            let Ok(Some(value)) = workers.get(&key).await else { continue };
            let Ok(worker) = serde_json::from_slice::<WorkerEntry>(&value) else { continue };
            match worker.refuses.get(&self.run.name) {
                None => slots += worker.slots,
                Some(why) => {
                    let note =
                        format!("nats: worker {key} takes no task of this run: {}", quoted(why));
                    if self.said.insert(note.clone()) {
                        let _ = self.arrivals.send(Arrival::Note(note));
                    }
                }
            }
        }
        self.room.store(self.ahead * slots.max(1), Ordering::Relaxed);
    }

    /// Reads which tasks were given up.
    async fn read_dead(&mut self) {
        let Ok(stream) = self.context.get_stream_no_info(DEAD).await else { return };
        let config = PullConfig {
            durable_name: Some(format!("d-{}", self.run.name)),
            filter_subject: format!("tengen.dead.{}.>", self.run.name),
            ack_policy: AckPolicy::Explicit,
            ..PullConfig::default()
        };
        let Ok(consumer) =
            stream.get_or_create_consumer(&format!("d-{}", self.run.name), config).await
        else {
            return;
        };
        let Ok(mut messages) = consumer.fetch().max_messages(BATCH).messages().await else {
            return;
        };
        while let Some(Ok(message)) = messages.next().await {
            let id = id_of(&message.subject).to_owned();
            let dead = serde_json::from_slice::<DeadTask>(&message.payload);
            if self.queued.remove(&id).is_some() {
                let why = dead.map_or_else(|why| why.to_string(), |dead| dead.error);
                let _ = self.arrivals.send(Arrival::Failed(id, why));
            }
            let _ = message.ack().await;
        }
    }

    /// Ends the run at the server. The workers of a run that is done drop its tasks.
    async fn stop(&mut self, is_done: bool) {
        if !is_done {
            // The workers go on until the queue is empty.
            return;
        }
        for state in [RunState::Stopping, RunState::Done] {
            self.entry.state = state;
            let value = serde_json::to_vec(&self.entry).unwrap_or_default();
            if let Ok(revision) =
                self.runs.update(&self.run.name, value.into(), self.revision).await
            {
                self.revision = revision;
            }
            if state == RunState::Stopping
                && let Ok(tasks) = self.context.get_stream_no_info(TASKS).await
            {
                let _ = tasks.purge().filter(format!("tengen.task.{}.>", self.run.name)).await;
                let _ = tasks.delete_consumer(&format!("w-{}", self.run.name)).await;
            }
        }
    }
}

/// Reads results for ever.
async fn read_results(consumer: PullConsumer, found: UnboundedSender<Message>) {
    loop {
        let batch = consumer.batch().max_messages(BATCH).expires(Duration::from_secs(5));
        match batch.messages().await {
            Ok(mut messages) => {
                while let Some(message) = messages.next().await {
                    let Ok(message) = message else { break };
                    if found.send(message).is_err() {
                        return;
                    }
                }
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// Makes the consumer of the tasks of a run.
async fn open_tasks(context: &Context, run: &str, ack_wait: Duration) -> Result<(), String> {
    let why = |why: &dyn std::fmt::Display| {
        format!("consumer of run {run}: {why}: does this user have the rights of a coordinator?")
    };
    let tasks = context.get_stream_no_info(TASKS).await.map_err(|error| why(&error))?;
    tasks.create_consumer(task_consumer(run, ack_wait)).await.map_err(|error| why(&error))?;
    Ok(())
}

/// Makes the consumer of the results of a run. If the journal is empty, or the stream was made again, all
/// results are read; else those after the last one that was acknowledged with all before it.
async fn open_results(context: &Context, run: &str, is_new: bool) -> Result<PullConsumer, String> {
    let why = |why: &dyn std::fmt::Display| format!("consumer of run {run}: {why}");
    let results = context.get_stream_no_info(RESULTS).await.map_err(|error| why(&error))?;
    let name = format!("c-{run}");
    let floor = results.consumer_info(&name).await.ok().map(|info| info.ack_floor.stream_sequence);
    if floor.is_some() {
        results.delete_consumer(&name).await.map_err(|error| why(&error))?;
    }
    let deliver_policy = match floor.filter(|_| !is_new) {
        Some(floor) => DeliverPolicy::ByStartSequence { start_sequence: floor + 1 },
        None => DeliverPolicy::All,
    };
    let config = PullConfig {
        durable_name: Some(name),
        filter_subject: format!("tengen.result.{run}.>"),
        deliver_policy,
        ack_policy: AckPolicy::Explicit,
        ack_wait: RESULT_WAIT,
        max_ack_pending: -1,
        ..PullConfig::default()
    };
    results.create_consumer(config).await.map_err(|error| why(&error))
}

/// Takes the lease of a run. Another coordinator that shows signs of life keeps it.
async fn take_lease(runs: &Store, run: &RunInfo) -> Result<(RunEntry, u64), Error> {
    let why =
        |why: &dyn std::fmt::Display| Error::Broken(format!("lease of run {}: {why}", run.name));
    let mut entry = RunEntry {
        state: RunState::Running,
        task_version: VERSION,
        version: run.version.to_owned(),
        bench: None,
        engines: run.engines.clone(),
        holder: run.holder.clone(),
        epoch: 1,
        beat: 0,
    };
    let Some(mut known) = runs.entry(&run.name).await.map_err(|error| why(&error))? else {
        let value = serde_json::to_vec(&entry).unwrap_or_default();
        let revision = runs.create(&run.name, value.into()).await.map_err(|error| why(&error))?;
        return Ok((entry, revision));
    };
    let read = |value: &[u8]| serde_json::from_slice::<RunEntry>(value).ok();
    // The lock of the journal shows that an earlier coordinator of this folder has ended.
    let is_of_other =
        |entry: &RunEntry| entry.state == RunState::Running && entry.holder != run.holder;
    if read(&known.value).is_some_and(|entry| is_of_other(&entry)) {
        tokio::time::sleep(WATCH).await;
        let found = runs.entry(&run.name).await.map_err(|error| why(&error))?;
        if let Some(found) = found {
            if found.revision != known.revision
                && read(&found.value).is_some_and(|entry| is_of_other(&entry))
            {
                let holder = read(&found.value).map(|entry| entry.holder).unwrap_or_default();
                return Err(Error::OtherRun(format!(
                    "run {}: another coordinator works, {}",
                    run.name,
                    quoted(&holder)
                )));
            }
            known = found;
        }
    }
    if let Some(before) = read(&known.value) {
        entry.epoch = before.epoch + 1;
        entry.bench = before.bench;
    }
    let value = serde_json::to_vec(&entry).unwrap_or_default();
    let revision = runs.update(&run.name, value.into(), known.revision).await;
    Ok((entry, revision.map_err(|error| why(&error))?))
}

/// By run: why a worker takes none of its tasks.
pub(super) type Refusals = BTreeMap<String, String>;
