//! [`ProcessHost`]: the engine host on which processes play. One poll waits for everything; no read, write or
//! process can make a game wait.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use super::abort_flag::AbortFlag;
use super::guard::{CONTINUE, ENDED, EXCEEDED, KILL, LIMITED, STARTED, STOP, TERMINATE};
use super::lag::LagWatch;
use super::lines::LineCutter;
use super::probe;
use crate::engine_host::{Dismissal, EngineHost, HostEvent, Launch};

/// The command that starts this program as a guard.
#[derive(Clone, Debug)]
pub struct GuardProgram {
    /// The program; its own file, which stays there even where another one takes its name.
    pub program: PathBuf,
    /// The words before the launch.
    pub args: Vec<String>,
}

impl Default for GuardProgram {
    fn default() -> Self {
        let args = vec![super::guard::COMMAND.to_owned()];
        Self { program: PathBuf::from("/proc/self/exe"), args }
    }
}

/// The most that an engine may write without an answer.
const MAX_OUTPUT: u64 = 64 << 20;

/// How long an engine may leave its input unread.
const INPUT_STALL: Duration = Duration::from_secs(5);

/// How often the memory of an engine is looked at.
const MEMORY_PERIOD: Duration = Duration::from_millis(250);

/// How long an engine that was asked to leave has for it.
const QUIT: Duration = Duration::from_secs(3);

/// How long an engine has between a signal and the next one.
const SIGNAL: Duration = Duration::from_secs(1);

/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// An engine and its guard.
struct Process {
    guard: Child,
    input: Option<OwnedFd>,
    output: Option<OwnedFd>,
    control: OwnedFd,
    control_text: Vec<u8>,
    pid: Option<i32>,
    /// What is still to be written, and since when.
    unsent: Vec<u8>,
    unsent_since: Instant,
    was_stalled: bool,
    cutter: LineCutter,
    lines: VecDeque<(Instant, String)>,
    /// Bytes since it was last sent something.
    written: u64,
    was_flood: bool,
    gone: Option<(Instant, String)>,
    gone_is_told: bool,
    /// The memory that it may take.
    memory: Option<u64>,
    /// Whether the kernel watches its memory.
    is_limited: bool,
    /// Whether the kernel has ended it because of its memory.
    is_exceeded: bool,
    next_look: Instant,
    peak_memory: u64,
    log: Option<File>,
}

/// A process that leaves.
struct Leaver {
    process: Process,
    next: Instant,
    /// What is tried next: a signal, force, nothing more.
    steps: VecDeque<u8>,
}

/// Two seats with processes.
pub struct ProcessHost {
    guard: GuardProgram,
    abort: AbortFlag,
    lag: Arc<LagWatch>,
    seats: [Option<Process>; 2],
    leavers: Vec<Leaver>,
}

impl ProcessHost {
    /// ProcessHost without processes.
    pub fn new(guard: GuardProgram, abort: AbortFlag, lag: Arc<LagWatch>) -> Self {
        Self { guard, abort, lag, seats: [None, None], leavers: Vec::new() }
    }

    /// Waits until all processes that leave have left.
    pub fn settle(&mut self) {
        while !self.leavers.is_empty() && !self.abort.is_raised() {
            let until = self.leavers.iter().map(|leaver| leaver.next).min();
            self.wait(until.unwrap_or_else(Instant::now));
        }
    }

    /// Waits until something can be read or written, at most up to a time, and takes it in.
    fn wait(&mut self, until: Instant) {
        let now = Instant::now();
        let mut until = until;
        for process in self.seats.iter().flatten() {
            until = until.min(process.next_deadline());
        }
        for leaver in &self.leavers {
            until = until.min(leaver.next);
        }
        let timeout = until.saturating_duration_since(now);
        let timeout =
            Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: timeout.subsec_nanos().into() };
        {
            let mut fds = vec![PollFd::new(&*self.abort.wake, PollFlags::IN)];
            let leaving = self.leavers.iter().map(|leaver| &leaver.process);
            for process in self.seats.iter().flatten().chain(leaving) {
                if process.gone.is_none() {
                    fds.push(PollFd::from_borrowed_fd(process.control.as_fd(), PollFlags::IN));
                }
                if let Some(output) = &process.output {
                    fds.push(PollFd::from_borrowed_fd(output.as_fd(), PollFlags::IN));
                }
                if let Some(input) = process.input.as_ref().filter(|_| !process.unsent.is_empty()) {
                    fds.push(PollFd::from_borrowed_fd(input.as_fd(), PollFlags::OUT));
                }
            }
            // A signal or an error of the call only means that everything is looked at again.
            let _ = poll(&mut fds, Some(&timeout));
        }
        let mut bytes = vec![0; CHUNK];
        for process in self.seats.iter_mut().flatten() {
            process.take_in(&mut bytes);
        }
        for leaver in &mut self.leavers {
            leaver.process.take_in(&mut bytes);
            leaver.process.lines.clear();
        }
        self.see_off();
    }

    /// Kills leaving processes whose time is up, and forgets the processes that have ended.
    fn see_off(&mut self) {
        let now = Instant::now();
        self.leavers.retain_mut(|leaver| {
            if leaver.process.gone.is_some() {
                return false;
            }
            if now >= leaver.next {
                match leaver.steps.pop_front() {
                    Some(order) => {
                        leaver.process.order(order);
                        leaver.next = now + SIGNAL;
                    }
                    // The guard itself does not respond.
                    None => {
                        let _ = leaver.process.guard.kill();
                        return false;
                    }
                }
            }
            true
        });
    }

    /// What has happened already, in the order of time; nothing behind `until`.
    fn happened(&mut self, until: Instant) -> Option<HostEvent> {
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
        let now = Instant::now();
        for seat in 0..2 {
            let Some(process) = self.seats[seat].as_mut() else { continue };
            // Its last words come first.
            if !process.gone_is_told
                && process.lines.is_empty()
                && let Some(end) = process.end(seat)
            {
                process.gone_is_told = true;
                return Some(end);
            }
            if process.written > MAX_OUTPUT && !process.was_flood {
                process.was_flood = true;
                return Some(HostEvent::Flood { seat });
            }
            if !process.unsent.is_empty()
                && now >= process.unsent_since + INPUT_STALL
                && !process.was_stalled
            {
                process.was_stalled = true;
                return Some(HostEvent::InputStalled { seat });
            }
            if let Some(bytes) = process.takes_too_much(now) {
                return Some(HostEvent::Memory { seat, bytes });
            }
        }
        None
    }
}

impl EngineHost for ProcessHost {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn start(&mut self, seat: usize, launch: &Launch) -> Result<(), String> {
        let process = Process::start(&self.guard, launch).map_err(|error| error.to_string())?;
        self.seats[seat] = Some(process);
        Ok(())
    }

    fn send(&mut self, seat: usize, line: &str) {
        if let Some(process) = &mut self.seats[seat] {
            process.send(line);
        }
    }

    fn next(&mut self, until: Instant) -> HostEvent {
        loop {
            if self.abort.is_raised() {
                return HostEvent::Abort;
            }
            if let Some(event) = self.happened(until) {
                return event;
            }
            if Instant::now() >= until {
                // A line that arrived before this call was in time.
                let mut bytes = vec![0; CHUNK];
                self.seats.iter_mut().flatten().for_each(|process| process.take_in(&mut bytes));
                return self.happened(until).unwrap_or(HostEvent::Timeout);
            }
            self.wait(until);
        }
    }

    fn gone(&self, seat: usize) -> Option<HostEvent> {
        self.seats[seat].as_ref()?.end(seat)
    }

    fn dismiss(&mut self, seat: usize, how: Dismissal) {
        let Some(mut process) = self.seats[seat].take() else { return };
        process.order(CONTINUE);
        let now = Instant::now();
        let (next, steps) = match how {
            Dismissal::Asked => (now + QUIT, VecDeque::from([TERMINATE, KILL])),
            Dismissal::Forced => {
                process.order(TERMINATE);
                (now + SIGNAL, VecDeque::from([KILL]))
            }
        };
        self.leavers.push(Leaver { process, next, steps });
    }

    fn suspend(&mut self, seat: usize, stops: bool) {
        if let Some(process) = &mut self.seats[seat] {
            process.order(if stops { STOP } else { CONTINUE });
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

    fn was_late(&self, from: Instant, to: Instant) -> bool {
        self.lag.was_late(from, to)
    }
}

impl Process {
    fn start(guard: &GuardProgram, launch: &Launch) -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC;
        let (control, theirs) = socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        let mut command = Command::new(&guard.program);
        command.args(&guard.args).arg(serde_json::to_string(launch)?);
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
            control_text: Vec::new(),
            pid: None,
            unsent: Vec::new(),
            unsent_since: now,
            was_stalled: false,
            cutter: LineCutter::default(),
            lines: VecDeque::new(),
            written: 0,
            was_flood: false,
            gone: None,
            gone_is_told: false,
            memory: launch.memory,
            is_limited: false,
            is_exceeded: false,
            next_look: now + MEMORY_PERIOD,
            peak_memory: 0,
            log: log.transpose()?,
        })
    }

    /// When something has to be looked at though nothing can be read.
    fn next_deadline(&self) -> Instant {
        let mut next = Instant::now() + Duration::from_secs(3600);
        if !self.unsent.is_empty() && !self.was_stalled {
            next = next.min(self.unsent_since + INPUT_STALL);
        }
        if self.memory.is_some() && !self.is_limited && self.gone.is_none() {
            next = next.min(self.next_look);
        }
        next
    }

    /// The event of its end, where it has ended.
    fn end(&self, seat: usize) -> Option<HostEvent> {
        let (at, how) = self.gone.clone()?;
        Some(match self.memory.filter(|_| self.is_exceeded) {
            Some(bytes) => HostEvent::Memory { seat, bytes },
            None => HostEvent::Gone { seat, at, how },
        })
    }

    fn send(&mut self, line: &str) {
        self.written = 0;
        self.was_flood = false;
        self.note('<', line);
        if self.unsent.is_empty() {
            self.unsent_since = Instant::now();
        }
        self.unsent.extend_from_slice(line.as_bytes());
        self.unsent.push(b'\n');
        self.write();
    }

    fn note(&mut self, direction: char, line: &str) {
        if let Some(log) = &mut self.log {
            let time = humantime::format_rfc3339_millis(std::time::SystemTime::now());
            let pid = self.pid.unwrap_or(0);
            let _ = writeln!(log, "{time} {pid} {direction} {line}");
        }
    }

    /// Writes as much as the engine takes now.
    fn write(&mut self) {
        let Some(input) = &self.input else { return self.unsent.clear() };
        while !self.unsent.is_empty() {
            match rustix::io::write(input, &self.unsent) {
                Ok(written) => {
                    self.unsent.drain(..written);
                    self.unsent_since = Instant::now();
                    self.was_stalled = false;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // The engine reads no more. Its guard will report the end of the process.
                Err(_) => self.unsent.clear(),
            }
        }
    }

    /// Reads a chunk of what the engine and its guard say, and writes what can be written.
    fn take_in(&mut self, bytes: &mut [u8]) {
        if !self.unsent.is_empty() {
            self.write();
        }
        self.read_output(bytes);
        self.read_control(bytes);
    }

    fn read_output(&mut self, bytes: &mut [u8]) {
        let Some(output) = &self.output else { return };
        match rustix::io::read(output, &mut *bytes) {
            Ok(0) => self.output = None,
            Ok(read) => {
                let at = Instant::now();
                self.written += read as u64;
                let (cutter, lines) = (&mut self.cutter, &mut self.lines);
                let from = lines.len();
                cutter.cut(&bytes[..read], &mut |line| lines.push_back((at, line)));
                if self.log.is_some() {
                    let new: Vec<String> =
                        self.lines.iter().skip(from).map(|line| line.1.clone()).collect();
                    new.iter().for_each(|line| self.note('>', line));
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => self.output = None,
        }
    }

    fn read_control(&mut self, bytes: &mut [u8]) {
        if self.gone.is_some() {
            return;
        }
        let end = match rustix::io::read(&self.control, &mut *bytes) {
            Ok(0) => true,
            Ok(read) => {
                self.control_text.extend_from_slice(&bytes[..read]);
                false
            }
            Err(Errno::INTR | Errno::AGAIN) => false,
            Err(_) => true,
        };
        let mut how = None;
        while let Some(line_end) = self.control_text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.control_text.drain(..=line_end).collect();
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            match line.split_once(' ') {
                Some((kind, pid)) if kind.starts_with([STARTED, LIMITED]) => {
                    self.pid = pid.parse().ok();
                    self.is_limited = kind.starts_with(LIMITED);
                }
                Some((kind, text)) if kind.starts_with([ENDED, EXCEEDED]) => {
                    how = Some(text.to_owned());
                    self.is_exceeded = kind.starts_with(EXCEEDED);
                }
                _ => {}
            }
        }
        let how = how.or_else(|| end.then(|| "and its guard have ended".to_owned()));
        if let Some(how) = how {
            self.gone = Some((Instant::now(), how));
            self.input = None;
            self.unsent.clear();
            // Everything that it wrote is in the pipe by now.
            while self.output.is_some() {
                let before = self.written;
                self.read_output(bytes);
                if self.written == before {
                    break;
                }
            }
        }
    }

    /// How much memory the engine takes, where that is more than it may.
    fn takes_too_much(&mut self, now: Instant) -> Option<u64> {
        let most = self.memory.filter(|_| !self.is_limited)?;
        if now < self.next_look || self.gone.is_some() {
            return None;
        }
        self.next_look = now + MEMORY_PERIOD;
        let bytes = probe::memory(self.pid?);
        self.peak_memory = self.peak_memory.max(bytes);
        (bytes > most).then_some(bytes)
    }

    /// Gives the guard an order.
    fn order(&mut self, order: u8) {
        let _ = rustix::io::write(&self.control, &[order]);
    }
}

impl Drop for Process {
    /// Closes the control socket: the guard kills everything and ends.
    fn drop(&mut self) {
        let _ = rustix::net::shutdown(&self.control, rustix::net::Shutdown::Both);
        let _ = self.guard.wait();
    }
}
