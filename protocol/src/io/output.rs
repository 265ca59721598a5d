//! The output of a connection: lines, each in one write.
//!
//! It knows no protocol. Clients split what they read by lines only when every write ends with one.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::Duration;

/// How long to wait for a client that is slow to read.
const WAIT: Duration = Duration::from_micros(200);

pub(crate) struct Output {
    sink: Box<dyn Write + Send>,
    /// How many bytes the sink takes now without making us wait, at least.
    ask_room: fn() -> usize,
    /// The rest of the last answer of `ask_room`.
    room: usize,
    /// Lines for a client that does not keep up.
    backlog: Option<Backlog>,
    bytes: Vec<u8>,
}

impl Output {
    /// Returns an output to a sink that never makes us wait.
    pub(super) fn new(sink: impl Write + Send + 'static) -> Self {
        let (ask_room, room) = ((|| usize::MAX) as fn() -> usize, 0);
        Self { sink: Box::new(sink), ask_room, room, backlog: None, bytes: Vec::new() }
    }

    /// Opens standard output. A client that does not read blocks nobody.
    pub(super) fn stdout() -> Self {
        Self { ask_room: stdout_room, ..Self::new(io::stdout()) }
    }

    /// Writes `line` and its end, and flushes; later, where the client does not keep up.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        self.bytes.clear();
        self.bytes.extend_from_slice(line.as_bytes());
        self.bytes.push(b'\n');
        if self.backlog.as_ref().is_some_and(Backlog::is_drained) {
            self.backlog.take().map_or(Ok(()), Backlog::close)?;
        }
        if self.backlog.is_none() && self.takes(self.bytes.len()) {
            return write_and_flush(&mut *self.sink, &self.bytes);
        }
        self.backlog.get_or_insert_with(|| Backlog::open(io::stdout())).push(self.bytes.clone())
    }

    /// Returns how many bytes wait for a client that does not keep up.
    pub(crate) fn backlog(&self) -> usize {
        self.backlog.as_ref().map_or(0, |backlog| backlog.bytes.load(Ordering::Acquire))
    }

    /// Returns whether this many bytes can be written now without a wait. Asks only when it cannot
    /// know.
    fn takes(&mut self, bytes: usize) -> bool {
        if self.room < bytes {
            self.room = (self.ask_room)();
        }
        let fits = bytes <= self.room;
        self.room -= if fits { bytes } else { self.room };
        fits
    }

    /// Waits for the client to take what it was sent; where `patience` is given, until it has taken
    /// nothing for that long.
    pub(crate) fn finish(&mut self, patience: Option<Duration>) -> io::Result<()> {
        let Some(backlog) = self.backlog.take() else { return Ok(()) };
        let Some(patience) = patience else { return backlog.close() };
        while !backlog.is_drained() {
            match backlog.taken.recv_timeout(patience) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        backlog.close()
    }
}

/// A thread that waits for the client, and the lines it has not written yet.
struct Backlog {
    lines: Sender<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    /// Of all lines that wait.
    bytes: Arc<AtomicUsize>,
    /// Receives a message for each line that the client has taken.
    taken: Receiver<()>,
    thread: JoinHandle<io::Result<()>>,
}

impl Backlog {
    fn open(mut sink: impl Write + Send + 'static) -> Self {
        let (lines, inbox) = channel::<Vec<u8>>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let bytes = Arc::new(AtomicUsize::new(0));
        let (left, left_bytes) = (Arc::clone(&waiting), Arc::clone(&bytes));
        let (tell, taken) = sync_channel(1);
        let thread = spawn(move || {
            for line in inbox {
                write_and_flush(&mut sink, &line)?;
                left_bytes.fetch_sub(line.len(), Ordering::Release);
                left.fetch_sub(1, Ordering::Release);
                // A reader that has not been woken for the line before gets both lines at once.
                let _ = tell.try_send(());
            }
            Ok(())
        });
        Self { lines, waiting, bytes, taken, thread }
    }

    fn push(&self, line: Vec<u8>) -> io::Result<()> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(line.len(), Ordering::Relaxed);
        // The thread ends early only when the client has gone away.
        self.lines.send(line).map_err(|_| ErrorKind::BrokenPipe.into())
    }

    /// Returns whether every line was written, or none ever will be.
    fn is_drained(&self) -> bool {
        self.waiting.load(Ordering::Acquire) == 0 || self.thread.is_finished()
    }

    /// Writes the rest and returns the result.
    fn close(self) -> io::Result<()> {
        drop(self.lines);
        self.thread.join().unwrap_or_else(|_| Err(ErrorKind::Other.into()))
    }
}

/// A pipe that is ready for writing takes at least this much without blocking (POSIX: `PIPE_BUF` is
/// 512 or more, Linux has 4,096).
#[cfg(unix)]
const ROOM: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

#[cfg(unix)]
fn stdout_room() -> usize {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    let mut fds = [PollFd::new(&stdout, PollFlags::OUT)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    match poll(&mut fds, Some(&now)) {
        Ok(0) => 0,
        // An error is for the write to find.
        _ => ROOM,
    }
}

#[cfg(not(unix))]
fn stdout_room() -> usize {
    usize::MAX
}

fn write_and_flush(sink: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    write_all(sink, bytes)?;
    while patiently(|| sink.flush())?.is_none() {}
    Ok(())
}

fn write_all(sink: &mut dyn Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match patiently(|| sink.write(bytes))? {
            Some(0) => return Err(ErrorKind::WriteZero.into()),
            Some(written) => bytes = &bytes[written..],
            None => {}
        }
    }
    Ok(())
}

/// `None` after a wait where the sink cannot do it now: a socket that is also standard input does
/// not block.
fn patiently<T>(attempt: impl FnOnce() -> io::Result<T>) -> io::Result<Option<T>> {
    match attempt() {
        Ok(done) => Ok(Some(done)),
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(None),
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            sleep(WAIT);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a few bytes at a time, and only at every second attempt.
    struct Reluctant {
        taken: Sender<u8>,
        willing: bool,
    }

    impl Write for Reluctant {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.willing = !self.willing;
            if self.willing {
                return Err(ErrorKind::WouldBlock.into());
            }
            let some = &bytes[..bytes.len().min(3)];
            some.iter().for_each(|byte| self.taken.send(*byte).unwrap());
            Ok(some.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.willing = !self.willing;
            if self.willing { Err(ErrorKind::WouldBlock.into()) } else { Ok(()) }
        }
    }

    #[test]
    fn a_sink_that_cannot_keep_up_loses_nothing() {
        let (taken, bytes) = channel();
        let mut output = Output::new(Reluctant { taken, willing: false });
        output.line("bestmove P@d1").unwrap();
        output.line("").unwrap();
        drop(output);
        assert_eq!(bytes.iter().collect::<Vec<u8>>(), b"bestmove P@d1\n\n");
    }

    #[test]
    fn a_backlog_writes_everything_in_order_and_reports_a_client_that_went_away() {
        let (taken, bytes) = channel();
        let backlog = Backlog::open(Reluctant { taken, willing: false });
        for line in ["one\n", "two\n", "three\n"] {
            backlog.push(line.as_bytes().to_vec()).unwrap();
        }
        backlog.close().unwrap();
        assert_eq!(bytes.iter().collect::<Vec<u8>>(), b"one\ntwo\nthree\n");
        let backlog = Backlog::open(Gone);
        backlog.push(b"x\n".to_vec()).unwrap();
        assert_eq!(backlog.close().unwrap_err().kind(), ErrorKind::BrokenPipe);
    }

    /// Takes a line when it may.
    struct Gated {
        taken: Sender<Vec<u8>>,
        gate: Receiver<()>,
    }

    impl Write for Gated {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.gate.recv().map_err(|_| ErrorKind::BrokenPipe)?;
            self.taken.send(bytes.to_vec()).unwrap();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    const LINES: usize = 30;

    /// Returns an output with so many lines behind a gate, which opens for one line with each
    /// message; and the lines that were taken.
    fn gated() -> (Output, Sender<()>, Receiver<Vec<u8>>) {
        let (taken, bytes) = channel();
        let (open, gate) = channel();
        let backlog = Backlog::open(Gated { taken, gate });
        (0..LINES).for_each(|_| backlog.push(b"bestmove d1\n".to_vec()).unwrap());
        (Output { backlog: Some(backlog), ..Output::new(io::sink()) }, open, bytes)
    }

    #[test]
    fn a_client_that_goes_on_reading_is_waited_for() {
        let (mut output, open, bytes) = gated();
        open.send(()).unwrap();
        // Takes the next line when the one before it was taken.
        let reader = spawn(move || {
            for _ in 1..LINES {
                bytes.recv().unwrap();
                open.send(()).unwrap();
            }
            bytes.recv().unwrap();
            bytes.try_iter().count()
        });
        output.finish(Some(Duration::from_secs(60))).unwrap();
        assert_eq!(reader.join().unwrap(), 0);
    }

    #[test]
    fn a_client_that_reads_nothing_is_left() {
        let (mut output, open, bytes) = gated();
        output.finish(Some(Duration::from_millis(1))).unwrap();
        assert_eq!(bytes.try_iter().count(), 0);
        drop(open);
    }

    #[test]
    fn a_client_that_stops_reading_is_left_with_what_it_took() {
        let (mut output, open, bytes) = gated();
        (0..3).for_each(|_| open.send(()).unwrap());
        (0..3).for_each(|_| drop(bytes.recv().unwrap()));
        output.finish(Some(Duration::from_millis(1))).unwrap();
        assert_eq!(bytes.try_iter().count(), 0);
        drop(open);
    }

    struct Gone;

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_sink_that_is_gone_is_an_error() {
        assert_eq!(Output::new(Gone).line("x").unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
}
