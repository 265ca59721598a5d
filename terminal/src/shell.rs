//! [`Shell`]: the app with its search thread and its files. Both modes use it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::app::{App, Effect, GameSetup, Show};
use crate::command::Command;
use crate::engine::{OnSearchEvent, SearchEvent, SearchThread};
use crate::files::{self, Files};
use crate::record;

/// Why a game is not kept if the system names no folder.
const NO_FOLDER: &str = "no folder for it is known: set XDG_STATE_HOME or HOME";

/// Where the game in progress is kept for `--resume`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Keeping {
    /// Not kept, because a script plays.
    Off,
    /// Kept in this file.
    In(PathBuf),
    /// Not kept, because the system names no folder. A message says so.
    Nowhere,
}

/// Why a game cannot go on.
#[derive(Debug)]
pub enum PlayError {
    /// The system starts no thread.
    Thread(io::Error),
    /// The terminal or the output failed.
    Output(io::Error),
}

impl From<io::Error> for PlayError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// The app with its search thread and its files.
pub(crate) struct Shell {
    pub(crate) app: App,
    engine: SearchThread,
    files: Files,
    start: Instant,
    /// The file in which the game was saved, which may be overwritten.
    saved: Option<PathBuf>,
    /// The file of the game in progress; `None` if it is not kept.
    kept: Option<PathBuf>,
    /// Why the game in progress cannot be kept; `None` if it is kept, or if it need not be.
    keep_error: Option<String>,
    /// The revision of the game in that file.
    kept_revision: u64,
    is_over: bool,
}

impl Shell {
    /// Creates the shell. `keeping` says where the game in progress is kept. The search thread
    /// calls `on_event` with each event, and the front end passes the event to
    /// [`on_search_event`](Self::on_search_event). Fails if the system starts no thread.
    pub(crate) fn new(
        setup: GameSetup,
        keeping: Keeping,
        on_event: OnSearchEvent,
    ) -> io::Result<Self> {
        let engine = SearchThread::start(setup.catalog, on_event)?;
        let files = setup.files;
        let app = App::new(setup, Duration::ZERO);
        let kept_revision = app.revision;
        let start = Instant::now();
        let (kept, keep_error) = match keeping {
            Keeping::Off => (None, None),
            Keeping::In(path) => (Some(path), None),
            Keeping::Nowhere => (None, Some(NO_FOLDER.to_owned())),
        };
        let (saved, is_over) = (None, false);
        let mut shell =
            Self { app, engine, files, start, saved, kept, keep_error, kept_revision, is_over };
        // A folder that cannot be written is reported before the first move is lost.
        if let Some(Err(error)) = shell.kept.as_deref().map(|path| files.check_kept(path)) {
            shell.stop_keeping(&error.to_string());
        } else if let Some(why) = &shell.keep_error {
            shell.app.tell(format!("The game in progress cannot be kept: {why}."));
        }
        Ok(shell)
    }

    /// Says once that the game cannot be kept. The player can save it elsewhere.
    fn stop_keeping(&mut self, why: &str) {
        let Some(path) = self.kept.take() else { return };
        let why = format!("{}: {why}", path.display());
        self.app.tell(format!("The game in progress cannot be kept in {why}."));
        self.keep_error = Some(why);
    }

    /// Returns the time since the shell was created.
    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// Returns whether the player has left.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Carries out a command.
    pub(crate) fn command(&mut self, command: Command) {
        let now = self.now();
        self.app.command(command, now);
    }

    /// Handles a search event.
    pub(crate) fn on_search_event(&mut self, event: SearchEvent) {
        let now = self.now();
        self.app.on_search_event(event, now);
    }

    /// Checks the clocks.
    pub(crate) fn tick(&mut self) {
        let now = self.now();
        self.app.tick(now);
    }

    /// Carries out the effects of the app. Returns the output to show.
    pub(crate) fn execute_effects(&mut self) -> Vec<Show> {
        let mut shown = Vec::new();
        loop {
            let effects = self.app.take_effects();
            if effects.is_empty() {
                self.write_kept_game();
                if self.app.has_effects() {
                    continue;
                }
                return shown;
            }
            for effect in effects {
                match effect {
                    Effect::Search(job) => self.engine.search(*job),
                    Effect::Show(show) => shown.push(show),
                    Effect::Save(name) if name.as_deref() == Some("-") => {
                        shown.extend(self.shown_record());
                    }
                    Effect::Save(name) => self.save(name),
                    Effect::Load(name) => self.load(&name),
                    Effect::Quit => self.is_over = true,
                }
            }
        }
    }

    /// Returns the record as lines, for the name of standard output.
    fn shown_record(&mut self) -> Option<Show> {
        match record::write(&self.app) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                Some(Show::Lines(text.lines().map(str::to_owned).collect()))
            }
            Err(why) => {
                self.app.saved(Err(format!("{why}.")));
                None
            }
        }
    }

    fn save(&mut self, name: Option<String>) {
        let path = match (name, &self.saved) {
            (Some(name), _) => PathBuf::from(name),
            (None, Some(path)) => path.clone(),
            (None, None) => PathBuf::from(files::default_name(self.app.game().spec().variant)),
        };
        let is_ours = self.saved.as_ref() == Some(&path);
        let bytes = record::write(&self.app).map_err(|why| format!("{why}."));
        let saved = bytes.and_then(|bytes| self.files.save(&path, &bytes, is_ours));
        if saved.is_ok() {
            self.saved = Some(path);
        }
        self.app.saved(saved);
    }

    fn load(&mut self, name: &str) {
        let now = self.now();
        let bytes = (self.files.read)(Path::new(name))
            .map_err(|error| format!("cannot read {name}: {error}"));
        let game = bytes.and_then(|bytes| record::read(name, &bytes, self.app.catalog, None));
        if game.is_ok() {
            self.saved = None;
        }
        self.app.loaded(game.map_err(|why| format!("{why}.")), now);
    }

    /// Writes the game in progress to its file, so that a crash loses nothing.
    fn write_kept_game(&mut self) {
        let revision = self.app.revision;
        if revision != self.kept_revision && self.app.has_begun() {
            self.kept_revision = revision;
            self.keep();
        }
    }

    fn keep(&mut self) {
        let Some(path) = &self.kept else { return };
        let written = record::write_kept(&self.app, self.now())
            .and_then(|bytes| (self.files.write)(path, &bytes).map_err(|error| error.to_string()));
        if let Err(why) = written {
            self.stop_keeping(&why);
        }
    }

    /// Keeps the game with its clocks as they are now. Returns the message for a player who leaves
    /// a game that is not saved; `None` if it is saved.
    pub(crate) fn farewell(&mut self) -> Option<String> {
        if self.app.has_begun() && self.app.clock().is_some() {
            self.keep();
        }
        if !self.app.is_unsaved() {
            return None;
        }
        let keep_error =
            self.keep_error.as_ref().map(|why| format!("The game is not kept: {why}."));
        let kept = || "The game is kept: tengen play --resume continues it.".to_owned();
        keep_error.or_else(|| self.kept.as_ref().map(|_| kept()))
    }
}
