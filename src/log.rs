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

/// Whether the log leaves out the lines of clients.
static HIDES_LINES: AtomicBool = AtomicBool::new(false);

/// Starts the log in the file `name`, or on standard error if `name` is `stderr`. Lines of clients
/// are logged only if `shows_lines`.
pub(crate) fn start(name: &str, shows_lines: bool) -> anyhow::Result<()> {
    HIDES_LINES.store(!shows_lines, Ordering::Relaxed);
    log_to(target_of(Path::new(name)).map_err(|error| Refusal(format!("{error:#}")))?)
}

/// Changes the log to the file `path`, or to standard error if `path` is `stderr`; `None` ends the
/// log.
pub(crate) fn switch(path: Option<&Path>) -> Result<(), String> {
    let target = path.map_or(Ok(Target::Nowhere), target_of);
    target.and_then(log_to).map_err(|error| format!("{error:#}"))
}

fn target_of(path: &Path) -> anyhow::Result<Target> {
    if path == Path::new("stderr") { Ok(Target::Stderr) } else { open(path) }
}

fn open(path: &Path) -> anyhow::Result<Target> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    Ok(Target::File(file.with_context(|| format!("cannot log to \"{}\"", path.display()))?))
}

fn log_to(target: Target) -> anyhow::Result<()> {
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
    // This fails only if another subscriber is set, which then gets the events.
    let _ = registry().with(filter).with(lines).try_init();
    Log { target, level }
}

/// A writer to the current target.
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
