//! [`Remote`]: a transport to workers in other processes, which speak the task [`contract`].
//!
//! A [`Carrier`] carries lines to workers and back. A [`Codec`] makes lines of the tasks of a run, and
//! outcomes of results. A line can hold several tasks, such as the two games of a pair.

mod votes;

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use serde_json::Value;

use self::votes::Vote;
use crate::contract::{self, Build, ResultLine, TaskError, TaskLine, counted, worker_of};
use crate::ids::Ids;
use crate::settings::TransportSettings;
use crate::task::{MAX_ATTEMPTS, Outcome, Task, Work};
use crate::transport::{Event, Events, RefusedResult, Transport};
use crate::trust::Trust;

/// Of how many results in a hundred the task is repeated by default.
const REPEAT: u32 = 1;

/// A view that is older is of a worker that has ended.
const VIEW_AGE: Duration = Duration::from_secs(60);

/// The greatest number of tasks that the user sees at a time.
const MAX_VIEWS: usize = 100;

/// What a carrier reports.
#[derive(Debug)]
pub enum Arrival {
    /// A result, and its number at the carrier, which tells each number once.
    Result(Box<ResultLine>, u64),
    /// No worker can do the task with this id, for this reason.
    Failed(String, String),
    /// A worker says why the task with this id and this digest has no data.
    Refused(String, String, TaskError),
    /// The worker with this name could not do a task, for this reason.
    Fault(String, String),
    /// The state of the task with this id, which this worker does.
    View(String, String, Value),
    /// The worker with this name was excluded before.
    Excluded(String),
    /// A note for the user.
    Note(String),
    /// The user asked the run to end.
    Interrupted,
    /// An operator has paused the run, or it goes on.
    Paused(bool),
    /// An operator or another process has ended the run, for this reason.
    Ended(String),
    /// No worker is left, for this reason.
    Broken(String),
}

/// Carries lines to workers and results back.
pub trait Carrier: Send {
    /// Returns how many lines may be on their way.
    fn room(&self) -> usize;

    /// Returns how many workers there are of which one can check the other.
    fn workers(&self) -> usize {
        1
    }

    /// Returns whether workers take no lines now.
    fn is_idle(&self) -> bool {
        false
    }

    /// Queues a line for a worker.
    fn submit(&mut self, task: &TaskLine);

    /// Queues a line again after its result `number` by `worker` was refused. `leaves` is whether the worker
    /// gets no more lines.
    fn refuse(&mut self, task: &TaskLine, number: u64, worker: &str, leaves: bool);

    /// Queues a line again, for other workers than those that have done it. The last of their results is
    /// `number`.
    fn repeat(&mut self, _: &TaskLine, _done_by: &[String], _number: u64) {}

    /// Gives a worker no more lines.
    fn exclude(&mut self, _worker: &str) {}

    /// Called when the results with these numbers are in the journal.
    fn saved(&mut self, _: &[u64]) {}

    /// Aborts all lines at once. `is_done` is whether the run has reached its aim.
    fn stop(&mut self, is_done: bool);
}

/// Makes lines of tasks, and outcomes of results.
pub trait Codec<W: Work> {
    /// Returns the number of the group that shares a line with `task`.
    fn group(&self, task: &Task<W>) -> u64;

    /// Returns whether no more tasks belong to the group of `tasks`.
    fn is_full(&self, tasks: &[Task<W>]) -> bool;

    /// Returns the numbers of the tasks of the line `id` in their first attempt; `None` if it is no such
    /// line.
    fn tasks_of(&self, id: &str) -> Option<Range<u64>>;

    /// Returns whether an id has the form of this run's ids.
    fn is_own(&self, id: &str) -> bool {
        contract::is_of_content(id)
    }

    /// Makes lines of the tasks of one group, each with the tasks that it holds.
    fn encode(&mut self, tasks: Vec<Task<W>>) -> Vec<(TaskLine, Vec<Task<W>>)>;

    /// Returns whether each worker finds this data.
    fn is_reproducible(&self, _: &[Task<W>], _: &Value) -> bool {
        false
    }

    /// Returns what the user sees of the tasks of a line while a worker does them; `None` if the state is
    /// none of these tasks, or if they do not show it.
    fn view(&self, _: &[Task<W>], _state: Value) -> Option<W::View> {
        None
    }

    /// Returns the results of the tasks of a line, which `worker` did: a host and a slot. The error says
    /// why the data is none of them.
    fn decode(
        &self,
        tasks: &[Task<W>],
        data: Value,
        times: Value,
        worker: &str,
    ) -> Result<Vec<W::Result>, String>;
}

/// A line that waits for its result.
struct Sent<W: Work> {
    line: TaskLine,
    tasks: Vec<Task<W>>,
    /// How often a machine could not do it.
    failed: u32,
    /// Results that wait for a second worker.
    votes: Vec<Vote<W>>,
    /// How often a worker repeated its own result.
    own_repeats: u32,
    /// What the user sees of the tasks, and when that came.
    view: Option<(W::View, Instant)>,
}

/// Workers in other processes.
pub struct Remote<W: Work, C> {
    carrier: Box<dyn Carrier>,
    codec: C,
    arrivals: Events<Arrival>,
    /// The tasks of the next line, which wait for the rest of their group.
    open: Vec<Task<W>>,
    sent: HashMap<String, Sent<W>>,
    /// Results of an earlier process of this run, whose tasks are not submitted yet.
    early: HashMap<String, Vec<(ResultLine, u64)>>,
    /// The ids of early results, by their first task.
    early_of: HashMap<u64, String>,
    /// Whether it was said that results are left, which are of other tasks.
    has_left: bool,
    /// The tasks with a result.
    done: Ids,
    ready: VecDeque<Event<W>>,
    /// The numbers of the results that are not in the journal yet.
    unsaved: Vec<u64>,
    /// The build of all workers. Without a bench of the run, that of the first worker that ran one counts.
    build: Build,
    trust: Trust,
    /// Of how many results in a hundred the task is repeated.
    repeat: u32,
    /// The lines that were given up. They stay among the sent ones.
    dead: Vec<String>,
    /// Whether tasks that were given up fail, so that the run goes on without them.
    allows_dead: bool,
}

impl<W: Work, C: Codec<W>> Remote<W, C> {
    /// Starts a carrier, which gets the sender of arrivals. `build` is the build that all workers must
    /// have. `done` are the tasks whose results the journal holds.
    pub(crate) fn start<E>(
        codec: C,
        done: Ids,
        build: Build,
        settings: &TransportSettings,
        carrier: impl FnOnce(Sender<Arrival>) -> Result<Box<dyn Carrier>, E>,
    ) -> Result<Self, E> {
        let arrivals = Events::default();
        Ok(Self {
            carrier: carrier(arrivals.sender())?,
            codec,
            arrivals,
            open: Vec::new(),
            sent: HashMap::new(),
            early: HashMap::new(),
            early_of: HashMap::new(),
            has_left: false,
            done,
            ready: VecDeque::new(),
            unsaved: Vec::new(),
            build,
            trust: Trust::default(),
            repeat: settings.repeat.unwrap_or(REPEAT),
            dead: Vec::new(),
            allows_dead: settings.allow_dead,
        })
    }

    /// Returns a callback for an interruption by the user.
    pub fn interrupter(&self) -> Box<dyn Fn() + Send + Sync> {
        self.arrivals.interrupter(|| Arrival::Interrupted)
    }

    /// Sends the lines of the open group.
    fn send_open(&mut self) {
        let tasks = std::mem::take(&mut self.open);
        self.encode(tasks);
    }

    fn encode(&mut self, tasks: Vec<Task<W>>) {
        for (line, tasks) in self.codec.encode(tasks) {
            self.send(line, tasks);
        }
    }

    fn send(&mut self, line: TaskLine, tasks: Vec<Task<W>>) {
        self.ready.extend(tasks.iter().cloned().map(Event::Started));
        if let Some(id) = tasks.first().and_then(|first| self.early_of.remove(&first.id))
            && id != line.id
            && let Some(early) = self.early.remove(&id)
        {
            early.into_iter().for_each(|(_, number)| self.leave(&id, number));
        }
        let early = self.early.remove(&line.id).unwrap_or_default();
        if early.is_empty() {
            self.carrier.submit(&line);
        }
        let (id, votes) = (line.id.clone(), Vec::new());
        self.sent.insert(id, Sent { line, tasks, failed: 0, votes, own_repeats: 0, view: None });
        early.into_iter().for_each(|(result, number)| self.take(result, number));
    }

    fn handle(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Result(result, number) => self.take(*result, number),
            Arrival::Failed(id, why) => self.give_up(id, why),
            Arrival::Refused(id, task, error) => {
                if let Some(sent) = self.sent.remove(&id) {
                    match sent.line.digest() == task {
                        true => self.take_error(sent, error, false, None),
                        false => drop(self.sent.insert(id, sent)),
                    }
                }
            }
            Arrival::Fault(worker, why) => drop(self.fault(&worker, &why)),
            Arrival::View(id, worker, state) => self.show(&id, &worker, state),
            Arrival::Excluded(worker) => drop(self.trust.exclude(&worker)),
            Arrival::Note(text) => self.ready.push_back(Event::Note(text)),
            Arrival::Interrupted => self.ready.push_back(Event::Interrupted),
            Arrival::Paused(is_paused) => self.ready.push_back(Event::Paused(is_paused)),
            Arrival::Ended(why) => self.ready.push_back(Event::Ended(why)),
            Arrival::Broken(why) => self.ready.push_back(Event::Broken(why)),
        }
    }

    /// Keeps what the user sees of a line.
    fn show(&mut self, id: &str, worker: &str, state: Value) {
        if let Some(sent) = self.sent.get_mut(id)
            && !self.trust.is_excluded(worker)
            && let Some(view) = self.codec.view(&sent.tasks, state)
        {
            sent.view = Some((view, Instant::now()));
        }
    }

    /// Leaves a result that is of another task, where it is.
    fn leave(&mut self, id: &str, number: u64) {
        self.carrier.saved(&[number]);
        if !std::mem::replace(&mut self.has_left, true) {
            self.ready.push_back(Event::Note(format!(
                "results of other tasks under the name of this run are left, first {}: they do not count",
                contract::quoted(id)
            )));
        }
    }

    /// Handles a line that no worker can do. Without `allows_dead`, the run ends when the lines before
    /// it have ended.
    fn give_up(&mut self, id: String, why: String) {
        if !self.sent.contains_key(&id) {
            return;
        }
        self.ready.push_back(Event::Note(format!("task {id} is given up: {why}")));
        if !self.allows_dead {
            return self.dead.push(id);
        }
        if let Some(sent) = self.sent.remove(&id) {
            self.fail(sent.tasks, &why);
        }
    }

    /// Returns the end of a run that has only tasks that were given up.
    fn only_dead(&self) -> Option<Event<W>> {
        if self.dead.is_empty() || self.sent.len() > self.dead.len() {
            return None;
        }
        let (list, count) = (self.dead.join(", "), counted(self.dead.len() as u64, "task"));
        Some(Event::Broken(format!(
            "given up: {count} ({list}); resume the run to try again, or allow dead tasks to go on without them"
        )))
    }

    fn fail(&mut self, tasks: Vec<Task<W>>, why: &str) {
        let failed = |task| Event::Finished(task, Outcome::Failed(why.to_owned()));
        self.ready.extend(tasks.into_iter().map(failed));
    }

    /// Handles a result. The first one of an id counts.
    fn take(&mut self, result: ResultLine, number: u64) {
        let Some(id) = result.id.clone() else {
            let why = result.error.map(|error| error.message).unwrap_or_default();
            let why = format!("a worker cannot read its task: {why}");
            return self.ready.push_back(Event::Broken(why));
        };
        let Some(mut sent) = self.sent.remove(&id) else {
            // A continued run reads all results again, and those whose acknowledgement was lost.
            if self.codec.tasks_of(&id).is_some_and(|tasks| self.done.contains_all(&tasks)) {
                return self.carrier.saved(&[number]);
            }
            if !self.codec.is_own(&id) {
                return self.leave(&id, number);
            }
            if let Some(tasks) = self.codec.tasks_of(&id) {
                self.early_of.insert(tasks.start, id.clone());
            }
            self.early.entry(id).or_default().push((result, number));
            return;
        };
        sent.view = None;
        let worker = result.worker.clone().unwrap_or_default();
        if self.trust.is_excluded(worker_of(&worker.name)) {
            return self.queue_again(sent, number, &worker.name, true);
        }
        if let Err(why) = self.check(&sent.line, &result) {
            return self.refuse(sent, &worker.name, number, why);
        }
        self.build.bench = self.build.bench.or(worker.bench);
        if let Some(error) = result.error {
            return self.take_error(sent, error, result.retry == Some(true), Some(number));
        }
        let (data, times) = (result.data.unwrap_or_default(), result.times.unwrap_or_default());
        let is_reproducible = self.codec.is_reproducible(&sent.tasks, &data);
        match self.codec.decode(&sent.tasks, data, times, &worker.name) {
            Ok(results) => {
                self.ready.extend(self.trust.count_good(&worker).map(Event::Worker));
                let (worker, digest) = (worker_of(&worker.name).to_owned(), result.digest);
                self.vote(sent, Vote { worker, digest, results, number }, is_reproducible);
            }
            Err(why) => self.refuse(sent, &worker.name, number, why),
        }
    }

    /// Checks the build of a worker, the digest of its task and that of its data.
    fn check(&self, task: &TaskLine, result: &ResultLine) -> Result<(), String> {
        if result.version != contract::VERSION {
            let (found, own) = (result.version, contract::VERSION);
            return Err(format!("it is of version {found} of the contract, not {own}"));
        }
        let Some(worker) = &result.worker else { return Err("it does not name its worker".into()) };
        self.build.check(worker)?;
        match &result.task {
            Some(found) if *found == task.digest() => {}
            Some(_) => return Err("it is the result of another task".into()),
            None => return Err("it does not say which task it is of".into()),
        }
        match (&result.data, &result.error) {
            (Some(data), None) if result.ok => match contract::digest(data) {
                digest if result.digest.as_ref() == Some(&digest) => Ok(()),
                _ => Err("its digest is not that of its data".into()),
            },
            (None, Some(_)) if !result.ok => Ok(()),
            _ => Err("it has neither data nor an error".into()),
        }
    }

    /// Queues a line again whose result of the slot `worker` does not count.
    fn refuse(&mut self, sent: Sent<W>, worker: &str, number: u64, why: String) {
        let name = worker_of(worker);
        if self.trust.reports(name, &why) {
            let (task, worker) = (sent.line.id.clone(), contract::quoted(worker));
            let worker = if worker.is_empty() { "a worker".to_owned() } else { worker };
            self.ready.push_back(Event::Refused(RefusedResult { task, worker, why: why.clone() }));
        }
        let leaves = self.fault(name, &why);
        self.queue_again(sent, number, worker, leaves);
    }

    fn queue_again(&mut self, sent: Sent<W>, number: u64, worker: &str, leaves: bool) {
        self.carrier.refuse(&sent.line, number, worker_of(worker), leaves);
        self.sent.insert(sent.line.id.clone(), sent);
    }

    /// Counts a fault of a worker. Returns whether it is excluded.
    fn fault(&mut self, worker: &str, why: &str) -> bool {
        let leaves = self.trust.count_fault(worker);
        if leaves {
            self.exclude(worker, why);
        }
        leaves
    }

    /// Gives a worker no more tasks of this run.
    fn exclude(&mut self, worker: &str, why: &str) {
        if self.trust.exclude(worker) {
            self.carrier.exclude(worker);
            let (worker, why) = (contract::quoted(worker), contract::quoted(why));
            self.ready.push_back(Event::Note(format!(
                "worker {worker} is excluded from this run: {why}; its tasks go to others. Repair it, and start it under another --name"
            )));
        }
    }

    /// Handles a task without data. `number` is that of the result, if it is one. The tasks of a line that is
    /// too large, or takes too long, get lines of their own.
    fn take_error(&mut self, sent: Sent<W>, error: TaskError, retry: bool, number: Option<u64>) {
        let is_too_much = matches!(error.code.as_str(), "too_large" | "timeout");
        if is_too_much && sent.tasks.len() > 1 {
            self.unsaved.extend(number);
            return sent.tasks.into_iter().for_each(|task| self.encode(vec![task]));
        }
        if retry {
            let number = number.unwrap_or_default();
            let sent = Sent { failed: sent.failed + 1, ..sent };
            return match sent.failed < MAX_ATTEMPTS {
                true => self.queue_again(sent, number, "", false),
                false => self.fail(sent.tasks, &error.message),
            };
        }
        if error.code == "timeout" {
            self.unsaved.extend(number);
            return self.fail(sent.tasks, &error.message);
        }
        let (id, why) = (&sent.line.id, contract::printable(&error.message));
        self.ready.push_back(Event::Broken(format!("task {id} was refused: {why}")));
    }

    fn abort_all(&mut self, is_done: bool) {
        self.carrier.stop(is_done);
        // What has arrived by now counts.
        while let Some(arrival) = self.arrivals.next(Some(Instant::now())) {
            self.handle(arrival);
        }
        let sent = self.sent.drain().flat_map(|(_, sent)| sent.tasks);
        let tasks: Vec<Task<W>> = sent.chain(self.open.drain(..)).collect();
        self.ready.extend(tasks.into_iter().map(|task| Event::Finished(task, Outcome::Aborted)));
    }
}

impl<W: Work, C: Codec<W>> Transport<W> for Remote<W, C> {
    fn capacity(&self) -> usize {
        if !self.dead.is_empty() {
            return 0;
        }
        let room = self.carrier.room();
        // An open group is completed, so that a pair is not torn.
        let has_room = self.sent.len() < room || !self.open.is_empty() && self.sent.len() <= room;
        if has_room { usize::MAX } else { 0 }
    }

    fn submit(&mut self, task: Task<W>) {
        let group = self.codec.group(&task);
        if self.open.first().is_some_and(|first| self.codec.group(first) != group) {
            self.send_open();
        }
        self.open.push(task);
        if self.codec.is_full(&self.open) {
            self.send_open();
        }
    }

    fn next_event(&mut self, until: Option<Instant>) -> Option<Event<W>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if let Some(end) = self.only_dead() {
                return Some(end);
            }
            if !self.open.is_empty()
                && self.dead.is_empty()
                && self.sent.len() <= self.carrier.room()
            {
                self.send_open();
                continue;
            }
            let arrival = self.arrivals.next(until)?;
            self.handle(arrival);
        }
    }

    fn is_idle(&self) -> bool {
        self.carrier.is_idle()
    }

    fn stop(&mut self) {
        self.abort_all(false);
    }

    fn saved(&mut self) {
        if !self.unsaved.is_empty() {
            self.carrier.saved(&self.unsaved);
            self.unsaved.clear();
        }
    }

    fn finish(&mut self) {
        self.abort_all(true);
    }

    /// Returns the views of the oldest lines that a worker does.
    fn views(&self) -> Vec<W::View> {
        let fresh =
            |sent: &&Sent<W>| sent.view.as_ref().is_some_and(|(_, seen)| seen.elapsed() < VIEW_AGE);
        let mut sent: Vec<&Sent<W>> = self.sent.values().filter(fresh).collect();
        sent.sort_by_key(|sent| sent.tasks.first().map(|task| task.id));
        sent.truncate(MAX_VIEWS);
        sent.iter().filter_map(|sent| sent.view.as_ref()).map(|(view, _)| view.clone()).collect()
    }
}

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
