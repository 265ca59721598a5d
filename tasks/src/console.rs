//! [`Console`]: shows the user what a command does. [`Failure`]: why a command ended early.

use std::fs;
use std::path::Path;

use tengen_runs::journal;
use thiserror::Error;

/// The file by which a run folder of `tengen arena` is recognized.
const ARENA_SETTINGS: &str = "run.toml";

/// Shows the user what a command does.
pub trait Console {
    /// Shows a warning.
    fn warn(&self, text: &str);

    /// Says that a part of the input is refused. The command goes on.
    fn report(&self, text: &str);

    /// Calls `callback` at the first interruption by the user.
    fn on_interrupt(&self, callback: Box<dyn Fn() + Send + Sync>) -> Result<(), Failure>;

    /// Shows the progress of `steps` steps, of which `done` were done by an earlier process.
    fn progress(&self, steps: u64, done: u64) -> Box<dyn Progress>;
}

/// Shows the progress of a run.
pub trait Progress {
    /// Counts steps, and shows what is done.
    fn steps(&self, count: u64, what: String);

    /// Shows a note.
    fn note(&self, text: &str);
}

/// Why a command ended early.
#[derive(Debug, Error)]
pub enum Failure {
    /// A file, a query or a setting was refused.
    #[error("{0}")]
    Refused(String),
    /// The user interrupted the run.
    #[error("{0}")]
    Interrupted(String),
    /// Something failed: no thread, no room on the disk, a journal in use.
    #[error("{0}")]
    Failed(String),
}

impl From<tengen_runs::Error> for Failure {
    fn from(error: tengen_runs::Error) -> Self {
        match error {
            tengen_runs::Error::NoTransport(why) => Self::Refused(why),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl Failure {
    /// Returns a function that makes an error of the system a failure, which begins with `what`.
    pub(crate) fn because(what: impl std::fmt::Display) -> impl FnOnce(std::io::Error) -> Self {
        move |error| Self::Failed(format!("{what}: {error}"))
    }
}

/// Creates the folder of a run, or checks that it is empty or holds a journal. `what` names the run, and
/// the option for another folder.
pub(crate) fn open_folder(folder: &Path, what: &str) -> Result<(), Failure> {
    let name = folder.display();
    let unwritable = format!("cannot write {name}");
    let is_of_arena = folder.join(ARENA_SETTINGS).exists();
    if folder.join(journal::FILE).is_file() && !is_of_arena {
        return Ok(());
    }
    if folder.exists() {
        let mut entries = fs::read_dir(folder).map_err(Failure::because(&unwritable))?;
        if entries.next().is_some() {
            return Err(Failure::Refused(format!("{name} holds no {what} names another folder")));
        }
    }
    fs::create_dir_all(folder).map_err(Failure::because(&unwritable))
}
