//! The game in force and its position, as a client set them: what is bad is remembered as bad.
//!
//! It knows no dialect and no search in progress. Messages are for people, on one line.

use std::time::Instant;

use tengen_engine::backend::{
    Backend, Catalog, Chosen, Go, Identity, OpenError, Picture, Settings, Sink,
};
use tengen_engine::control::Control;
use tengen_engine::game::{Outcome, Side, Term};
use tengen_engine::notation::{Style, quotable};
use tengen_engine::score::Score;

use crate::command::Setup;

pub(super) struct Board {
    catalog: &'static dyn Catalog,
    variant: &'static str,
    chosen: Chosen,
    settings: Settings,
    backend: Box<dyn Backend>,
    /// Why the options make no game. The backend is then the last one that they did make.
    no_game: Option<String>,
    /// Why the last position was refused. The backend then holds the one before it.
    no_position: Option<String>,
}

/// Whether a move is written as a drop.
pub(super) fn is_drop(mv: &str) -> bool {
    mv.contains('@')
}

impl Board {
    /// The starting position of `variant`, the catalogue's first unless named.
    pub(super) fn open(
        catalog: &'static dyn Catalog,
        variant: Option<&str>,
        sink: Sink,
    ) -> Result<Self, OpenError> {
        let known = catalog.variants();
        let named = |name: &str| known.iter().find(|v| v.name.eq_ignore_ascii_case(name));
        let unknown = || OpenError::UnknownVariant(quotable(variant.unwrap_or_default()));
        let variant = variant.map_or(known.first(), named).ok_or_else(unknown)?.name;
        let (chosen, settings) = (Chosen::new(), Settings::default());
        let backend = catalog.open(variant, &chosen, &settings, sink)?;
        Ok(Self { catalog, variant, chosen, settings, backend, no_game: None, no_position: None })
    }

    pub(super) fn variant(&self) -> &'static str {
        self.variant
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn configure(&mut self, settings: Settings, sink: Sink) {
        self.settings = settings;
        self.backend.configure(&settings, sink);
    }

    pub(super) fn write_moves(&mut self, style: Style, sink: Sink) {
        if self.settings.style != style {
            self.configure(Settings { style, ..self.settings }, sink);
        }
    }

    /// Changes to a variant of the catalogue. `Ok(true)`: another game is in force.
    pub(super) fn choose_variant(
        &mut self,
        variant: &'static str,
        sink: Sink,
    ) -> Result<bool, String> {
        if variant == self.variant && self.no_game.is_none() {
            return Ok(false);
        }
        self.variant = variant;
        self.reopen(sink)
    }

    /// Sets an option of the catalogue. `Ok(true)`: another game is in force. The choice is
    /// remembered either way.
    pub(super) fn choose(
        &mut self,
        name: &'static str,
        value: i64,
        sink: Sink,
    ) -> Result<bool, String> {
        if self.chosen.insert(name, value) == Some(value) && self.no_game.is_none() {
            return Ok(false);
        }
        self.reopen(sink)
    }

    fn reopen(&mut self, sink: Sink) -> Result<bool, String> {
        match self.catalog.open(self.variant, &self.chosen, &self.settings, sink) {
            Ok(backend) if self.no_game.is_none() && backend.identity() == self.identity() => {
                Ok(false)
            }
            Ok(backend) => {
                self.backend = backend;
                (self.no_game, self.no_position) = (None, None);
                Ok(true)
            }
            Err(error) => {
                let why = format!("no game under these options: {error}");
                self.no_game = Some(why.clone());
                Err(why)
            }
        }
    }

    pub(super) fn new_game(&mut self) {
        self.backend.new_game();
        self.no_position = None;
    }

    pub(super) fn clear_hash(&mut self) {
        self.backend.clear_hash();
    }

    pub(super) fn ready(&mut self, sink: Sink) -> bool {
        self.backend.ready(sink)
    }

    pub(super) fn identity(&self) -> Identity {
        self.backend.identity()
    }

    pub(super) fn announcement(&self) -> String {
        let Identity { variant, rules } = self.identity();
        self.no_game.clone().unwrap_or_else(|| format!("variant {variant}: {rules}"))
    }

    /// Why there is nothing to search.
    pub(super) fn fault(&self) -> Option<&str> {
        self.no_game.as_deref().or(self.no_position.as_deref())
    }

    /// Sets up a position; says whether the client wrote drops.
    pub(super) fn set_position(&mut self, setup: &Setup) -> Result<bool, String> {
        if let Some(why) = &self.no_game {
            return Err(why.clone());
        }
        let result = self.try_position(setup);
        self.no_position = result.as_ref().err().cloned();
        result
    }

    fn try_position(&mut self, setup: &Setup) -> Result<bool, String> {
        let (start, moves) = match setup {
            Setup::Start { moves } => (None, moves.as_str()),
            Setup::Text { text, keyword } => {
                let end = self.backend.position_end(text, keyword);
                let (start, tail) = text.split_at_checked(end).unwrap_or((text, ""));
                (Some(start.trim()), tail.get(keyword.len()..).unwrap_or_default())
            }
            Setup::Unreadable(why) => return Err(format!("position refused: {why}")),
        };
        let moves: Vec<&str> = moves.split_ascii_whitespace().collect();
        let refused = |error| format!("position refused: {error}");
        self.backend.set_position(start, &moves).map_err(refused)?;
        Ok(moves.iter().any(|mv| is_drop(mv)))
    }

    pub(super) fn flip(&mut self) -> Result<(), String> {
        if let Some(why) = self.fault() {
            return Err(format!("nothing to flip: {why}"));
        }
        self.backend.flip().map_err(|error| format!("flip refused: {error}"))
    }

    /// The score of a game that is over, for the side to move; `None` while it goes on.
    pub(super) fn settled(&self) -> Option<Score> {
        let turn = self.backend.turn();
        self.backend.outcome().map(|outcome| match outcome {
            Outcome::Win(side) if side == turn => Score::win_in(0),
            Outcome::Win(_) => Score::loss_in(0),
            Outcome::Draw => Score::DRAW,
            Outcome::Value(score) if turn == Side::First => score,
            Outcome::Value(score) => -score,
        })
    }

    pub(super) fn go(&mut self, go: Go, sink: Sink) -> Control {
        self.backend.go(go, sink)
    }

    pub(super) fn perft(&mut self, depth: u32, received: Instant, sink: Sink) -> Control {
        self.backend.perft(depth, received, sink)
    }

    pub(super) fn picture(&self) -> Picture {
        self.backend.picture()
    }

    pub(super) fn explain(&self) -> Option<(Score, Vec<Term>)> {
        self.backend.explain()
    }
}
