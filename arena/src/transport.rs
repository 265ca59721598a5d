//! How tasks reach the workers: games, or queries of a batch. Today this program works on them. A
//! transport that sends them elsewhere changes no schedule, journal or statistics.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use crate::game::{GameView, Plan, Played};

/// What comes back of tasks `T` with outcomes `O`.
#[derive(Clone, PartialEq, Debug)]
pub enum TransportEvent<T = Plan, O = Played> {
    /// A task begins.
    Started(T),
    /// A task has come to an end, of whatever kind.
    Finished(T, O),
    /// Somebody asked the run to end.
    Interrupted,
    /// Nothing can be done any more; why.
    Broken(String),
}

/// Works on tasks `T`, which have outcomes `O` and, meanwhile, views `V`.
pub trait Transport<T = Plan, O = Played, V = GameView> {
    /// Returns how many tasks are taken at a time.
    fn capacity(&self) -> usize;

    /// Offers a task.
    fn offer(&mut self, task: T);

    /// Waits for what comes next, at most up to a time; `None` when that has come.
    fn results(&mut self, until: Option<Instant>) -> Option<TransportEvent<T, O>>;

    /// Leaves all tasks at once.
    fn stop(&mut self);

    /// Returns the tasks under way.
    fn views(&self) -> Vec<V>;
}

/// Waits for the next event of local workers, at most up to a time; `None` when that has come.
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
