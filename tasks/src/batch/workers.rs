//! [`QueryWorkers`]: the sessions and the worker pool of the JSON protocol as a transport, and
//! [`check`], which checks a query before any search with the session that answers it later.
//!
//! This file runs the sessions of the JSON protocol. One thread runs the session and the pool, as the
//! server does for a client. The searches have their own threads.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Deserialize;
use tengen_engine::{Limits, Position};
use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::dialect::json::query;
use tengen_protocol::dialect::json::read;
use tengen_protocol::dialect::json::reply::{ErrorReply, Reply};
use tengen_protocol::dialect::json::{Code, Problem};
use tengen_protocol::pool::driver::{Clients, Driver};
use tengen_protocol::pool::queue::SessionId;
use tengen_protocol::pool::{
    Effect, EventSender, PoolSession, PoolSettings, Room, Search, SearchEvent,
};
use tengen_protocol::queries::{QuerySession, Service, SessionIdentity};
use tengen_runs::{Event, Events, Outcome, Task, Transport};

use super::run::{Answer, Query};

/// A valid query of a batch.
pub(crate) struct CheckedQuery {
    /// The id of the query.
    pub(crate) id: Id,
    /// The number of positions to search.
    pub(super) positions: u64,
    /// The expected time of the searches, in milliseconds.
    pub(super) cost_ms: u64,
    /// The positions to search, and how many replies come without a search.
    pub(super) searched: Vec<Box<dyn Position>>,
    pub(super) unsearched: usize,
    pub(super) action: &'static str,
    /// Warnings for the author of the query.
    pub(super) warnings: Vec<String>,
}

/// The actions that a batch takes.
const ACTIONS: [&str; 5] = ["analyze", "solve", "review", "position", "swap2"];

/// Creates a session for the queries of a batch.
fn session(service: Service) -> QuerySession {
    let identity = SessionIdentity { session: "batch".to_owned(), kept: Duration::ZERO };
    QuerySession::new(service, identity)
}

/// Checks the query in line `number` of a file. The error says what is wrong with the query.
pub(crate) fn check(service: Service, line: &str, number: u64) -> Result<CheckedQuery, Problem> {
    let query = read::query(line, number).map_err(|refusal| refusal.problem)?;
    let (id, action) = (query.query.head().id.clone(), query.query.action());
    if let query::Query::Analyze(query) = &query.query
        && query.own.infinite == Some(true)
    {
        let why = "infinite: a query of a batch must have an end";
        return Err(Problem::with(Code::Unsupported, "infinite", why));
    }
    if !ACTIONS.contains(&action) {
        let why = format!(
            "action \"{action}\": a batch takes analyze, solve, review, position and swap2"
        );
        return Err(Problem::with(Code::Unsupported, "action", why));
    }
    let mut session = session(service);
    session.line(line, Instant::now(), Room::ENOUGH);
    let (searched, warnings) = (Vec::new(), Vec::new());
    let mut checked =
        CheckedQuery { id, positions: 0, cost_ms: 0, searched, unsearched: 0, action, warnings };
    for effect in session.effects() {
        let line = match effect {
            Effect::Search(turns) => {
                checked.positions += turns.len() as u64;
                for Search { job, .. } in turns {
                    checked.cost_ms += cost_ms(&job.limits);
                    checked.searched.push(job.position);
                }
                continue;
            }
            Effect::Line(line) | Effect::Last(_, line) => line,
            _ => continue,
        };
        match Reply::read(&line) {
            Ok(Some(Reply::Error(error))) => {
                let ErrorReply { code, field, message, retry_after_ms, .. } = error;
                return Err(Problem { code, field, message, retry_after_ms });
            }
            Ok(Some(Reply::Warning(warning))) => checked.warnings.push(warning.message),
            _ => checked.unsearched += 1,
        }
    }
    Ok(checked)
}

/// Returns the expected time of a search, in milliseconds. A slow machine searches 50 nodes in one.
fn cost_ms(limits: &Limits) -> u64 {
    let time = limits.movetime.map(|time| time.as_millis() as u64);
    let nodes = limits.nodes.map(|nodes| nodes / 50);
    time.into_iter().chain(nodes).min().unwrap_or(1000)
}

/// A pool of workers that answer queries.
pub(crate) struct QueryWorkers {
    capacity: usize,
    commands: Sender<Command>,
    events: Events<Event<Query>>,
    driver: Option<JoinHandle<()>>,
}

enum Command {
    Submit(Task<Query>),
    Event(SearchEvent),
    Stop,
}

impl QueryWorkers {
    /// Starts the workers of `service`.
    pub(crate) fn start(service: Service) -> io::Result<Self> {
        let (commands, received) = channel();
        let (events, pool_events) = (Events::default(), commands.clone());
        // Once the thread has ended, nobody receives the last events of the pool.
        let send_event: EventSender =
            Arc::new(move |event| drop(pool_events.send(Command::Event(event))));
        let settings = PoolSettings::new(service.catalog, service.workers, service.hash_mib);
        let mut driver = Driver::new(settings, send_event);
        let id = driver.join(Box::new(session(service)), Instant::now());
        let (open, event_sender) = (OpenQueries::default(), events.sender());
        let driver = DriverThread { driver, id, open, event_sender };
        let thread = thread::Builder::new().name("queries".to_owned());
        let driver = Some(thread.spawn(move || driver.run(&received))?);
        // One query waits for each worker, so that no worker idles while results are written.
        let capacity = 2 * service.workers.max(1);
        Ok(Self { capacity, commands, events, driver })
    }

    /// Returns a callback for an interruption by the user.
    pub(super) fn interrupter(&self) -> Box<dyn Fn() + Send + Sync> {
        self.events.interrupter(|| Event::Interrupted)
    }
}

impl Transport<Query> for QueryWorkers {
    fn capacity(&self) -> usize {
        self.capacity
    }

    fn submit(&mut self, task: Task<Query>) {
        if self.commands.send(Command::Submit(task)).is_err() {
            let broken = Event::Broken("the workers have ended".to_owned());
            let _ = self.events.sender().send(broken);
        }
    }

    fn next_event(&mut self, until: Option<Instant>) -> Option<Event<Query>> {
        self.events.next(until)
    }

    fn stop(&mut self) {
        let _ = self.commands.send(Command::Stop);
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
    id: Option<Id>,
    message: Option<String>,
}

/// A query that waits for replies.
struct OpenQuery {
    task: Task<Query>,
    replies: Vec<String>,
    /// Why a position has no answer; `None` if all have one.
    failure: Option<String>,
}

/// The open queries by their ids.
#[derive(Default)]
struct OpenQueries(HashMap<Id, OpenQuery>);

impl Clients for OpenQueries {
    /// Stores a reply with its query. Progress reports are not kept, and no query of a batch has
    /// other effects.
    fn effect(&mut self, _id: SessionId, _session: &dyn PoolSession, effect: Effect) {
        let (Effect::Line(line) | Effect::Last(_, line)) = effect else { return };
        let Ok(ReplyHead { kind, id: Some(id), message }) = serde_json::from_str(&line) else {
            return;
        };
        if let Some(open) = self.0.get_mut(&id) {
            if kind == "error" {
                open.failure = message.or(open.failure.take());
            }
            open.replies.push(line);
        }
    }
}

/// The thread that drives the session of the queries and the pool.
struct DriverThread {
    driver: Driver,
    id: SessionId,
    open: OpenQueries,
    event_sender: Sender<Event<Query>>,
}

impl DriverThread {
    fn run(mut self, commands: &Receiver<Command>) {
        loop {
            match self.wait(commands) {
                Some(Command::Submit(task)) => self.submit(task),
                Some(Command::Event(event)) => self.driver.event(event, &mut self.open),
                Some(Command::Stop) => break,
                None => self.driver.wake(&mut self.open),
            }
            self.send_finished();
        }
        self.driver.leave(self.id, &mut self.open);
    }

    /// Waits for a command. Returns `None` when the driver is due first.
    fn wait(&self, commands: &Receiver<Command>) -> Option<Command> {
        let now = Instant::now();
        let Some(at) = self.driver.next_wake(now) else {
            return Some(commands.recv().unwrap_or(Command::Stop));
        };
        match commands.recv_timeout(at.saturating_duration_since(now)) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Command::Stop),
        }
    }

    fn submit(&mut self, task: Task<Query>) {
        let Query { id, text } = task.work.clone();
        let _ = self.event_sender.send(Event::Started(task.clone()));
        self.open.0.insert(id, OpenQuery { task, replies: Vec::new(), failure: None });
        self.driver.act(self.id, &mut self.open, |session| {
            session.line(&text, Instant::now(), Room::ENOUGH);
        });
    }

    /// Sends the outcome of each query that has all its replies.
    fn send_finished(&mut self) {
        let Some(session) = self.driver.session(self.id) else { return };
        for (_, open) in self.open.0.extract_if(|id, _| !session.is_open(id)) {
            let outcome = match open.failure {
                Some(why) => Outcome::Failed(why),
                None => Outcome::Finished(Answer { replies: open.replies, worker: String::new() }),
            };
            let _ = self.event_sender.send(Event::Finished(open.task, outcome));
        }
    }
}
