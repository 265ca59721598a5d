//! [`Host`]: any game with an evaluator and a notation, as a [`Backend`].

pub mod backend;
pub mod bench;
pub(crate) mod board_option;
mod choice;
pub(crate) mod client;
pub(crate) mod client_game;
pub(crate) mod grade;
pub(crate) mod helpers;
mod look_back;
pub mod move_book;
pub(crate) mod one_game;
pub mod opener;
pub mod options;
pub(crate) mod position;
pub(crate) mod search_all;
pub(crate) mod search_error;
pub(crate) mod spec;
pub mod suggest;
pub mod threats;
pub(crate) mod worker;
pub mod wrapper;

use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::{Instant, since};
use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::wdl::{Wdl, WdlModel};
use crate::host::backend::{Backend, Event, Go, Perft, Settings, Sink};
use crate::host::position::{Position, TypedPosition};
use crate::host::search_error::SearchError;
use crate::host::spec::GameSpec;
use crate::host::worker::{Job, SearchJob, Shortage, Worker};
use crate::search::Task;
use crate::search::control::{Control, Signal};
use crate::search::evaluator::book::{BookSource, OpeningBook};
use crate::search::evaluator::{SearchEvaluator, Term};
use crate::search::level::Level;
use crate::search::limits::Limits;
use crate::search::perft::divide;
use crate::search::report::{Answer, Bound, Report};
use crate::search::table::TableHandle;
use crate::search::time::{Budget, BudgetInputs, Timer};
use crate::text::notation::Notation;
use crate::text::typed_move::Move;

use choice::Choice;

/// The search of a typed game behind the object-safe [`Backend`].
pub struct Host<G: Game, E: SearchEvaluator<G>> {
    spec: GameSpec,
    evaluator: E,
    settings: Settings,
    /// The last size of this table in MiB; `None` before its first allocation.
    table_mib: Option<usize>,
    /// The model of win, draw and loss chances; `None` for games without a model.
    wdl: Option<WdlModel>,
    books: Option<&'static dyn BookSource<G>>,
    /// The open book; `None` if no book is open.
    book: Option<Arc<dyn OpeningBook<G>>>,
    worker: Worker<G, E>,
}

impl<G: Notation, E: SearchEvaluator<G>> Host<G, E> {
    /// Starts the search thread of the game that `spec` describes, and allocates its table. `sink`
    /// gets [`Event::Failed`] if there is not enough memory.
    pub fn new(spec: GameSpec, evaluator: E, settings: &Settings, sink: Sink) -> Self {
        let mut host = Self {
            spec,
            evaluator,
            settings: *settings,
            table_mib: None,
            wdl: None,
            books: None,
            book: None,
            worker: Worker::new(),
        };
        host.allocate(sink);
        host
    }

    /// Sets the model of the chances in reports.
    pub fn with_wdl(self, model: WdlModel) -> Self {
        Self { wdl: Some(model), ..self }
    }

    /// Sets the source of opening books, and opens the book that comes with the game, if there is
    /// one.
    pub fn with_books(self, books: &'static dyn BookSource<G>) -> Self {
        Self { books: Some(books), book: books.open(None).ok(), ..self }
    }

    /// Returns `position` with its typed game; `None` if it is a position of another game.
    fn typed<'a>(&self, position: &'a dyn Position) -> Option<&'a TypedPosition<G>> {
        let typed = position.as_any().downcast_ref::<TypedPosition<G>>()?;
        (*position.spec() == self.spec).then_some(typed)
    }

    /// Allocates a table of the size in the settings, unless it has this size.
    fn allocate(&mut self, sink: Sink) {
        let mib = self.settings.hash_mib;
        if self.table_mib.replace(mib) == Some(mib) {
            return;
        }
        let on_error = move |shortage| {
            sink(Event::Failed(match shortage {
                Shortage::Memory => SearchError::Table(mib),
                Shortage::Thread => SearchError::NoThreads,
            }));
        };
        self.worker.post(Job::Resize(mib, Box::new(on_error)));
    }

    /// Returns the time budget under `limits`. If nodes count as time, the hard limit of the budget
    /// becomes a node limit in `limits`.
    fn budget(&self, game: &G, limits: &mut Limits) -> Budget {
        let inputs = BudgetInputs {
            side: game.turn(),
            plies_left: game.plies_left(),
            overhead: self.settings.overhead,
            ponder: self.settings.ponder,
        };
        let budget = Budget::new(limits, &inputs);
        let max_nodes = budget.nodes(self.settings.nodes_per_ms);
        if let Some(max_nodes) = max_nodes {
            limits.nodes = Some(limits.nodes.map_or(max_nodes, |nodes| nodes.min(max_nodes)));
        }
        Budget { hard: budget.hard.filter(|_| max_nodes.is_none()), ..budget }
    }

    /// Returns the level to play at; `None` for full strength. A search for a mate or a proof has
    /// full strength.
    fn level(&self, limits: &Limits) -> Option<Level> {
        let needs_full_strength = limits.mate.is_some() || limits.proof.is_some();
        self.settings.strength.level().filter(|_| !needs_full_strength)
    }

    /// Returns whether a search under `limits` goes on for shorter wins after a proven one. A player
    /// with a clock does not, because any win will do.
    fn seeks_shorter_wins(&self, limits: &Limits) -> bool {
        let has_other_end = limits.depth.is_some() || limits.mate.is_some();
        let analyses = limits.infinite || self.settings.strength.analyses;
        let has_room = analyses || limits.nodes.is_some() && !limits.is_timed();
        has_room && !has_other_end && !limits.ponder
    }

    /// Returns the score that multiplies the odds of a win by e: the spread of the
    /// WDL model, 100 without a model.
    fn unit(&self) -> i64 {
        const DEFAULT: i64 = 100;
        self.wdl.map_or(DEFAULT, |model| model.spread.ceil() as i64)
    }

    fn converter(&self, root: &G) -> ReportConverter<G> {
        let cells = self.spec.size().map(|(width, height)| f64::from(width * height));
        // `plies_left` is an upper bound, which may exceed the number of cells.
        let filled = |cells: f64| (1.0 - f64::from(root.plies_left()) / cells).max(0.0);
        ReportConverter {
            root: root.clone(),
            wdl: self.wdl,
            filled: cells.map_or(0.0, filled),
            is_exact: self.evaluator.exact(),
        }
    }

    /// Returns the book for a search; `None` without a book.
    fn book(&self) -> Option<Arc<dyn OpeningBook<G>>> {
        self.book.clone().filter(|_| self.settings.own_book)
    }

    fn start(&mut self, position: &TypedPosition<G>, go: Go, sink: Sink) -> Control {
        let game = position.game();
        let signal = Arc::new(Signal::default());
        let control = Control::new(signal.clone());
        let level = self.level(&go.limits);
        let search_moves = legal_only(game, &go.search_moves);
        let mut task =
            Task { multi_pv: self.settings.multi_pv, search_moves, ..Task::new(go.limits) };
        task.keeps_wins = level.is_none();
        task.own_last_move = position.own_earlier().next().map(|(game, mv)| coded(&game, mv));
        task.seeks_shorter_wins = go.follows_game && self.seeks_shorter_wins(&task.limits);
        let looks_back = go.follows_game && E::KEEPS_WINS && look_back::may_look_back(&task);
        let earlier = position.own_earlier().take(if looks_back { look_back::MOVES } else { 0 });
        let budget = self.budget(game, &mut task.limits);
        let timer = Timer::new(go.received, task.limits.ponder, budget, signal.clone())
            .with_nodes_per_ms(self.settings.nodes_per_ms);
        if let Some(level) = level {
            task.limits = level.restrict(&task.limits);
            task.multi_pv = task.multi_pv.max(level.moves());
            task.probes = level.uses_solvers();
        }
        let choice = level.map(|level| Choice::new(level, self.unit(), game.clone()));
        let choice = choice.map(|choice| Arc::new(Mutex::new(choice)));
        let final_choice = choice.clone();
        let converter = self.converter(game);
        let report_sink = sink.clone();
        let (answer_converter, lines) = (converter.clone(), self.settings.multi_pv);
        let job = SearchJob {
            game: game.clone(),
            evaluator: self.evaluator.clone(),
            book: self.book(),
            task,
            wins: go.wins,
            earlier: earlier.collect(),
            threads: self.settings.threads,
            timer,
            signal: signal.clone(),
            on_report: Box::new(move |report| {
                if let Some(choice) = &choice {
                    choice.lock().unwrap_or_else(PoisonError::into_inner).add(&report);
                }
                if report.line <= lines {
                    report_sink(Event::Report(converter.report(report)));
                }
            }),
            on_answer: Box::new(move |end| {
                if let Some(error) = end.error {
                    sink(Event::Failed(error));
                }
                let best = end.answer;
                let answer = match &final_choice {
                    Some(choice) => {
                        choice.lock().unwrap_or_else(PoisonError::into_inner).answer(best)
                    }
                    None => best,
                };
                sink(Event::Answer(answer_converter.answer(answer)));
            }),
        };
        self.worker.post_stoppable(Job::Search(Box::new(job)), signal);
        control
    }

    fn wrong_game(&self, position: &dyn Position) -> SearchError {
        SearchError::OtherGame { own: self.spec.variant, other: position.spec().variant }
    }
}

impl<G: Notation, E: SearchEvaluator<G>> Backend for Host<G, E> {
    fn spec(&self) -> &GameSpec {
        &self.spec
    }

    fn configure(&mut self, settings: &Settings, sink: Sink) {
        self.settings = *settings;
        self.allocate(sink);
    }

    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        match self.books {
            Some(books) if file.is_some() || books.has_own() => self.book = Some(books.open(file)?),
            None if file.is_some() => {
                return Err(format!("{} has no books", self.spec.variant).into());
            }
            _ => self.book = None,
        }
        Ok(())
    }

    fn open_eval_file(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        self.evaluator.open_eval_file(file)?;
        self.clear_hash();
        Ok(())
    }

    fn eval_source(&self) -> Option<String> {
        self.evaluator.eval_source()
    }

    fn use_table(&mut self, table: TableHandle) {
        self.table_mib = None;
        self.worker.post(Job::Use(table));
    }

    fn clear_hash(&mut self) {
        self.worker.post(Job::Clear);
    }

    fn evaluate(&self, position: &dyn Position) -> Option<(Score, Vec<Term>)> {
        let game = self.typed(position)?.game();
        if game.outcome().is_some() {
            return None;
        }
        let mut evaluator = self.evaluator.clone();
        evaluator.reset(game);
        let score = evaluator.evaluate(game);
        Some((score, evaluator.terms(game)))
    }

    fn go(&mut self, position: &dyn Position, go: Go, sink: Sink) -> Control {
        let Some(typed) = self.typed(position) else {
            sink(Event::Failed(self.wrong_game(position)));
            sink(Event::Answer(Answer::blank(Score::DRAW, None)));
            return Control::new(Arc::default());
        };
        if let Some(outcome) = typed.outcome() {
            sink(Event::Answer(Answer::blank(outcome.score(typed.turn(), 0), None)));
            return Control::new(Arc::default());
        }
        self.start(typed, go, sink)
    }

    fn perft(
        &mut self,
        position: &dyn Position,
        depth: u32,
        received: Instant,
        sink: Sink,
    ) -> Control {
        let signal = Arc::new(Signal::default());
        let Some(root) = self.typed(position) else {
            sink(Event::Failed(self.wrong_game(position)));
            sink(Event::Perft(Perft::default()));
            return Control::new(signal);
        };
        let (thread_signal, mut game) = (signal.clone(), root.game().clone());
        let count = move || {
            let counted = count(&mut game, depth, &thread_signal);
            sink(Event::Perft(Perft { time: since(received), ..counted }));
        };
        self.worker.post_stoppable(Job::Call(Box::new(count)), signal.clone());
        Control::new(signal)
    }

    fn ready(&mut self, sink: Sink) -> bool {
        if self.worker.is_idle() {
            return true;
        }
        self.worker.post(Job::Call(Box::new(move || sink(Event::Ready))));
        false
    }
}

/// Returns the key of `game` and the code of its move `mv`.
pub(crate) fn coded<G: Game>(game: &G, mv: G::Move) -> (u64, u32) {
    let (key, symmetry) = game.key();
    (key, game.pack(mv, symmetry))
}

/// Returns the legal moves among `moves`, without duplicates.
fn legal_only<G: Notation>(game: &G, moves: &[Move]) -> Vec<G::Move> {
    let (mut chosen, mut legal) = (Vec::new(), Vec::new());
    game.moves(&mut legal);
    for mv in moves.iter().filter_map(|mv| game.decode(*mv)) {
        if legal.contains(&mv) && !chosen.contains(&mv) {
            chosen.push(mv);
        }
    }
    chosen
}

fn count<G: Notation>(game: &mut G, depth: u32, signal: &Signal) -> Perft {
    let blank = Perft { complete: true, ..Perft::default() };
    if depth == 0 {
        return Perft { nodes: 1, ..blank };
    }
    let root = game.clone();
    let Ok(counted) = divide(game, depth, signal) else {
        return Perft::default();
    };
    let nodes = counted.iter().map(|(_, nodes)| nodes).sum();
    let divide = counted.into_iter().map(|(mv, nodes)| (root.encode(mv), nodes)).collect();
    Perft { divide, nodes, ..blank }
}

/// Converts reports and answers to the type [`Move`], and adds win, draw and loss chances.
#[derive(Clone)]
struct ReportConverter<G> {
    root: G,
    wdl: Option<WdlModel>,
    /// The share of the board that is filled, from 0 to 1; 0 for games without a grid.
    filled: f64,
    /// Whether a score of 0 at full depth is a proven draw.
    is_exact: bool,
}

impl<G: Notation> ReportConverter<G> {
    fn line(&self, moves: Vec<G::Move>) -> Vec<Move> {
        let mut game = self.root.clone();
        let encode = |mv| {
            let code = game.encode(mv);
            game.play(mv);
            code
        };
        moves.into_iter().map(encode).collect()
    }

    fn report(&self, report: Report<G::Move>) -> Report<Move> {
        let wdl = self.chances(&report);
        Report { wdl, ..report.map(|pv| self.line(pv)) }
    }

    fn chances(&self, report: &Report<G::Move>) -> Option<Wdl> {
        let is_whole = report.bound == Bound::Exact && report.depth >= self.root.plies_left();
        let is_drawn = self.is_exact && is_whole && report.score == Score::DRAW;
        let model = self.wdl?;
        let turn = self.root.turn();
        Some(if is_drawn { Wdl::DRAWN } else { model.wdl(report.score, turn, self.filled) })
    }

    fn answer(&self, answer: Answer<G::Move>) -> Answer<Move> {
        let wdl = self.chances(&answer.report);
        let answer = answer.map(|moves| self.line(moves));
        Answer { report: Report { wdl, ..answer.report }, ..answer }
    }
}
