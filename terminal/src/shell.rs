//! [`Shell`]: the board with its engine and its files. Both modes drive it.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::app::{App, Effect, GameSetup};
use crate::command::Command;
use crate::engine::{News, Post, SearchThread};
use crate::{files, record};

/// What a mode has to show.
pub(crate) enum Show {
    Sentence(String),
    Board,
    Lines(Vec<String>),
    Help,
}

/// The board with its engine and its files.
pub(crate) struct Shell {
    pub(crate) app: App,
    engine: SearchThread,
    begun: Instant,
    /// Where the game was saved, so that it may be saved there again.
    saved: Option<PathBuf>,
    /// Where the game in progress is kept.
    kept: Option<PathBuf>,
    /// Which state of the game is kept there.
    kept_revision: u64,
    is_over: bool,
}

impl Shell {
    /// Opens the board. `post` brings the engine's news to the mode, which hands them to
    /// [`hear`](Self::hear).
    pub(crate) fn new(setup: GameSetup, kept: Option<PathBuf>, post: Post) -> Self {
        let engine = SearchThread::start(setup.catalog, post);
        let app = App::new(setup, Duration::ZERO);
        let kept_revision = app.revision();
        let begun = Instant::now();
        Self { app, engine, begun, saved: None, kept, kept_revision, is_over: false }
    }

    /// The time since the board was opened.
    pub(crate) fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Whether the player has left.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Does what a player asks for.
    pub(crate) fn command(&mut self, command: Command) {
        let now = self.now();
        self.app.command(command, now);
    }

    /// Handles an event of the engine.
    pub(crate) fn hear(&mut self, news: News) {
        let now = self.now();
        self.app.hear(news, now);
    }

    /// Lets time pass.
    pub(crate) fn tick(&mut self) {
        let now = self.now();
        self.app.tick(now);
    }

    /// Does what the board asks for. Returns what is to be shown.
    pub(crate) fn work(&mut self) -> Vec<Show> {
        let mut shown = Vec::new();
        loop {
            let effects = self.app.take_effects();
            if effects.is_empty() {
                self.keep();
                return shown;
            }
            for effect in effects {
                match effect {
                    Effect::Search(job) => self.engine.search(*job),
                    Effect::Tell(sentence) => shown.push(Show::Sentence(sentence)),
                    Effect::ShowBoard => shown.push(Show::Board),
                    Effect::ShowLines(lines) => shown.push(Show::Lines(lines)),
                    Effect::ShowHelp => shown.push(Show::Help),
                    Effect::Save(name) => self.save(name),
                    Effect::Load(name) => self.load(&name),
                    Effect::Quit => self.is_over = true,
                }
            }
        }
    }

    fn save(&mut self, name: Option<String>) {
        let path = match (name, &self.saved) {
            (Some(name), _) => PathBuf::from(name),
            (None, Some(path)) => path.clone(),
            (None, None) => PathBuf::from(files::usual_name(self.app.game().spec().variant)),
        };
        let is_ours = self.saved.as_ref() == Some(&path);
        let bytes = record::write(&self.app).map_err(|why| format!("{why}."));
        let saved = bytes.and_then(|bytes| files::save(&path, &bytes, is_ours));
        if saved.is_ok() {
            self.saved = Some(path);
        }
        self.app.saved(saved);
    }

    fn load(&mut self, name: &str) {
        let now = self.now();
        let bytes = fs::read(name).map_err(|error| format!("cannot read {name}: {error}"));
        let game = bytes.and_then(|bytes| record::read(name, &bytes, self.app.catalog(), None));
        if game.is_ok() {
            self.saved = None;
        }
        self.app.loaded(game.map_err(|why| format!("{why}.")), now);
    }

    /// Keeps the game in progress, so that nothing is lost however the program ends.
    fn keep(&mut self) {
        let revision = self.app.revision();
        if revision == self.kept_revision || self.app.game().tree().is_empty() {
            return;
        }
        self.kept_revision = revision;
        let Some(path) = &self.kept else { return };
        let written = record::write(&self.app)
            .and_then(|bytes| files::write_whole(path, &bytes).map_err(|error| error.to_string()));
        if let Err(why) = written {
            // Once is enough: the player can save the game elsewhere.
            let name = path.display().to_string();
            self.kept = None;
            self.app.tell(format!("The game in progress cannot be kept in {name}: {why}."));
        }
    }

    /// What is told when the player has left.
    pub(crate) fn farewell(&self) -> Option<String> {
        self.kept.as_ref().filter(|_| self.app.is_unsaved())?;
        Some("The game is kept: tengen play --resume goes on with it.".to_owned())
    }
}
