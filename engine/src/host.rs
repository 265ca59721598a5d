//! [`Host`]: any game with an evaluator and a notation, as a [`Backend`].

mod choice;

use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::backend::{Backend, Event, Go, Identity, Perft, Picture, PositionError, Settings, Sink};
use crate::book::{BookSource, OpeningBook};
use crate::control::{Control, Signal};
use crate::evaluator::{SearchEvaluator, Term};
use crate::level::Level;
use crate::limits::Limits;
use crate::notation::{Notation, NotationError, Style};
use crate::odds::{Odds, OddsModel};
use crate::perft::divide;
use crate::report::{Answer, Bound, Report};
use crate::rules::Game;
use crate::score::Score;
use crate::search::Task;
use crate::side::{Outcome, Side};
use crate::time::{Budget, Circumstances, Timer, since};
use crate::worker::{Job, SearchJob, Worker};

use choice::Choice;

/// A typed game behind the object-safe [`Backend`].
pub struct Host<G: Game, E: SearchEvaluator<G>> {
    variant: String,
    game: G,
    evaluator: E,
    settings: Settings,
    /// What scores say of the end, where games were played to tell.
    odds: Option<OddsModel>,
    books: Option<&'static dyn BookSource<G>>,
    /// The open book.
    book: Option<Arc<dyn OpeningBook<G>>>,
    worker: Worker<G, E>,
}

impl<G: Game + Notation, E: SearchEvaluator<G>> Host<G, E> {
    /// Opens `game` under the name `variant`, with a table as `settings` says.
    pub fn new(variant: &str, game: G, evaluator: E, settings: &Settings, sink: Sink) -> Self {
        let host = Self {
            variant: variant.to_owned(),
            game,
            evaluator,
            settings: *settings,
            odds: None,
            books: None,
            book: None,
            worker: Worker::new(),
        };
        host.allocate(sink);
        host
    }

    /// The same game, whose scores say this of its end.
    pub fn with_odds(self, model: OddsModel) -> Self {
        Self { odds: Some(model), ..self }
    }

    /// The same game with books, of which the one that comes with it is open.
    pub fn with_books(self, books: &'static dyn BookSource<G>) -> Self {
        Self { books: Some(books), book: books.open(None).ok(), ..self }
    }

    fn allocate(&self, sink: Sink) {
        let mib = self.settings.hash_mib;
        let refuse = move |_| {
            sink(Event::Note(format!("hash {mib} MiB: not enough memory, the old table stays")));
        };
        self.worker.post(Job::Resize(mib, Box::new(refuse)));
    }

    fn budget(&self, limits: &Limits) -> Budget {
        let circumstances = Circumstances {
            side: self.game.turn(),
            plies_left: self.game.plies_left(),
            overhead: self.settings.overhead,
            ponder: self.settings.ponder,
        };
        Budget::new(limits, &circumstances)
    }

    /// The budget under `limits`. Where nodes are counted for time, its hard limit joins the other
    /// limits.
    fn budget_in_nodes(&self, limits: &mut Limits) -> Budget {
        let budget = self.budget(limits);
        let most = budget.nodes(self.settings.nodes_per_ms);
        if let Some(most) = most {
            limits.nodes = Some(limits.nodes.map_or(most, |asked| asked.min(most)));
        }
        Budget { hard: budget.hard.filter(|_| most.is_none()), ..budget }
    }

    /// What to play at; whoever asks for a mate or a proof wants it whole.
    fn level(&self, limits: &Limits) -> Option<Level> {
        let asks_for_truth = limits.mate.is_some() || limits.proof.is_some();
        self.settings.strength.level().filter(|_| !asks_for_truth)
    }

    /// The score that makes a winner likely.
    fn unit(&self) -> i64 {
        const UNKNOWN: i64 = 100;
        self.odds.map_or(UNKNOWN, |model| model.spread.ceil() as i64)
    }

    fn scribe(&self) -> Scribe<G> {
        Scribe {
            root: self.game.clone(),
            style: self.settings.style,
            odds: self.odds.filter(|_| self.settings.odds),
            is_exact: self.evaluator.exact(),
        }
    }

    /// The book that a search is to probe.
    fn book(&self) -> Option<Arc<dyn OpeningBook<G>>> {
        self.book.clone().filter(|_| self.settings.own_book)
    }

    /// The legal ones of the moves to search; a note on each of the others.
    fn search_moves(&self, go: &Go, sink: &Sink) -> Vec<G::Move> {
        let (mut moves, mut legal) = (Vec::new(), Vec::new());
        self.game.moves(&mut legal);
        for text in &go.search_moves {
            match self.game.read_move(text) {
                Ok(mv) if moves.contains(&mv) => {}
                Ok(mv) if !legal.contains(&mv) => {
                    let error = NotationError::mv(text, "it loses by the rules");
                    sink(Event::Note(format!("searchmoves: {error}")));
                }
                Ok(mv) => moves.push(mv),
                Err(error) => sink(Event::Note(format!("searchmoves: {error}"))),
            }
        }
        moves
    }
}

impl<G: Game + Notation, E: SearchEvaluator<G>> Backend for Host<G, E> {
    fn identity(&self) -> Identity {
        Identity { variant: self.variant.clone(), rules: self.game.rules() }
    }

    fn configure(&mut self, settings: &Settings, sink: Sink) {
        let resized = settings.hash_mib != self.settings.hash_mib;
        self.settings = *settings;
        if resized {
            self.allocate(sink);
        }
    }

    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        if let Some(books) = self.books {
            self.book = Some(books.open(file)?);
        }
        Ok(())
    }

    fn new_game(&mut self) {
        self.game = self.game.start();
        self.clear_hash();
    }

    fn clear_hash(&mut self) {
        self.worker.post(Job::Clear);
    }

    fn set_position(&mut self, start: Option<&str>, moves: &[&str]) -> Result<(), PositionError> {
        let mut game = match start {
            Some(text) => self.game.read_position(text).map_err(PositionError::Start)?,
            None => self.game.start(),
        };
        for (index, text) in moves.iter().enumerate() {
            let mv = game.read_move(text).map_err(|e| PositionError::Move(index + 1, e))?;
            game.play(mv);
        }
        self.game = game;
        Ok(())
    }

    fn position_end(&self, text: &str, keyword: &str) -> usize {
        self.game.position_end(text, keyword)
    }

    fn flip(&mut self) -> Result<(), NotationError> {
        self.game = self.game.flipped()?;
        Ok(())
    }

    fn turn(&self) -> Side {
        self.game.turn()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn plies_left(&self) -> u32 {
        self.game.plies_left()
    }

    fn is_exact(&self) -> bool {
        self.evaluator.exact()
    }

    fn picture(&self) -> Picture {
        let mut moves = Vec::new();
        self.game.moves(&mut moves);
        let style = self.settings.style;
        Picture {
            board: self.game.draw(),
            plain: self.game.write_position(false),
            pocket: self.game.write_position(true),
            key: self.game.key().0,
            legal: moves.into_iter().map(|mv| self.game.write_move(mv, style)).collect(),
            turn: self.game.turn(),
            outcome: self.game.outcome(),
        }
    }

    fn explain(&self) -> Option<(Score, Vec<Term>)> {
        if self.game.outcome().is_some() {
            return None;
        }
        let mut evaluator = self.evaluator.clone();
        evaluator.reset(&self.game);
        let score = evaluator.evaluate(&self.game);
        Some((score, evaluator.terms(&self.game)))
    }

    fn remarks(&self) -> Vec<String> {
        self.game.remarks()
    }

    fn go(&mut self, go: Go, sink: Sink) -> Control {
        let signal = Arc::new(Signal::default());
        let control = Control::new(signal.clone());
        if let Some(outcome) = self.game.outcome() {
            sink(Event::Answer(game_over(outcome, self.game.turn())));
            return control;
        }
        let search_moves = self.search_moves(&go, &sink);
        let level = self.level(&go.limits);
        let mut task =
            Task { multi_pv: self.settings.multi_pv, search_moves, ..Task::new(go.limits) };
        let budget = self.budget_in_nodes(&mut task.limits);
        let timer = Timer::new(go.received, task.limits.ponder, budget, signal.clone())
            .counting(self.settings.nodes_per_ms);
        if let Some(level) = level {
            task.limits = level.narrow(&task.limits);
            task.multi_pv = task.multi_pv.max(level.moves());
            task.probes = level.solves();
        }
        let choice = level.map(|level| Choice::new(level, self.unit(), self.game.clone()));
        let choice = choice.map(|choice| Arc::new(Mutex::new(choice)));
        let chosen = choice.clone();
        let scribe = self.scribe();
        let (reports, answers) = (sink.clone(), sink);
        let (last, lines) = (scribe.clone(), self.settings.multi_pv);
        let job = SearchJob {
            game: self.game.clone(),
            evaluator: self.evaluator.clone(),
            book: self.book(),
            task,
            threads: self.settings.threads,
            timer,
            signal: signal.clone(),
            report: Box::new(move |line| {
                if let Some(choice) = &choice {
                    choice.lock().unwrap_or_else(PoisonError::into_inner).note(&line);
                }
                if line.line <= lines {
                    reports(Event::Report(scribe.report(line)));
                }
            }),
            answer: Box::new(move |finding| {
                if let Some(trouble) = finding.trouble {
                    answers(Event::Note(trouble.into()));
                }
                let best = finding.answer;
                let answer = match &chosen {
                    Some(choice) => {
                        choice.lock().unwrap_or_else(PoisonError::into_inner).make(best)
                    }
                    None => best,
                };
                answers(Event::Answer(last.answer(answer)));
            }),
        };
        self.worker.post_stoppable(Job::Search(Box::new(job)), signal);
        control
    }

    fn perft(&mut self, depth: u32, received: Instant, sink: Sink) -> Control {
        let signal = Arc::new(Signal::default());
        let (listener, mut game) = (signal.clone(), self.game.clone());
        let scribe = self.scribe();
        let count = move || {
            let counted = count(&mut game, depth, &listener, &scribe);
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

fn count<G: Game + Notation>(
    game: &mut G,
    depth: u32,
    signal: &Signal,
    scribe: &Scribe<G>,
) -> Perft {
    let blank = Perft { divide: Vec::new(), nodes: 0, time: Default::default(), complete: true };
    if depth == 0 {
        return Perft { nodes: 1, ..blank };
    }
    let Ok(counted) = divide(game, depth, signal) else {
        return Perft { complete: false, ..blank };
    };
    let nodes = counted.iter().map(|(_, nodes)| nodes).sum();
    let name = |(mv, nodes)| (scribe.root.write_move(mv, scribe.style), nodes);
    Perft { divide: counted.into_iter().map(name).collect(), nodes, ..blank }
}

/// Writes moves against the position that was searched, whatever the current one is.
#[derive(Clone)]
struct Scribe<G> {
    root: G,
    style: Style,
    odds: Option<OddsModel>,
    /// Whether a score of 0 at full depth is a proven draw.
    is_exact: bool,
}

impl<G: Game + Notation> Scribe<G> {
    fn line(&self, moves: Vec<G::Move>) -> Vec<String> {
        let mut game = self.root.clone();
        let write = |mv| {
            let text = game.write_move(mv, self.style);
            game.play(mv);
            text
        };
        moves.into_iter().map(write).collect()
    }

    fn report(&self, report: Report<G::Move>) -> Report<String> {
        let odds = self.odds_of(&report);
        Report { odds, ..report.map(|pv| self.line(pv)) }
    }

    fn odds_of(&self, report: &Report<G::Move>) -> Option<Odds> {
        let is_whole = report.bound == Bound::Exact && report.depth >= self.root.plies_left();
        let is_drawn = self.is_exact && is_whole && report.score == Score::DRAW;
        self.odds.map(|model| if is_drawn { Odds::DRAWN } else { model.odds(report.score) })
    }

    fn answer(&self, answer: Answer<G::Move>) -> Answer<String> {
        let moves = answer.best.into_iter().chain(answer.ponder).collect();
        let mut written = self.line(moves).into_iter();
        Answer {
            best: written.next(),
            ponder: written.next(),
            report: self.report(answer.report),
            news: answer.news,
            settled: answer.settled,
            tally: answer.tally,
        }
    }
}

/// The answer where there is nothing to search.
fn game_over(outcome: Outcome, turn: Side) -> Answer<String> {
    Answer::blank(outcome.score(turn, 0), None)
}
