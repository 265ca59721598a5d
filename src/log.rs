//! The log of `tracing` events, for `--log` and the option `Debug Log File`.
//!
//! Without a log there is no subscriber, and an event costs one load.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::{Context, anyhow};
use tracing::Metadata;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Registry, fmt, registry, reload};

use crate::exit_status::Refusal;

/// The target of log lines.
enum Target {
    Nowhere,
    Stderr,
    File(File),
}

struct Log {
    target: Arc<Mutex<Target>>,
    level: reload::Handle<LevelFilter, Registry>,
}

static LOG: OnceLock<Log> = OnceLock::new();

/// Whether the lines of clients are left out.
static HIDES_LINES: AtomicBool = AtomicBool::new(false);

/// Logs to the file of this name, or to standard error when it is `stderr`; the lines of clients only
/// if `shows_lines`.
pub(crate) fn start(name: &str, shows_lines: bool) -> anyhow::Result<()> {
    HIDES_LINES.store(!shows_lines, Ordering::Relaxed);
    turn(aim(Path::new(name)).map_err(|error| Refusal(format!("{error:#}")))?)
}

/// Logs to this file, or to standard error, from now on; `None` ends logging.
pub(crate) fn switch(path: Option<&Path>) -> Result<(), String> {
    let target = path.map_or(Ok(Target::Nowhere), aim);
    target.and_then(turn).map_err(|error| format!("{error:#}"))
}

fn aim(path: &Path) -> anyhow::Result<Target> {
    if path == Path::new("stderr") { Ok(Target::Stderr) } else { open(path) }
}

fn open(path: &Path) -> anyhow::Result<Target> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    Ok(Target::File(file.with_context(|| format!("cannot log to \"{}\"", path.display()))?))
}

fn turn(target: Target) -> anyhow::Result<()> {
    let is_off = matches!(target, Target::Nowhere);
    if is_off && LOG.get().is_none() {
        return Ok(());
    }
    let level = if is_off { LevelFilter::OFF } else { LevelFilter::TRACE };
    let log = LOG.get_or_init(install);
    *log.target.lock().unwrap_or_else(PoisonError::into_inner) = target;
    log.level.modify(|current| *current = level).map_err(|error| anyhow!("cannot log: {error}"))
}

fn install() -> Log {
    let target = Arc::new(Mutex::new(Target::Nowhere));
    let (filter, level) = reload::Layer::new(LevelFilter::OFF);
    let destination = Destination(Arc::clone(&target));
    let writer = move || destination.clone();
    let is_shown = |event: &Metadata<'_>| {
        event.target() != tengen_protocol::LINES || !HIDES_LINES.load(Ordering::Relaxed)
    };
    let lines = fmt::layer().with_ansi(false).log_internal_errors(false).with_writer(writer);
    let lines = lines.with_filter(filter_fn(is_shown));
    // It fails only when there is another subscriber: then that one logs.
    let _ = registry().with(filter).with(lines).try_init();
    Log { target, level }
}

/// Writes to whatever the target is at the moment.
#[derive(Clone)]
struct Destination(Arc<Mutex<Target>>);

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Target::Nowhere => Ok(bytes.len()),
            Target::Stderr => io::stderr().write(bytes),
            Target::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
