//! [`Slot`]: does one task after the other. [`start_slot`] gives it a thread.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::contract::{ResultLine, TaskLine};
use crate::task::TaskSignal;

/// How long a slot without a task keeps what the next task could use.
const REST: Duration = Duration::from_secs(1);

/// Does a task at a time.
pub trait Slot: Send + 'static {
    /// Does a task, and returns its result.
    fn work(&mut self, task: TaskLine, signal: &Arc<TaskSignal>) -> ResultLine;

    /// Ends what was kept for the next task. Called when there has been none for a second.
    fn rest(&mut self);
}

/// A task for a slot, and a callback for its result.
pub type Job = (TaskLine, Arc<TaskSignal>, Box<dyn FnOnce(ResultLine) + Send>);

/// Starts the thread of the slot `number`. It does jobs until their sender is dropped.
pub fn start_slot(number: usize, slot: impl Slot) -> io::Result<(Sender<Job>, JoinHandle<()>)> {
    let (sender, jobs) = channel();
    let thread = thread::Builder::new().name(format!("slot {number}"));
    Ok((sender, thread.spawn(move || serve(slot, &jobs))?))
}

fn serve(mut slot: impl Slot, jobs: &Receiver<Job>) {
    loop {
        let job = match jobs.recv_timeout(REST) {
            Err(RecvTimeoutError::Timeout) => {
                slot.rest();
                jobs.recv().ok()
            }
            job => job.ok(),
        };
        let Some((task, signal, done)) = job else { return };
        done(slot.work(task, &signal));
    }
}
