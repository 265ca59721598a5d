//! One backend that searches position after position.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use anyhow::bail;
use tengen_engine::backend::{Backend, Catalog, Event, Go, Identity, Picture, Settings, Sink};
use tengen_engine::{Answer, Limits, Report};
use tengen_games::CATALOG;

use super::source::Setup;
use super::stones::Size;
use crate::board::Game;
use crate::ending::Refusal;
use crate::means::Books;

/// A backend and the events that it sends.
pub(super) struct Analyst {
    backend: Box<dyn Backend>,
    events: Sender<Event>,
    inbox: Receiver<Event>,
    /// Moves that are not searched.
    blocked: Vec<String>,
}

impl Analyst {
    /// Opens `game` with one of `books`.
    pub(super) fn open(game: &Game, settings: &Settings, books: &Books) -> Result<Self, Refusal> {
        let (events, inbox) = channel();
        let mut backend = CATALOG
            .open(&game.variant, &game.chosen, settings, sink(events.clone()))
            .map_err(|error| Refusal(error.to_string()))?;
        books.open(game, backend.as_mut())?;
        Ok(Self { backend, events, inbox, blocked: Vec::new() })
    }

    pub(super) fn identity(&self) -> Identity {
        self.backend.identity()
    }

    pub(super) fn picture(&self) -> Picture {
        self.backend.picture()
    }

    /// Columns and rows of the empty board; `None` when the game has none.
    pub(super) fn size(&self) -> Option<Size> {
        let plain = self.backend.picture().plain;
        let rows: Vec<&str> = plain.split_ascii_whitespace().next()?.split('/').collect();
        Some((rows[0].parse().ok()?, u32::try_from(rows.len()).ok()?))
    }

    /// Sets up the position after the first `plies` moves of `setup`.
    pub(super) fn set_up(&mut self, setup: &Setup, plies: usize) -> Result<(), Refusal> {
        let moves: Vec<&str> = setup.moves[..plies].iter().map(String::as_str).collect();
        let played = self.backend.set_position(setup.start.as_deref(), &moves);
        played.map_err(|error| setup.refusal(&error))?;
        self.blocked.clone_from(&setup.blocked);
        Ok(())
    }

    /// The moves to search; all when empty.
    fn search_moves(&self) -> Result<Vec<String>, Refusal> {
        if self.blocked.is_empty() {
            return Ok(Vec::new());
        }
        let mut moves = self.picture().legal;
        moves.retain(|mv| !self.blocked.contains(mv));
        if moves.is_empty() {
            return Err(Refusal("every move is blocked: there is nothing to search".to_owned()));
        }
        Ok(moves)
    }

    /// Searches the position, which must not be over, and hands every report to `each`.
    pub(super) fn search(
        &mut self,
        limits: &Limits,
        each: &mut dyn FnMut(&Report<String>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Answer<String>> {
        let go = Go {
            limits: limits.clone(),
            search_moves: self.search_moves()?,
            received: Instant::now(),
        };
        let control = self.backend.go(go, sink(self.events.clone()));
        let mut told = Ok(());
        loop {
            match self.inbox.recv()? {
                Event::Report(report) if told.is_ok() => {
                    told = each(&report);
                    if told.is_err() {
                        control.stop();
                    }
                }
                Event::Answer(answer) => return told.map(|()| answer),
                Event::Note(trouble) => bail!(trouble),
                _ => {}
            }
        }
    }
}

fn sink(events: Sender<Event>) -> Sink {
    // The receiver leaves when the analyst does.
    Arc::new(move |event| drop(events.send(event)))
}
