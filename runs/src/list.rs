//! [`TaskList`]: a run over numbered tasks, each with one result. It journals results, repeats failed
//! tasks, and continues after a kill.

use std::path::Path;

use crate::Error;
use crate::drive::{Control, NextTask, Run};
use crate::ids::Ids;
use crate::journal::{Entry, Head, Journal, Journaled, PATIENCE, RunNote};
use crate::task::{Outcome, OutcomeOf, Task, Work};

/// The version of the journal format.
const VERSION: u32 = 1;

/// The greatest number of results in one write of the journal.
const MAX_UNSAVED: usize = 256;

/// The tasks of a list, and what keeps their results.
pub trait Tasks: Sized {
    /// What is done for a task.
    type Work: Work;
    /// The result of a task, as the journal keeps it.
    type Record: Journaled;
    /// The name of running tasks, for messages.
    const TASKS: &'static str;

    /// Returns the work of the task with this number; `None` if no such task is wanted.
    fn work(&mut self, id: u64) -> Option<Self::Work>;

    /// Returns the record of a result.
    fn record(task: Task<Self::Work>, result: <Self::Work as Work>::Result) -> Self::Record;

    /// Takes a record that is saved, also one of an earlier process.
    fn keep(&mut self, _: &Self::Record) {}

    /// Returns the note about a task that failed in all attempts; `None` for no note.
    fn note(_: &Task<Self::Work>, _why: &str) -> Option<String> {
        None
    }
}

/// A run over numbered tasks.
pub struct TaskList<T: Tasks> {
    /// The tasks.
    pub tasks: T,
    journal: Journal<T::Record>,
    /// The number of the next task.
    next: u64,
    /// Failed tasks to repeat.
    retries: Vec<Task<T::Work>>,
    /// Results that are not saved yet.
    unsaved: Vec<T::Record>,
    /// Why tasks have no result after all attempts.
    pub failures: Vec<String>,
}

impl<T: Tasks> TaskList<T> {
    /// Opens the journal in `folder`, and continues after its records. `count` is the number of tasks.
    /// `fingerprints` identify the tasks: the first one is written, and a journal with another one is
    /// continued, too. `other` is the message about a journal of other tasks, after the folder.
    pub fn open(
        folder: &Path,
        mut tasks: T,
        count: u64,
        fingerprints: &[String],
        other: &str,
    ) -> Result<Self, Error> {
        let mut head = None;
        let mut journal = Journal::open_with(folder, |entry| match entry {
            Entry::Note(note) => drop(head.get_or_insert(note)),
            Entry::Record(record) => tasks.keep(&record),
        })?;
        let is_own =
            |head: &Head| head.version == VERSION && fingerprints.contains(&head.fingerprint);
        match head {
            Some(RunNote::Head(head)) if is_own(&head) => {}
            None if journal.results().is_empty() => journal.note(&RunNote::Head(Head {
                version: VERSION,
                program: concat!("tengen ", env!("CARGO_PKG_VERSION")).to_owned(),
                fingerprint: fingerprints.first().cloned().unwrap_or_default(),
                counts: [(T::TASKS.to_owned(), count)].into(),
            }))?,
            _ => return Err(Error::OtherRun(format!("{} {other}", folder.display()))),
        }
        let (retries, unsaved, failures) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { tasks, journal, next: 0, retries, unsaved, failures })
    }

    /// Lets the journal wait for room on the disk, for workers in other processes.
    pub fn wait_for_room(&mut self) {
        self.journal.wait_for_room(PATIENCE);
    }

    /// Returns the workers whose results were removed.
    pub fn purged(&self) -> &[String] {
        self.journal.purged()
    }

    /// Returns the numbers of the tasks whose results the journal holds.
    pub const fn done(&self) -> &Ids {
        self.journal.results()
    }
}

impl<T: Tasks> Run for TaskList<T> {
    type Work = T::Work;
    type Record = T::Record;
    const TASKS: &'static str = T::TASKS;

    fn next(&mut self, _: usize, control: &mut Control<'_, Self>) -> NextTask<T::Work> {
        if control.is_ending() {
            return Ok(None);
        }
        if let Some(task) = self.retries.pop() {
            return Ok(Some(task));
        }
        while self.done().contains(self.next) {
            self.next += 1;
        }
        let Some(work) = self.tasks.work(self.next) else { return Ok(None) };
        self.next += 1;
        Ok(Some(Task { id: self.next - 1, attempt: 0, work }))
    }

    fn handle(
        &mut self,
        task: Task<T::Work>,
        outcome: OutcomeOf<T::Work>,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        match outcome {
            Outcome::Aborted => {}
            Outcome::Failed(why) if task.is_last_attempt() => {
                let note = T::note(&task, &why);
                note.iter().for_each(|note| control.watcher.note(note));
                self.failures.push(why);
            }
            Outcome::Failed(_) => self.retries.extend(task.next_attempt()),
            Outcome::Finished(result) => {
                self.unsaved.push(T::record(task, result));
                if self.unsaved.len() == MAX_UNSAVED {
                    self.flush(control)?;
                }
            }
        }
        Ok(())
    }

    fn flush(&mut self, control: &mut Control<'_, Self>) -> Result<(), Error> {
        let results = std::mem::take(&mut self.unsaved);
        if !results.is_empty() {
            self.journal.append(&results)?;
        }
        for record in &results {
            self.tasks.keep(record);
            control.watcher.saved(self, record);
        }
        Ok(())
    }

    fn note(&mut self, note: RunNote) -> Result<(), Error> {
        self.journal.note(&note)
    }
}
