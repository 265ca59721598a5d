//! [`Keeper`]: keeps the connection of a run: queues its tasks, reads their results, shows that the
//! coordinator lives.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Display;
use std::future::pending;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer};
use async_nats::jetstream::context::PublishError;
use async_nats::jetstream::kv::{Store, UpdateError, UpdateErrorKind};
use async_nats::jetstream::message::Message;
use async_nats::jetstream::stream::DeleteMessageErrorKind;
use futures_util::StreamExt;
use futures_util::future::join_all;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{
    DEAD, DeadTask, EXCHANGE, PAUSE, RESULTS, RUNS, RunEntry, RunState, Stored, TASKS, WORKERS,
    WorkerEntry, bucket, first_message, id_of, make_streams, publish, task_consumer,
};
use crate::Error;
use crate::contract::{ResultLine, TaskError, TaskLine, quoted};
use crate::remote::Arrival;
use crate::settings::RunInfo;

/// The time between two signs of life of a coordinator.
const BEAT: Duration = Duration::from_secs(5);

/// How long a new coordinator waits for a sign of life of another one.
const WATCH: Duration = Duration::from_secs(12);

/// The time after which the server sends a result again that was not acknowledged.
const RESULT_WAIT: Duration = Duration::from_secs(60);

/// How many messages are asked for, or published, at a time.
const BATCH: usize = 256;

/// What the run asks of its keeper.
pub(super) enum Command {
    /// Queues a task.
    Submit(TaskLine),
    /// Removes the result with this number, and queues its task again.
    Refuse(TaskLine, u64),
    /// Acknowledges the results with these numbers, which are in the journal.
    Saved(Vec<u64>),
    /// Ends. Says whether the run has reached its aim.
    Stop(bool),
}

/// A task that waits for its result.
struct Queued {
    line: TaskLine,
    /// How often it was queued again. It is a part of the message's id.
    round: u32,
    since: Instant,
}

/// Keeps the connection of a run.
pub(super) struct Keeper {
    context: Context,
    run: RunInfo,
    arrivals: Sender<Arrival>,
    room: Arc<AtomicUsize>,
    ahead: usize,
    ack_wait: Duration,
    lease: Lease,
    results: PullConsumer,
    state: State,
}

/// The lease of a run: its entry in the bucket of runs.
struct Lease {
    runs: Store,
    entry: RunEntry,
    revision: u64,
}

/// What a keeper knows of its tasks.
#[derive(Default)]
struct State {
    queued: HashMap<String, Queued>,
    /// Results that are not in the journal yet, by their numbers in the stream.
    unsaved: HashMap<u64, Message>,
    /// What was said about workers.
    said: HashSet<String>,
}

impl Keeper {
    /// Takes the lease of a run, and opens its streams.
    pub(super) async fn open(
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
        let lease = Lease::take(runs, &run).await?;
        let results = open_results(&context, &run.name).await.map_err(Error::Broken)?;
        let state = State::default();
        Ok(Self { context, run, arrivals, room, ahead, ack_wait, lease, results, state })
    }

    /// Sends what has arrived to the run, which may have ended.
    fn tell(&self, arrival: Arrival) {
        let _ = self.arrivals.send(arrival);
    }

    fn note(&self, text: String) {
        self.tell(Arrival::Note(format!("nats: {text}")));
    }

    /// Keeps the connection until the run has ended.
    pub(super) async fn run(mut self, mut commands: UnboundedReceiver<Command>) {
        // A request for results must not be dropped: its messages would be withheld for a while.
        let (found, mut messages) = unbounded_channel();
        let mut reader = tokio::spawn(read_results(self.results.clone(), found.clone()));
        let mut batch = Vec::new();
        let mut beat = tokio::time::interval(BEAT);
        // Lost tasks are queued again: every minute, by default.
        let mut requeue = tokio::time::interval(2 * self.ack_wait);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        requeue.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                count = commands.recv_many(&mut batch, BATCH) => {
                    if count == 0 || self.follow(batch.drain(..)).await.is_break() {
                        return;
                    }
                }
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
                            self.tell(Arrival::Broken(why));
                            return pending().await;
                        }
                    }
                }
                _ = requeue.tick() => self.requeue(requeue.period()).await,
            }
        }
    }

    /// Follows commands. Breaks off when the run has ended.
    async fn follow(&mut self, commands: impl Iterator<Item = Command>) -> ControlFlow<()> {
        let (mut lines, mut saved, mut ends) = (Vec::new(), Vec::new(), None);
        for command in commands {
            match command {
                Command::Submit(line) => lines.push((line, 0)),
                Command::Refuse(line, number) => lines.push(self.withdraw(line, number).await),
                Command::Saved(numbers) => saved.extend(numbers),
                Command::Stop(is_done) => ends = Some(is_done),
            }
        }
        if ends.is_none() {
            self.queue(lines).await;
        }
        // After `queue`: a saved result takes its task out of those that are queued again.
        self.save(&saved).await;
        let Some(is_done) = ends else { return ControlFlow::Continue(()) };
        self.stop(is_done).await;
        ControlFlow::Break(())
    }

    /// Queues tasks, each with the number of earlier times, until the server has them.
    async fn queue(&mut self, mut lines: Vec<(TaskLine, u32)>) {
        let mut is_told = false;
        loop {
            // They are sent together: a round trip for each would be slow.
            let published = join_all(lines.iter().map(|(line, round)| self.publish(line, *round)));
            let mut left = Vec::new();
            let mut why = None;
            for (result, (line, round)) in published.await.into_iter().zip(lines) {
                match result {
                    Ok(_) => {
                        let queued = Queued { round, since: Instant::now(), line };
                        self.state.queued.insert(queued.line.id.clone(), queued);
                    }
                    Err(error) => {
                        left.push((line, round));
                        why = Some(error);
                    }
                }
            }
            let Some(why) = why else { return };
            if !is_told {
                is_told = true;
                let (count, id) = (left.len(), &left[0].0.id);
                self.note(format!("{count} tasks are not queued yet, first {id}: {why}"));
            }
            tokio::time::sleep(PAUSE).await;
            // A server that has lost its streams gets them again.
            let _ = make_streams(&self.context).await;
            lines = left;
        }
    }

    /// Publishes a task once. The error is one that can pass.
    async fn publish(&self, line: &TaskLine, round: u32) -> Result<Stored, PublishError> {
        let run = &self.run.name;
        let subject = format!("tengen.task.{run}.{}", line.id);
        let again = if round == 0 { String::new() } else { format!("/{round}") };
        let message_id = format!("{run}/{}/{}{again}", line.id, self.lease.entry.epoch);
        publish(&self.context, &subject, first_message(&message_id, line.text())).await
    }

    /// Removes a result that does not count. Returns its task, and how often that was queued.
    async fn withdraw(&mut self, line: TaskLine, number: u64) -> (TaskLine, u32) {
        // As long as this result is there, the server refuses a better one.
        while let Ok(stream) = self.context.get_stream_no_info(RESULTS).await
            && let Err(why) = stream.delete_message(number).await
            && !matches!(why.kind(), DeleteMessageErrorKind::JetStream(_))
        {
            tokio::time::sleep(PAUSE).await;
        }
        if let Some(message) = self.state.unsaved.remove(&number) {
            let _ = message.ack().await;
        }
        let round = self.state.queued.get(&line.id).map_or(1, |queued| queued.round + 1);
        (line, round)
    }

    /// Acknowledges results that are in the journal.
    async fn save(&mut self, numbers: &[u64]) {
        for number in numbers {
            if let Some(message) = self.state.unsaved.remove(number) {
                self.state.queued.remove(id_of(&message.subject));
                // A lost acknowledgement costs one more delivery, which is acknowledged again.
                let _ = message.ack().await;
            }
        }
    }

    /// Takes a message of the stream of results.
    async fn take(&mut self, message: Message) {
        let Ok(number) = message.info().map(|info| info.stream_sequence) else { return };
        // The server sends what is not acknowledged again.
        if let Some(known) = self.state.unsaved.get_mut(&number) {
            *known = message;
            return;
        }
        let id = id_of(&message.subject).to_owned();
        let read = serde_json::from_slice::<ResultLine>(&message.payload);
        match read {
            Ok(result) if result.id.as_deref() == Some(id.as_str()) => {
                let bench = result.worker.as_ref().and_then(|worker| worker.bench);
                self.lease.entry.bench = self.lease.entry.bench.or(bench);
                self.state.unsaved.insert(number, message);
                self.tell(Arrival::Result(Box::new(result), number));
            }
            _ => {
                self.note(format!("a message of task {id} is no result, and is removed"));
                self.state.unsaved.insert(number, message);
                if let Some(queued) = self.state.queued.get(&id) {
                    let line = queued.line.clone();
                    let again = self.withdraw(line, number).await;
                    self.queue(vec![again]).await;
                }
            }
        }
    }

    /// Keeps the lease, reads which workers are there, and which tasks were given up. Returns whether
    /// the streams were made again. The error says that another coordinator has the run.
    async fn beat(&mut self) -> Result<bool, String> {
        self.lease.entry.beat += 1;
        match self.lease.update(&self.run.name).await {
            Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {
                return self.find_lease().await;
            }
            // The server is away, or has lost its streams.
            Err(_) if self.context.get_stream(RESULTS).await.is_err() => {
                return Ok(self.make_again().await);
            }
            _ => {}
        }
        self.read_workers().await;
        self.read_dead().await;
        Ok(false)
    }

    /// Looks why the lease has another revision: a lost answer to an own change, or another holder.
    async fn find_lease(&mut self) -> Result<bool, String> {
        let lease = &mut self.lease;
        let Ok(found) = lease.runs.entry(&self.run.name).await else { return Ok(false) };
        let Some(found) = found else { return Ok(self.make_again().await) };
        let read = serde_json::from_slice::<RunEntry>(&found.value).ok();
        if let Some(entry) = read
            && (&entry.holder, entry.epoch) != (&lease.entry.holder, lease.entry.epoch)
        {
            return Err(format!(
                "{} has taken over the run {}: this coordinator stops",
                quoted(&entry.holder),
                self.run.name
            ));
        }
        lease.revision = found.revision;
        Ok(false)
    }

    /// Makes streams, the lease and the queue again. Returns whether that succeeded.
    async fn make_again(&mut self) -> bool {
        let is_made = self.try_make_again().await.is_ok();
        if is_made {
            self.state.unsaved.clear();
            self.note("the server has lost its streams: they are made again".to_owned());
            self.requeue(Duration::ZERO).await;
        }
        is_made
    }

    async fn try_make_again(&mut self) -> Result<(), String> {
        let name = &self.run.name;
        make_streams(&self.context).await?;
        let runs = bucket(&self.context, RUNS).await?;
        let put = runs.put(name, self.lease.entry.json().into()).await;
        let revision = put.map_err(|why| why.to_string())?;
        open_tasks(&self.context, name, self.ack_wait).await?;
        self.results = open_results(&self.context, name).await?;
        (self.lease.runs, self.lease.revision) = (runs, revision);
        Ok(())
    }

    /// Queues the tasks again that have waited for `age` and are neither in the stream nor done.
    async fn requeue(&mut self, age: Duration) {
        let old = |queued: &&Queued| queued.since.elapsed() >= age;
        let lines: Vec<(TaskLine, u32)> = self
            .state
            .queued
            .values()
            .filter(old)
            .map(|queued| (queued.line.clone(), queued.round + 1))
            .collect();
        self.queue(lines).await;
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
                    let text = format!("worker {key} takes no task of this run: {}", quoted(why));
                    if self.state.said.insert(text.clone()) {
                        self.note(text);
                    }
                }
            }
        }
        self.room.store(self.ahead * slots.max(1), Ordering::Relaxed);
    }

    /// Reads which tasks were given up, and which could not be done in one try.
    async fn read_dead(&mut self) {
        let Ok(stream) = self.context.get_stream_no_info(DEAD).await else { return };
        let name = format!("d-{}", self.run.name);
        let config = PullConfig {
            durable_name: Some(name.clone()),
            filter_subject: format!("tengen.dead.{}.>", self.run.name),
            // Failures of an earlier run do not count.
            deliver_policy: DeliverPolicy::New,
            ack_policy: AckPolicy::Explicit,
            ..PullConfig::default()
        };
        let Ok(consumer) = stream.get_or_create_consumer(&name, config).await else { return };
        let found = consumer.fetch().max_messages(BATCH).messages().await;
        let Ok(mut messages) = found else { return };
        while let Some(Ok(message)) = messages.next().await {
            let id = id_of(&message.subject).to_owned();
            let (why, retry, refusal) = match serde_json::from_slice::<DeadTask>(&message.payload) {
                Ok(dead) => (dead.error, dead.retry, dead.refusal),
                Err(why) => (why.to_string(), true, None),
            };
            if let Some((task, code)) = refusal {
                let is_own = |queued: &Queued| queued.line.digest() == task;
                if self.state.queued.get(&id).is_some_and(is_own) {
                    self.state.queued.remove(&id);
                    self.tell(Arrival::Refused(id, task, TaskError::new(&code, None, why)));
                }
            } else if retry {
                // Many tasks can have one error.
                if self.state.said.insert(why.clone()) {
                    self.note(format!("task {id} is tried again: {}", quoted(&why)));
                }
            } else if self.state.queued.remove(&id).is_some() {
                self.tell(Arrival::Failed(id, why));
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
            self.lease.entry.state = state;
            let _ = self.lease.update(&self.run.name).await;
            if state == RunState::Stopping
                && let Ok(tasks) = self.context.get_stream_no_info(TASKS).await
            {
                let _ = tasks.purge().filter(format!("tengen.task.{}.>", self.run.name)).await;
            }
        }
        for (stream, letter) in [(TASKS, 'w'), (RESULTS, 'c'), (DEAD, 'd')] {
            if let Ok(stream) = self.context.get_stream_no_info(stream).await {
                let _ = stream.delete_consumer(&format!("{letter}-{}", self.run.name)).await;
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
    let why = |why: &dyn Display| {
        format!("consumer of run {run}: {why}: does this user have the rights of a coordinator?")
    };
    let tasks = context.get_stream_no_info(TASKS).await.map_err(|error| why(&error))?;
    tasks.create_consumer(task_consumer(run, ack_wait)).await.map_err(|error| why(&error))?;
    Ok(())
}

/// Makes the consumer of the results of a run. All of them are read: those that the journal holds are
/// acknowledged at once, and those that a damaged disk took from the journal come back.
async fn open_results(context: &Context, run: &str) -> Result<PullConsumer, String> {
    let why = |why: &dyn Display| format!("consumer of run {run}: {why}");
    let results = context.get_stream_no_info(RESULTS).await.map_err(|error| why(&error))?;
    let name = format!("c-{run}");
    if results.consumer_info(&name).await.is_ok() {
        results.delete_consumer(&name).await.map_err(|error| why(&error))?;
    }
    let config = PullConfig {
        durable_name: Some(name),
        filter_subject: format!("tengen.result.{run}.>"),
        ack_policy: AckPolicy::Explicit,
        ack_wait: RESULT_WAIT,
        max_ack_pending: -1,
        ..PullConfig::default()
    };
    results.create_consumer(config).await.map_err(|error| why(&error))
}

impl Lease {
    /// Takes the lease of a run. Another coordinator that shows signs of life keeps it.
    async fn take(runs: Store, run: &RunInfo) -> Result<Self, Error> {
        let why = |why: &dyn Display| Error::Broken(format!("lease of run {}: {why}", run.name));
        let entry = RunEntry {
            state: RunState::Running,
            task_version: EXCHANGE,
            version: run.build.version.clone(),
            bench: run.build.bench,
            engines: run.engines.clone(),
            holder: run.holder.clone(),
            epoch: 1,
            beat: 0,
        };
        let mut lease = Self { runs, entry, revision: 0 };
        let known = lease.runs.entry(&run.name).await.map_err(|error| why(&error))?;
        let Some(mut known) = known else {
            let created = lease.runs.create(&run.name, lease.entry.json().into()).await;
            lease.revision = created.map_err(|error| why(&error))?;
            return Ok(lease);
        };
        let read = |value: &[u8]| serde_json::from_slice::<RunEntry>(value).ok();
        // The lock of the journal shows that an earlier coordinator of this folder has ended.
        let is_of_other =
            |entry: &RunEntry| entry.state == RunState::Running && entry.holder != run.holder;
        if read(&known.value).is_some_and(|entry| is_of_other(&entry)) {
            tokio::time::sleep(WATCH).await;
            let found = lease.runs.entry(&run.name).await.map_err(|error| why(&error))?;
            if let Some(found) = found {
                let other = read(&found.value).filter(is_of_other);
                if let Some(other) = other.filter(|_| found.revision != known.revision) {
                    let (name, holder) = (&run.name, quoted(&other.holder));
                    let why = format!("run {name}: another coordinator works, {holder}");
                    return Err(Error::OtherRun(why));
                }
                known = found;
            }
        }
        lease.entry.epoch = read(&known.value).map_or(1, |before| before.epoch + 1);
        lease.revision = known.revision;
        lease.update(&run.name).await.map_err(|error| why(&error))?;
        Ok(lease)
    }

    /// Writes the entry, if nobody else has changed it.
    async fn update(&mut self, run: &str) -> Result<(), UpdateError> {
        self.revision = self.runs.update(run, self.entry.json().into(), self.revision).await?;
        Ok(())
    }
}

/// By run: why a worker takes none of its tasks.
pub(super) type Refusals = BTreeMap<String, String>;
