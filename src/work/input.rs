//! Reads tasks from standard input, gives them to slots, and writes results to standard output.

use std::io::{self, ErrorKind, Read, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use anyhow::Context;
use tengen_protocol::io::lines::{InputLine, LineSplitter};
use tengen_runs::contract::{MAX_LINE, ResultLine, TaskLine, quoted};
use tengen_runs::{Job, start_slot};

use super::slot::Slot;
use super::some_refused;
use crate::exit_status::{NO_THREAD, WRITE_FAILED, ignore_broken_pipe};

/// The exit status after SIGTERM, as in shells.
#[cfg(unix)]
const TERMINATED: i32 = 143;

/// How many bytes are read at a time.
const CHUNK: usize = 64 << 10;

/// Standard output, for whole lines only.
#[derive(Default)]
pub(super) struct Output {
    /// The first error of a write.
    failed: Mutex<Option<io::Error>>,
    has_refusals: AtomicBool,
}

impl Output {
    /// Writes a result.
    fn write(&self, result: &ResultLine) {
        if !result.ok {
            self.has_refusals.store(true, Ordering::Relaxed);
        }
        let text = result.text();
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        if let Err(error) = written {
            failed.get_or_insert(error);
        }
    }

    /// Returns whether a result could not be written.
    fn is_closed(&self) -> bool {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Returns the end of the command.
    pub(super) fn finish(&self) -> anyhow::Result<()> {
        if let Some(error) = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return ignore_broken_pipe(Err(error)).context(WRITE_FAILED);
        }
        match self.has_refusals.load(Ordering::Relaxed) {
            true => Err(some_refused()),
            false => Ok(()),
        }
    }
}

/// Reads tasks to the end of the input, or until nobody reads the results. Returns an error of the
/// input.
pub(super) fn read(slots: &Slots, output: &Arc<Output>) -> io::Result<()> {
    let mut input = io::stdin().lock();
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
        Ok(task) => slots.give(task, output),
        Err(refused) => {
            output.write(&refused);
            ControlFlow::Continue(())
        }
    }
}

/// The slots of the command.
pub(super) struct Slots {
    started: Vec<(Sender<Job>, JoinHandle<()>)>,
    free: Sender<usize>,
    is_free: Receiver<usize>,
}

impl Slots {
    /// Starts a thread for each slot.
    pub(super) fn start(slots: impl Iterator<Item = Slot>) -> anyhow::Result<Self> {
        let (free, is_free) = channel();
        let mut started = Vec::new();
        for (number, slot) in slots.enumerate() {
            started.push(start_slot(number, slot).context(NO_THREAD)?);
            free.send(number)?;
        }
        Ok(Self { started, free, is_free })
    }

    /// Gives a task to a slot when one is free. Breaks off if that slot has failed.
    fn give(&self, task: TaskLine, output: &Arc<Output>) -> ControlFlow<()> {
        let Ok(number) = self.is_free.recv() else { return ControlFlow::Break(()) };
        let (free, output) = (Free { number, sender: self.free.clone() }, Arc::clone(output));
        let done = move |result: ResultLine| {
            output.write(&result);
            drop(free);
        };
        match self.started[number].0.send((task, Arc::default(), Box::new(done))) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    /// Waits until all tasks are done. Returns whether no slot has failed.
    pub(super) fn finish(self) -> bool {
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

/// Ends the process at SIGTERM. The tasks in hand get no result, and no line is cut off.
#[cfg(unix)]
pub(super) fn catch_sigterm(output: Arc<Output>) -> io::Result<()> {
    use std::os::unix::net::UnixStream;
    let (mut signals, sender) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGTERM, sender)?;
    std::thread::Builder::new().name("SIGTERM".to_owned()).spawn(move || {
        if signals.read(&mut [0]).is_err() {
            return;
        }
        // A reader that does not read must not keep the process alive.
        let _ = std::thread::Builder::new().name("end".to_owned()).spawn(|| {
            std::thread::sleep(std::time::Duration::from_secs(1));
            std::process::exit(TERMINATED);
        });
        let _line = output.failed.lock().unwrap_or_else(PoisonError::into_inner);
        std::process::exit(TERMINATED);
    })?;
    Ok(())
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub(super) fn catch_sigterm(_: Arc<Output>) -> io::Result<()> {
    Ok(())
}
