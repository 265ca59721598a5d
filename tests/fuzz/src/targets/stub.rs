//! [`Stub`]: a backend that plays the first legal move, when the input says so.

use std::collections::VecDeque;
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex};

use tengen_engine::backend::{Backend, Catalog, Event, Go, Perft, Settings, Sink};
use tengen_engine::table::TableHandle;
use tengen_engine::wrapper::CatalogWrapper;
use tengen_engine::{Answer, Control, GameSpec, Instant, Position, Report, Score, Signal, Term};
use tengen_games::CATALOG;

/// The work that waits for its end.
#[derive(Clone, Default)]
pub(super) struct OpenWork(Arc<Mutex<VecDeque<Work>>>);

struct Work {
    signal: Arc<Signal>,
    sink: Sink,
    events: Vec<Event>,
    /// Whether only a stop or a ponderhit ends it.
    waits: bool,
}

impl OpenWork {
    /// Ends the oldest work that may end. Returns whether there was one.
    pub(super) fn end_one(&self) -> bool {
        let mut open = self.0.lock().unwrap();
        let may_end = |work: &Work| {
            !work.waits || work.signal.is_stopped() || work.signal.ponderhit_at().is_some()
        };
        let place = open.iter().position(may_end);
        let Some(work) = place.and_then(|place| open.remove(place)) else { return false };
        drop(open);
        work.events.into_iter().for_each(|event| (work.sink)(event));
        true
    }
}

/// A backend of any game that plays the first legal move.
pub(super) struct Stub {
    pub(super) spec: GameSpec,
    pub(super) work: OpenWork,
    /// Whether work ends in the call that starts it.
    pub(super) ends_at_once: bool,
}

impl Stub {
    fn start(&self, sink: Sink, events: Vec<Event>, waits: bool) -> Control {
        let signal = Arc::new(Signal::default());
        let control = Control::new(Arc::clone(&signal));
        let waits = waits && !self.ends_at_once;
        self.work.0.lock().unwrap().push_back(Work { signal, sink, events, waits });
        if self.ends_at_once {
            self.work.end_one();
        }
        control
    }
}

impl Backend for Stub {
    fn spec(&self) -> &GameSpec {
        &self.spec
    }

    fn configure(&mut self, _: &Settings, _: Sink) {}

    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        file.map_or(Ok(()), |_| Err("no book".into()))
    }

    fn open_eval_file(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        self.open_book(file)
    }

    fn eval_source(&self) -> Option<String> {
        None
    }

    fn use_table(&mut self, _: TableHandle) {}

    fn clear_hash(&mut self) {}

    fn evaluate(&self, _: &dyn Position) -> Option<(Score, Vec<Term>)> {
        None
    }

    fn go(&mut self, position: &dyn Position, go: Go, sink: Sink) -> Control {
        let legal = position.legal();
        let is_asked = |mv: &&_| go.search_moves.is_empty() || go.search_moves.contains(mv);
        let best = legal.iter().find(is_asked).or(legal.first()).copied();
        let score = Score::heuristic(7);
        let events = vec![
            Event::Report(Report::blank(score, best)),
            Event::Answer(Answer::blank(score, best)),
        ];
        self.start(sink, events, go.limits.infinite || go.limits.ponder)
    }

    fn perft(&mut self, _: &dyn Position, _: u32, _: Instant, sink: Sink) -> Control {
        self.start(sink, vec![Event::Perft(Perft::default())], false)
    }

    fn ready(&mut self, _: Sink) -> bool {
        true
    }
}

/// The games, with searches that end at once.
pub(super) struct StubCatalog;

impl CatalogWrapper for StubCatalog {
    fn inner(&self) -> &dyn Catalog {
        &CATALOG
    }

    fn open(&self, spec: &GameSpec, _: &Settings, _: Sink) -> Box<dyn Backend> {
        Box::new(Stub { spec: spec.clone(), work: OpenWork::default(), ends_at_once: true })
    }
}
