//! Starts the carrier that the user has chosen.

use std::path::Path;
use std::sync::mpsc::Sender;

use crate::Error;
use crate::contract::{Build, run_name};
use crate::ids::Ids;
use crate::pipe::Pipe;
use crate::remote::{Arrival, Carrier, Codec, Remote};
use crate::settings::{RunInfo, TransportKind, TransportSettings};
use crate::task::Work;

/// Returns the name of this host.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = name.or_else(|| std::env::var("COMPUTERNAME").ok()).unwrap_or_default();
    let name: String = name.trim().chars().map(|c| if c == '/' { '-' } else { c }).collect();
    if name.is_empty() { "host".to_owned() } else { name }
}

impl RunInfo {
    /// Describes the run in `folder`, without engines. Its name is that of `settings`, or it is made of the
    /// folder and of `head`, which tells runs in folders of one name apart.
    pub fn new(settings: &TransportSettings, folder: &Path, head: &str, build: Build) -> Self {
        let own = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = || run_name(&own.unwrap_or_default(), head);
        let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        Self {
            name: settings.name.clone().unwrap_or_else(name),
            build,
            holder: format!("{}:{}", host(), path.display()),
            engines: Vec::new(),
            children: 1,
            env: Vec::new(),
            purged: Vec::new(),
        }
    }
}

impl<W: Work, C: Codec<W>> Remote<W, C> {
    /// Starts the carrier that the user has chosen for `run`. `done` are the tasks whose results the journal
    /// holds. The error names the option, which begins with `dash`.
    pub fn connect(
        codec: C,
        done: Ids,
        settings: &TransportSettings,
        run: RunInfo,
        dash: &str,
    ) -> Result<Self, Error> {
        let build = run.build.clone();
        Self::start(codec, done, build, settings, |arrivals| {
            connect(settings, run, arrivals).map_err(|error| match error {
                Error::Broken(why) => {
                    Error::NoTransport(format!("{dash}transport {}: {why}", settings.kind.name()))
                }
                Error::OtherRun(why) => {
                    Error::OtherRun(format!("{why}; {dash}run-name gives this run another name"))
                }
                other => other,
            })
        })
    }
}

/// Starts the carrier of a run. The error says what is wrong, and what to do.
fn connect(
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
    Ok(Box::new(crate::nats::NatsCarrier::start(settings, run, arrivals)?))
}

#[cfg(not(feature = "nats"))]
fn nats(_: &TransportSettings, _: RunInfo, _: Sender<Arrival>) -> Result<Box<dyn Carrier>, Error> {
    Err(Error::Broken(
        "this program was built without NATS: cargo build --release --features nats".to_owned(),
    ))
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
