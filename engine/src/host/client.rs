//! [`Client`]: the entry point of the library. It opens a game, sets up a position, searches and
//! waits for the answer.
//!
//! It blocks its thread. For several searches at a time, open several clients. Where the system has
//! no threads, a client searches on its own thread, and gets all reports after the search.

use std::error::Error;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::clock::now;
use crate::game::score::Score;
use crate::game::wdl::WdlModel;
use crate::host::Host;
use crate::host::backend::{Backend, Catalog, Event, Go, OpenError, Perft, Settings, Sink};
use crate::host::client_game::{AnyGame, ClientGame};
use crate::host::opener::describe;
use crate::host::options::Chosen;
use crate::host::position::{IllegalMove, Position, PositionError, TypedPosition};
use crate::host::search_error::SearchError;
use crate::host::spec::GameSpec;
use crate::host::worker::run_posted_jobs;
use crate::search::control::{Control, Signal};
use crate::search::evaluator::book::BookSource;
use crate::search::evaluator::{SearchEvaluator, Term};
use crate::search::limits::Limits;
use crate::search::report::{Answer, Report};
use crate::text::Style;
use crate::text::notation::Notation;
use crate::text::typed_move::Move;

/// The interval at which the signal of a query is checked.
const POLL: Duration = Duration::from_millis(5);

/// The callback for each report of a search. It stops the search with `Break`.
pub type Listener<'a, M = Move> = dyn FnMut(&Report<M>) -> ControlFlow<()> + 'a;

/// The request of a search: limits, moves, callback and stop signal.
///
/// `Query::from(limits)` searches all moves, without a callback and a signal.
///
/// ```
/// # use tengen_engine::*;
/// # fn run(client: &mut Client) -> Result<(), SearchError> {
/// use std::ops::ControlFlow;
///
/// let query = Query::from(Limits::default().with_depth(12)).with_listener(|report| {
///     println!("depth {}: {:?}", report.depth, report.score);
///     ControlFlow::Continue(())
/// });
/// let answer = client.search(query)?;
/// # Ok(())
/// # }
/// ```
#[non_exhaustive]
pub struct Query<'a, M = Move> {
    /// The limits of the search.
    pub limits: Limits,
    /// The moves to search; all moves if empty.
    pub moves: Vec<M>,
    /// The callback for each report. Without it, no report is sent, and short searches are faster.
    pub on_report: Option<Box<Listener<'a, M>>>,
    /// The signal by which another thread can stop the search.
    pub signal: Option<&'a Signal>,
    /// Whether the search belongs to a game, see [`Go::follows_game`].
    pub follows_game: bool,
}

impl<'a, M> Query<'a, M> {
    /// Sets the moves to search; all moves if empty.
    #[must_use]
    pub fn with_moves(mut self, moves: Vec<M>) -> Self {
        self.moves = moves;
        self
    }

    /// Sets the callback for each report.
    #[must_use]
    pub fn with_listener(
        mut self,
        listener: impl FnMut(&Report<M>) -> ControlFlow<()> + 'a,
    ) -> Self {
        self.on_report = Some(Box::new(listener));
        self
    }

    /// Sets the signal by which another thread can stop the search.
    #[must_use]
    pub fn with_signal(mut self, signal: &'a Signal) -> Self {
        self.signal = Some(signal);
        self
    }

    /// Makes the search one of a game, see [`Go::follows_game`].
    #[must_use]
    pub fn in_game(mut self) -> Self {
        self.follows_game = true;
        self
    }
}

impl<M> From<Limits> for Query<'_, M> {
    fn from(limits: Limits) -> Self {
        Self { limits, moves: Vec::new(), on_report: None, signal: None, follows_game: false }
    }
}

/// A blocking handle on one game: its current position and its search.
///
/// A game that is opened by its name has moves of the type [`Move`]. Your own game, opened by
/// [`over`](Client::over), keeps its type: moves go in and come out as its own.
///
/// ```
/// # use tengen_engine::*;
/// # #[derive(Clone)] struct Nim { stones: u32, turn: Side }
/// # impl Game for Nim {
/// #     type Move = u32;
/// #     type Undo = ();
/// #     type Symmetry = ();
/// #     fn turn(&self) -> Side { self.turn }
/// #     fn outcome(&self) -> Option<Outcome> {
/// #         (self.stones == 0).then(|| Outcome::Win(self.turn.other()))
/// #     }
/// #     fn moves(&self, out: &mut Vec<u32>) { out.extend(1..=self.stones.min(3)) }
/// #     fn play(&mut self, taken: u32) { self.stones -= taken; self.turn = self.turn.other(); }
/// #     fn undo(&mut self, taken: u32, _: ()) { self.stones += taken; self.turn = self.turn.other(); }
/// #     fn plies_left(&self) -> u32 { self.stones }
/// #     fn key(&self) -> (u64, ()) { (2 * u64::from(self.stones) + self.turn.index() as u64, ()) }
/// # }
/// # impl Notation for Nim {
/// #     fn write_move(&self, taken: u32, _: Style) -> String { taken.to_string() }
/// #     fn write_position(&self, _: bool) -> String { format!("{} {:?}", self.stones, self.turn) }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let nim = Nim { stones: 21, turn: Side::First };
/// let evaluator = StaticEvaluator::new(|_: &Nim| Score::DRAW).with_exact(true);
/// let mut client = Client::over(nim, evaluator, &Settings::default())?;
/// while client.position().outcome().is_none() {
///     let answer = client.search(Limits::default().with_depth(21))?;
///     client.play(answer.best.expect("the game is not over"))?;
/// }
/// assert_eq!(client.game().stones, 0);
/// assert_eq!(client.position().outcome(), Some(Outcome::Win(Side::First)));
/// client.set(None, &["1"])?;
/// client.play(3)?;
/// assert_eq!(client.game().stones, 17);
/// # Ok(())
/// # }
/// ```
pub struct Client<G: ClientGame = AnyGame> {
    position: G::Position,
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

    /// Sets the current position. It must be a position of the client's game.
    pub fn set_position(&mut self, position: Box<dyn Position>) {
        self.position = position;
    }
}

impl<G: Notation> Client<G> {
    /// Opens your own game with its evaluator.
    pub fn over<E: SearchEvaluator<G>>(
        game: G,
        evaluator: E,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        Self::open_own(game, evaluator, None, None, settings)
    }

    /// Opens your own game with its evaluator and opening books.
    pub fn over_with_books<E: SearchEvaluator<G>>(
        game: G,
        evaluator: E,
        books: &'static dyn BookSource<G>,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        Self::open_own(game, evaluator, Some(books), None, settings)
    }

    /// Opens your own game with its evaluator and a model of the chances to win, draw and lose.
    /// Reports and answers then have [`wdl`](Report::wdl).
    pub fn over_with_wdl<E: SearchEvaluator<G>>(
        game: G,
        evaluator: E,
        model: WdlModel,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        Self::open_own(game, evaluator, None, Some(model), settings)
    }

    fn open_own<E: SearchEvaluator<G>>(
        game: G,
        evaluator: E,
        books: Option<&'static dyn BookSource<G>>,
        model: Option<WdlModel>,
        settings: &Settings,
    ) -> Result<Self, ClientError> {
        let (sender, receiver) = channel();
        let spec = describe(&game, "own", Chosen::new(), evaluator.exact());
        let has_own_book = books.is_some_and(|books| books.has_own());
        let own_eval = (E::OWN_EVAL)();
        let (has_book, has_chances) = (books.is_some(), model.is_some());
        let spec = GameSpec { has_book, has_own_book, own_eval, has_chances, ..spec };
        let host = Host::new(spec.clone(), evaluator, settings, event_sink(&sender));
        let host = match books {
            Some(books) => host.with_books(books),
            None => host,
        };
        let host = match model {
            Some(model) => host.with_wdl(model),
            None => host,
        };
        let position = TypedPosition::new(spec, game);
        Self::ready(position, Box::new(host), sender, receiver)
    }

    /// Returns the current position as your own type.
    pub fn game(&self) -> &G {
        self.position.game()
    }
}

impl<G: ClientGame> Client<G> {
    fn ready(
        position: G::Position,
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
        G::as_dyn(&self.position)
    }

    /// Returns the current position, to play moves on it or to set it up.
    pub fn position_mut(&mut self) -> &mut dyn Position {
        G::as_dyn_mut(&mut self.position)
    }

    /// Plays a move.
    pub fn play(&mut self, mv: G::Move) -> Result<(), IllegalMove> {
        let mv = G::encode(&self.position, mv);
        self.position_mut().play(mv)
    }

    /// Returns the client without the type of its game.
    pub fn untyped(self) -> Client {
        let Self { position, backend, sender, receiver } = self;
        Client { position: G::boxed(position), backend, sender, receiver }
    }

    /// Sets up the position `start`, or with `None` the starting position, and plays `moves`. On an
    /// error nothing changes.
    pub fn set(&mut self, start: Option<&str>, moves: &[&str]) -> Result<(), PositionError> {
        let mut copy = G::copy(&self.position);
        let position = G::as_dyn_mut(&mut copy);
        match start {
            Some(text) => position.set_up(text).map_err(PositionError::Start)?,
            None => position.reset(),
        }
        position.play_all(moves)?;
        self.position = copy;
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
    pub fn search<'a>(
        &mut self,
        query: impl Into<Query<'a, G::Move>>,
    ) -> Result<Answer<G::Move>, SearchError>
    where
        G::Move: 'a,
    {
        let Query { limits, moves, mut on_report, signal, follows_game } = query.into();
        let search_moves = moves.into_iter().map(|mv| G::encode(&self.position, mv)).collect();
        let go = Go { search_moves, follows_game, ..Go::new(limits, now()) };
        let sink = filtered_sink(&self.sender, on_report.is_some());
        let control = self.backend.go(G::as_dyn(&self.position), go, sink);
        run_posted_jobs();
        let typed = |moves: Vec<Move>| G::read_line(&self.position, &moves);
        let listen = |report: &Report<Move>| {
            let flow = on_report.as_mut().map(|listen| listen(&report.clone().map(typed)));
            if flow == Some(ControlFlow::Break(())) {
                // The search still sends its answer.
                on_report = None;
                control.stop();
            }
        };
        Ok(await_answer(|| self.receive(signal, &control), listen)?.map(typed))
    }

    /// Counts the move sequences of `depth` plies from the current position.
    pub fn perft(&mut self, depth: u32) -> Result<Perft, SearchError> {
        let control =
            self.backend.perft(G::as_dyn(&self.position), depth, now(), event_sink(&self.sender));
        run_posted_jobs();
        loop {
            if let Event::Perft(perft) = self.receive(None, &control)? {
                return Ok(perft);
            }
        }
    }

    /// Writes a line of moves from the current position in the plain style.
    pub fn write_line(&self, moves: &[G::Move]) -> Vec<String> {
        self.position().write_line(&G::write_line(&self.position, moves), Style::Plain)
    }

    fn receive(&self, signal: Option<&Signal>, control: &Control) -> Result<Event, SearchError> {
        let ended = |_| SearchError::Ended;
        let Some(signal) = signal else { return self.receiver.recv().map_err(ended) };
        loop {
            match self.receiver.recv_timeout(POLL) {
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Timeout) if signal.is_stopped() => control.stop(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(SearchError::Ended),
            }
        }
    }

    /// Waits until the backend has done all commands. Returns an error if the table could not be
    /// allocated.
    fn wait_until_ready(&mut self) -> Result<(), SearchError> {
        if self.backend.ready(event_sink(&self.sender)) {
            return Ok(());
        }
        run_posted_jobs();
        let mut error = None;
        loop {
            match self.receiver.recv() {
                Ok(Event::Failed(why)) => error = Some(why),
                Ok(Event::Ready) => return error.map_or(Ok(()), Err),
                Ok(_) => {}
                Err(_) => return Err(SearchError::Ended),
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

/// Receives events until the answer, and calls `listen` for each report.
fn await_answer(
    mut receive: impl FnMut() -> Result<Event, SearchError>,
    mut listen: impl FnMut(&Report<Move>),
) -> Result<Answer<Move>, SearchError> {
    let mut error = None;
    loop {
        match receive()? {
            Event::Report(report) => listen(&report),
            Event::Failed(why) => error = Some(why),
            Event::Answer(answer) => return error.map_or(Ok(answer), Err),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn a_failure_is_that_of_the_search_before_its_answer() {
        let report = |score| Event::Report(Report::blank(score, Some(Move::from_code(1))));
        let mut events = VecDeque::from([
            Event::Note("book".to_owned()),
            Event::Failed(SearchError::NoMemory),
            Event::Answer(Answer::blank(Score::DRAW, None)),
            report(Score::heuristic(7)),
            report(Score::win_in(3)),
            Event::Answer(Answer::blank(Score::win_in(3), None)),
        ]);
        let mut scores = Vec::new();
        let mut next = || events.pop_front().ok_or(SearchError::Ended);
        let failed = await_answer(&mut next, |report| scores.push(report.score));
        assert_eq!(failed, Err(SearchError::NoMemory));
        assert!(scores.is_empty());
        let answer = await_answer(&mut next, |report| scores.push(report.score));
        assert_eq!(answer.map(|answer| answer.report.score), Ok(Score::win_in(3)));
        assert_eq!(scores, [Score::heuristic(7), Score::win_in(3)]);
    }
}
