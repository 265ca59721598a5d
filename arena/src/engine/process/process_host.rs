//! [`ProcessHost`]: the engine host of a run, with processes on its seats.
//!
//! One `poll` waits for all file descriptors. All reads and writes are non-blocking, so that no
//! engine can block a game.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use tengen_engine::text::quotable;
use tengen_protocol::io::lines::{InputLine, LineSplitter};

use super::abort_flag::AbortFlag;
use super::guard::{
    CONTINUE, ENDED, EXCEEDED, KILL, LIMITED, REPORT, REPORTED, SAID, STARTED, STOP, TERMINATE,
};
use super::lag::LagWatch;
use super::probe;
use super::task_limit::TaskLimit;
use crate::config::Launch;
use crate::engine::host::{Dismissal, EngineHost, HostEvent};
use crate::record::{EndKind, utc};

/// The maximum output of an engine since the last line that it was sent, in bytes.
const MAX_OUTPUT: u64 = 64 << 20;

/// The timeout of an engine that does not read its input.
const INPUT_STALL: Duration = Duration::from_secs(5);

/// The interval between two measurements of memory.
const MEMORY_PERIOD: Duration = Duration::from_millis(250);

/// The time that an engine has to exit after the command to quit.
const QUIT: Duration = Duration::from_secs(3);

/// The time that an engine has to exit after a signal.
const SIGNAL: Duration = Duration::from_secs(1);

/// The time that a guard has to kill its engine and to end. It must be long: when a guard is killed,
/// nobody kills the descendants of its engine, and a guard waits for a CPU as other processes do.
const GUARD: Duration = Duration::from_secs(20);

/// The time that a guard has to report the last lines on standard error.
const WORDS: Duration = Duration::from_secs(1);

/// The maximum number of bytes of one read.
const CHUNK: usize = 64 << 10;

/// An engine and its guard.
struct Process {
    guard: Child,
    input: Option<OwnedFd>,
    output: Option<OwnedFd>,
    control: OwnedFd,
    reports: LineSplitter,
    pid: Option<i32>,
    /// Bytes to write, and the time of the last progress or of the last event about them.
    unsent: Vec<u8>,
    unsent_since: Instant,
    splitter: LineSplitter,
    lines: VecDeque<(Instant, String)>,
    /// The bytes that the engine has written since the last line that it was sent.
    written: u64,
    /// How the process ended; `None` while it runs.
    exit: Option<(EndKind, String)>,
    is_exit_reported: bool,
    /// Its last lines on standard error, as the guard reported them, whether all of these have come,
    /// and the file that has all lines.
    said: Vec<String>,
    has_reported: bool,
    stderr: Option<PathBuf>,
    /// The memory limit, in bytes.
    memory: Option<u64>,
    /// Whether a control group limits the memory.
    is_limited: bool,
    next_memory_check: Instant,
    peak_memory: u64,
    log: Option<File>,
}

/// A process without a seat that is being ended.
struct ExitingProcess {
    process: Process,
    next: Instant,
    /// The next orders to the guard: SIGTERM, SIGKILL. When there is none, the guard is killed.
    steps: VecDeque<u8>,
}

/// An engine host with processes on its two seats.
pub struct ProcessHost {
    abort: AbortFlag,
    lag: Arc<LagWatch>,
    seats: [Option<Process>; 2],
    exiting: Vec<ExitingProcess>,
    /// What is read at a time. It is kept, because it is large.
    chunk: Vec<u8>,
    /// The limit of the task whose games are played; `None` without one.
    pub limit: Option<TaskLimit>,
}

impl ProcessHost {
    /// Creates a host with two empty seats.
    pub fn start() -> io::Result<Self> {
        Ok(Self::new(AbortFlag::new()?, Arc::new(LagWatch::start()?)))
    }

    fn new(abort: AbortFlag, lag: Arc<LagWatch>) -> Self {
        let (seats, exiting, chunk) = ([None, None], Vec::new(), vec![0; CHUNK]);
        Self { abort, lag, seats, exiting, chunk, limit: None }
    }

    /// Creates another host that is aborted together with this one.
    pub fn with_empty_seats(&self) -> Self {
        Self::new(self.abort.clone(), Arc::clone(&self.lag))
    }

    /// Returns a callback that aborts the games of this host and of all hosts made from it.
    pub fn aborter(&self) -> impl Fn() + use<> {
        let abort = self.abort.clone();
        move || abort.raise()
    }

    /// Returns the seat whose engine has lost by the deadline of its task, and what the record says about
    /// the loss; `None` before.
    pub fn loser(&self) -> Option<(usize, &str)> {
        let limit = self.limit.as_ref()?;
        Some((limit.loser?, &limit.text))
    }

    /// Notes which engine is spoken to.
    fn ask(&mut self, seat: usize) {
        self.limit.iter_mut().for_each(|limit| limit.asked = seat);
    }

    /// Waits until all processes without a seat have ended.
    pub fn await_exits(&mut self) {
        while !self.exiting.is_empty() && !self.abort.is_raised() {
            let until = self.exiting.iter().map(|exiting| exiting.next).min();
            self.wait(until.unwrap_or_else(Instant::now));
        }
    }

    /// Waits until something can be read or written, at most until `until`, then reads and writes
    /// it.
    fn wait(&mut self, until: Instant) {
        let deadlines = self.seats.iter().flatten().filter_map(Process::next_deadline);
        let until = deadlines
            .chain(self.exiting.iter().map(|exiting| exiting.next))
            .fold(until, Instant::min);
        let timeout = until.saturating_duration_since(Instant::now());
        let timeout =
            Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: timeout.subsec_nanos().into() };
        {
            let mut fds = vec![PollFd::new(&*self.abort.wake, PollFlags::IN)];
            let exiting = self.exiting.iter().map(|exiting| &exiting.process);
            for process in self.seats.iter().flatten().chain(exiting) {
                if process.exit.is_none() {
                    fds.push(PollFd::from_borrowed_fd(process.control.as_fd(), PollFlags::IN));
                }
                if let Some(output) = &process.output {
                    fds.push(PollFd::from_borrowed_fd(output.as_fd(), PollFlags::IN));
                }
                if let Some(input) = process.input.as_ref().filter(|_| !process.unsent.is_empty()) {
                    fds.push(PollFd::from_borrowed_fd(input.as_fd(), PollFlags::OUT));
                }
            }
            // After a signal or an error, everything is simply checked again.
            let _ = poll(&mut fds, Some(&timeout));
        }
        self.read_and_write();
        self.advance_exits();
    }

    /// Reads and writes what can be read and written now.
    fn read_and_write(&mut self) {
        let bytes = &mut self.chunk;
        for process in self.seats.iter_mut().flatten() {
            process.read_and_write(bytes);
        }
        for exiting in &mut self.exiting {
            exiting.process.read_and_write(bytes);
            exiting.process.lines.clear();
        }
    }

    /// Sends the next signal to each process whose time to exit is over. Drops ended processes.
    fn advance_exits(&mut self) {
        let now = Instant::now();
        self.exiting.retain_mut(|exiting| {
            if exiting.process.exit.is_some() {
                return false;
            }
            if now < exiting.next {
                return true;
            }
            let Some(order) = exiting.steps.pop_front() else {
                // The guard itself does not respond.
                probe::kill_tree(exiting.process.guard.id());
                return false;
            };
            exiting.process.send_order(order);
            exiting.next = now + if order == KILL { GUARD } else { SIGNAL };
            true
        });
    }

    /// Waits for the next event, at most until `until`.
    fn next_event(&mut self, until: Instant) -> HostEvent {
        loop {
            if self.abort.is_raised() {
                return HostEvent::Abort;
            }
            if let Some(event) = self.pending_event(until) {
                return event;
            }
            if Instant::now() >= until {
                // A line that has arrived but is not read yet is in time.
                self.read_and_write();
                return self.pending_event(until).unwrap_or(HostEvent::Timeout);
            }
            self.wait(until);
        }
    }

    /// Returns the first event that has happened already. Lines after `until` are left.
    fn pending_event(&mut self, until: Instant) -> Option<HostEvent> {
        let first = |seat: &usize| {
            let process = self.seats[*seat].as_ref();
            process.and_then(|process| process.lines.front()).map(|line| line.0)
        };
        let seat =
            (0..2).filter(|seat| first(seat).is_some_and(|at| at <= until)).min_by_key(first);
        if let Some(seat) = seat
            && let Some((at, text)) = self.seats[seat].as_mut().and_then(|p| p.lines.pop_front())
        {
            return Some(HostEvent::Line { seat, at, text });
        }
        (0..2).find_map(|seat| {
            let (kind, text) = self.seats[seat].as_mut()?.failure()?;
            Some(HostEvent::Failed { seat, kind, text })
        })
    }
}

impl EngineHost for ProcessHost {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn start(&mut self, seat: usize, launch: &Launch) -> Result<(), String> {
        let process = Process::start(launch).map_err(|error| error.to_string())?;
        self.seats[seat] = Some(process);
        self.ask(seat);
        Ok(())
    }

    fn send(&mut self, seat: usize, line: &str) {
        self.ask(seat);
        if let Some(process) = &mut self.seats[seat] {
            process.send(line);
        }
    }

    fn next(&mut self, until: Instant) -> HostEvent {
        let Some(mut limit) = self.limit.take() else { return self.next_event(until) };
        let event = limit.next(until, |until| self.next_event(until));
        self.limit = Some(limit);
        event
    }

    fn failure(&self, seat: usize) -> Option<(EndKind, String)> {
        self.seats[seat].as_ref()?.exit.clone()
    }

    fn dismiss(&mut self, seat: usize, how: Dismissal) {
        let Some(mut process) = self.seats[seat].take() else { return };
        process.send_order(CONTINUE);
        let now = Instant::now();
        let (next, steps) = match how {
            Dismissal::Asked => (now + QUIT, VecDeque::from([TERMINATE, KILL])),
            Dismissal::Forced => {
                process.send_order(TERMINATE);
                (now + SIGNAL, VecDeque::from([KILL]))
            }
        };
        self.exiting.push(ExitingProcess { process, next, steps });
    }

    fn suspend(&mut self, seat: usize, stops: bool) {
        if let Some(process) = &mut self.seats[seat] {
            process.send_order(if stops { STOP } else { CONTINUE });
        }
    }

    fn cpu_time(&mut self, seat: usize) -> Duration {
        let pid = self.seats[seat].as_ref().and_then(|process| process.pid);
        pid.map_or(Duration::ZERO, probe::cpu_time)
    }

    fn peak_memory(&mut self, seat: usize) -> u64 {
        let Some(process) = &self.seats[seat] else { return 0 };
        process.peak_memory.max(process.pid.map_or(0, probe::peak_memory))
    }

    fn lag(&self, from: Instant, to: Instant) -> Duration {
        self.lag.lag(from, to)
    }

    fn unfinished(&self, seat: usize) -> String {
        let process = self.seats[seat].as_ref();
        process.map_or_else(String::new, |process| process.splitter.unfinished().into_owned())
    }

    fn words(&mut self, seat: usize) -> String {
        let until = Instant::now() + WORDS;
        match &mut self.seats[seat] {
            // How it ended was told with them.
            None | Some(Process { exit: Some(_), .. }) => return String::new(),
            Some(process) => process.ask_for_words(),
        }
        let is_waiting = |process: &Process| process.exit.is_none() && !process.has_reported;
        while self.seats[seat].as_ref().is_some_and(is_waiting)
            && Instant::now() < until
            && !self.abort.is_raised()
        {
            self.wait(until);
        }
        self.seats[seat].as_ref().map_or_else(String::new, Process::words)
    }
}

impl Process {
    fn start(launch: &Launch) -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC;
        let (control, theirs) = socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        // This program, even if its file was replaced.
        let mut command = Command::new("/proc/self/exe");
        command.arg(super::guard::COMMAND).arg(serde_json::to_string(launch)?);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::from(theirs));
        let mut child = command.spawn()?;
        let input: Option<OwnedFd> = child.stdin.take().map(Into::into);
        let output: Option<OwnedFd> = child.stdout.take().map(Into::into);
        for fd in [&input, &output].into_iter().flatten() {
            rustix::io::ioctl_fionbio(fd, true)?;
        }
        rustix::io::ioctl_fionbio(&control, true)?;
        let log =
            launch.log.as_ref().map(|path| File::options().append(true).create(true).open(path));
        let now = Instant::now();
        Ok(Self {
            guard: child,
            input,
            output,
            control,
            reports: LineSplitter::default(),
            pid: None,
            unsent: Vec::new(),
            unsent_since: now,
            splitter: LineSplitter::default(),
            lines: VecDeque::new(),
            written: 0,
            exit: None,
            is_exit_reported: false,
            said: Vec::new(),
            has_reported: false,
            stderr: launch.stderr.clone(),
            memory: launch.memory,
            is_limited: false,
            next_memory_check: now + MEMORY_PERIOD,
            peak_memory: 0,
            log: log.transpose()?,
        })
    }

    /// Returns the next time to check the input or the memory, even if nothing can be read.
    fn next_deadline(&self) -> Option<Instant> {
        let input = (!self.unsent.is_empty()).then(|| self.unsent_since + INPUT_STALL);
        let memory = self.watches_memory().then_some(self.next_memory_check);
        input.into_iter().chain(memory).min()
    }

    /// Returns whether the arena itself has to watch the memory.
    fn watches_memory(&self) -> bool {
        self.memory.is_some() && !self.is_limited && self.exit.is_none()
    }

    /// Returns the failure of the process since the last call.
    fn failure(&mut self) -> Option<(EndKind, String)> {
        // The last lines of a process come before its end.
        if !self.is_exit_reported && self.lines.is_empty() && self.exit.is_some() {
            self.is_exit_reported = true;
            return self.exit.clone();
        }
        if self.written > MAX_OUTPUT {
            self.written = 0;
            return Some((EndKind::Flood, "wrote more than 64 MiB without an answer".to_owned()));
        }
        let now = Instant::now();
        if !self.unsent.is_empty() && now >= self.unsent_since + INPUT_STALL {
            self.unsent_since = now;
            return Some((EndKind::Stall, "did not read its input for 5 s".to_owned()));
        }
        self.excess_memory(now).map(exceeded)
    }

    fn send(&mut self, line: &str) {
        self.written = 0;
        write_log(&mut self.log, self.pid, '<', line);
        if self.unsent.is_empty() {
            self.unsent_since = Instant::now();
        }
        self.unsent.extend_from_slice(line.as_bytes());
        self.unsent.push(b'\n');
        self.write();
    }

    /// Writes as much as the pipe takes now.
    fn write(&mut self) {
        let Some(input) = &self.input else { return self.unsent.clear() };
        while !self.unsent.is_empty() {
            match rustix::io::write(input, &self.unsent) {
                Ok(written) => {
                    self.unsent.drain(..written);
                    self.unsent_since = Instant::now();
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // The engine has closed its input. The guard will report the end of the process.
                Err(_) => self.unsent.clear(),
            }
        }
    }

    /// Writes what can be written, and reads a chunk of the engine's output and the guard's
    /// reports.
    fn read_and_write(&mut self, bytes: &mut [u8]) {
        if !self.unsent.is_empty() {
            self.write();
        }
        self.read_output(bytes);
        self.read_control(bytes);
    }

    /// Reads a chunk of the engine's output.
    fn read_output(&mut self, bytes: &mut [u8]) {
        let Some(output) = &self.output else { return };
        match rustix::io::read(output, &mut *bytes) {
            Ok(0) => self.end_output(),
            Ok(read) => {
                self.written += read as u64;
                let Self { splitter, lines, log, pid, .. } = self;
                let _ = splitter.feed(&bytes[..read], |line| take_line(line, lines, log, *pid));
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => self.end_output(),
        }
    }

    /// Closes the output. Its last line may have no end.
    fn end_output(&mut self) {
        self.output = None;
        let Self { splitter, lines, log, pid, .. } = self;
        let _ = splitter.finish(|line| take_line(line, lines, log, *pid));
    }

    /// Reads the guard's reports.
    fn read_control(&mut self, bytes: &mut [u8]) {
        if self.exit.is_some() {
            return;
        }
        let (mut exit, mut has_exceeded) = (None, false);
        match rustix::io::read(&self.control, &mut *bytes) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            Ok(0) | Err(_) => exit = Some("and its guard have ended".to_owned()),
            Ok(read) => {
                let Self { reports, pid, is_limited, said, has_reported, .. } = self;
                let _ = reports.feed(&bytes[..read], |line| {
                    let (InputLine::Text(line) | InputLine::TooLong(line)) = line;
                    match line.trim_end().split_once(' ') {
                        Some((kind, number)) if kind.starts_with([STARTED, LIMITED]) => {
                            *pid = number.parse().ok();
                            *is_limited = kind.starts_with(LIMITED);
                        }
                        Some((kind, text)) if kind.starts_with(SAID) => said.push(quotable(text)),
                        Some((kind, _)) if kind.starts_with(REPORTED) => *has_reported = true,
                        Some((kind, how)) if kind.starts_with(ENDED) => exit = Some(how.to_owned()),
                        Some((kind, _)) if kind.starts_with(EXCEEDED) => has_exceeded = true,
                        _ => {}
                    }
                    ControlFlow::<()>::Continue(())
                });
            }
        }
        let exit = match (has_exceeded, exit) {
            (true, _) => self.memory.map(exceeded),
            (false, how) => how.map(|how| (EndKind::Crash, format!("the process {how}"))),
        };
        if let Some((kind, text)) = exit {
            self.exit = Some((kind, text + &self.words()));
            self.input = None;
            self.unsent.clear();
            // All output of the engine is in the pipe by now.
            while self.output.is_some() {
                let before = self.written;
                self.read_output(bytes);
                if self.written == before {
                    self.end_output();
                }
            }
        }
    }

    /// Asks the guard for the last lines on standard error.
    fn ask_for_words(&mut self) {
        self.said.clear();
        self.has_reported = false;
        self.send_order(REPORT);
    }

    /// Quotes the last words on standard error, after a reason, with the file that has all. Empty
    /// without words.
    fn words(&self) -> String {
        if self.said.is_empty() {
            return String::new();
        }
        let file = self.stderr.as_ref().map(|path| format!(" ({})", path.display()));
        let (said, file) = (self.said.join("\", \""), file.unwrap_or_default());
        format!("; its last words on standard error: \"{said}\"{file}")
    }

    /// Returns the memory of the engine, in bytes, if it exceeds the limit.
    fn excess_memory(&mut self, now: Instant) -> Option<u64> {
        let limit = self.memory.filter(|_| self.watches_memory())?;
        if now < self.next_memory_check {
            return None;
        }
        self.next_memory_check = now + MEMORY_PERIOD;
        let bytes = probe::memory(self.pid?);
        self.peak_memory = self.peak_memory.max(bytes);
        (bytes > limit).then_some(bytes)
    }

    /// Sends an order to the guard.
    fn send_order(&mut self, order: u8) {
        let _ = rustix::io::write(&self.control, &[order]);
    }
}

/// Keeps a line of an engine, and writes it to the log.
fn take_line(
    line: InputLine<'_>,
    lines: &mut VecDeque<(Instant, String)>,
    log: &mut Option<File>,
    pid: Option<i32>,
) -> ControlFlow<()> {
    let (InputLine::Text(text) | InputLine::TooLong(text)) = line;
    let text = text.strip_suffix('\r').unwrap_or(&text);
    write_log(log, pid, '>', text);
    lines.push_back((Instant::now(), text.to_owned()));
    ControlFlow::Continue(())
}

/// Writes a line to the log.
fn write_log(log: &mut Option<File>, pid: Option<i32>, direction: char, line: &str) {
    if let Some(log) = log {
        let now = std::time::SystemTime::now();
        let millis = || humantime::format_rfc3339_millis(now).to_string();
        let time = utc(now).map_or_else(|| "-".to_owned(), |_| millis());
        let _ = writeln!(log, "{time} {} {direction} {line}", pid.unwrap_or(0));
    }
}

/// Returns the failure of an engine that took `bytes` of memory.
fn exceeded(bytes: u64) -> (EndKind, String) {
    (EndKind::Memory, format!("took at least {} MiB of memory", bytes >> 20))
}

impl Drop for Process {
    /// Closes the control socket, so that the guard kills the engine and ends.
    fn drop(&mut self) {
        let _ = rustix::net::shutdown(&self.control, rustix::net::Shutdown::Both);
        let _ = self.guard.wait();
    }
}
