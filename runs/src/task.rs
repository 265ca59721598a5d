//! [`Task`]: a numbered piece of work, and its [`Outcome`]. [`TaskSignal`]: a task that runs in a slot.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::Value;

/// The greatest number of attempts for a task.
pub const MAX_ATTEMPTS: u32 = 3;

/// What a task asks of a worker: a game, or a query.
pub trait Work: Clone + Send + 'static {
    /// What the worker returns.
    type Result: Send;
    /// The state of a running task, for the user.
    type View: Clone + Default + Send + 'static;
}

/// A task of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task<W> {
    /// The number of the task in its run. The first result of a number counts.
    pub id: u64,
    /// The number of earlier attempts.
    pub attempt: u32,
    /// What is to be done.
    pub work: W,
}

impl<W> Task<W> {
    /// Returns whether no attempt follows this one.
    pub const fn is_last_attempt(&self) -> bool {
        self.attempt + 1 >= MAX_ATTEMPTS
    }

    /// Returns the task for its next attempt; `None` after the last one.
    pub fn next_attempt(self) -> Option<Self> {
        (!self.is_last_attempt()).then_some(Self { attempt: self.attempt + 1, ..self })
    }
}

/// The outcome of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome<R> {
    /// The task has a result.
    Finished(R),
    /// The attempt does not count, for this reason.
    Failed(String),
    /// The run was aborted.
    Aborted,
}

/// The outcome of a task with this work.
pub type OutcomeOf<W> = Outcome<<W as Work>::Result>;

/// Writes the state of a running task for the user.
type Viewer = Box<dyn Fn() -> Value + Send + Sync>;

/// What a running task and its holder tell each other.
#[derive(Default)]
pub struct TaskSignal {
    steps: AtomicU64,
    is_cancelled: AtomicBool,
    viewer: OnceLock<Viewer>,
}

impl TaskSignal {
    /// Counts a sign of progress, such as a line of an engine.
    pub fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of signs of progress.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Makes the state of the task visible. The first viewer counts.
    pub fn show_by(&self, viewer: Viewer) {
        let _ = self.viewer.set(viewer);
    }

    /// Returns the state of the task; `None` if the task does not show it.
    pub fn view(&self) -> Option<Value> {
        self.viewer.get().map(|viewer| viewer())
    }

    /// Asks the task to end at once. It gets no result.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns whether the task is to end at once.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}
