//! [`QueryWorkers`]: the worker pool of the JSON protocol as a [`Transport`] for queries.
//!
//! One thread runs the session and the pool, as the server does for a client. The searches have
//! their own threads.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use serde::Deserialize;
use tengen_protocol::analysis::pool::{EventSender, Pool, PoolSettings, SearchEvent};
use tengen_protocol::analysis::queue::SessionId;
use tengen_protocol::analysis::session::{Effect, QuerySession, Room, Service};

use super::check::session;
use crate::transport::{Transport, TransportEvent, receive};

/// A query to answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BatchTask {
    /// The index of the query in its file, from 0.
    pub number: u64,
    /// The id of the query, unique in the batch.
    pub id: Arc<str>,
    /// The query as one line of JSON.
    pub query: Arc<str>,
    /// The number of earlier attempts.
    pub attempt: u32,
}

/// The outcome of a query.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BatchReplies {
    /// The replies in the order of arrival, without progress reports.
    pub replies: Vec<String>,
    /// Why a position has no answer; `None` if all have one.
    pub failure: Option<String>,
}

/// A pool of workers that answer queries.
pub struct QueryWorkers {
    capacity: usize,
    commands: Sender<Command>,
    event_sender: Sender<TransportEvent<BatchTask, BatchReplies>>,
    events: Receiver<TransportEvent<BatchTask, BatchReplies>>,
    driver: Option<JoinHandle<()>>,
}

enum Command {
    Submit(BatchTask),
    Event(SearchEvent),
    Stop,
}

impl QueryWorkers {
    /// Starts the workers of `service`.
    pub fn start(service: Service) -> std::io::Result<Self> {
        let (commands, received) = channel();
        let (event_sender, events) = channel();
        let driver = Driver::new(service, &commands, event_sender.clone());
        let thread = thread::Builder::new().name("queries".to_owned());
        let driver = Some(thread.spawn(move || driver.run(&received))?);
        // One query waits for each worker, so that no worker idles while results are written.
        let capacity = 2 * service.workers.max(1);
        Ok(Self { capacity, commands, event_sender, events, driver })
    }

    /// Returns a sender for events from outside, such as an interruption.
    pub fn event_sender(&self) -> Sender<TransportEvent<BatchTask, BatchReplies>> {
        self.event_sender.clone()
    }
}

impl Transport<BatchTask, BatchReplies, ()> for QueryWorkers {
    fn capacity(&self) -> usize {
        self.capacity
    }

    fn submit(&mut self, task: BatchTask) {
        if self.commands.send(Command::Submit(task)).is_err() {
            let _ =
                self.event_sender.send(TransportEvent::Broken("the workers have ended".to_owned()));
        }
    }

    fn next_event(
        &mut self,
        until: Option<Instant>,
    ) -> Option<TransportEvent<BatchTask, BatchReplies>> {
        receive(&self.events, until)
    }

    fn stop(&mut self) {
        let _ = self.commands.send(Command::Stop);
    }

    fn views(&self) -> Vec<()> {
        Vec::new()
    }
}

impl Drop for QueryWorkers {
    /// Stops the searches and waits until the driver thread has ended.
    fn drop(&mut self) {
        self.stop();
        if let Some(driver) = self.driver.take() {
            let _ = driver.join();
        }
    }
}

/// The query, the kind and the message of a reply.
#[derive(Deserialize)]
struct ReplyHead {
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    message: Option<String>,
}

/// Runs the session of the queries and the pool.
struct Driver {
    session: QuerySession,
    pool: Pool,
    id: SessionId,
    open: HashMap<Arc<str>, (BatchTask, BatchReplies)>,
    event_sender: Sender<TransportEvent<BatchTask, BatchReplies>>,
}

impl Driver {
    fn new(
        service: Service,
        commands: &Sender<Command>,
        event_sender: Sender<TransportEvent<BatchTask, BatchReplies>>,
    ) -> Self {
        let events = commands.clone();
        // Once the driver has ended, nobody receives the last events of the pool.
        let send_event: EventSender =
            Arc::new(move |event| drop(events.send(Command::Event(event))));
        let settings = PoolSettings::new(service.catalog, service.workers, service.hash_mib);
        let mut pool = Pool::new(settings, send_event);
        let id = pool.join(Instant::now());
        Self { session: session(service), pool, id, open: HashMap::new(), event_sender }
    }

    fn run(mut self, commands: &Receiver<Command>) {
        loop {
            match self.wait(commands) {
                Some(Command::Submit(task)) => {
                    let query = Arc::clone(&task.query);
                    let _ = self.event_sender.send(TransportEvent::Started(task.clone()));
                    self.open.insert(Arc::clone(&task.id), (task, BatchReplies::default()));
                    self.session.line(&query, Instant::now(), Room::ENOUGH);
                }
                Some(Command::Event(event)) => {
                    let now = Instant::now();
                    if let Some(update) = self.pool.event(event, now) {
                        update.hand_to(&mut self.session, now);
                    }
                }
                Some(Command::Stop) => break,
                None => self.session.wake(Instant::now()),
            }
            self.apply_effects();
            self.send_finished();
        }
        self.pool.leave(self.id);
    }

    /// Waits for a command. Returns `None` when the pool or the session is due first.
    fn wait(&self, commands: &Receiver<Command>) -> Option<Command> {
        let now = Instant::now();
        let wakes = [self.pool.next_wake(now), self.session.next_wake()];
        let Some(at) = wakes.into_iter().flatten().min() else {
            return Some(commands.recv().unwrap_or(Command::Stop));
        };
        match commands.recv_timeout(at.saturating_duration_since(now)) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Command::Stop),
        }
    }

    /// Carries out the effects of the session until there are none.
    fn apply_effects(&mut self) {
        loop {
            let mut is_busy = false;
            for effect in self.session.effects() {
                is_busy = true;
                match effect {
                    Effect::Line(line) | Effect::Last(_, line) => self.store_reply(line),
                    Effect::Search(turns) => self.pool.search(self.id, turns, Instant::now()),
                    Effect::Cancel(turn) => self.pool.cancel(self.id, turn),
                    // Progress reports are not kept, and no query of a batch has other effects.
                    _ => {}
                }
            }
            let now = Instant::now();
            for update in self.pool.advance(now) {
                is_busy = true;
                update.hand_to(&mut self.session, now);
            }
            if !is_busy {
                return;
            }
        }
    }

    /// Stores a reply with its query.
    fn store_reply(&mut self, line: String) {
        let Ok(ReplyHead { kind, id: Some(id), message }) = serde_json::from_str(&line) else {
            return;
        };
        if let Some((_, outcome)) = self.open.get_mut(id.as_str()) {
            if kind == "error" {
                outcome.failure = message.or(outcome.failure.take());
            }
            outcome.replies.push(line);
        }
    }

    /// Sends the outcome of each query that has all its replies.
    fn send_finished(&mut self) {
        let session = &self.session;
        for (_, (task, outcome)) in self.open.extract_if(|id, _| !session.is_open(id)) {
            let _ = self.event_sender.send(TransportEvent::Finished(task, outcome));
        }
    }
}
