//! [`Threads`]: a transport whose workers are threads of this program.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use std::{io, thread};

use crate::task::{Outcome, Task, Work};
use crate::transport::{Event, Events, Transport};

/// The state of a running task, shared between a worker and the user's view.
#[derive(Clone, Debug, Default)]
pub struct View<V>(Arc<Mutex<V>>);

impl<V: Clone> View<V> {
    /// Changes the state.
    pub fn update(&self, change: impl FnOnce(&mut V)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns a copy of the state.
    pub fn get(&self) -> V {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
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
}

/// Worker threads.
pub struct Threads<W: Work> {
    /// `None` when no more tasks follow.
    tasks: Option<Sender<Task<W>>>,
    events: Events<W>,
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
        self.events.interrupter()
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
