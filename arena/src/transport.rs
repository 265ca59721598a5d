//! [`Transport`]: passes tasks (games, or queries of a batch) to workers and returns their
//! outcomes.
//!
//! Today all workers are threads of this program. A transport to other machines would change
//! neither schedules nor journals nor statistics.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use crate::game::{GameOutcome, GameView, Plan};

/// An event of a transport of tasks `T` with outcomes `O`.
#[derive(Clone, PartialEq, Debug)]
pub enum TransportEvent<T = Plan, O = GameOutcome> {
    /// A task has started.
    Started(T),
    /// A task has ended with an outcome.
    Finished(T, O),
    /// The user asked the run to end.
    Interrupted,
    /// The transport has failed for this reason.
    Broken(String),
}

/// Passes tasks `T` to workers. A task ends with an outcome `O`; a view `V` shows it while it runs.
pub trait Transport<T = Plan, O = GameOutcome, V = GameView> {
    /// Returns the greatest number of tasks in flight.
    fn capacity(&self) -> usize;

    /// Queues a task for a worker.
    fn submit(&mut self, task: T);

    /// Waits for the next event. Returns `None` at `until`; without `until` there is no timeout.
    fn next_event(&mut self, until: Option<Instant>) -> Option<TransportEvent<T, O>>;

    /// Aborts all tasks at once.
    fn stop(&mut self);

    /// Returns the views of the running tasks.
    fn views(&self) -> Vec<V>;
}

/// Receives the next event of local workers. Returns `None` at `until`.
pub(crate) fn receive<T, O>(
    events: &Receiver<TransportEvent<T, O>>,
    until: Option<Instant>,
) -> Option<TransportEvent<T, O>> {
    let broken = || TransportEvent::Broken("the workers have ended".to_owned());
    let Some(until) = until else {
        return Some(events.recv().unwrap_or_else(|_| broken()));
    };
    match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(event) => Some(event),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(broken()),
    }
}
