//! [`Threads`]: a transport whose workers are threads of this program.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;
use std::{io, thread};

use parking_lot::Mutex;

use crate::task::{Outcome, Task, Work};
use crate::transport::{Event, Events, Transport};

/// The message when the system starts no thread.
pub const NO_THREAD: &str =
    "no thread can be started: raise the system's limits of processes and memory";

/// The state of a running task, shared between a worker and the user's view.
#[derive(Clone, Debug, Default)]
pub struct View<V>(Arc<Mutex<V>>);

impl<V: Clone> View<V> {
    /// Changes the state.
    pub fn update(&self, change: impl FnOnce(&mut V)) {
        change(&mut self.0.lock());
    }

    /// Returns a copy of the state.
    pub fn get(&self) -> V {
        self.0.lock().clone()
    }
}

/// A worker's end of the transport.
pub struct Worker<W: Work> {
    queue: Arc<Mutex<Receiver<Task<W>>>>,
    events: Sender<Event<W>>,
    /// The state of the running task.
    pub view: View<W::View>,
}

impl<W: Work> Worker<W> {
    /// Waits for the next task. Returns `None` when there is none any more.
    pub fn next(&self) -> Option<Task<W>> {
        self.queue.lock().recv().ok()
    }

    /// Reports that a task has started.
    pub fn started(&self, task: &Task<W>) {
        // The run may have ended in the meantime.
        let _ = self.events.send(Event::Started(task.clone()));
    }

    /// Reports the outcome of a task.
    pub fn finished(&self, task: Task<W>, outcome: Outcome<W::Result>) {
        let _ = self.events.send(Event::Finished(task, outcome));
    }

    /// Does tasks by `work` until there are none. A task that ends when `is_stopped` is aborted.
    pub fn serve(
        &self,
        is_stopped: impl Fn() -> bool,
        mut work: impl FnMut(&W) -> Result<W::Result, String>,
    ) {
        while let Some(task) = self.next() {
            self.started(&task);
            let outcome = match work(&task.work) {
                Ok(_) if is_stopped() => Outcome::Aborted,
                Ok(result) => Outcome::Finished(result),
                Err(why) => Outcome::Failed(why),
            };
            self.finished(task, outcome);
        }
    }
}

/// Worker threads.
pub struct Threads<W: Work> {
    /// `None` when no more tasks follow.
    tasks: Option<Sender<Task<W>>>,
    events: Events<Event<W>>,
    threads: Vec<thread::JoinHandle<()>>,
    views: Vec<View<W::View>>,
    stop: Box<dyn Fn()>,
}

impl<W: Work> Threads<W> {
    /// Starts a thread for each of `workers`, which are called with their end of the transport.
    /// `stop` makes them abort their tasks.
    pub fn start(
        name: &str,
        workers: impl IntoIterator<Item = impl FnOnce(Worker<W>) + Send + 'static>,
        stop: impl Fn() + 'static,
    ) -> io::Result<Self> {
        let (tasks, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let mut transport = Self {
            tasks: Some(tasks),
            events: Events::default(),
            threads: Vec::new(),
            views: Vec::new(),
            stop: Box::new(stop),
        };
        for (number, work) in workers.into_iter().enumerate() {
            let view = View::default();
            transport.views.push(view.clone());
            let (queue, events) = (Arc::clone(&queue), transport.events.sender());
            let worker = Worker { queue, events, view };
            let thread = thread::Builder::new().name(format!("{name} {number}"));
            transport.threads.push(thread.spawn(move || work(worker))?);
        }
        Ok(transport)
    }

    /// Returns a callback for an interruption by the user.
    pub fn interrupter(&self) -> Box<dyn Fn() + Send + Sync> {
        self.events.interrupter(|| Event::Interrupted)
    }
}

impl<W: Work> Transport<W> for Threads<W> {
    fn capacity(&self) -> usize {
        self.threads.len()
    }

    fn submit(&mut self, task: Task<W>) {
        if let Some(tasks) = &self.tasks {
            // The workers receive until `tasks` is dropped.
            let _ = tasks.send(task);
        }
    }

    fn next_event(&mut self, until: Option<Instant>) -> Option<Event<W>> {
        self.events.next(until)
    }

    fn stop(&mut self) {
        (self.stop)();
    }

    fn views(&self) -> Vec<W::View> {
        self.views.iter().map(View::get).collect()
    }
}

impl<W: Work> Drop for Threads<W> {
    /// Waits until all workers have ended.
    fn drop(&mut self) {
        self.tasks = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::journal::RunNote;
    use crate::{Control, End, Error, MAX_ATTEMPTS, NextTask, Run, Watcher, drive};

    use super::*;

    /// Squares a number.
    #[derive(Clone)]
    struct Square(u64);

    impl Work for Square {
        type Result = u64;
        type View = ();
    }

    /// The squares of the numbers below `count`. The odd ones fail in their first attempts.
    #[derive(Default)]
    struct Squares {
        count: u64,
        next: u64,
        retries: Vec<Task<Square>>,
        results: Vec<(u64, u64)>,
        why: Option<String>,
    }

    impl Run for Squares {
        type Work = Square;
        type Record = u64;
        const TASKS: &'static str = "squares";

        fn next(&mut self, _: usize, control: &mut Control<'_, Self>) -> NextTask<Square> {
            if control.is_ending() {
                return Ok(None);
            }
            if let Some(task) = self.retries.pop() {
                return Ok(Some(task));
            }
            self.next += 1;
            let id = self.next - 1;
            Ok((id < self.count).then_some(Task { id, attempt: 0, work: Square(id) }))
        }

        fn handle(
            &mut self,
            task: Task<Square>,
            outcome: Outcome<u64>,
            control: &mut Control<'_, Self>,
        ) -> Result<(), Error> {
            match outcome {
                Outcome::Finished(square) => {
                    self.results.push((task.id, square));
                    control.watcher.saved(self, &square);
                }
                Outcome::Failed(_) => match task.next_attempt() {
                    Some(task) => self.retries.push(task),
                    None => control.end(End::Failures),
                },
                Outcome::Aborted => {}
            }
            Ok(())
        }

        fn note(&mut self, note: RunNote) -> Result<(), Error> {
            if let RunNote::Stop { why } = note {
                self.why = Some(why);
            }
            Ok(())
        }
    }

    #[derive(Default)]
    struct Notes(Vec<String>);

    impl Watcher<Squares> for Notes {
        fn note(&mut self, text: &str) {
            self.0.push(text.to_owned());
        }

        fn saved(&mut self, _: &Squares, _: &u64) {}
    }

    /// Starts workers whose odd tasks fail `failures` times.
    fn workers(failures: u32) -> Threads<Square> {
        let work = move |worker: Worker<Square>| {
            while let Some(task) = worker.next() {
                worker.started(&task);
                let fails = task.work.0 % 2 == 1 && task.attempt < failures;
                let square = Outcome::Finished(task.work.0.pow(2));
                let outcome = if fails { Outcome::Failed("odd".to_owned()) } else { square };
                worker.finished(task, outcome);
            }
        };
        Threads::start("squares", [work, work, work], || {}).unwrap()
    }

    #[test]
    fn failed_tasks_are_tried_again_and_every_task_has_one_result() {
        let mut run = Squares { count: 50, ..Squares::default() };
        let end = drive(&mut run, &mut workers(MAX_ATTEMPTS - 1), &mut Notes::default()).unwrap();
        run.results.sort_unstable();
        let squares: Vec<(u64, u64)> = (0..50).map(|id| (id, id * id)).collect();
        assert_eq!((end, run.results, run.why), (End::Done, squares, None));
    }

    #[test]
    fn a_task_that_fails_too_often_ends_its_run() {
        let mut run = Squares { count: 50, ..Squares::default() };
        let end = drive(&mut run, &mut workers(MAX_ATTEMPTS), &mut Notes::default()).unwrap();
        assert_eq!((end, run.why.as_deref()), (End::Failures, Some("too many failures")));
    }

    #[test]
    fn an_interrupted_run_finishes_its_running_tasks() {
        let mut workers = workers(0);
        workers.interrupter()();
        let (mut run, mut notes) = (Squares { count: 50, ..Squares::default() }, Notes::default());
        let end = drive(&mut run, &mut workers, &mut notes).unwrap();
        assert_eq!((end, run.why.as_deref()), (End::Interrupted, Some("interrupted")));
        assert_eq!(run.results.len(), 3);
        assert_eq!(notes.0, ["interrupted: 3 squares are finished; Ctrl-C again leaves them"]);
    }
}
