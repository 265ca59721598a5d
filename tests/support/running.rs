//! The real binary as a child process, with pipes to it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// A timeout that turns a hang into a failure: longer than any step takes on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn tengen() -> Command {
    program(env!("CARGO_BIN_EXE_tengen"))
}

/// Returns the command of a program with pipes for all three streams.
pub(crate) fn program(path: impl AsRef<Path>) -> Command {
    let mut command = Command::new(path.as_ref());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A running engine, which is killed on drop.
pub(crate) struct Engine {
    child: Option<Child>,
    pub(crate) input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Engine {
    pub(crate) fn start() -> Self {
        Self::from(tengen())
    }

    pub(crate) fn from(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let output = child.stdout.take().unwrap();
        let (send, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                if send.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { input: child.stdin.take(), child: Some(child), lines }
    }

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.input.as_mut().unwrap().write_all(bytes.as_ref()).unwrap();
    }

    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    pub(crate) fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(TIMEOUT) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the engine hangs"),
        }
    }

    /// Returns all lines up to the first one that begins with `start`.
    pub(crate) fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.line().unwrap_or_else(|| panic!("no {start} in {lines:#?}"));
            let found = line.starts_with(start);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Returns the remaining lines and the exit status.
    pub(crate) fn rest(mut self) -> (Vec<String>, ExitStatus) {
        let mut lines = Vec::new();
        while let Some(line) = self.line() {
            lines.push(line);
        }
        (lines, wait(self.child.take().unwrap()))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // The engine may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Waits for the end of a process. A process that does not end fails the test.
pub(crate) fn wait(mut child: Child) -> ExitStatus {
    let id = child.id();
    let (send, ended) = channel();
    thread::spawn(move || send.send(child.wait()));
    let Ok(status) = ended.recv_timeout(TIMEOUT) else {
        let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
        panic!("the engine does not leave");
    };
    status.unwrap()
}
