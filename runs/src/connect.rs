//! [`connect`]: starts the carrier that the user has chosen.

use std::path::PathBuf;
use std::sync::mpsc::Sender;

use crate::Error;
use crate::pipe::Pipe;
use crate::remote::{Arrival, Carrier};

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

/// Returns the name of this host.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = name.or_else(|| std::env::var("COMPUTERNAME").ok()).unwrap_or_default();
    let name: String = name.trim().chars().map(|c| if c == '/' { '-' } else { c }).collect();
    if name.is_empty() { "host".to_owned() } else { name }
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
    /// Whether the journal has no result yet.
    pub is_new: bool,
    /// How many children are started without commands.
    pub children: usize,
    /// The variables of the children.
    pub env: Vec<(String, String)>,
}

/// Starts the carrier of a run. The error says what is wrong, and what to do.
pub fn connect(
    settings: &TransportSettings,
    run: RunInfo,
    arrivals: Sender<Arrival>,
) -> Result<Box<dyn Carrier>, Error> {
    if settings.kind == TransportKind::Nats {
        return nats(settings, run, arrivals);
    }
    let commands = match settings.pipes.as_slice() {
        [] => vec![own_command().map_err(Error::Broken)?; run.children.max(1)],
        commands => commands.to_vec(),
    };
    let pipe = Pipe::start(&commands, &run.env, arrivals);
    Ok(Box::new(pipe.map_err(|why| Error::Broken(format!("no worker can be started: {why}")))?))
}

#[cfg(feature = "nats")]
fn nats(
    settings: &TransportSettings,
    run: RunInfo,
    arrivals: Sender<Arrival>,
) -> Result<Box<dyn Carrier>, Error> {
    Ok(Box::new(crate::nats::Coordinator::start(settings, run, arrivals)?))
}

#[cfg(not(feature = "nats"))]
fn nats(_: &TransportSettings, _: RunInfo, _: Sender<Arrival>) -> Result<Box<dyn Carrier>, Error> {
    Err(Error::Broken("this program was built without it: cargo build --features nats".to_owned()))
}

/// Returns the command of a worker with one slot: this program.
fn own_command() -> Result<String, String> {
    let program = std::env::current_exe().map_err(|why| why.to_string())?;
    let program = program.to_string_lossy();
    if cfg!(windows) {
        return Ok(format!("\"{program}\" work --jobs 1"));
    }
    let quoted = program.replace('\'', "'\\''");
    // Without `exec`, some shells would stay beside the worker.
    Ok(format!("exec '{quoted}' work --jobs 1"))
}
