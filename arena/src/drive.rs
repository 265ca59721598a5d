//! The loop of every run: tasks are offered while there is room, and what becomes of them is taken.
//!
//! It knows neither games nor queries: a [`TaskRun`] says which task comes next and what a result means.

use std::time::{Duration, Instant};

use crate::transport::{Transport, TransportEvent};

/// A run of tasks `T` with outcomes `O` and views `V`.
pub trait TaskRun<T, O, V> {
    /// Why the run could not go on.
    type Error;

    /// Returns the next task, while so many are worked on; `None` if there is none, for now or for
    /// good.
    fn next(&mut self, in_flight: usize) -> Result<Option<T>, Self::Error>;

    /// Hears that a task has begun.
    fn started(&mut self, task: T);

    /// Takes what became of a task.
    fn take(&mut self, task: T, outcome: O) -> Result<(), Self::Error>;

    /// Keeps what was taken. It is called when no other result waits.
    fn settle(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Hears that somebody asked the run to end, while so many tasks are worked on.
    fn interrupted(&mut self, in_flight: usize);

    /// Returns the error of workers that are gone.
    fn broken(&self, why: String) -> Self::Error;

    /// Returns how often a view of the tasks is wanted; `None` where nobody looks.
    fn period(&self) -> Option<Duration>;

    /// Shows the tasks under way.
    fn tick(&mut self, views: &[V]);
}

/// Works until `run` has no more tasks. After an error the tasks under way are left.
pub fn drive<T, O, V, R: TaskRun<T, O, V>>(
    transport: &mut dyn Transport<T, O, V>,
    run: &mut R,
) -> Result<(), R::Error> {
    let result = work(transport, run);
    if result.is_err() {
        transport.stop();
    }
    result
}

fn work<T, O, V, R: TaskRun<T, O, V>>(
    transport: &mut dyn Transport<T, O, V>,
    run: &mut R,
) -> Result<(), R::Error> {
    let mut next_tick = run.period().map(|_| Instant::now());
    let mut in_flight = 0;
    let mut is_settled = true;
    loop {
        while in_flight < transport.capacity()
            && let Some(task) = run.next(in_flight)?
        {
            in_flight += 1;
            transport.offer(task);
        }
        if in_flight == 0 {
            return run.settle();
        }
        if let (Some(at), Some(period)) = (next_tick, run.period())
            && Instant::now() >= at
        {
            run.tick(&transport.views());
            next_tick = Some(Instant::now() + period);
        }
        // What was taken is kept before anything is waited for.
        let until = if is_settled { next_tick } else { Some(Instant::now()) };
        match transport.results(until) {
            None if is_settled => {}
            None => {
                run.settle()?;
                is_settled = true;
            }
            Some(TransportEvent::Started(task)) => run.started(task),
            Some(TransportEvent::Finished(task, outcome)) => {
                in_flight -= 1;
                run.take(task, outcome)?;
                is_settled = false;
            }
            Some(TransportEvent::Interrupted) => run.interrupted(in_flight),
            Some(TransportEvent::Broken(why)) => return Err(run.broken(why)),
        }
    }
}
