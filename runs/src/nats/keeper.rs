//! [`Keeper`]: keeps the connection of a run: queues its tasks, reads their results, shows that the
//! coordinator lives.

mod queue;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::kv::{Operation, UpdateErrorKind};
use async_nats::jetstream::message::Message;
use async_nats::jetstream::stream::DeleteMessageErrorKind;
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use self::queue::{Post, Queued};
use super::consumers::{BATCH, open_dead, open_results, open_tasks, read_results};
use super::lease::Lease;
use super::workers::{Present, Shared, Sign, watch, watch_views};
use super::{
    DEAD, DeadTask, PAUSE, RESULTS, RUNS, RunEntry, RunState, TASKS, bucket, drop_tasks, id_of,
    is_lost, make_streams, worker_in,
};
use crate::Error;
use crate::contract::{MAX_LINE, ResultLine, TaskError, TaskLine, quoted};
use crate::remote::Arrival;
use crate::settings::RunInfo;

/// The time between two heartbeats of a coordinator.
const BEAT: Duration = Duration::from_secs(5);

/// How often the last entry of a run is written again that somebody else has written at the same time.
const LAST_TRIES: usize = 3;

/// After so many beats a run without workers says so.
const PATIENT_BEATS: u64 = 2;

/// The most slots of a worker that count. More are a mistake.
const MAX_SLOTS: usize = 512;

/// About how many states of tasks a second a coordinator wants. Beyond, each task is shown less often.
const VIEWS: u64 = 50;

/// The longest interval between two states of a task, in seconds.
const MAX_VIEW_SECS: u64 = 20;

/// The greatest number of different errors of workers that are said.
const MAX_SAID: usize = 100;

/// What the run asks of its keeper.
pub(super) enum Command {
    /// Queues a task.
    Submit(TaskLine),
    /// Removes the result with this number, and queues its task again for others than this worker.
    Refuse(TaskLine, u64, String),
    /// Removes the result with this number, and queues its task again for others than these workers, which
    /// have done it.
    Repeat(TaskLine, Vec<String>, u64),
    /// Gives the worker with this name no more tasks.
    Exclude(String),
    /// Acknowledges the results with these numbers, which are in the journal.
    Saved(Vec<u64>),
    /// Ends. Says whether the run has reached its aim.
    Stop(bool),
}

/// Keeps the connection of a run.
pub(super) struct Keeper {
    context: Context,
    run: RunInfo,
    arrivals: Sender<Arrival>,
    shared: Arc<Shared>,
    ahead: usize,
    ack_wait: Duration,
    lease: Lease,
    results: PullConsumer,
    dead: PullConsumer,
    state: State,
}

/// What a keeper knows of its tasks.
#[derive(Default)]
struct State {
    queued: HashMap<String, Queued>,
    /// Results that are not in the journal yet, by their numbers in the stream.
    unsaved: HashMap<u64, Message>,
    /// What was said about workers.
    said: HashSet<String>,
    workers: Present,
    /// Tasks whose message may still be there: they are queued again at the next beat.
    soon: Vec<String>,
    /// Whether no more tasks are queued, because the run was ended from outside.
    is_ending: bool,
    /// Whether the entry of the run was removed, or is that of another coordinator.
    is_lost: bool,
}

impl Keeper {
    /// Takes the lease of a run, and opens its streams.
    pub(super) async fn open(
        context: Context,
        run: RunInfo,
        arrivals: Sender<Arrival>,
        shared: Arc<Shared>,
        ahead: usize,
        ack_wait: Duration,
    ) -> Result<Self, Error> {
        make_streams(&context).await.map_err(Error::Broken)?;
        let runs = bucket(&context, RUNS).await.map_err(Error::Broken)?;
        // Workers look for this consumer when they see the lease.
        open_tasks(&context, &run.name, ack_wait).await.map_err(Error::Broken)?;
        let note = |text| drop(arrivals.send(Arrival::Note(format!("nats: {text}"))));
        let lease = Lease::take(runs, &run, note).await?;
        let results = open_results(&context, &run.name).await.map_err(Error::Broken)?;
        let dead = open_dead(&context, &run.name).await.map_err(Error::Broken)?;
        let state = State::default();
        for worker in &lease.entry.excluded {
            let _ = arrivals.send(Arrival::Excluded(worker.clone()));
        }
        let is_paused = lease.entry.state == RunState::Paused;
        if is_paused || lease.is_continued {
            // The journal may hold that it was paused.
            let _ = arrivals.send(Arrival::Paused(is_paused));
        }
        if is_paused {
            shared.is_paused.store(true, Ordering::Relaxed);
            let name = &run.name;
            note(format!(
                "run {name} is paused: \"tengen runs --nats --resume {name}\" ends the pause"
            ));
        }
        Ok(Self { context, run, arrivals, shared, ahead, ack_wait, lease, results, dead, state })
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
        let (sender, mut signs) = unbounded_channel::<Sign>();
        let mut workers = tokio::spawn(watch(self.context.clone(), sender.clone()));
        tokio::spawn(watch_views(
            self.context.client(),
            self.run.name.clone(),
            self.arrivals.clone(),
        ));
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
                Some(sign) = signs.recv() => {
                    self.state.workers.take(sign);
                    self.count_workers();
                }
                _ = beat.tick() => {
                    match self.beat().await {
                        Ok(true) => {
                            // The server has lost its streams: everything is made again.
                            reader.abort();
                            reader = tokio::spawn(read_results(self.results.clone(), found.clone()));
                            workers.abort();
                            workers = tokio::spawn(watch(self.context.clone(), sender.clone()));
                        }
                        Ok(false) => {}
                        Err(why) => {
                            self.tell(Arrival::Ended(why));
                            return self.end(commands).await;
                        }
                    }
                }
                _ = requeue.tick() => {
                    let age = requeue.period();
                    self.requeue(|_, queued| queued.since.elapsed() >= age).await;
                }
            }
        }
    }

    /// Follows the last commands of a run that was ended from outside.
    async fn end(mut self, mut commands: UnboundedReceiver<Command>) {
        self.state.is_ending = true;
        let mut batch = Vec::new();
        while commands.recv_many(&mut batch, BATCH).await > 0
            && self.follow(batch.drain(..)).await.is_continue()
        {}
    }

    /// Follows commands. Breaks off when the run has ended.
    async fn follow(&mut self, commands: impl Iterator<Item = Command>) -> ControlFlow<()> {
        let (mut posts, mut saved, mut ends) = (Vec::new(), Vec::new(), None);
        for command in commands {
            match command {
                Command::Submit(line) => {
                    posts.push(Post { line, round: 0, not_by: Vec::new() });
                }
                Command::Refuse(line, number, worker) => {
                    self.withdraw(number).await;
                    self.state.soon.push(line.id.clone());
                    posts.push(self.again(line, vec![worker]));
                }
                Command::Repeat(line, done_by, number) => {
                    self.withdraw(number).await;
                    self.remove_task(&line.id).await;
                    posts.push(self.again(line, done_by));
                }
                Command::Exclude(worker) => {
                    self.lease.entry.excluded.push(worker);
                    // If this fails, the next beat writes it.
                    let _ = self.lease.update(&self.run.name).await;
                }
                Command::Saved(numbers) => saved.extend(numbers),
                Command::Stop(is_done) => ends = Some(is_done),
            }
        }
        if ends.is_none() && !self.state.is_ending {
            self.queue(posts).await;
        }
        // After `queue`: a saved result takes its task out of those that are queued again.
        self.save(&saved).await;
        let Some(is_done) = ends else { return ControlFlow::Continue(()) };
        self.stop(is_done).await;
        ControlFlow::Break(())
    }

    /// Removes the message of a task. A worker that holds it may still send its result.
    async fn remove_task(&self, id: &str) {
        if let Ok(tasks) = self.context.get_stream_no_info(TASKS).await {
            let _ = tasks.purge().filter(format!("tengen.task.{}.{id}", self.run.name)).await;
        }
    }

    /// Removes a result that does not count.
    async fn withdraw(&mut self, number: u64) {
        // As long as this result is there, the server refuses a better one of the worker.
        while let Ok(stream) = self.context.get_stream_no_info(RESULTS).await
            && let Err(why) = stream.delete_message(number).await
            && !matches!(why.kind(), DeleteMessageErrorKind::JetStream(_))
        {
            tokio::time::sleep(PAUSE).await;
        }
        if let Some(message) = self.state.unsaved.remove(&number) {
            let _ = message.ack().await;
        }
    }

    /// Acknowledges results that are in the journal.
    async fn save(&mut self, numbers: &[u64]) {
        for number in numbers {
            if let Some(message) = self.state.unsaved.remove(number) {
                let id = id_of(&message.subject);
                let queued = self.state.queued.remove(id);
                self.lease.entry.progress.done += u64::from(queued.is_some());
                // Of two messages of a task, one may still be held.
                if queued.is_some_and(|queued| queued.post.round > 0) {
                    self.remove_task(id).await;
                }
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
        let (id, worker) =
            (id_of(&message.subject).to_owned(), worker_in(&message.subject).to_owned());
        let is_small = message.payload.len() <= MAX_LINE;
        let read = serde_json::from_slice::<ResultLine>(&message.payload).ok().filter(|_| is_small);
        self.state.unsaved.insert(number, message);
        match read {
            // A failure is no result: workers tell it in another way.
            Some(mut result) if result.id.as_deref() == Some(id.as_str()) && result.ok => {
                if let Some(identity) = &mut result.worker {
                    let slot = identity.name.rsplit('/').next().unwrap_or_default();
                    let slot = slot.parse::<u16>().unwrap_or_default();
                    identity.name = format!("{worker}/{slot}");
                }
                self.tell(Arrival::Result(Box::new(result), number));
            }
            _ => {
                self.withdraw(number).await;
                let why = format!("a message of task {id} is no result");
                self.tell(Arrival::Fault(worker.clone(), why));
                if let Some(queued) = self.state.queued.get(&id) {
                    let again = self.again(queued.post.line.clone(), vec![worker]);
                    self.state.soon.push(id);
                    self.queue(vec![again]).await;
                }
            }
        }
    }

    /// Keeps the lease, reads which workers are there, and which tasks were given up. Returns whether
    /// the streams were made again. The error says that another coordinator has the run.
    async fn beat(&mut self) -> Result<bool, String> {
        self.lease.entry.beat += 1;
        self.lease.entry.progress.open = self.state.queued.len() as u64;
        self.count_workers();
        match self.lease.update(&self.run.name).await {
            Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {
                return self.find_lease().await;
            }
            Err(_) => match self.context.get_stream(RESULTS).await {
                Ok(_) => {}
                Err(why) if is_lost(&why) => return Ok(self.make_again().await),
                // The server is away, or reads its store after a start.
                Err(_) => return Ok(false),
            },
            Ok(()) => {}
        }
        let has_none = self.shared.workers.load(Ordering::Relaxed) == 0;
        if has_none && self.lease.entry.beat > PATIENT_BEATS && !self.state.queued.is_empty() {
            let text = "no worker takes tasks of this run: \"tengen work --nats\" starts one";
            self.say(text, text);
        }
        self.read_dead().await;
        let soon = std::mem::take(&mut self.state.soon);
        self.requeue(|id, _| soon.iter().any(|other| other == id)).await;
        self.repeat_oldest().await;
        Ok(false)
    }

    /// Looks why the lease has another revision: a lost answer to an own change, or another holder.
    async fn find_lease(&mut self) -> Result<bool, String> {
        let lease = &mut self.lease;
        let Ok(found) = lease.runs.entry(&self.run.name).await else { return Ok(false) };
        let Some(found) = found else { return Ok(self.make_again().await) };
        if found.operation != Operation::Put {
            self.state.is_lost = true;
            return Err(format!(
                "run {} was removed from the server by an operator",
                self.run.name
            ));
        }
        lease.revision = found.revision;
        let read = serde_json::from_slice::<RunEntry>(&found.value).ok();
        let Some(entry) = read else { return Ok(false) };
        if (&entry.holder, entry.epoch) != (&lease.entry.holder, lease.entry.epoch) {
            self.state.is_lost = true;
            return Err(format!(
                "{} has taken over the run {}: this coordinator stops",
                quoted(&entry.holder),
                self.run.name
            ));
        }
        // Somebody steers the run.
        lease.entry.share = entry.share;
        let before = std::mem::replace(&mut lease.entry.state, entry.state);
        if matches!(entry.state, RunState::Stopping | RunState::Cancelled) {
            return Err(format!("run {} was cancelled by an operator", self.run.name));
        }
        self.shared.is_paused.store(entry.state == RunState::Paused, Ordering::Relaxed);
        if before != entry.state {
            self.tell(Arrival::Paused(entry.state == RunState::Paused));
            self.note(format!("run {} is {}", self.run.name, entry.state.name()));
        }
        Ok(false)
    }

    /// Makes streams, the lease and the queue again. Returns whether that succeeded.
    async fn make_again(&mut self) -> bool {
        let is_made = self.try_make_again().await.is_ok();
        if is_made {
            self.state.unsaved.clear();
            self.note("the server has lost its streams: they are made again".to_owned());
            self.requeue(|_, _| true).await;
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
        self.dead = open_dead(&self.context, name).await?;
        (self.lease.runs, self.lease.revision) = (runs, revision);
        Ok(())
    }

    /// Counts the workers that take tasks of this run, and their slots.
    fn count_workers(&mut self) {
        let (mut slots, mut count) = (0, 0);
        let mut refusals = Vec::new();
        for (name, worker) in self.state.workers.all() {
            if self.lease.entry.excluded.contains(name) {
                continue;
            }
            match worker.refuses.get(&self.run.name) {
                None => (slots, count) = (slots + worker.slots.min(MAX_SLOTS), count + 1),
                Some(why) => {
                    let why = quoted(why);
                    refusals.push(format!("worker {name} takes no task of this run: {why}"));
                }
            }
        }
        refusals.iter().for_each(|text| self.say(text, text));
        self.shared.room.store(self.ahead * slots.max(1), Ordering::Relaxed);
        self.shared.workers.store(count, Ordering::Relaxed);
        let progress = &mut self.lease.entry.progress;
        (progress.workers, progress.slots) = (count, slots);
        self.lease.entry.view_secs = (slots as u64 / VIEWS).clamp(1, MAX_VIEW_SECS);
    }

    /// Says a text about `what` once.
    fn say(&mut self, what: &str, text: &str) {
        if self.state.said.len() < MAX_SAID && self.state.said.insert(what.to_owned()) {
            self.note(text.to_owned());
        }
    }

    /// Reads which tasks were given up, and which could not be done in one try.
    async fn read_dead(&mut self) {
        let found = self.dead.fetch().max_messages(BATCH).messages().await;
        let Ok(mut messages) = found else { return };
        while let Some(Ok(message)) = messages.next().await {
            let (id, worker) = (id_of(&message.subject), worker_in(&message.subject));
            match serde_json::from_slice::<DeadTask>(&message.payload) {
                Ok(dead)
                    if !self.lease.entry.excluded.iter().any(|excluded| excluded == worker) =>
                {
                    self.judge(id.to_owned(), worker.to_owned(), dead).await;
                }
                _ => {}
            }
            let _ = message.ack().await;
        }
    }

    /// Judges what a worker says about a task that it could not do.
    async fn judge(&mut self, id: String, worker: String, dead: DeadTask) {
        let present = self.shared.workers.load(Ordering::Relaxed);
        if !self.state.workers.has(&worker) {
            return;
        }
        let Some(queued) = self.state.queued.get_mut(&id) else { return };
        let line = queued.post.line.clone();
        if dead.begins {
            return queued.claims.begin(worker);
        }
        if let Some((task, code)) = dead.refusal {
            if line.digest() != task {
                return self.tell(Arrival::Fault(worker, "it refuses another task".to_owned()));
            }
            // A task of several parts is divided, which does no harm.
            let is_divided = matches!(code.as_str(), "timeout" | "too_large");
            let parts = line.fields.get("queries").and_then(serde_json::Value::as_array);
            let has_parts = is_divided && parts.is_some_and(|parts| parts.len() > 1);
            if queued.claims.refuse(&worker, &code, present) || has_parts {
                self.state.queued.remove(&id);
                let error = TaskError::new(&code, None, dead.error);
                return self.tell(Arrival::Refused(id, task, error));
            }
            let again = self.again(line, vec![worker]);
            return self.queue(vec![again]).await;
        }
        if dead.retry {
            // Many tasks can have one error.
            let text = format!("task {id} is tried again: {}", quoted(&dead.error));
            self.say(&dead.error, &text);
            if present > 1 {
                self.tell(Arrival::Fault(worker, dead.error));
            }
            return;
        }
        if queued.claims.give_up(present) {
            self.state.queued.remove(&id);
            return self.tell(Arrival::Failed(id, dead.error));
        }
        self.say(&id, &format!("task {id} is queued again: workers took it and said nothing"));
        let again = self.again(line, Vec::new());
        self.queue(vec![again]).await;
    }

    /// Ends the run at the server. The workers of a run that is done or cancelled drop its tasks. Else they go on until
    /// the queue is empty.
    async fn stop(&mut self, is_done: bool) {
        if is_done {
            self.write_end(|entry| entry.state = RunState::Stopping).await;
        }
        if matches!(self.lease.entry.state, RunState::Stopping | RunState::Cancelled) {
            drop_tasks(&self.context, &self.run.name).await;
            self.state.queued.clear();
        }
        self.count_workers();
        let open = self.state.queued.len() as u64;
        self.write_end(|entry| {
            entry.progress.open = open;
            entry.is_left = !is_done;
            entry.state = match entry.state {
                _ if is_done => RunState::Done,
                RunState::Stopping => RunState::Cancelled,
                state => state,
            };
            if matches!(entry.state, RunState::Cancelled | RunState::Done) {
                (entry.progress.workers, entry.progress.slots) = (0, 0);
            }
        })
        .await;
        if !is_done || self.state.is_lost {
            return;
        }
        for (stream, letter) in [(TASKS, 'w'), (RESULTS, 'c'), (DEAD, 'd')] {
            if let Ok(stream) = self.context.get_stream_no_info(stream).await {
                let _ = stream.delete_consumer(&format!("{letter}-{}", self.run.name)).await;
            }
        }
    }

    /// Writes the entry of the run at its end, also if an operator writes it at this time.
    async fn write_end(&mut self, change: impl Fn(&mut RunEntry)) {
        for _ in 0..LAST_TRIES {
            change(&mut self.lease.entry);
            if self.state.is_lost || self.lease.update(&self.run.name).await.is_ok() {
                return;
            }
            let _ = self.find_lease().await;
        }
    }
}

/// By run: why a worker takes none of its tasks.
pub(super) type Refusals = BTreeMap<String, String>;
