//! The log of `tracing` events, for `--log` and the option `Debug Log File`.
//!
//! Without a log there is no subscriber, and an event costs one load.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use tracing::Metadata;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Registry, fmt, registry, reload};

use crate::exit_status::{Ended, Refusal, ignore_broken_pipe};

/// Where log lines go; `None` without a log.
static TARGET: Mutex<Option<Box<dyn Write + Send>>> = Mutex::new(None);

/// The level of the subscriber, which is installed with the first log.
static LEVEL: OnceLock<reload::Handle<LevelFilter, Registry>> = OnceLock::new();

/// Whether a line of a log was lost.
static IS_INCOMPLETE: AtomicBool = AtomicBool::new(false);

/// Whether the log leaves out the lines of clients.
static HIDES_LINES: AtomicBool = AtomicBool::new(false);

/// Starts the log in the file `name`, or on standard error if `name` is `stderr`. Lines of clients
/// are logged only if `shows_lines`.
pub(crate) fn start(name: &str, shows_lines: bool) -> Result<(), Refusal> {
    HIDES_LINES.store(!shows_lines, Ordering::Relaxed);
    switch(Some(Path::new(name))).map_err(Refusal)
}

/// Changes the log to the file `path`, or to standard error if `path` is `stderr`; `None` ends the
/// log.
pub(crate) fn switch(path: Option<&Path>) -> Result<(), String> {
    if path.is_none() && LEVEL.get().is_none() {
        return Ok(());
    }
    let target = path.map(open).transpose()?;
    let level = if target.is_some() { LevelFilter::TRACE } else { LevelFilter::OFF };
    *TARGET.lock().unwrap_or_else(PoisonError::into_inner) = target;
    let changed = LEVEL.get_or_init(install).modify(|current| *current = level);
    changed.map_err(|error| format!("cannot log: {error}"))
}

fn open(path: &Path) -> Result<Box<dyn Write + Send>, String> {
    if path == Path::new("stderr") {
        return Ok(Box::new(io::stderr()));
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    // The log may have the lines of clients.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(format!("cannot log to \"{}\": {error}", path.display())),
    }
}

fn install() -> reload::Handle<LevelFilter, Registry> {
    let (filter, level) = reload::Layer::new(LevelFilter::OFF);
    let is_shown = |event: &Metadata<'_>| {
        event.target() != tengen_protocol::LINES || !HIDES_LINES.load(Ordering::Relaxed)
    };
    let lines = fmt::layer().with_ansi(false).log_internal_errors(false).with_writer(|| LogOutput);
    let lines = lines.with_filter(filter_fn(is_shown));
    // This fails only if another subscriber is set, which then gets the events.
    let _ = registry().with(filter).with(lines).try_init();
    level
}

/// Returns an error without a message if a line of a log was lost: it was reported then.
pub(crate) fn complete() -> anyhow::Result<()> {
    match IS_INCOMPLETE.load(Ordering::Relaxed) {
        true => Err(Ended { status: 1, why: None }.into()),
        false => Ok(()),
    }
}

/// Says once that lines of the log are lost. A closed standard error is ignored.
fn report_loss(error: &io::Error) {
    if !IS_INCOMPLETE.swap(true, Ordering::Relaxed) {
        let _ = writeln!(io::stderr(), "tengen: the log cannot be written: {error}");
    }
}

/// A writer to the current target.
struct LogOutput;

impl Write for LogOutput {
    /// Writes a whole event. An error is reported here, because the subscriber drops it.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(target) = &mut *TARGET.lock().unwrap_or_else(PoisonError::into_inner)
            && let Err(error) = ignore_broken_pipe(target.write_all(bytes))
        {
            report_loss(&error);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
