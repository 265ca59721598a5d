//! [`TransportSettings`]: what the user says about the workers of a run. [`RunInfo`]: the run.

use std::path::PathBuf;

/// Where the workers of a run are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TransportKind {
    /// Threads of this program.
    #[default]
    Local,
    /// Child processes.
    Pipe,
    /// Other machines, by NATS.
    Nats,
}

impl TransportKind {
    /// All kinds with their names on the command line.
    pub const NAMES: [(&'static str, Self); 3] =
        [("local", Self::Local), ("pipe", Self::Pipe), ("nats", Self::Nats)];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// What the user says about the workers of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TransportSettings {
    /// Where the workers are.
    pub kind: TransportKind,
    /// The commands of the child processes. If there are none, this program is started.
    pub pipes: Vec<String>,
    /// The address of the server of NATS.
    pub nats: Option<String>,
    /// The file with the credentials for NATS.
    pub credentials: Option<PathBuf>,
    /// The name of the run; if `None`, it is made from the folder and the journal.
    pub name: Option<String>,
    /// How many tasks are queued for each slot; if `None`, 4.
    pub ahead: Option<u32>,
    /// After how many milliseconds the task of a silent worker goes to another one; if `None`, 30,000.
    pub ack_wait_ms: Option<u64>,
    /// Whether the run ends although tasks were given up.
    pub allow_dead: bool,
    /// The longest time of a task, in milliseconds; if `None`, the default of the task.
    pub task_ms: Option<u64>,
}

/// A run, for its carrier.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// The name of the run, which begins the ids of its tasks.
    pub name: String,
    /// The version that all workers must have.
    pub version: &'static str,
    /// The host and the folder of the journal: who holds the run.
    pub holder: String,
    /// The SHA-256 of each engine of the run, in hexadecimal.
    pub engines: Vec<String>,
    /// How many children are started without commands.
    pub children: usize,
    /// The variables of the children.
    pub env: Vec<(String, String)>,
}
