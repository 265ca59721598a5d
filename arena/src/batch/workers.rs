//! [`QueryWorkers`]: the pool of workers of the JSON protocol, as a transport of queries.
//!
//! One thread drives the session and the pool, as the server does for a client. The searches have
//! threads of their own.

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

/// A query that is to be answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BatchTask {
    /// Its place in the file, from 0.
    pub number: u64,
    /// What it is called; no other query of the batch is called so.
    pub id: Arc<str>,
    /// The query, a line.
    pub query: Arc<str>,
    /// How many times it was asked before.
    pub attempt: u32,
}

/// What became of a query.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BatchReplies {
    /// The replies in the order in which they came; no reports of searches that went on.
    pub replies: Vec<String>,
    /// Why a position has no answer: the machine failed.
    pub failure: Option<String>,
}

/// Workers that answer queries.
pub struct QueryWorkers {
    capacity: usize,
    inbox: Sender<Message>,
    reports: Sender<TransportEvent<BatchTask, BatchReplies>>,
    outbox: Receiver<TransportEvent<BatchTask, BatchReplies>>,
    driver: Option<JoinHandle<()>>,
}

enum Message {
    Offer(BatchTask),
    Event(SearchEvent),
    Stop,
}

impl QueryWorkers {
    /// Starts the workers of `service`.
    pub fn start(service: Service) -> std::io::Result<Self> {
        let (inbox, messages) = channel();
        let (reports, outbox) = channel();
        let driver = Driver::new(service, &inbox, reports.clone());
        let thread = thread::Builder::new().name("queries".to_owned());
        let driver = Some(thread.spawn(move || driver.run(&messages))?);
        // A query waits for each worker, so that none idles while results are written.
        let capacity = 2 * service.workers.max(1);
        Ok(Self { capacity, inbox, reports, outbox, driver })
    }

    /// Returns a sender for reports from elsewhere, such as an interruption.
    pub fn reports(&self) -> Sender<TransportEvent<BatchTask, BatchReplies>> {
        self.reports.clone()
    }
}

impl Transport<BatchTask, BatchReplies, ()> for QueryWorkers {
    fn capacity(&self) -> usize {
        self.capacity
    }

    fn offer(&mut self, task: BatchTask) {
        if self.inbox.send(Message::Offer(task)).is_err() {
            let _ = self.reports.send(TransportEvent::Broken("the workers have ended".to_owned()));
        }
    }

    fn results(
        &mut self,
        until: Option<Instant>,
    ) -> Option<TransportEvent<BatchTask, BatchReplies>> {
        receive(&self.outbox, until)
    }

    fn stop(&mut self) {
        let _ = self.inbox.send(Message::Stop);
    }

    fn views(&self) -> Vec<()> {
        Vec::new()
    }
}

impl Drop for QueryWorkers {
    /// Stops the searches, and waits for it.
    fn drop(&mut self) {
        self.stop();
        if let Some(driver) = self.driver.take() {
            let _ = driver.join();
        }
    }
}

/// Which query a reply is for, and of which kind it is.
#[derive(Deserialize)]
struct ReplyHead {
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    message: Option<String>,
}

/// The session of the queries with its pool.
struct Driver {
    session: QuerySession,
    pool: Pool,
    id: SessionId,
    open: HashMap<Arc<str>, (BatchTask, BatchReplies)>,
    reports: Sender<TransportEvent<BatchTask, BatchReplies>>,
}

impl Driver {
    fn new(
        service: Service,
        inbox: &Sender<Message>,
        reports: Sender<TransportEvent<BatchTask, BatchReplies>>,
    ) -> Self {
        let events = inbox.clone();
        // Nobody reads the last events of a pool that is gone.
        let send_event: EventSender =
            Arc::new(move |event| drop(events.send(Message::Event(event))));
        let settings = PoolSettings::new(service.catalog, service.workers, service.hash_mib);
        let mut pool = Pool::new(settings, send_event);
        let id = pool.join(Instant::now());
        Self { session: session(service), pool, id, open: HashMap::new(), reports }
    }

    fn run(mut self, messages: &Receiver<Message>) {
        loop {
            match self.wait(messages) {
                Some(Message::Offer(task)) => {
                    let query = Arc::clone(&task.query);
                    let _ = self.reports.send(TransportEvent::Started(task.clone()));
                    self.open.insert(Arc::clone(&task.id), (task, BatchReplies::default()));
                    self.session.line(&query, Instant::now(), Room::ENOUGH);
                }
                Some(Message::Event(event)) => {
                    let now = Instant::now();
                    if let Some(update) = self.pool.event(event, now) {
                        update.hand_to(&mut self.session, now);
                    }
                }
                Some(Message::Stop) => break,
                None => self.session.wake(Instant::now()),
            }
            self.carry_out();
            self.report();
        }
        self.pool.leave(self.id);
    }

    /// Waits for a message, at most until something is due.
    fn wait(&self, messages: &Receiver<Message>) -> Option<Message> {
        let now = Instant::now();
        let wakes = [self.pool.next_wake(now), self.session.next_wake()];
        let Some(at) = wakes.into_iter().flatten().min() else {
            return Some(messages.recv().unwrap_or(Message::Stop));
        };
        match messages.recv_timeout(at.saturating_duration_since(now)) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Message::Stop),
        }
    }

    /// Does what the session says until it has nothing more to say.
    fn carry_out(&mut self) {
        loop {
            let mut goes_on = false;
            for effect in self.session.effects() {
                goes_on = true;
                match effect {
                    Effect::Line(line) | Effect::Last(_, line) => self.keep(line),
                    Effect::Search(turns) => self.pool.search(self.id, turns, Instant::now()),
                    Effect::Cancel(turn) => self.pool.cancel(self.id, turn),
                    // Nobody reads how a search goes on, and what else there is no query asks for.
                    _ => {}
                }
            }
            let now = Instant::now();
            for update in self.pool.advance(now) {
                goes_on = true;
                update.hand_to(&mut self.session, now);
            }
            if !goes_on {
                return;
            }
        }
    }

    /// Keeps a reply for its query.
    fn keep(&mut self, line: String) {
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

    /// Reports the queries that have all of their replies.
    fn report(&mut self) {
        let session = &self.session;
        for (_, (task, outcome)) in self.open.extract_if(|id, _| !session.is_open(id)) {
            let _ = self.reports.send(TransportEvent::Finished(task, outcome));
        }
    }
}
