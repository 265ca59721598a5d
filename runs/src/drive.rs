//! [`drive()`]: the main loop of every run. It submits tasks while workers are free, and hands their
//! outcomes to the run.

use std::time::{Duration, Instant};

use crate::Error;
use crate::journal::RunNote;
use crate::task::{OutcomeOf, Task, Work};
use crate::transport::{Event, Transport};

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The run has reached its aim.
    Done,
    /// The user interrupted the run, or an operator ended it.
    Interrupted,
    /// Too many tasks failed.
    Failures,
}

/// The next task; `None` if there is none now.
pub type NextTask<W> = Result<Option<Task<W>>, Error>;

/// Chooses the tasks of a run and keeps their results.
pub trait Run: Sized {
    /// The work of a task.
    type Work: Work;
    /// The data of a finished task that a watcher gets after the journal holds it.
    type Record;
    /// The name of running tasks, for messages.
    const TASKS: &'static str;

    /// Returns the next task while `in_flight` tasks are running; `None` if there is none now.
    fn next(&mut self, in_flight: usize, control: &mut Control<'_, Self>) -> NextTask<Self::Work>;

    /// Handles the outcome of a task.
    fn handle(
        &mut self,
        task: Task<Self::Work>,
        outcome: OutcomeOf<Self::Work>,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error>;

    /// Saves results that are not saved yet. Called when no other outcome is waiting.
    fn flush(&mut self, _: &mut Control<'_, Self>) -> Result<(), Error> {
        Ok(())
    }

    /// Journals that a result was refused, or why the run stopped before its aim.
    fn note(&mut self, note: RunNote) -> Result<(), Error>;
}

/// Shows the progress of a run to the user.
pub trait Watcher<R: Run> {
    /// Shows a note or a warning.
    fn note(&mut self, text: &str);

    /// Called when a record is in the journal and counted.
    fn saved(&mut self, run: &R, record: &R::Record);

    /// Called when a task starts.
    fn started(&mut self, _: &Task<R::Work>) {}

    /// Returns the interval between two calls of `tick`; `None` if `tick` is not called.
    fn period(&self) -> Option<Duration> {
        None
    }

    /// Shows the running tasks.
    fn tick(&mut self, _: &R, _: &[<R::Work as Work>::View]) {}
}

/// The watcher of a run and its end, for the methods of a [`Run`].
pub struct Control<'w, R: Run> {
    /// The watcher.
    pub watcher: &'w mut dyn Watcher<R>,
    ending: Option<End>,
    /// Why somebody else ended the run.
    ended_by: Option<String>,
}

impl<R: Run> Control<'_, R> {
    /// Ends the run when its running tasks have ended. The first call counts.
    pub fn end(&mut self, end: End) {
        self.ending.get_or_insert(end);
    }

    /// Returns whether the run is about to end.
    pub fn is_ending(&self) -> bool {
        self.ending.is_some()
    }
}

/// Drives `run` until it has no more tasks. After an error, the running tasks are aborted.
pub fn drive<R: Run>(
    run: &mut R,
    transport: &mut dyn Transport<R::Work>,
    watcher: &mut dyn Watcher<R>,
) -> Result<End, Error> {
    let mut control = Control { watcher, ending: None, ended_by: None };
    if let Err(error) = run_loop(run, transport, &mut control) {
        transport.stop();
        return Err(error);
    }
    let end = control.ending.unwrap_or(End::Done);
    let why = match end {
        End::Done => return Ok(end),
        End::Interrupted => control.ended_by.unwrap_or_else(|| "interrupted".to_owned()),
        End::Failures => "too many failures".to_owned(),
    };
    run.note(RunNote::Stop { why })?;
    Ok(end)
}

fn run_loop<R: Run>(
    run: &mut R,
    transport: &mut dyn Transport<R::Work>,
    control: &mut Control<'_, R>,
) -> Result<(), Error> {
    let period = control.watcher.period();
    let mut next_tick = period.map(|_| Instant::now());
    let mut in_flight = 0;
    let mut is_flushed = true;
    let mut is_finishing = false;
    loop {
        while in_flight < transport.capacity()
            && let Some(task) = run.next(in_flight, control)?
        {
            in_flight += 1;
            transport.submit(task);
        }
        if in_flight == 0 {
            run.flush(control)?;
            transport.saved();
            if matches!(control.ending, None | Some(End::Done)) {
                transport.finish();
            }
            return Ok(());
        }
        match control.ending {
            Some(End::Done) if !is_finishing => {
                is_finishing = true;
                transport.finish();
            }
            Some(End::Interrupted) if !is_finishing && transport.is_idle() => {
                is_finishing = true;
                transport.stop();
            }
            _ => {}
        }
        if let (Some(at), Some(period)) = (next_tick, period)
            && Instant::now() >= at
        {
            control.watcher.tick(run, &transport.views());
            next_tick = Some(Instant::now() + period);
        }
        // Results are saved before the loop waits.
        let until = if is_flushed { next_tick } else { Some(Instant::now()) };
        match transport.next_event(until) {
            None if is_flushed => {}
            None => {
                run.flush(control)?;
                transport.saved();
                is_flushed = true;
            }
            Some(Event::Note(text)) => control.watcher.note(&text),
            Some(Event::Refused(refusal)) => {
                control.watcher.note(&format!(
                    "task {}: the result of {} does not count: {}",
                    refusal.task, refusal.worker, refusal.why
                ));
                run.note(RunNote::Refused(refusal))?;
            }
            Some(Event::Worker(worker)) => run.note(RunNote::Worker(worker))?,
            Some(Event::Started(task)) => control.watcher.started(&task),
            Some(Event::Finished(task, outcome)) => {
                in_flight -= 1;
                run.handle(task, outcome, control)?;
                is_flushed = false;
            }
            Some(Event::Interrupted) => {
                if !control.is_ending() {
                    let tasks = R::TASKS;
                    control.watcher.note(&match transport.is_idle() {
                        true => format!("interrupted: the run is paused or has no worker; {in_flight} {tasks} are left"),
                        false => format!("interrupted: {in_flight} {tasks} are finished; Ctrl-C again leaves them"),
                    });
                }
                control.ending = Some(End::Interrupted);
            }
            Some(Event::Paused(paused)) => run.note(RunNote::Pause { paused })?,
            Some(Event::Ended(why)) => {
                control.watcher.note(&why);
                control.end(End::Interrupted);
                control.ended_by = Some(why);
                // What is counted by now is told to the server first.
                run.flush(control)?;
                transport.saved();
                is_finishing = true;
                transport.stop();
            }
            Some(Event::Broken(why)) => return Err(Error::Broken(why)),
        }
    }
}
