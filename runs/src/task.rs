//! [`Task`]: a numbered piece of work, and its [`Outcome`].

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
    /// Returns the task for its next attempt; `None` after the last one.
    pub fn next_attempt(self) -> Option<Self> {
        let attempt = self.attempt + 1;
        (attempt < MAX_ATTEMPTS).then_some(Self { attempt, ..self })
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
