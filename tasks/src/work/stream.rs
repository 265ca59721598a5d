//! Reads tasks from a stream, gives them to slots, and writes results to another stream.

use std::io::{self, ErrorKind, Read, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};

use parking_lot::Mutex;
use tengen_protocol::io::lines::{InputLine, LineSplitter};
use tengen_runs::contract::{
    MAX_LINE, MAX_VIEW, ResultLine, TaskLine, VIEW_PERIOD, VIEWS_VARIABLE, ViewLine, quoted,
};
use tengen_runs::{Job, NO_THREAD, TaskSignal, start_slot};

use super::slot::Slot;
use crate::Failure;

/// How many bytes are read at a time.
const CHUNK: usize = 64 << 10;

/// The stream of results, for whole lines only.
pub struct Output(Mutex<Results>);

/// Where results go, and what has happened.
struct Results {
    to: Box<dyn Write + Send>,
    /// The first error of a write.
    failed: Option<io::Error>,
    has_refusals: bool,
}

impl Output {
    /// Creates the stream of results that are written to `to`.
    pub fn new(to: Box<dyn Write + Send>) -> Self {
        Self(Mutex::new(Results { to, failed: None, has_refusals: false }))
    }

    /// Runs `work` while no result is written: no line is cut off.
    pub fn between_lines<T>(&self, work: impl FnOnce() -> T) -> T {
        let _lock = self.0.lock();
        work()
    }

    /// Writes a result.
    fn write(&self, result: &ResultLine) {
        self.0.lock().has_refusals |= !result.ok;
        self.write_text(&result.text());
    }

    /// Writes a line with its end.
    fn write_text(&self, text: &str) {
        let mut out = self.0.lock();
        if let Err(error) = out.to.write_all(text.as_bytes()).and_then(|()| out.to.flush()) {
            out.failed.get_or_insert(error);
        }
    }

    /// Returns whether a result could not be written.
    fn is_closed(&self) -> bool {
        self.0.lock().failed.is_some()
    }

    /// Returns whether a task was refused, or the error of a write. That the reader closed the output is no
    /// error.
    fn end(&self) -> Result<bool, Failure> {
        let mut out = self.0.lock();
        match out.failed.take() {
            None => Ok(out.has_refusals),
            Some(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            Some(error) => Err(Failure::because("cannot write to standard output")(error)),
        }
    }
}

/// Does the tasks of the stream `input`. Returns whether one was refused.
pub(super) fn work(
    input: &mut dyn Read,
    slots: impl Iterator<Item = Slot>,
    output: &Arc<Output>,
) -> Result<bool, Failure> {
    let slots = Slots::start(slots)?;
    let shows = std::env::var_os(VIEWS_VARIABLE).is_some_and(|value| value == "1");
    // The states end with this sender.
    let _views = shows.then(|| start_views(&slots.running, output)).transpose()?;
    let read = read(input, &slots, output);
    if !slots.finish() {
        return Err(Failure::Failed("a slot has failed: its task has no result".to_owned()));
    }
    read.map_err(Failure::because("cannot read standard input"))?;
    output.end()
}

/// Reads tasks to the end of the input, or until nobody reads the results. Returns an error of the
/// input.
fn read(input: &mut dyn Read, slots: &Slots, output: &Arc<Output>) -> io::Result<()> {
    let mut lines = LineSplitter::with_max_bytes(MAX_LINE);
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if lines.feed(&chunk[..length], |line| take(line, slots, output)).is_break() {
            return Ok(());
        }
    }
    let _ = lines.finish(|line| take(line, slots, output));
    Ok(())
}

/// Takes a line of the input.
fn take(line: InputLine<'_>, slots: &Slots, output: &Arc<Output>) -> ControlFlow<()> {
    if output.is_closed() {
        return ControlFlow::Break(());
    }
    let text = match line {
        InputLine::Text(text) => text,
        InputLine::TooLong(beginning) => {
            let beginning = quoted(&beginning);
            let why = format!("\"{beginning}..\": the line has more than {MAX_LINE} bytes");
            output.write(&ResultLine::refused(None, None, "too_large", None, why));
            return ControlFlow::Continue(());
        }
    };
    if text.trim().is_empty() {
        return ControlFlow::Continue(());
    }
    match TaskLine::read(text.trim()) {
        Ok(task) => return slots.give(task, output),
        Err(refused) => output.write(&refused),
    }
    ControlFlow::Continue(())
}

/// The tasks that slots do, by id.
type Running = Arc<Mutex<Vec<(String, Arc<TaskSignal>)>>>;

/// Writes the states of the running tasks once a second, until the sender is dropped.
fn start_views(running: &Running, output: &Arc<Output>) -> Result<Sender<()>, Failure> {
    let (running, output) = (Arc::clone(running), Arc::clone(output));
    let (sender, ended) = channel();
    let show = move || {
        while ended.recv_timeout(VIEW_PERIOD) == Err(RecvTimeoutError::Timeout) {
            let tasks = running.lock().clone();
            let views = tasks.into_iter().filter_map(|(id, signal)| {
                let view = signal.view()?;
                serde_json::to_string(&ViewLine { id, view }).ok()
            });
            for view in views.filter(|view| view.len() <= MAX_VIEW) {
                output.write_text(&(view + "\n"));
            }
        }
    };
    let thread = thread::Builder::new().name("views".to_owned());
    thread.spawn(show).map_err(Failure::because(NO_THREAD))?;
    Ok(sender)
}

/// The slots of the command.
struct Slots {
    running: Running,
    started: Vec<(Sender<Job>, JoinHandle<()>)>,
    free: Sender<usize>,
    is_free: Receiver<usize>,
}

impl Slots {
    /// Starts a thread for each slot.
    fn start(slots: impl Iterator<Item = Slot>) -> Result<Self, Failure> {
        let (free, is_free) = channel();
        let mut started = Vec::new();
        for (number, slot) in slots.enumerate() {
            started.push(start_slot(number, slot).map_err(Failure::because(NO_THREAD))?);
            let _ = free.send(number);
        }
        Ok(Self { running: Running::default(), started, free, is_free })
    }

    /// Gives a task to a slot when one is free. Breaks off if that slot has failed.
    fn give(&self, task: TaskLine, output: &Arc<Output>) -> ControlFlow<()> {
        let Ok(number) = self.is_free.recv() else { return ControlFlow::Break(()) };
        let (free, output) = (Free { number, sender: self.free.clone() }, Arc::clone(output));
        let (signal, running) = (Arc::<TaskSignal>::default(), Arc::clone(&self.running));
        running.lock().push((task.id.clone(), Arc::clone(&signal)));
        let own = Arc::clone(&signal);
        let done = move |result: ResultLine| {
            running.lock().retain(|(_, signal)| !Arc::ptr_eq(signal, &own));
            output.write(&result);
            drop(free);
        };
        match self.started[number].0.send((task, signal, Box::new(done))) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    /// Waits until all tasks are done. Returns whether no slot has failed.
    fn finish(self) -> bool {
        let (senders, threads): (Vec<_>, Vec<_>) = self.started.into_iter().unzip();
        drop(senders);
        threads.into_iter().map(JoinHandle::join).filter(Result::is_err).count() == 0
    }
}

/// Tells that a slot is free when it is dropped, also by a slot that has failed.
struct Free {
    number: usize,
    sender: Sender<usize>,
}

impl Drop for Free {
    fn drop(&mut self) {
        let _ = self.sender.send(self.number);
    }
}
