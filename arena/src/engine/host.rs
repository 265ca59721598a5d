//! [`EngineHost`]: the interface between a game and the engines that play it.
//!
//! A host has two seats, one for each engine. In a run the engines are processes; in tests they are
//! scripts in virtual time.

use std::time::{Duration, Instant};

use crate::config::Launch;
use crate::record::EndKind;

/// An event of an engine host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostEvent {
    /// An engine wrote a line.
    Line {
        /// The seat of the engine.
        seat: usize,
        /// The time at which the end of the line arrived.
        at: Instant,
        /// The line without its line end. Bytes that are not UTF-8 are replaced.
        text: String,
    },
    /// An engine failed: its process has ended, exceeded a limit or does not read its input.
    Failed {
        /// The seat of the engine.
        seat: usize,
        /// The kind of the failure.
        kind: EndKind,
        /// A description, such as `the process ended with status 1`.
        text: String,
    },
    /// Nothing happened until the given time.
    Timeout,
    /// The run is aborted: the game must end immediately.
    Abort,
}

/// How the process of a seat is ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dismissal {
    /// The engine got the command to quit. It has time to exit before it is killed.
    Asked,
    /// The engine does not respond: it gets SIGTERM, then SIGKILL.
    Forced,
}

/// Two seats for engines.
pub trait EngineHost {
    /// Returns the current time, which never runs backwards.
    fn now(&self) -> Instant;

    /// Starts a program on a free seat. The error says why it cannot be started.
    fn start(&mut self, seat: usize, launch: &Launch) -> Result<(), String>;

    /// Sends a line to an engine. Never blocks: what cannot be written now is written later.
    fn send(&mut self, seat: usize, line: &str);

    /// Waits for the next event, at most until `until`. Lines that arrived by then come first.
    fn next(&mut self, until: Instant) -> HostEvent;

    /// Returns how the process of a seat ended; `None` while it runs.
    fn failure(&self, seat: usize) -> Option<(EndKind, String)>;

    /// Frees a seat without waiting for the end of its process. Later lines of the process are
    /// dropped.
    fn dismiss(&mut self, seat: usize, how: Dismissal);

    /// Stops the processes of a seat if `stops`, or lets them continue.
    fn suspend(&mut self, seat: usize, stops: bool);

    /// Returns the CPU time of the processes of a seat so far.
    fn cpu_time(&mut self, seat: usize) -> Duration;

    /// Returns the peak memory of the processes of a seat, in bytes.
    fn peak_memory(&mut self, seat: usize) -> u64;

    /// Returns by how much the machine itself was late between `from` and `to`.
    fn lag(&self, from: Instant, to: Instant) -> Duration;

    /// Returns what the engine has written after the end of its last line.
    fn unfinished(&self, _seat: usize) -> String {
        String::new()
    }

    /// Returns the end of a sentence that quotes the last lines of a running engine on standard error;
    /// empty without lines. [`Self::failure`] quotes those of an engine that has ended.
    fn words(&mut self, _seat: usize) -> String {
        String::new()
    }
}
