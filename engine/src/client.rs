//! [`Client`]: the front door of the library. It opens a game, sets up a position, searches and
//! waits for the answer.
//!
//! It blocks its thread. Whoever needs several searches at once opens several clients.

use std::error::Error;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::backend::{Backend, Catalog, Event, Go, OpenError, Perft, Settings, Sink};
use crate::book::BookSource;
use crate::control::{Control, Signal};
use crate::evaluator::{SearchEvaluator, Term};
use crate::host::Host;
use crate::limits::Limits;
use crate::notation::Notation;
use crate::opener::describe;
use crate::position::{Position, PositionError, TypedPosition};
use crate::report::{Answer, Report};
use crate::score::Score;
use crate::spec::{Chosen, GameSpec};
use crate::text::Style;
use crate::time::now;
use crate::typed_move::Move;

/// How often a signal from outside is looked at.
const POLL: Duration = Duration::from_millis(5);

/// The error of a search: one line for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchError(String);

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for SearchError {}

/// Receives each report of a search; `Break` stops the search.
pub type Listener<'a> = dyn FnMut(&Report<Move>) -> ControlFlow<()> + 'a;

/// What to search and whom to listen to while it goes on.
///
/// `Query::from(limits)` searches all moves and listens to nothing.
#[derive(Default)]
#[non_exhaustive]
pub struct Query<'a> {
    /// When to end.
    pub limits: Limits,
    /// Search only these moves; all when empty.
    pub moves: Vec<Move>,
    /// Called for each report; `Break` stops the search. Without a listener no report is sent,
    /// which makes short searches faster.
    pub on_report: Option<&'a mut Listener<'a>>,
    /// Stops the search from another thread.
    pub signal: Option<&'a Signal>,
}

impl<'a> Query<'a> {
    /// Searches only these moves; all when empty.
    #[must_use]
    pub fn with_moves(mut self, moves: Vec<Move>) -> Self {
        self.moves = moves;
        self
    }

    /// Calls `listener` for each report.
    #[must_use]
    pub fn with_listener(mut self, listener: &'a mut Listener<'a>) -> Self {
        self.on_report = Some(listener);
        self
    }

    /// Lets another thread stop the search by `signal`.
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

/// A position of one game, and the search that analyses it.
pub struct Client {
    position: Box<dyn Position>,
    backend: Box<dyn Backend>,
    events: Sender<Event>,
    inbox: Receiver<Event>,
}

impl Client {
    /// Opens a variant of a catalogue and waits for its table.
    pub fn open(
        catalog: &dyn Catalog,
        variant: &str,
        chosen: &Chosen,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        let spec = catalog.describe(variant, chosen)?;
        Self::of(catalog, &spec, settings)
    }

    /// Opens a game that a catalogue described. It returns when the table is there.
    pub fn of(
        catalog: &dyn Catalog,
        spec: &GameSpec,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        let (events, inbox) = channel();
        let backend = catalog.open(spec, settings, post(&events));
        Self::ready(catalog.position(spec), backend, events, inbox)
    }

    /// Opens your own game with its evaluator.
    pub fn over<G: Notation, E: SearchEvaluator<G>>(
        game: G,
        evaluator: E,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        Self::own(game, evaluator, None, settings)
    }

    /// Opens your own game with its evaluator and opening books.
    pub fn over_with_books<G: Notation, E: SearchEvaluator<G>>(
        game: G,
        evaluator: E,
        books: &'static dyn BookSource<G>,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        Self::own(game, evaluator, Some(books), settings)
    }

    fn own<G: Notation, E: SearchEvaluator<G>>(
        game: G,
        evaluator: E,
        books: Option<&'static dyn BookSource<G>>,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        let (events, inbox) = channel();
        let spec = describe(&game, "own", Chosen::new(), evaluator.exact());
        let has_own_book = books.is_some_and(|books| books.has_own());
        let own_eval = (E::OWN_EVAL)();
        let spec = GameSpec { has_book: books.is_some(), has_own_book, own_eval, ..spec };
        let host = Host::new(spec.clone(), evaluator, settings, post(&events));
        let host = match books {
            Some(books) => host.with_books(books),
            None => host,
        };
        let position = TypedPosition::new(spec, game);
        Self::ready(Box::new(position), Box::new(host), events, inbox)
    }

    fn ready(
        position: Box<dyn Position>,
        backend: Box<dyn Backend>,
        events: Sender<Event>,
        inbox: Receiver<Event>,
    ) -> Result<Self, ClientError> {
        let mut client = Self { position, backend, events, inbox };
        client.wait_until_ready()?;
        Ok(client)
    }

    /// Returns the description of the game.
    pub fn spec(&self) -> &GameSpec {
        self.backend.spec()
    }

    /// Returns the position to search.
    pub fn position(&self) -> &dyn Position {
        &*self.position
    }

    /// Returns the position to search, to play on or to set up.
    pub fn position_mut(&mut self) -> &mut dyn Position {
        &mut *self.position
    }

    /// Searches this position from now on. It must be of the game that the client was opened for.
    pub fn set_position(&mut self, position: Box<dyn Position>) {
        self.position = position;
    }

    /// Sets up `start` (the starting position when `None`) and plays `moves` on it. On an error
    /// nothing changes.
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

    /// Applies `settings` from the next search on. It returns when the table is there.
    pub fn configure(&mut self, settings: &Settings) -> Result<(), SearchError> {
        self.backend.configure(settings, post(&self.events));
        self.wait_until_ready()
    }

    /// Uses the book in `file` from now on, or with `None` the book that comes with the game.
    pub fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        self.backend.open_book(file)
    }

    /// Uses the evaluation file `file` from now on, or with `None` the weights that come with the
    /// program.
    pub fn open_eval_file(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        self.backend.open_eval_file(file)
    }

    /// Returns which weights the evaluation uses, for people; `None` where the game has no evaluation
    /// files.
    pub fn eval_source(&self) -> Option<String> {
        self.backend.eval_source()
    }

    /// Clears the transposition table.
    pub fn clear_hash(&mut self) {
        self.backend.clear_hash();
    }

    /// Returns the static evaluation of the position and its parts, for the side to move; `None`
    /// when the game is over.
    pub fn evaluate(&self) -> Option<(Score, Vec<Term>)> {
        self.backend.evaluate(self.position())
    }

    /// Searches the position until a limit or a proven result ends it.
    pub fn search<'a>(&mut self, query: impl Into<Query<'a>>) -> Result<Answer<Move>, SearchError> {
        let Query { limits, moves, mut on_report, signal } = query.into();
        let go = Go { limits, search_moves: moves, received: now() };
        let sink = post_some(&self.events, on_report.is_some());
        let control = self.backend.go(&*self.position, go, sink);
        let listen = |report: &Report<Move>| {
            let goes_on = on_report.as_mut().map(|listen| listen(report));
            if goes_on == Some(ControlFlow::Break(())) {
                // The answer comes all the same.
                on_report = None;
                control.stop();
            }
        };
        await_answer(|| self.receive(signal, &control), listen)
    }

    /// Counts the move sequences of `depth` plies from the position.
    pub fn perft(&mut self, depth: u32) -> Result<Perft, SearchError> {
        let control = self.backend.perft(&*self.position, depth, now(), post(&self.events));
        loop {
            if let Event::Perft(perft) = self.receive(None, &control)? {
                return Ok(perft);
            }
        }
    }

    /// Returns the line of moves from the position in text.
    pub fn write_line(&self, moves: &[Move]) -> Vec<String> {
        self.position.write_line(moves, Style::Plain)
    }

    fn receive(&self, signal: Option<&Signal>, control: &Control) -> Result<Event, SearchError> {
        let gone = || SearchError("the search gave no answer".to_owned());
        let Some(signal) = signal else { return self.inbox.recv().map_err(|_| gone()) };
        loop {
            match self.inbox.recv_timeout(POLL) {
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Timeout) if signal.is_stopped() => control.stop(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
            }
        }
    }

    /// Waits until the backend has done everything asked of it. Returns an error if the table could
    /// not be allocated.
    fn wait_until_ready(&mut self) -> Result<(), SearchError> {
        if self.backend.ready(post(&self.events)) {
            return Ok(());
        }
        let mut trouble = None;
        loop {
            match self.inbox.recv() {
                Ok(Event::Note(note)) => trouble = Some(note),
                Ok(Event::Ready) => {
                    return trouble.map_or(Ok(()), |note| Err(SearchError(note)));
                }
                Ok(_) => {}
                Err(_) => return Err(SearchError("the search thread has ended".to_owned())),
            }
        }
    }
}

/// The error of a client that was not opened.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The catalogue has no such game.
    Open(OpenError),
    /// The search could not be made ready.
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

fn post(events: &Sender<Event>) -> Sink {
    post_some(events, true)
}

/// Posts events. Reports without a listener are dropped, because waking the reader takes longer
/// than a short search.
fn post_some(events: &Sender<Event>, wants_reports: bool) -> Sink {
    let events = events.clone();
    Arc::new(move |event| {
        if wants_reports || !matches!(event, Event::Report(_)) {
            // The receiver leaves when the client does.
            drop(events.send(event));
        }
    })
}

/// Receives events until the answer. An error event before the answer makes the search fail.
fn await_answer(
    mut receive: impl FnMut() -> Result<Event, SearchError>,
    mut listen: impl FnMut(&Report<Move>),
) -> Result<Answer<Move>, SearchError> {
    let mut trouble = None;
    loop {
        match receive()? {
            Event::Report(report) => listen(&report),
            Event::Note(note) => trouble = Some(note),
            Event::Answer(answer) => {
                return trouble.map_or(Ok(answer), |note| Err(SearchError(note)));
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
    fn trouble_belongs_to_the_search_that_it_came_in() {
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
