//! [`work`]: does the tasks of all runs at a server.

use std::sync::Arc;
use std::sync::mpsc::Sender as JobSender;
use std::time::{Duration, Instant};

use async_nats::jetstream::message::{Message, PublishMessage};
use async_nats::jetstream::{AckKind, Context};
use futures_util::StreamExt;
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::{Notify, oneshot};

use super::desk::{Desk, Held, IDLE, SharedRuns, WorkerSettings, leave, show_life, watch_runs};
use super::{
    DEAD, DeadTask, LAST_DELIVERY, NOT_BY, Note, PAUSE, Role, SILENT, first_message, open, publish,
    refusal, runtime, view_subject,
};
use crate::contract::{ResultLine, TaskError, TaskLine, VIEW_PERIOD, counted};
use crate::settings::without_password;
use crate::slots::{Job, Slot, start_slot};
use crate::task::TaskSignal;

/// The last delivery at which a worker leaves a task to others.
const LAST_LEFT: i64 = 3;

/// The least and the greatest pause between two looks for tasks of a run whose coordinator is silent. It grows with
/// the silence.
const SILENT_IDLE: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(600)];

/// The pause before a task is tried again after trouble of this machine.
const RETRY: Duration = Duration::from_secs(5);

/// Asks a worker to give its tasks back and to end.
#[derive(Clone, Default, Debug)]
pub struct Stop(Arc<Notify>);

impl Stop {
    /// Asks for the end.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

/// Does tasks until `stop` asks for the end. The error says why the worker cannot start. `note` tells the
/// user what happens.
pub fn work(
    settings: &WorkerSettings,
    slots: Vec<impl Slot>,
    stop: &Stop,
    note: Note,
) -> Result<(), String> {
    runtime()?.block_on(async {
        let (url, access, name) = (&settings.url, &settings.access, &settings.name);
        let (context, _) = open(url, access, Role::Worker, name, Arc::clone(&note)).await?;
        let count = slots.len();
        let (free, mut is_free) = channel(count.max(1));
        let mut lines = Vec::new();
        for (number, slot) in slots.into_iter().enumerate() {
            let started = start_slot(number, slot);
            let (line, _) = started.map_err(|why| format!("no thread can be started: {why}"))?;
            lines.push(line);
            let _ = free.send(number).await;
        }
        note(&format!("{name}: {} at {}", counted(count as u64, "slot"), without_password(url)));
        let runs = SharedRuns::default();
        let (settings, shared) = (settings.clone(), Arc::clone(&runs));
        let desk = Arc::new(Desk { context: context.clone(), settings, runs: shared, note });
        tokio::spawn(watch_runs(Arc::clone(&desk)));
        tokio::spawn(show_life(Arc::clone(&desk), count));
        loop {
            // What is fetched ahead would let its time run in this process, so a free slot comes first.
            let slot = tokio::select! {
                slot = is_free.recv() => slot,
                () = stop.0.notified() => return leave(&desk).await,
            };
            let Some(slot) = slot else { return Err("no slot is left".to_owned()) };
            let (run, wait, message) = tokio::select! {
                task = next_task(&runs) => task,
                () = stop.0.notified() => return leave(&desk).await,
            };
            let holder = Holder {
                context: context.clone(),
                worker: desk.settings.name.clone(),
                run,
                wait,
                runs: Arc::clone(&runs),
                free: free.clone(),
                slot,
                line: lines[slot].clone(),
                note: Arc::clone(&desk.note),
            };
            tokio::spawn(holder.hold(message));
        }
    })
}

/// Waits for a task of one of the runs, which take turns.
async fn next_task(runs: &SharedRuns) -> (String, Duration, Message) {
    loop {
        let due = runs.lock().due();
        for (name, consumer) in &due {
            let Ok(mut messages) = consumer.fetch().max_messages(1).messages().await else {
                continue;
            };
            if let Some(Ok(message)) = messages.next().await {
                runs.lock().count(name);
                let wait = consumer.cached_info().config.ack_wait;
                return (name.clone(), wait, message);
            }
            if let Some(run) = runs.lock().open.iter_mut().find(|run| run.name == *name) {
                let [least, greatest] = SILENT_IDLE;
                let pause = match run.alive.elapsed() {
                    silence if silence > SILENT => silence.clamp(least, greatest),
                    _ => IDLE,
                };
                run.next_look = Instant::now() + pause;
            }
        }
        tokio::time::sleep(IDLE).await;
    }
}

/// Holds a task while a slot does it.
struct Holder {
    context: Context,
    worker: String,
    run: String,
    /// The time after which the server gives the task to another worker.
    wait: Duration,
    runs: SharedRuns,
    free: Sender<usize>,
    slot: usize,
    line: JobSender<Job>,
    note: Note,
}

impl Holder {
    async fn hold(self, message: Message) {
        let delivery = message.info().map_or(1, |info| info.delivered);
        let id = super::id_of(&message.subject).to_owned();
        if delivery >= LAST_DELIVERY {
            let _ = self.free.send(self.slot).await;
            return self.give_up(&message, &id, delivery).await;
        }
        if delivery <= LAST_LEFT && self.is_for_others(&message) {
            let _ = message.ack_with(AckKind::Nak(Some(self.wait / 3))).await;
            let _ = self.free.send(self.slot).await;
            return;
        }
        if delivery > 1 {
            // If nobody sends a result, the coordinator knows who tried.
            let begins = DeadTask { begins: true, ..DeadTask::new(&id) };
            self.tell_error(&message, begins).await;
        }
        let text = String::from_utf8_lossy(&message.payload).into_owned();
        let signal = Arc::new(TaskSignal::default());
        let held =
            Held { run: self.run.clone(), signal: Arc::clone(&signal), message: message.clone() };
        self.runs.lock().held.push(held);
        let result = match TaskLine::read(&text) {
            Ok(task) if task.id == id => self.work(task, &signal, &message).await,
            Ok(_) => {
                let why = "its id is not that of its subject".to_owned();
                Some(*ResultLine::refused(Some(&id), None, "bad_field", Some("id"), why))
            }
            Err(refused) => Some(ResultLine { id: Some(id.clone()), ..*refused }),
        };
        self.runs.lock().held.retain(|held| !Arc::ptr_eq(&held.signal, &signal));
        if let Some(result) = result {
            self.answer(&message, &id, delivery, result, signal.is_cancelled()).await;
        }
    }

    /// Tells the server what came of a task, and frees the slot.
    async fn answer(
        &self,
        message: &Message,
        id: &str,
        delivery: i64,
        result: ResultLine,
        is_cancelled: bool,
    ) {
        if is_cancelled {
            let _ = self.free.send(self.slot).await;
            let _ = message.ack_with(AckKind::Term).await;
            return;
        }
        if !result.ok {
            // A failure is no result: a later task of this id is done again.
            let retry = !result.is_final();
            let error = result.error.unwrap_or_else(|| TaskError::new("none", None, String::new()));
            let refusal = result.task.filter(|_| !retry).map(|task| (task, error.code));
            let dead = DeadTask { error: error.message, retry, refusal, ..DeadTask::new(id) };
            let _ = self.free.send(self.slot).await;
            self.tell_error(message, dead).await;
            let kind = if retry { AckKind::Nak(Some(RETRY)) } else { AckKind::Term };
            let _ = message.ack_with(kind).await;
            return;
        }
        let result = ResultLine { attempt: u32::try_from(delivery).unwrap_or(1), ..result };
        let subject = format!("tengen.result.{}.{}.{id}", self.worker, self.run);
        // Only then the slot is free: while the server cannot store results, it would get one task after
        // another, and give all of them up.
        let payload = first_message(&self.message_id(id), result.text());
        self.publish(message, &subject, payload).await;
        let _ = self.free.send(self.slot).await;
        // If nobody hears it, another worker does the task again, and its result is refused.
        let _ = message.double_ack().await;
    }

    /// Does a task. As long as it makes progress, tells the server, which then gives it to no other
    /// worker. Shows its state to the coordinator.
    async fn work(
        &self,
        task: TaskLine,
        signal: &Arc<TaskSignal>,
        message: &Message,
    ) -> Option<ResultLine> {
        let (answer, mut done) = oneshot::channel();
        let subject = view_subject(&self.worker, &self.run, &task.id);
        let tell = Box::new(|result| drop(answer.send(result)));
        self.line.send((task, Arc::clone(signal), tell)).ok()?;
        let mut ticks = tokio::time::interval((self.wait / 3).max(IDLE));
        let mut seconds = tokio::time::interval(VIEW_PERIOD);
        let (mut seen, mut second) = (0, 0_u64);
        ticks.tick().await;
        loop {
            tokio::select! {
                result = &mut done => return result.ok(),
                _ = ticks.tick() => {
                    let steps = signal.steps();
                    if steps != seen {
                        let _ = message.ack_with(AckKind::Progress).await;
                    }
                    seen = steps;
                }
                _ = seconds.tick() => {
                    second += 1;
                    self.show(&subject, signal, second).await;
                }
            }
        }
    }

    /// Shows the coordinator the state of a task, if that is due after `second` seconds.
    async fn show(&self, subject: &str, signal: &TaskSignal, second: u64) {
        let every = {
            let runs = self.runs.lock();
            runs.open.iter().find(|run| run.name == self.run).map_or(0, |run| run.view_secs)
        };
        if every == 0 || !second.is_multiple_of(every) {
            return;
        }
        if let Some(view) = signal.view() {
            // Nobody needs a view that is lost.
            let client = self.context.client();
            let _ = client.publish(subject.to_owned(), view.to_string().into()).await;
        }
    }

    /// Tells the coordinator why this worker could not do a task.
    async fn tell_error(&self, message: &Message, dead: DeadTask) {
        let kind = if dead.begins { "begin" } else { "error" };
        let message_id = self.message_id(&format!("{kind}/{}", place_of(message)));
        let payload = dead.message(&message_id);
        // Without this message the task is tried again all the same.
        let _ = publish(&self.context, &self.dead_subject(&dead.id), payload).await;
    }

    /// Gives up a task that was delivered too often.
    async fn give_up(&self, message: &Message, id: &str, delivery: i64) {
        let mut error = format!("it was delivered {} times, and no result came", delivery - 1);
        if let Some(last) = self.last_error(id).await {
            error = format!("{error}; the last error: {last}");
        }
        let dead = DeadTask { error, ..DeadTask::new(id) };
        let message_id = self.message_id(&format!("dead/{}", place_of(message)));
        self.publish(message, &self.dead_subject(id), dead.message(&message_id)).await;
        let _ = message.ack_with(AckKind::Term).await;
    }

    /// Returns the error of the last try of a task; `None` if its workers ended without one.
    async fn last_error(&self, id: &str) -> Option<String> {
        let stream = self.context.get_stream_no_info(DEAD).await.ok()?;
        let subject = format!("tengen.dead.*.{}.{id}", self.run);
        let last = stream.get_last_raw_message_by_subject(&subject).await.ok()?;
        let dead: DeadTask = serde_json::from_slice(&last.payload).ok()?;
        dead.retry.then_some(dead.error)
    }

    /// Returns whether other workers are to do a task.
    fn is_for_others(&self, message: &Message) -> bool {
        let named = message.headers.as_ref().and_then(|headers| headers.get(NOT_BY));
        named.is_some_and(|named| named.as_str().split(' ').any(|worker| worker == self.worker))
    }

    fn message_id(&self, id: &str) -> String {
        format!("{}/{}/{id}", self.worker, self.run)
    }

    fn dead_subject(&self, id: &str) -> String {
        format!("tengen.dead.{}.{}.{id}", self.worker, self.run)
    }

    /// Publishes what came of the task `held`, until the server has it. So long the task stays with this
    /// worker: a server without room on its disk would give it to one worker after another.
    async fn publish(&self, held: &Message, subject: &str, message: PublishMessage) {
        let mut is_told = false;
        while let Err(why) = publish(&self.context, subject, message.clone()).await {
            if refusal(&why).is_some() && !std::mem::replace(&mut is_told, true) {
                (self.note)(&format!(
                    "run {}: the server takes no result, and it is sent again until it does: {why}",
                    self.run
                ));
            }
            let _ = held.ack_with(AckKind::Progress).await;
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Returns the number of a task's message in its stream, and which delivery it is.
fn place_of(message: &Message) -> String {
    let place = message.info().map(|info| format!("{}/{}", info.stream_sequence, info.delivered));
    place.unwrap_or_default()
}
