//! The main loop of every run: submits tasks while workers are free, and handles their outcomes.
//!
//! The loop knows neither games nor queries: a [`TaskRun`] chooses the next task and interprets the
//! outcomes.

use std::time::{Duration, Instant};

use crate::transport::{Transport, TransportEvent};

/// A run of tasks `T` with outcomes `O`. While a task runs, a view `V` shows it.
pub trait TaskRun<T, O, V> {
    /// Why the run could not continue.
    type Error;

    /// Returns the next task while `in_flight` tasks are running; `None` if there is none now.
    fn next(&mut self, in_flight: usize) -> Result<Option<T>, Self::Error>;

    /// Called when a task starts.
    fn started(&mut self, task: T);

    /// Handles a task's outcome.
    fn handle(&mut self, task: T, outcome: O) -> Result<(), Self::Error>;

    /// Saves outcomes that are not saved yet. Called when no other outcome is waiting.
    fn flush(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Called when the user interrupts the run while `in_flight` tasks are running.
    fn interrupted(&mut self, in_flight: usize);

    /// Returns the error of a run whose transport has failed because of `why`.
    fn transport_error(&self, why: String) -> Self::Error;

    /// Returns the interval between two calls of `tick`; `None` if `tick` is not called.
    fn period(&self) -> Option<Duration>;

    /// Shows the running tasks.
    fn tick(&mut self, views: &[V]);
}

/// Drives `run` until it has no more tasks. After an error, the running tasks are aborted.
pub fn drive<T, O, V, R: TaskRun<T, O, V>>(
    transport: &mut dyn Transport<T, O, V>,
    run: &mut R,
) -> Result<(), R::Error> {
    let result = run_loop(transport, run);
    if result.is_err() {
        transport.stop();
    }
    result
}

fn run_loop<T, O, V, R: TaskRun<T, O, V>>(
    transport: &mut dyn Transport<T, O, V>,
    run: &mut R,
) -> Result<(), R::Error> {
    let mut next_tick = run.period().map(|_| Instant::now());
    let mut in_flight = 0;
    let mut is_flushed = true;
    loop {
        while in_flight < transport.capacity()
            && let Some(task) = run.next(in_flight)?
        {
            in_flight += 1;
            transport.submit(task);
        }
        if in_flight == 0 {
            return run.flush();
        }
        if let (Some(at), Some(period)) = (next_tick, run.period())
            && Instant::now() >= at
        {
            run.tick(&transport.views());
            next_tick = Some(Instant::now() + period);
        }
        // Outcomes are saved before the loop waits.
        let until = if is_flushed { next_tick } else { Some(Instant::now()) };
        match transport.next_event(until) {
            None if is_flushed => {}
            None => {
                run.flush()?;
                is_flushed = true;
            }
            Some(TransportEvent::Started(task)) => run.started(task),
            Some(TransportEvent::Finished(task, outcome)) => {
                in_flight -= 1;
                run.handle(task, outcome)?;
                is_flushed = false;
            }
            Some(TransportEvent::Interrupted) => run.interrupted(in_flight),
            Some(TransportEvent::Broken(why)) => return Err(run.transport_error(why)),
        }
    }
}
