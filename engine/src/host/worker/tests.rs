//! A worker on a system without threads.

use std::sync::Mutex;

use super::*;
use crate::clock::now;
use crate::game::side::{Outcome, Side};
use crate::host::Host;
use crate::host::backend::{Backend, Event, Go, Settings, Sink};
use crate::host::opener::describe;
use crate::host::options::Chosen;
use crate::host::position::TypedPosition;
use crate::search::evaluator::StaticEvaluator;
use crate::search::limits::Limits;
use crate::text::Style;
use crate::text::notation::Notation;

/// The players take one to three stones in turn. The player who takes the last stone wins.
#[derive(Clone)]
pub(super) struct Nim {
    stones: u32,
    turn: Side,
}

impl Game for Nim {
    type Move = u32;
    type Undo = ();
    type Symmetry = ();

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.stones == 0).then(|| Outcome::Win(self.turn.other()))
    }

    fn moves(&self, out: &mut Vec<u32>) {
        out.extend(1..=self.stones.min(3));
    }

    fn play(&mut self, taken: u32) {
        self.stones -= taken;
        self.turn = self.turn.other();
    }

    fn undo(&mut self, taken: u32, (): ()) {
        self.stones += taken;
        self.turn = self.turn.other();
    }

    fn plies_left(&self) -> u32 {
        self.stones
    }

    fn key(&self) -> (u64, ()) {
        (2 * u64::from(self.stones) + self.turn.index() as u64, ())
    }
}

impl Notation for Nim {
    fn write_move(&self, taken: u32, _: Style) -> String {
        taken.to_string()
    }

    fn write_position(&self, _: bool) -> String {
        format!("{} {:?}", self.stones, self.turn)
    }
}

type NimHost = Host<Nim, StaticEvaluator<Nim>>;

fn nim(stones: u32) -> TypedPosition<Nim> {
    let game = Nim { stones, turn: Side::First };
    let spec = describe(&game, "nim", Chosen::new(), true);
    TypedPosition::new(spec, game)
}

/// Returns a backend whose worker has no thread.
fn host_without_thread(position: &TypedPosition<Nim>, sink: &Sink) -> NimHost {
    let evaluator = StaticEvaluator::new(|_| Score::DRAW).with_exact(true);
    let settings = Settings::default().with_hash_mib(1);
    let spec = describe(position.game(), "nim", Chosen::new(), true);
    let mut host = Host::new(spec, evaluator, &settings, sink.clone());
    host.worker = Worker::at(Executor::Here(Arc::default()));
    host.table_mib = None;
    host.configure(&settings, sink.clone());
    host
}

/// Returns a sink, and the texts of the events that it gets, without reports.
fn listening() -> (Sink, Arc<Mutex<Vec<String>>>) {
    let events = Arc::<Mutex<Vec<String>>>::default();
    let heard = events.clone();
    let sink = move |event| {
        let text = match event {
            Event::Report(_) => return,
            Event::Answer(answer) => format!("{:?} {:?}", answer.best, answer.report.score),
            other => format!("{other:?}"),
        };
        heard.lock().unwrap().push(text);
    };
    (Arc::new(sink), events)
}

fn searched(stones: u32, in_place: bool) -> Vec<String> {
    let (sink, events) = listening();
    let position = nim(stones);
    let mut host = host_without_thread(&position, &sink);
    if !in_place {
        host.worker = Worker::new();
        host.table_mib = None;
        host.configure(&Settings::default().with_hash_mib(1), sink.clone());
    }
    host.go(&position, Go::new(Limits::default(), now()), sink);
    if in_place {
        assert!(!host.worker.is_idle() && events.lock().unwrap().is_empty());
        run_posted_jobs();
        assert!(host.worker.is_idle());
    }
    while events.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
    events.lock().unwrap().clone()
}

#[test]
fn without_a_thread_a_search_runs_where_the_jobs_are_run_and_finds_the_same() {
    for stones in [3, 21, 30] {
        let found = searched(stones, true);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found, searched(stones, false));
    }
}

#[test]
fn a_sink_may_post_the_next_search() {
    let (sink, events) = listening();
    let position = nim(21);
    let next = Mutex::new(Some(host_without_thread(&position, &sink)));
    let last = Arc::new(Mutex::new(None));
    let (inner, kept) = (sink.clone(), last.clone());
    let chained: Sink = Arc::new(move |event| {
        let is_answer = matches!(event, Event::Answer(_));
        inner(event);
        if is_answer && let Some(mut host) = next.lock().unwrap().take() {
            host.go(&nim(22), Go::new(Limits::default(), now()), inner.clone());
            // A backend that is dropped stops its search.
            *kept.lock().unwrap() = Some(host);
        }
    });
    let mut first = host_without_thread(&position, &sink);
    first.go(&position, Go::new(Limits::default(), now()), chained);
    run_posted_jobs();
    assert_eq!(events.lock().unwrap().len(), 2);
    assert!(last.lock().unwrap().is_some());
}

#[test]
fn a_dropped_backend_answers_what_it_was_asked() {
    let (sink, events) = listening();
    let position = nim(30);
    let mut host = host_without_thread(&position, &sink);
    host.go(&position, Go::new(Limits::default(), now()), sink);
    drop(host);
    assert_eq!(events.lock().unwrap().len(), 0);
    run_posted_jobs();
    assert_eq!(events.lock().unwrap().len(), 1);
}
