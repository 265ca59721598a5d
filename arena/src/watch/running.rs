//! The games that a run plays now, in a file of its folder: so every process can show them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::game::GameView;

/// The file. It is removed when the run ends; a process that is killed leaves it.
const FILE: &str = "running.json";

/// A file that nobody has written for this time is left of a run that was killed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Writes the running games. A file that cannot be written is left out: the journal has the games.
pub struct RunningGames {
    path: PathBuf,
    written: Option<Instant>,
}

impl RunningGames {
    /// The interval between two states.
    pub const PERIOD: Duration = Duration::from_secs(1);

    /// The games of the run in `folder`.
    pub fn new(folder: &Path) -> Self {
        Self { path: folder.join(FILE), written: None }
    }

    /// Returns whether games were written.
    pub fn is_written(&self) -> bool {
        self.written.is_some()
    }

    /// Writes the games, unless that was done within [`RunningGames::PERIOD`].
    pub fn show(&mut self, games: &[GameView]) {
        if self.written.is_some_and(|written| written.elapsed() < Self::PERIOD) {
            return;
        }
        self.written = Some(Instant::now());
        // A reader never sees half a state. The file needs not survive a crash of the machine.
        let next = self.path.with_extension("new");
        let text = serde_json::to_vec(games).unwrap_or_default();
        let _ = fs::write(&next, text).and_then(|()| fs::rename(&next, &self.path));
    }
}

impl Drop for RunningGames {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Returns the games that are played now in the run of `folder`; `None` if no process plays it, or its workers do
/// not show their games.
pub(super) fn read(folder: &Path) -> Option<Vec<GameView>> {
    let path = folder.join(FILE);
    let age = fs::metadata(&path).and_then(|file| file.modified()).ok()?.elapsed();
    if age.is_ok_and(|age| age > PATIENCE) {
        return None;
    }
    serde_json::from_slice(&fs::read(&path).ok()?).ok()
}
