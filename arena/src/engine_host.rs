//! The border between a game and the processes that play it: two seats, lines, times and ends.
//!
//! The game is written against [`EngineHost`]. Processes are behind it in a run, scripts in virtual time
//! in tests.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// A program to start on a seat.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Launch {
    /// The program.
    pub cmd: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it runs.
    pub dir: Option<PathBuf>,
    /// Variables of its environment.
    pub env: Vec<(String, String)>,
    /// Where its standard error goes; nowhere without.
    pub stderr: Option<PathBuf>,
    /// The memory that its processes may take together, in bytes.
    pub memory: Option<u64>,
    /// The CPUs that it may use; all where empty.
    pub cpus: Vec<usize>,
    /// Where every line to and from it is written down.
    pub log: Option<PathBuf>,
}

/// What happens on an engine host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostEvent {
    /// An engine wrote a line.
    Line {
        /// The seat of the engine.
        seat: usize,
        /// When its end arrived.
        at: Instant,
        /// The line without its end. Bytes that are not UTF-8 are replaced.
        text: String,
    },
    /// A process has ended.
    Gone {
        /// Its seat.
        seat: usize,
        /// When that was seen.
        at: Instant,
        /// How: `ended with status 1`, `was killed by SIGSEGV`.
        how: String,
    },
    /// The processes of a seat took more memory than they may.
    Memory {
        /// The seat.
        seat: usize,
        /// What they took at least, in bytes.
        bytes: u64,
    },
    /// An engine wrote more than anybody reads since it was last sent something.
    Flood {
        /// Its seat.
        seat: usize,
    },
    /// An engine has not read what it was sent for too long.
    InputStalled {
        /// Its seat.
        seat: usize,
    },
    /// Nothing happened up to the time that was named.
    Timeout,
    /// The run ends: the game is to be left at once.
    Abort,
}

/// How a process is made to leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dismissal {
    /// It was asked to leave, and gets time to do so.
    Asked,
    /// The engine does not respond: it is ended by a signal, then by force.
    Forced,
}

/// Two seats and what happens on them.
pub trait EngineHost {
    /// Returns the time. It never runs backwards.
    fn now(&self) -> Instant;

    /// Starts a program on a free seat; the error says why it cannot be started.
    fn start(&mut self, seat: usize, launch: &Launch) -> Result<(), String>;

    /// Sends a line. It never waits: what cannot be written now is written later.
    fn send(&mut self, seat: usize, line: &str);

    /// Waits for the next event, at most up to a time. Lines that arrived by then come first.
    fn next(&mut self, until: Instant) -> HostEvent;

    /// Returns the end of the process of a seat, where it has ended.
    fn gone(&self, seat: usize) -> Option<HostEvent>;

    /// Frees a seat. Its process leaves while the game continues. Its later lines are dropped.
    fn dismiss(&mut self, seat: usize, how: Dismissal);

    /// Stops the processes of a seat, or lets them continue.
    fn suspend(&mut self, seat: usize, stops: bool);

    /// Returns the CPU time that the processes of a seat have taken so far.
    fn cpu_time(&mut self, seat: usize) -> Duration;

    /// Returns the most memory that the processes of a seat have taken, in bytes.
    fn peak_memory(&mut self, seat: usize) -> u64;

    /// Returns whether the machine itself was late within the given times.
    fn was_late(&self, from: Instant, to: Instant) -> bool;
}
