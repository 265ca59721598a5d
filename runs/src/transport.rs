//! [`Transport`]: passes tasks to workers and returns their outcomes.
//!
//! Workers are threads of this program ([`Threads`](crate::Threads)), or other processes
//! ([`Remote`](crate::Remote)). Schedules, journals and statistics are the same for both.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::contract::WorkerIdentity;
use crate::task::{Outcome, Task, Work};

/// An event of a transport.
pub enum Event<W: Work> {
    /// A task has started.
    Started(Task<W>),
    /// A task has ended.
    Finished(Task<W>, Outcome<W::Result>),
    /// The user asked the run to end.
    Interrupted,
    /// A note for the user.
    Note(String),
    /// A result was refused. Its task was queued again.
    Refused(RefusedResult),
    /// The first result of a worker came, or its first one of another program. The name has no slot.
    Worker(WorkerIdentity),
    /// An operator has paused the run, or it goes on.
    Paused(bool),
    /// An operator or another process has ended the run, for this reason.
    Ended(String),
    /// The transport has failed, for this reason.
    Broken(String),
}

/// A result that does not count, because its worker differs or because the result is damaged.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct RefusedResult {
    /// The id of the task.
    pub task: String,
    /// The worker and its slot.
    pub worker: String,
    /// Why the result was refused.
    pub why: String,
}

/// Passes tasks to workers.
pub trait Transport<W: Work> {
    /// Returns the greatest number of tasks in flight.
    fn capacity(&self) -> usize;

    /// Queues a task for a worker.
    fn submit(&mut self, task: Task<W>);

    /// Waits for the next event. Returns `None` at `until`; without `until` there is no timeout.
    fn next_event(&mut self, until: Option<Instant>) -> Option<Event<W>>;

    /// Returns whether workers take no tasks now, so that waiting for a result may take for ever.
    fn is_idle(&self) -> bool {
        false
    }

    /// Aborts all tasks at once.
    fn stop(&mut self);

    /// Called when all outcomes so far are in the journal.
    fn saved(&mut self) {}

    /// Called when the run has reached its aim. A transport may abort the tasks that still run.
    fn finish(&mut self) {}

    /// Returns the views of the running tasks. By default there are none.
    fn views(&self) -> Vec<W::View> {
        Vec::new()
    }
}

/// A channel of events.
pub struct Events<E> {
    sender: Sender<E>,
    receiver: Receiver<E>,
}

impl<E> Default for Events<E> {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver }
    }
}

impl<E: Send + 'static> Events<E> {
    /// Returns a sender of events.
    pub fn sender(&self) -> Sender<E> {
        self.sender.clone()
    }

    /// Returns a callback for an interruption by the user, which sends an event.
    pub fn interrupter(&self, event: fn() -> E) -> Box<dyn Fn() + Send + Sync> {
        let sender = self.sender();
        Box::new(move || drop(sender.send(event())))
    }

    /// Waits for the next event. Returns `None` at `until`; without `until` there is no timeout.
    pub fn next(&self, until: Option<Instant>) -> Option<E> {
        match until {
            None => self.receiver.recv().ok(),
            Some(until) => {
                let timeout = until.saturating_duration_since(Instant::now());
                self.receiver.recv_timeout(timeout).ok()
            }
        }
    }
}
