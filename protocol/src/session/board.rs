//! The game in force and its position, as a client set them: what is bad is remembered as bad.
//!
//! It knows no dialect and no search in progress. Messages are for people, on one line.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tengen_engine::backend::{
    Backend, Catalog, Chosen, Event, Go, Identity, OpenError, Picture, Settings, Sink,
};
use tengen_engine::control::Control;
use tengen_engine::notation::{Style, quotable};
use tengen_engine::score::Score;
use tengen_engine::{Outcome, Side, Term};

use crate::command::Setup;

pub(super) struct Board {
    catalog: &'static dyn Catalog,
    variant: &'static str,
    chosen: Chosen,
    settings: Settings,
    /// The file of the book to ask, unless it is the one that comes with the game.
    book: Option<PathBuf>,
    backend: Box<dyn Backend>,
    /// Columns and rows, where the game has a board.
    size: Option<(u32, u32)>,
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
        let size = size_of(&*backend);
        Ok(Self {
            catalog,
            variant,
            chosen,
            settings,
            book: None,
            backend,
            size,
            no_game: None,
            no_position: None,
        })
    }

    /// Columns and rows; `None` where the game has no board.
    pub(super) fn size(&self) -> Option<(u32, u32)> {
        self.size
    }

    pub(super) fn variant(&self) -> &'static str {
        self.variant
    }

    /// What was chosen for an option of the catalogue.
    pub(super) fn choice(&self, name: &str) -> Option<i64> {
        self.chosen.get(name).copied()
    }

    /// Whether anything but the default was chosen.
    pub(super) fn is_chosen(&self, name: &str) -> bool {
        self.choice(name).is_some_and(|value| value != 0)
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn configure(&mut self, settings: Settings, sink: Sink) {
        self.settings = settings;
        self.backend.configure(&settings, sink);
    }

    /// Chooses the book of the game. On an error nothing changes.
    pub(super) fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        self.backend.open_book(file)?;
        self.book = file.map(Path::to_owned);
        Ok(())
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
        match self.catalog.open(self.variant, &self.chosen, &self.settings, sink.clone()) {
            Ok(backend) if self.no_game.is_none() && backend.identity() == self.identity() => {
                Ok(false)
            }
            Ok(backend) => {
                self.move_to(backend, &sink);
                Ok(true)
            }
            Err(error) => {
                let why = format!("no game under these options: {error}");
                self.no_game = Some(why.clone());
                Err(why)
            }
        }
    }

    /// Where the book is gone by now, the sink gets a note, and the game has its own.
    fn move_to(&mut self, mut backend: Box<dyn Backend>, sink: &Sink) {
        if let Some(file) = &self.book
            && let Err(error) = backend.open_book(Some(file))
        {
            let file = file.display().to_string();
            sink(Event::Note(format!("option BookFile: \"{}\": {error}", quotable(&file))));
        }
        self.backend = backend;
        self.size = size_of(&*self.backend);
        (self.no_game, self.no_position) = (None, None);
    }

    /// Changes to `variant` under these options of the catalogue, on a board of the size `wanted`
    /// where one is. `Ok(true)`: another game is in force. On an error nothing changes.
    pub(super) fn change(
        &mut self,
        variant: &'static str,
        options: &[(&'static str, i64)],
        wanted: Option<(u32, u32)>,
        sink: Sink,
    ) -> Result<bool, String> {
        let mut chosen = self.chosen.clone();
        chosen.extend(options.iter().copied());
        let opened = self.catalog.open(variant, &chosen, &self.settings, sink.clone());
        let backend = opened.map_err(|error| error.to_string())?;
        let size = size_of(&*backend);
        if wanted.is_some() && size != wanted {
            return Err(match size {
                Some((columns, rows)) => format!("{variant} is played on {columns}x{rows}"),
                None => format!("{variant} has no board"),
            });
        }
        (self.variant, self.chosen) = (variant, chosen);
        if self.no_game.is_none() && backend.identity() == self.identity() {
            return Ok(false);
        }
        self.move_to(backend, &sink);
        Ok(true)
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

    /// Plays moves on the position in force; says whether the client wrote drops.
    pub(super) fn play_on(&mut self, moves: &str) -> Result<bool, String> {
        if let Some(why) = self.fault() {
            return Err(format!("moves refused: {why}"));
        }
        let here = self.backend.picture().plain;
        let moves: Vec<&str> = moves.split_ascii_whitespace().collect();
        let played = self.backend.set_position(Some(&here), &moves);
        played.map_err(|error| format!("moves refused: {error}"))?;
        Ok(moves.iter().any(|mv| is_drop(mv)))
    }

    /// Whose turn it is.
    pub(super) fn turn(&self) -> Side {
        self.backend.turn()
    }

    /// How the game ended, if it did.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.backend.outcome()
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
        self.backend.outcome().map(|outcome| outcome.score(turn, 0))
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

    pub(super) fn remarks(&self) -> Vec<String> {
        self.backend.remarks()
    }
}

/// Columns and rows of a board, as the text of its position tells.
fn size_of(backend: &dyn Backend) -> Option<(u32, u32)> {
    let plain = backend.picture().plain;
    let rows: Vec<&str> = plain.split_ascii_whitespace().next()?.split('/').collect();
    let columns = columns_of(rows.first()?)?;
    let is_even = rows.iter().all(|row| columns_of(row) == Some(columns));
    is_even.then_some((columns, u32::try_from(rows.len()).ok()?))
}

/// How many cells a row of stones and counts of empty cells has; `None` when it is none.
fn columns_of(row: &str) -> Option<u32> {
    let mut columns = 0_u32;
    let mut empties = 0_u32;
    for letter in row.chars() {
        match letter.to_digit(10) {
            Some(digit) => empties = empties.checked_mul(10)?.checked_add(digit)?,
            None if matches!(letter, 'P' | 'p') => {
                columns = columns.checked_add(empties)?.checked_add(1)?;
                empties = 0;
            }
            None => return None,
        }
    }
    columns.checked_add(empties).filter(|&columns| columns > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_counted_with_its_empty_cells() {
        for (row, columns) in [("7", 7), ("15", 15), ("3pP10P", 16), ("P", 1)] {
            assert_eq!(columns_of(row), Some(columns), "{row}");
        }
        for row in ["", "0", "[A", "3x3", "99999999999", "9999999999P"] {
            assert_eq!(columns_of(row), None, "{row}");
        }
    }
}
