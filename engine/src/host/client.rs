//! [`Client`]: the entry point of the library. It opens a game, sets up a position, searches and
//! waits for the answer.
//!
//! It blocks its thread. For several searches at a time, open several clients.

use std::error::Error;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::game::book::BookSource;
use crate::game::evaluator::{SearchEvaluator, Term};
use crate::game::score::Score;
use crate::host::Host;
use crate::host::backend::{Backend, Catalog, Event, Go, OpenError, Perft, Settings, Sink};
use crate::host::opener::describe;
use crate::host::position::{Position, PositionError, TypedPosition};
use crate::host::spec::{Chosen, GameSpec};
use crate::search::control::{Control, Signal};
use crate::search::limits::Limits;
use crate::search::report::{Answer, Report};
use crate::search::time::now;
use crate::text::Style;
use crate::text::notation::Notation;
use crate::text::typed_move::Move;

/// The interval at which the signal of a query is checked.
const POLL: Duration = Duration::from_millis(5);

/// The error of a search, as a message of one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchError(String);

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for SearchError {}

/// The callback for each report of a search. It stops the search with `Break`.
pub type Listener<'a> = dyn FnMut(&Report<Move>) -> ControlFlow<()> + 'a;

/// The request of a search: limits, moves, callback and stop signal.
///
/// `Query::from(limits)` searches all moves, without a callback and a signal.
#[derive(Default)]
#[non_exhaustive]
pub struct Query<'a> {
    /// The limits of the search.
    pub limits: Limits,
    /// The moves to search; all moves if empty.
    pub moves: Vec<Move>,
    /// The callback for each report. Without it, no report is sent, and short searches are faster.
    pub on_report: Option<&'a mut Listener<'a>>,
    /// The signal by which another thread can stop the search.
    pub signal: Option<&'a Signal>,
}

impl<'a> Query<'a> {
    /// Sets the moves to search; all moves if empty.
    #[must_use]
    pub fn with_moves(mut self, moves: Vec<Move>) -> Self {
        self.moves = moves;
        self
    }

    /// Sets the callback for each report.
    #[must_use]
    pub fn with_listener(mut self, listener: &'a mut Listener<'a>) -> Self {
        self.on_report = Some(listener);
        self
    }

    /// Sets the signal by which another thread can stop the search.
    #[must_use]
    pub fn with_signal(mut self, signal: &'a Signal) -> Self {
        self.signal = Some(signal);
        self
    }
}

impl From<Limits> for Query<'_> {
    fn from(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }
}

/// A blocking handle on one game: its current position and its search.
pub struct Client {
    position: Box<dyn Position>,
    backend: Box<dyn Backend>,
    sender: Sender<Event>,
    receiver: Receiver<Event>,
}

impl Client {
    /// Opens a variant of a catalogue and waits until its table is allocated.
    pub fn open(
        catalog: &dyn Catalog,
        variant: &str,
        chosen: &Chosen,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        let spec = catalog.describe(variant, chosen)?;
        Self::of(catalog, &spec, settings)
    }

    /// Opens a game that `catalog` described and waits until its table is allocated.
    pub fn of(
        catalog: &dyn Catalog,
        spec: &GameSpec,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        let (sender, receiver) = channel();
        let backend = catalog.open(spec, settings, event_sink(&sender));
        Self::ready(catalog.position(spec), backend, sender, receiver)
    }

    /// Opens your own game with its evaluator.
    pub fn over<G: Notation, E: SearchEvaluator<G>>(
        game: G,
        evaluator: E,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        Self::open_own(game, evaluator, None, settings)
    }

    /// Opens your own game with its evaluator and opening books.
    pub fn over_with_books<G: Notation, E: SearchEvaluator<G>>(
        game: G,
        evaluator: E,
        books: &'static dyn BookSource<G>,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        Self::open_own(game, evaluator, Some(books), settings)
    }

    fn open_own<G: Notation, E: SearchEvaluator<G>>(
        game: G,
        evaluator: E,
        books: Option<&'static dyn BookSource<G>>,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        let (sender, receiver) = channel();
        let spec = describe(&game, "own", Chosen::new(), evaluator.exact());
        let has_own_book = books.is_some_and(|books| books.has_own());
        let own_eval = (E::OWN_EVAL)();
        let spec = GameSpec { has_book: books.is_some(), has_own_book, own_eval, ..spec };
        let host = Host::new(spec.clone(), evaluator, settings, event_sink(&sender));
        let host = match books {
            Some(books) => host.with_books(books),
            None => host,
        };
        let position = TypedPosition::new(spec, game);
        Self::ready(Box::new(position), Box::new(host), sender, receiver)
    }

    fn ready(
        position: Box<dyn Position>,
        backend: Box<dyn Backend>,
        sender: Sender<Event>,
        receiver: Receiver<Event>,
    ) -> Result<Self, ClientError> {
        let mut client = Self { position, backend, sender, receiver };
        client.wait_until_ready()?;
        Ok(client)
    }

    /// Returns the description of the game.
    pub fn spec(&self) -> &GameSpec {
        self.backend.spec()
    }

    /// Returns the current position.
    pub fn position(&self) -> &dyn Position {
        &*self.position
    }

    /// Returns the current position, to play moves on it or to set it up.
    pub fn position_mut(&mut self) -> &mut dyn Position {
        &mut *self.position
    }

    /// Sets the current position. It must be a position of the client's game.
    pub fn set_position(&mut self, position: Box<dyn Position>) {
        self.position = position;
    }

    /// Sets up the position `start`, or with `None` the starting position, and plays `moves`. On an
    /// error nothing changes.
    pub fn set(&mut self, start: Option<&str>, moves: &[&str]) -> Result<(), PositionError> {
        let mut position = self.position.duplicate();
        match start {
            Some(text) => position.set_up(text).map_err(PositionError::Start)?,
            None => position.reset(),
        }
        position.play_all(moves)?;
        self.position = position;
        Ok(())
    }

    /// Applies `settings` to later searches and waits until the table is allocated.
    pub fn configure(&mut self, settings: &Settings) -> Result<(), SearchError> {
        self.backend.configure(settings, event_sink(&self.sender));
        self.wait_until_ready()
    }

    /// Opens the book in `file`, or with `None` the book that comes with the game.
    pub fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        self.backend.open_book(file)
    }

    /// Loads the evaluation file `file`, or with `None` the built-in weights, and clears the table.
    pub fn open_eval_file(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        self.backend.open_eval_file(file)
    }

    /// Describes the weights of the evaluation in words; `None` if the game has no evaluation
    /// files.
    pub fn eval_source(&self) -> Option<String> {
        self.backend.eval_source()
    }

    /// Clears the transposition table.
    pub fn clear_hash(&mut self) {
        self.backend.clear_hash();
    }

    /// Returns the static evaluation of the current position and its parts, for the side to move;
    /// `None` when the game is over.
    pub fn evaluate(&self) -> Option<(Score, Vec<Term>)> {
        self.backend.evaluate(self.position())
    }

    /// Searches the current position until a limit, a stop or a proven result, and returns the
    /// answer.
    pub fn search<'a>(&mut self, query: impl Into<Query<'a>>) -> Result<Answer<Move>, SearchError> {
        let Query { limits, moves, mut on_report, signal } = query.into();
        let go = Go { limits, search_moves: moves, received: now() };
        let sink = filtered_sink(&self.sender, on_report.is_some());
        let control = self.backend.go(&*self.position, go, sink);
        let listen = |report: &Report<Move>| {
            let flow = on_report.as_mut().map(|listen| listen(report));
            if flow == Some(ControlFlow::Break(())) {
                // The search still sends its answer.
                on_report = None;
                control.stop();
            }
        };
        await_answer(|| self.receive(signal, &control), listen)
    }

    /// Counts the move sequences of `depth` plies from the current position.
    pub fn perft(&mut self, depth: u32) -> Result<Perft, SearchError> {
        let control = self.backend.perft(&*self.position, depth, now(), event_sink(&self.sender));
        loop {
            if let Event::Perft(perft) = self.receive(None, &control)? {
                return Ok(perft);
            }
        }
    }

    /// Writes a line of moves from the current position in the plain style.
    pub fn write_line(&self, moves: &[Move]) -> Vec<String> {
        self.position.write_line(moves, Style::Plain)
    }

    fn receive(&self, signal: Option<&Signal>, control: &Control) -> Result<Event, SearchError> {
        let disconnected = || SearchError("the search gave no answer".to_owned());
        let Some(signal) = signal else { return self.receiver.recv().map_err(|_| disconnected()) };
        loop {
            match self.receiver.recv_timeout(POLL) {
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Timeout) if signal.is_stopped() => control.stop(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(disconnected()),
            }
        }
    }

    /// Waits until the backend has done all commands. Returns an error if the table could not be
    /// allocated.
    fn wait_until_ready(&mut self) -> Result<(), SearchError> {
        if self.backend.ready(event_sink(&self.sender)) {
            return Ok(());
        }
        let mut error = None;
        loop {
            match self.receiver.recv() {
                Ok(Event::Note(note)) => error = Some(note),
                Ok(Event::Ready) => {
                    return error.map_or(Ok(()), |note| Err(SearchError(note)));
                }
                Ok(_) => {}
                Err(_) => return Err(SearchError("the search thread has ended".to_owned())),
            }
        }
    }
}

/// The error of opening a client.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The catalogue has no such game.
    Open(OpenError),
    /// The table could not be allocated, or the search thread has ended.
    Search(SearchError),
}

impl From<OpenError> for ClientError {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl From<SearchError> for ClientError {
    fn from(error: SearchError) -> Self {
        Self::Search(error)
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(error) => error.fmt(f),
            Self::Search(error) => error.fmt(f),
        }
    }
}

impl Error for ClientError {}

fn event_sink(sender: &Sender<Event>) -> Sink {
    filtered_sink(sender, true)
}

/// Returns a sink that sends events. Without `wants_reports` it drops reports, because waking the
/// receiver takes longer than a short search.
fn filtered_sink(sender: &Sender<Event>, wants_reports: bool) -> Sink {
    let sender = sender.clone();
    Arc::new(move |event| {
        if wants_reports || !matches!(event, Event::Report(_)) {
            // After the client is dropped, there is no receiver.
            drop(sender.send(event));
        }
    })
}

/// Receives events until the answer, and calls `listen` for each report. A note before the answer
/// is the error of the search.
fn await_answer(
    mut receive: impl FnMut() -> Result<Event, SearchError>,
    mut listen: impl FnMut(&Report<Move>),
) -> Result<Answer<Move>, SearchError> {
    let mut error = None;
    loop {
        match receive()? {
            Event::Report(report) => listen(&report),
            Event::Note(note) => error = Some(note),
            Event::Answer(answer) => {
                return error.map_or(Ok(answer), |note| Err(SearchError(note)));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn a_note_is_an_error_only_of_the_search_before_its_answer() {
        let report = |score| Event::Report(Report::blank(score, Some(Move::from_code(1))));
        let mut events = VecDeque::from([
            Event::Note("no memory".to_owned()),
            Event::Answer(Answer::blank(Score::DRAW, None)),
            report(Score::heuristic(7)),
            report(Score::win_in(3)),
            Event::Answer(Answer::blank(Score::win_in(3), None)),
        ]);
        let mut scores = Vec::new();
        let mut next = || events.pop_front().ok_or_else(|| SearchError("no more".to_owned()));
        let failed = await_answer(&mut next, |report| scores.push(report.score));
        assert_eq!(failed, Err(SearchError("no memory".to_owned())));
        assert!(scores.is_empty());
        let answer = await_answer(&mut next, |report| scores.push(report.score));
        assert_eq!(answer.map(|answer| answer.report.score), Ok(Score::win_in(3)));
        assert_eq!(scores, [Score::heuristic(7), Score::win_in(3)]);
    }
}
