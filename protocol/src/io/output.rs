//! The output of a connection. Each line is one write.
//!
//! Some clients need this: they take the end of what they read for the end of a line.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

/// How long to wait before writing again when the sink is full.
const RETRY_DELAY: Duration = Duration::from_micros(200);

/// The output of a connection.
pub(crate) struct Output {
    sink: Box<dyn Write + Send>,
    /// Returns how many bytes the sink takes now without blocking, at least.
    query_room: fn() -> usize,
    /// The unused rest of the last result of `query_room`.
    room: usize,
    /// The unwritten lines of a slow client; `None` if there are none.
    backlog: Option<Backlog>,
    /// The current line.
    buffer: Vec<u8>,
}

impl Output {
    /// Returns an output to a sink that never blocks.
    pub(crate) fn new(sink: impl Write + Send + 'static) -> Self {
        let query_room: fn() -> usize = || usize::MAX;
        Self { sink: Box::new(sink), query_room, room: 0, backlog: None, buffer: Vec::new() }
    }

    /// Opens standard output. A client that does not read does not block the caller.
    pub(crate) fn standard() -> Self {
        Self { query_room: stdout_room, ..Self::new(io::stdout()) }
    }

    /// Writes `line` and a line end, and flushes. For a slow client a thread does so later.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        self.buffer.clear();
        self.buffer.extend_from_slice(line.as_bytes());
        self.buffer.push(b'\n');
        if self.backlog.as_ref().is_some_and(Backlog::is_drained) {
            self.backlog.take().map_or(Ok(()), Backlog::close)?;
        }
        if self.backlog.is_none() && self.has_room(self.buffer.len()) {
            return write_and_flush(&mut *self.sink, &self.buffer);
        }
        if self.backlog.is_none() {
            match Backlog::open(io::stdout()) {
                Ok(backlog) => self.backlog = Some(backlog),
                // Without a thread the server waits for the client.
                Err(_) => return write_and_flush(&mut *self.sink, &self.buffer),
            }
        }
        self.backlog.as_ref().map_or(Ok(()), |backlog| backlog.push(self.buffer.clone()))
    }

    /// Returns how many bytes are unwritten because the client is slow.
    #[cfg(feature = "service")]
    pub(crate) fn backlog(&self) -> usize {
        self.backlog.as_ref().map_or(0, |backlog| backlog.bytes.load(Ordering::Acquire))
    }

    /// Returns whether this number of bytes can be written now without blocking.
    fn has_room(&mut self, bytes: usize) -> bool {
        if self.room < bytes {
            self.room = (self.query_room)();
        }
        let fits = bytes <= self.room;
        self.room -= if fits { bytes } else { self.room };
        fits
    }

    /// Waits until the client has read everything. With a `timeout`, gives up after the client has
    /// read nothing for that long.
    pub(crate) fn finish(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        let Some(backlog) = self.backlog.take() else { return Ok(()) };
        let Some(timeout) = timeout else { return backlog.close() };
        while !backlog.is_drained() {
            match backlog.written.recv_timeout(timeout) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        backlog.close()
    }
}

/// The unwritten lines of a slow client, and the thread that writes them.
struct Backlog {
    lines: Sender<Vec<u8>>,
    /// The number of unwritten bytes.
    bytes: Arc<AtomicUsize>,
    /// Receives a message after lines were written.
    written: Receiver<()>,
    thread: JoinHandle<io::Result<()>>,
}

impl Backlog {
    fn open(mut sink: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, inbox) = channel::<Vec<u8>>();
        let bytes = Arc::new(AtomicUsize::new(0));
        let thread_bytes = Arc::clone(&bytes);
        let (notify, written) = sync_channel(1);
        let thread = thread::Builder::new().name("output".to_owned()).spawn(move || {
            for line in inbox {
                write_and_flush(&mut sink, &line)?;
                thread_bytes.fetch_sub(line.len(), Ordering::Release);
                // A full channel already has a message for the receiver.
                let _ = notify.try_send(());
            }
            Ok(())
        })?;
        Ok(Self { lines, bytes, written, thread })
    }

    fn push(&self, line: Vec<u8>) -> io::Result<()> {
        self.bytes.fetch_add(line.len(), Ordering::Relaxed);
        // The thread ends early only when the client has closed the connection.
        self.lines.send(line).map_err(|_| ErrorKind::BrokenPipe.into())
    }

    /// Returns whether all lines were written, or the thread has failed.
    fn is_drained(&self) -> bool {
        self.bytes.load(Ordering::Acquire) == 0 || self.thread.is_finished()
    }

    /// Waits until all lines are written, and returns the result.
    fn close(self) -> io::Result<()> {
        drop(self.lines);
        self.thread.join().unwrap_or_else(|_| Err(ErrorKind::Other.into()))
    }
}

/// A pipe that is ready for writing takes at least this many bytes without blocking: `PIPE_BUF`, in
/// POSIX 512 or more, on Linux 4,096.
#[cfg(unix)]
const PIPE_ROOM: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

#[cfg(unix)]
fn stdout_room() -> usize {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    let mut fds = [PollFd::new(&stdout, PollFlags::OUT)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    match poll(&mut fds, Some(&now)) {
        Ok(0) => 0,
        // After an error the write itself fails.
        _ => PIPE_ROOM,
    }
}

#[cfg(not(unix))]
fn stdout_room() -> usize {
    usize::MAX
}

fn write_and_flush(sink: &mut dyn Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match retried(|| sink.write(bytes))? {
            0 => return Err(ErrorKind::WriteZero.into()),
            written => bytes = &bytes[written..],
        }
    }
    retried(|| sink.flush())
}

/// Runs `attempt` until it neither is interrupted nor would block: a socket that is also standard
/// input does not block.
fn retried<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => sleep(RETRY_DELAY),
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes up to three bytes at a time, and only at every second attempt.
    struct SlowSink {
        taken: Sender<u8>,
        blocks: bool,
    }

    impl Write for SlowSink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.blocks = !self.blocks;
            if self.blocks {
                return Err(ErrorKind::WouldBlock.into());
            }
            let taken = &bytes[..bytes.len().min(3)];
            taken.iter().for_each(|byte| self.taken.send(*byte).unwrap());
            Ok(taken.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.blocks = !self.blocks;
            if self.blocks { Err(ErrorKind::WouldBlock.into()) } else { Ok(()) }
        }
    }

    #[test]
    fn a_slow_sink_loses_nothing() {
        let (taken, bytes) = channel();
        let mut output = Output::new(SlowSink { taken, blocks: false });
        output.line("bestmove P@d1").unwrap();
        output.line("").unwrap();
        drop(output);
        assert_eq!(bytes.iter().collect::<Vec<u8>>(), b"bestmove P@d1\n\n");
    }

    #[test]
    fn a_backlog_writes_everything_in_order_and_reports_a_broken_pipe() {
        let (taken, bytes) = channel();
        let backlog = Backlog::open(SlowSink { taken, blocks: false }).unwrap();
        for line in ["one\n", "two\n", "three\n"] {
            backlog.push(line.as_bytes().to_vec()).unwrap();
        }
        backlog.close().unwrap();
        assert_eq!(bytes.iter().collect::<Vec<u8>>(), b"one\ntwo\nthree\n");
        let backlog = Backlog::open(BrokenPipe).unwrap();
        backlog.push(b"x\n".to_vec()).unwrap();
        assert_eq!(backlog.close().unwrap_err().kind(), ErrorKind::BrokenPipe);
    }

    /// Takes a line for each message from `gate`.
    struct GatedSink {
        taken: Sender<Vec<u8>>,
        gate: Receiver<()>,
    }

    impl Write for GatedSink {
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

    /// Returns an output with [`LINES`] unwritten lines, a sender that lets it write one line for
    /// each message, and the written lines.
    fn gated_output() -> (Output, Sender<()>, Receiver<Vec<u8>>) {
        let (taken, bytes) = channel();
        let (open, gate) = channel();
        let backlog = Backlog::open(GatedSink { taken, gate }).unwrap();
        (0..LINES).for_each(|_| backlog.push(b"bestmove d1\n".to_vec()).unwrap());
        (Output { backlog: Some(backlog), ..Output::new(io::sink()) }, open, bytes)
    }

    #[test]
    fn finish_waits_for_a_client_that_reads() {
        let (mut output, open, bytes) = gated_output();
        open.send(()).unwrap();
        // Takes the next line after the line before.
        let reader = thread::spawn(move || {
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
    fn finish_gives_up_on_a_client_that_reads_nothing() {
        let (mut output, open, bytes) = gated_output();
        output.finish(Some(Duration::from_millis(1))).unwrap();
        assert_eq!(bytes.try_iter().count(), 0);
        drop(open);
    }

    #[test]
    fn finish_gives_up_on_a_client_that_stops_reading() {
        let (mut output, open, bytes) = gated_output();
        (0..3).for_each(|_| open.send(()).unwrap());
        (0..3).for_each(|_| drop(bytes.recv().unwrap()));
        output.finish(Some(Duration::from_millis(1))).unwrap();
        assert_eq!(bytes.try_iter().count(), 0);
        drop(open);
    }

    struct BrokenPipe;

    impl Write for BrokenPipe {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_broken_pipe_is_an_error() {
        assert_eq!(Output::new(BrokenPipe).line("x").unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
}
