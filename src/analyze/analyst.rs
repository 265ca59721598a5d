//! A client that searches one position after the other.

use std::ops::ControlFlow;

use tengen_engine::backend::Settings;
use tengen_engine::text::quotable;
use tengen_engine::{
    Answer, Client, GameSpec, Limits, Move, NotationError, Position, PositionError, Query, Report,
    Style,
};

use super::source::{Start, StartAndMoves};
use crate::board::{ChosenGame, search_failure};
use crate::exit_status::Refusal;
use crate::interrupt::interruptible;
use crate::search_args::Books;

/// A client that searches the positions of a command.
pub(super) struct Analyst {
    client: Client,
    /// Moves that are excluded from the search.
    blocked: Vec<String>,
    /// The only moves to search; all if empty.
    only: Vec<Move>,
}

impl Analyst {
    /// Opens `game` with one of `books`.
    pub(super) fn open(
        game: &ChosenGame,
        settings: &Settings,
        books: &Books,
    ) -> anyhow::Result<Self> {
        let mut client = game.client(settings)?;
        books.open(&mut client)?;
        Ok(Self { client, blocked: Vec::new(), only: Vec::new() })
    }

    pub(super) fn spec(&self) -> &GameSpec {
        self.client.spec()
    }

    pub(super) fn position(&self) -> &dyn Position {
        self.client.position()
    }

    /// Sets up the position after the first `plies` moves of `setup`.
    pub(super) fn set_up(&mut self, setup: &StartAndMoves, plies: usize) -> Result<(), Refusal> {
        let moves: Vec<&str> = setup.moves[..plies].iter().map(String::as_str).collect();
        let position = self.client.position_mut();
        let started = match &setup.start {
            Start::Initial => {
                position.reset();
                Ok(())
            }
            Start::Text(text) => position.set_up(text),
            Start::Stones(placement) => position.place(placement),
        };
        let played = started.map_err(PositionError::Start).and_then(|()| position.play_all(&moves));
        let refusal = |error| setup.refusal(self.client.spec(), &error);
        played.map_err(refusal)?;
        self.blocked.clone_from(&setup.blocked);
        Ok(())
    }

    /// Searches only the moves of a list from now on.
    pub(super) fn search_only(&mut self, list: &str) -> Result<(), Refusal> {
        let position = self.client.position();
        let legal = position.legal();
        let refusal = |text: &str, why: &str| {
            Refusal(format!("--searchmoves: move \"{}\": {why}", quotable(text)))
        };
        let read = |text: &&str| match position.read_move(text) {
            Ok(mv) if legal.contains(&mv) => Ok(mv),
            Ok(_) => Err(refusal(text, "not a legal move")),
            Err(NotationError::Move { text, reason }) => Err(refusal(&text, &reason)),
            Err(other) => Err(refusal(text, &other.to_string())),
        };
        let moves = position.split_moves(list);
        self.only = moves.iter().map(read).collect::<Result<_, _>>()?;
        match self.only.is_empty() {
            true => Err(Refusal("--searchmoves: the list has no move".to_owned())),
            false => Ok(()),
        }
    }

    /// Returns the moves to search. An empty list means all moves.
    pub(super) fn search_moves(&self) -> Result<Vec<Move>, Refusal> {
        if self.blocked.is_empty() {
            return Ok(self.only.clone());
        }
        let position = self.client.position();
        let is_open = |mv: &Move| {
            let is_chosen = self.only.is_empty() || self.only.contains(mv);
            is_chosen && !self.blocked.contains(&position.write_move(*mv, Style::Plain))
        };
        let moves: Vec<Move> = position.legal().into_iter().filter(is_open).collect();
        if moves.is_empty() {
            return Err(Refusal("every move is blocked: there is nothing to search".to_owned()));
        }
        Ok(moves)
    }

    /// Searches the position, which must not be over, until Ctrl-C. Every report goes to
    /// `on_report`.
    pub(super) fn search(
        &mut self,
        limits: &Limits,
        on_report: &mut dyn FnMut(&Report<Move>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Answer<Move>> {
        let mut reported = Ok(());
        let mut listener = |report: &Report<Move>| {
            reported = on_report(report);
            if reported.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let moves = self.search_moves()?;
        let answer = interruptible(|signal| {
            let query = Query::from(limits.clone()).with_moves(moves);
            let query = query.with_listener(&mut listener).with_signal(signal);
            self.client.search(query).map_err(|error| search_failure(&error))
        })?;
        reported.map(|()| answer)
    }
}
