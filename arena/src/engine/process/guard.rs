//! The guard of an engine: a small process between the arena and the engine.
//!
//! The arena starts the guard, and the guard starts the engine. The engine inherits the pipes to
//! the arena, so that the guard does not slow down a move. The guard is a child subreaper: it
//! becomes the parent of orphaned descendants of the engine. When the arena dies, even by kill -9,
//! its end of the control socket closes, and the guard kills all these processes. When the engine
//! ends, the guard reports how, and kills all remaining descendants.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, kill_process_group, pidfd_open,
    set_child_subreaper, setsid, wait,
};
use signal_hook::low_level::signal_name;

use super::affinity::bind_thread;
use super::memory_group::MemoryGroup;
use crate::config::Launch;

/// The hidden subcommand that starts this program as a guard.
pub const COMMAND: &str = "arena-guard";

/// Order: send SIGTERM to the engine.
pub(super) const TERMINATE: u8 = b'T';
/// Order: send SIGKILL to the engine.
pub(super) const KILL: u8 = b'K';
/// Order: stop the engine with SIGSTOP.
pub(super) const STOP: u8 = b'Z';
/// Order: let the engine continue with SIGCONT.
pub(super) const CONTINUE: u8 = b'C';
/// Order: report the last lines on standard error now, then [`REPORTED`].
pub(super) const REPORT: u8 = b'R';

/// Report: the engine runs; its process id follows.
pub(super) const STARTED: char = 'S';
/// Report: the engine runs in a control group that limits its memory; its process id follows.
pub(super) const LIMITED: char = 'L';
/// Report: the engine has ended; how follows.
pub(super) const ENDED: char = 'X';
/// Report: a line of the last ones that the engine wrote to standard error; sent before [`ENDED`]
/// and [`REPORTED`].
pub(super) const SAID: char = 'E';
/// Report: these were the last lines.
pub(super) const REPORTED: char = 'R';
/// Report: the engine was killed because it exceeded its memory limit; how follows.
pub(super) const EXCEEDED: char = 'M';

/// The maximum size of the file of an engine's standard error, in bytes.
const MAX_STDERR: u64 = 16 << 20;

/// How many lines of standard error are reported, and in how many of its last bytes they are.
const LAST_LINES: usize = 3;
const TAIL: usize = 2048;

/// How many bytes are read at a time, and how many wait in a full pipe.
const CHUNK: usize = 8192;
const PIPE: usize = 64 << 10;

/// The standard error of an engine.
struct Stderr {
    /// `None` after its end.
    pipe: Option<ChildStderr>,
    /// Where it is copied to; `None` if it is dropped.
    file: Option<File>,
    copied: u64,
    /// The last bytes.
    tail: Vec<u8>,
}

/// Guards an engine until the engine or the arena ends. `launch` is a [`Launch`] in JSON. Standard
/// error of this process is the control socket.
pub fn run(launch: &str) -> io::Result<()> {
    let launch: Launch = serde_json::from_str(launch)?;
    // Only the arena shall get a Ctrl-C of the terminal.
    let _ = setsid();
    set_child_subreaper(Some(getpid()))?;
    bind_thread(&launch.cpus);
    let group = launch.memory.and_then(MemoryGroup::enter);
    let started = start(&launch);
    // The engine stays in the group. The guard leaves it, so as not to be killed with the engine.
    let left = group.as_ref().map_or(Ok(()), MemoryGroup::leave);
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            let program = launch.cmd.display();
            return report(ENDED, &format!("could not be started: {program}: {error}"));
        }
    };
    let pid = Pid::from_child(&child);
    let is_limited = group.is_some() && left.is_ok();
    let what = if is_limited { LIMITED } else { STARTED };
    let file = launch.stderr.as_ref().and_then(|path| File::create(path).ok());
    let mut stderr = Stderr { pipe: child.stderr.take(), file, copied: 0, tail: Vec::new() };
    let watched = report(what, &pid.as_raw_nonzero().to_string())
        .and_then(|()| close_pipes())
        .and_then(|()| watch(&mut child, pid, &mut stderr));
    // An engine must not outlive its guard, even if the arena ended before the first report.
    kill_all(pid);
    if let Some(status) = watched? {
        let exceeded_memory = group.as_ref().is_some_and(MemoryGroup::was_exceeded);
        // The arena may have ended.
        stderr.report_last_lines();
        let _ = report(if exceeded_memory { EXCEEDED } else { ENDED }, &exit_text(status));
    }
    Ok(())
}

fn start(launch: &Launch) -> io::Result<Child> {
    let mut command = Command::new(&launch.cmd);
    command.args(&launch.args).envs(launch.env.iter().map(|(key, value)| (key, value)));
    if let Some(dir) = &launch.dir {
        command.current_dir(dir);
    }
    command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::piped());
    command.process_group(0).spawn()
}

/// Closes the guard's ends of the pipes, so that they end when the engine ends.
fn close_pipes() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    Ok(rustix::stdio::dup2_stdout(&null)?)
}

/// Sends a report to the arena.
fn report(what: char, text: &str) -> io::Result<()> {
    io::stderr().write_all(format!("{what} {}\n", text.replace('\n', " ")).as_bytes())
}

/// Carries out the arena's orders until the engine or the arena ends. Returns `None` if the arena
/// has ended.
fn watch(child: &mut Child, pid: Pid, stderr: &mut Stderr) -> io::Result<Option<ExitStatus>> {
    let end = pidfd_open(pid, PidfdFlags::empty())?;
    let control = rustix::stdio::stderr();
    loop {
        let mut ready = [false; 3];
        {
            let open: Option<BorrowedFd<'_>> = stderr.pipe.as_ref().map(AsFd::as_fd);
            let mut fds = vec![
                PollFd::from_borrowed_fd(control, PollFlags::IN),
                PollFd::from_borrowed_fd(end.as_fd(), PollFlags::IN),
            ];
            fds.extend(open.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
            match poll(&mut fds, None) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            for (ready, fd) in ready.iter_mut().zip(&fds) {
                *ready = !fd.revents().is_empty();
            }
        }
        if ready[2] && !stderr.copy() {
            stderr.pipe = None;
        }
        if ready[1] {
            if let Some(pipe) = &stderr.pipe {
                // Reads the last lines without waiting for the end of the pipe, which a child may
                // hold.
                let _ = rustix::io::ioctl_fionbio(pipe, true);
                while stderr.copy() {}
            }
            return child.wait().map(Some);
        }
        if ready[0] && !carry_out_orders(control, pid, stderr)? {
            return Ok(None);
        }
    }
}

impl Stderr {
    /// Copies a chunk. Returns whether more can come.
    fn copy(&mut self) -> bool {
        let mut bytes = [0; CHUNK];
        let Some(Ok(read @ 1..)) = self.pipe.as_mut().map(|pipe| pipe.read(&mut bytes)) else {
            return false;
        };
        let allowed = MAX_STDERR.saturating_sub(self.copied).min(read as u64) as usize;
        if let Some(file) = &mut self.file {
            let _ = file.write_all(&bytes[..allowed]);
        }
        self.copied += allowed as u64;
        self.tail.extend_from_slice(&bytes[..read]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        true
    }

    /// Copies what the pipe holds, without waiting for more.
    fn copy_ready(&mut self) {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        for _ in 0..PIPE / CHUNK {
            let Some(pipe) = &self.pipe else { return };
            if poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&now)) != Ok(1) {
                return;
            }
            if !self.copy() {
                self.pipe = None;
            }
        }
    }

    /// Reports the last lines to the arena, which may have ended.
    fn report_last_lines(&self) {
        self.last_lines().iter().for_each(|line| drop(report(SAID, line)));
    }

    /// Returns the last lines that are not blank.
    fn last_lines(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.tail);
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(LAST_LINES)..]
            .iter()
            .map(|line| (*line).to_owned())
            .collect()
    }
}

/// Carries out the orders that have arrived. Returns `false` if the arena has ended.
fn carry_out_orders(control: BorrowedFd<'_>, pid: Pid, stderr: &mut Stderr) -> io::Result<bool> {
    let mut orders = [0; 16];
    let read = match rustix::io::read(control, &mut orders) {
        Err(rustix::io::Errno::INTR) => return Ok(true),
        Err(_) | Ok(0) => return Ok(false),
        Ok(read) => read,
    };
    for order in &orders[..read] {
        let signal = match *order {
            TERMINATE => Signal::TERM,
            KILL => Signal::KILL,
            STOP => Signal::STOP,
            CONTINUE => Signal::CONT,
            REPORT => {
                stderr.copy_ready();
                stderr.report_last_lines();
                let _ = report(REPORTED, "all");
                continue;
            }
            _ => continue,
        };
        // The engine may have ended by now.
        let _ = kill_process_group(pid, signal);
    }
    Ok(true)
}

/// Kills the engine's process group and all children of this process, until none is left.
fn kill_all(pid: Pid) {
    let _ = kill_process_group(pid, Signal::KILL);
    loop {
        for child in children() {
            let _ = kill_process(child, Signal::KILL);
        }
        match wait(WaitOptions::empty()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            // No child is left.
            Err(_) => return,
        }
    }
}

/// Returns the children of this process.
fn children() -> Vec<Pid> {
    let me = getpid().as_raw_nonzero().get();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_child = |pid: &i32| super::probe::parent(*pid) == Some(me);
    pids.filter(is_child).filter_map(Pid::from_raw).collect()
}

/// Returns how a process ended, as text.
fn exit_text(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(signal)) => match signal_name(signal) {
            Some(name) => format!("was killed by {name}"),
            None => format!("was killed by signal {signal}"),
        },
        (None, None) => "ended".to_owned(),
    }
}
