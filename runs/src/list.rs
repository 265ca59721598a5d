//! [`TaskList`]: a run over numbered tasks, each with one result. It journals results, repeats failed
//! tasks, and continues after a kill.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::drive::{Control, Run};
use crate::ids::Ids;
use crate::journal::{self, Journal, Journaled, PATIENCE, StopRecord};
use crate::task::{Outcome, Task, Work};
use crate::transport::Refusal;

/// The version of the journal format.
const VERSION: u32 = 1;

/// The greatest number of results in one write of the journal.
const MAX_UNSAVED: usize = 256;

/// The tasks of a list, and what keeps their results.
pub trait Tasks: Sized {
    /// What is done for a task.
    type Work: Work;
    /// The result of a task, as it is kept.
    type Record;
    /// The name of running tasks, for messages.
    const TASKS: &'static str;

    /// Returns the work of the task with this number; `None` if no such task is wanted.
    fn work(&mut self, id: u64) -> Option<Self::Work>;

    /// Returns the record of a result.
    fn record(task: Task<Self::Work>, result: <Self::Work as Work>::Result) -> Self::Record;

    /// Takes a record that is saved, also one of an earlier process.
    fn keep(&mut self, _: &Self::Record) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the note about a task that failed in all attempts; `None` for no note.
    fn note(_: &Task<Self::Work>, _why: &str) -> Option<String> {
        None
    }
}

/// The result of a numbered task.
pub trait Numbered: Serialize + DeserializeOwned {
    /// The name of a task, for messages: a query or a position.
    const UNIT: &'static str;
    /// What a process that holds the journal does, for messages.
    const HOLDER: &'static str;

    /// Returns the number of the task.
    fn id(&self) -> u64;
}

/// A record of the journal of a list.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Entry<R> {
    Own(Own),
    Result(R),
}

/// A record that is no result.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Own {
    /// The first record: identifies the tasks.
    Head(Head),
    /// A result that does not count, because its worker differs or because it is damaged.
    Refused(Refusal),
    /// The run was interrupted.
    Stop(StopRecord),
}

/// Identifies the tasks of a list.
#[derive(Serialize, Deserialize)]
struct Head {
    /// The version of the record format.
    version: u32,
    /// The program that wrote the journal.
    program: String,
    /// The SHA-256 of the tasks and of what changes their results, in hexadecimal.
    fingerprint: String,
    /// The number of tasks, by their name.
    #[serde(flatten)]
    counts: BTreeMap<String, u64>,
}

impl<R: Numbered> Journaled for Entry<R> {
    const UNIT: &'static str = R::UNIT;
    const HOLDER: &'static str = R::HOLDER;

    fn result_of(&self) -> Option<u64> {
        match self {
            Self::Result(record) => Some(record.id()),
            Self::Own(_) => None,
        }
    }
}

/// Saves the results of a list.
trait Saver<R> {
    /// Returns the numbers of the tasks with a result.
    fn done(&self) -> &Ids;

    /// Saves results. Returns them.
    fn save(&mut self, results: Vec<R>) -> Result<Vec<R>, Error>;

    /// Saves a record that is no result.
    fn note(&mut self, own: Own) -> Result<(), Error>;

    /// Waits for room on the disk from now on.
    fn wait_for_room(&mut self);
}

impl<R: Numbered> Saver<R> for Journal<Entry<R>> {
    fn done(&self) -> &Ids {
        self.results()
    }

    fn save(&mut self, results: Vec<R>) -> Result<Vec<R>, Error> {
        let entries: Vec<Entry<R>> = results.into_iter().map(Entry::Result).collect();
        self.append(&entries)?;
        let results = entries.into_iter().filter_map(|entry| match entry {
            Entry::Result(record) => Some(record),
            Entry::Own(_) => None,
        });
        Ok(results.collect())
    }

    fn note(&mut self, own: Own) -> Result<(), Error> {
        self.append(&[Entry::Own(own)])
    }

    fn wait_for_room(&mut self) {
        Self::wait_for_room(self, PATIENCE);
    }
}

/// A run over numbered tasks.
pub struct TaskList<T: Tasks> {
    /// The tasks.
    pub tasks: T,
    /// `None` if results are kept elsewhere.
    journal: Option<Box<dyn Saver<T::Record>>>,
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
    /// Creates a run without a journal.
    pub fn new(tasks: T) -> Self {
        let (retries, unsaved, failures) = (Vec::new(), Vec::new(), Vec::new());
        Self { tasks, journal: None, next: 0, retries, unsaved, failures }
    }

    /// Opens the journal in `folder`, and continues after its records. `count` is the number of tasks.
    /// `fingerprints` identify the tasks: the first one is written, and a journal with another one is
    /// continued, too. `other` is the message about a journal of other tasks, after the folder.
    pub fn open(
        folder: &Path,
        tasks: T,
        count: u64,
        fingerprints: &[String],
        other: &str,
    ) -> Result<Self, Error>
    where
        T::Record: Numbered + 'static,
    {
        let mut run = Self::new(tasks);
        let mut head = None;
        let (tasks, mut kept) = (&mut run.tasks, Ok(()));
        let mut journal = Journal::open_with(folder, |entry| match entry {
            Entry::Own(own) => drop(head.get_or_insert(own)),
            Entry::Result(record) if kept.is_ok() => kept = tasks.keep(&record),
            Entry::Result(_) => {}
        })?;
        kept?;
        let is_own =
            |head: &Head| head.version == VERSION && fingerprints.contains(&head.fingerprint);
        match head {
            Some(Own::Head(head)) if is_own(&head) => {}
            None if journal.results().is_empty() => {
                let head = Head {
                    version: VERSION,
                    program: concat!("tengen ", env!("CARGO_PKG_VERSION")).to_owned(),
                    fingerprint: fingerprints.first().cloned().unwrap_or_default(),
                    counts: [(T::TASKS.to_owned(), count)].into(),
                };
                journal.append(&[Entry::Own(Own::Head(head))])?;
            }
            _ => return Err(Error::OtherRun(format!("{} {other}", folder.display()))),
        }
        run.journal = Some(Box::new(journal));
        Ok(run)
    }

    /// Calls `each` with the results in `folder`, in the order in which they came.
    pub fn results(folder: &Path, mut each: impl FnMut(T::Record)) -> Result<(), Error>
    where
        T::Record: Numbered,
    {
        journal::read_each(folder, |entry| {
            if let Entry::Result(record) = entry {
                each(record);
            }
        })
    }

    /// Lets the journal wait for room on the disk, for workers in other processes.
    pub fn wait_for_room(&mut self) {
        self.journal.iter_mut().for_each(|journal| journal.wait_for_room());
    }

    /// Returns the numbers of the tasks whose results the journal holds.
    pub fn done(&self) -> Ids {
        self.journal.as_ref().map(|journal| journal.done().clone()).unwrap_or_default()
    }

    fn note(&mut self, own: Own) -> Result<(), Error> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.note(own))
    }
}

impl<T: Tasks> Run for TaskList<T> {
    type Work = T::Work;
    type Record = T::Record;
    const TASKS: &'static str = T::TASKS;

    fn next(
        &mut self,
        _: usize,
        control: &mut Control<'_, Self>,
    ) -> Result<Option<Task<T::Work>>, Error> {
        if control.is_ending() {
            return Ok(None);
        }
        if let Some(task) = self.retries.pop() {
            return Ok(Some(task));
        }
        while self.journal.as_ref().is_some_and(|journal| journal.done().contains(self.next)) {
            self.next += 1;
        }
        let Some(work) = self.tasks.work(self.next) else { return Ok(None) };
        self.next += 1;
        Ok(Some(Task { id: self.next - 1, attempt: 0, work }))
    }

    fn handle(
        &mut self,
        task: Task<T::Work>,
        outcome: Outcome<<T::Work as Work>::Result>,
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
        let mut results = std::mem::take(&mut self.unsaved);
        if let Some(journal) = self.journal.as_mut().filter(|_| !results.is_empty()) {
            results = journal.save(results)?;
        }
        for record in &results {
            self.tasks.keep(record)?;
            control.watcher.saved(self, record);
        }
        Ok(())
    }

    fn refused(&mut self, refusal: Refusal) -> Result<(), Error> {
        self.note(Own::Refused(refusal))
    }

    fn stopped(&mut self, why: &str) -> Result<(), Error> {
        self.note(Own::Stop(StopRecord { why: why.to_owned() }))
    }
}
