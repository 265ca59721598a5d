//! A catalogue whose backends record what they are told and answer when a test says so.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tengen_engine::backend::{
    Backend, BenchPosition, Catalog, Chosen, Event, Go, Identity, OpenError, Perft, Picture,
    PositionError, Settings, Sink, Variant,
};
use tengen_engine::control::{Control, Signal};
use tengen_engine::notation::{NotationError, Style};
use tengen_engine::options::{OptionKind, OptionSpec};
use tengen_engine::report::{Answer, Bound, Report};
use tengen_engine::score::Score;
use tengen_engine::{Outcome, Side, Term};

use crate::session::{Effect, Engine, Session, Ticket};

/// One line of cells, 4 unless `Length` says otherwise, or `short`, which has 2.
pub(crate) static FAKE: Fake = Fake;

pub(crate) struct Fake;

/// What was asked of the backends of one test; a test has its own thread.
#[derive(Default)]
pub(super) struct World {
    pub(super) outcome: Option<Outcome>,
    pub(super) busy: bool,
    pub(super) style: Style,
    pub(super) hash: usize,
    pub(super) overhead: Duration,
    calls: Vec<String>,
    work: Vec<Work>,
    ready_sinks: Vec<Sink>,
}

#[derive(Clone)]
struct Work {
    signal: Arc<Signal>,
    sink: Sink,
    kind: Kind,
    open: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Search,
    Perft,
    Bench,
}

thread_local! {
    static WORLD: RefCell<World> = RefCell::default();
}

fn world<T>(visit: impl FnOnce(&mut World) -> T) -> T {
    WORLD.with(|world| visit(&mut world.borrow_mut()))
}

fn start(kind: Kind, sink: Sink) -> Control {
    let signal = Arc::new(Signal::default());
    let work = Work { signal: Arc::clone(&signal), sink, kind, open: true };
    world(|world| {
        assert!(world.work.iter().all(|work| !work.open), "one thing at a time");
        world.work.push(work);
    });
    Control::new(signal)
}

struct FakeBackend {
    name: &'static str,
    cells: i64,
}

fn settle(settings: &Settings) {
    world(|world| {
        world.style = settings.style;
        world.hash = settings.hash_mib;
        world.overhead = settings.overhead;
    });
}

impl Catalog for Fake {
    fn variants(&self) -> &[Variant] {
        &[
            Variant { name: "line", summary: "a line" },
            Variant { name: "short", summary: "2 cells" },
        ]
    }

    fn options(&self) -> Vec<OptionSpec> {
        let kind = OptionKind::Spin { default: 4, min: 1, max: 20 };
        vec![OptionSpec { name: "Length", kind }]
    }

    fn open(
        &self,
        name: &str,
        chosen: &Chosen,
        settings: &Settings,
        _sink: Sink,
    ) -> Result<Box<dyn Backend>, OpenError> {
        let cells = chosen.get("Length").copied().unwrap_or(4);
        let (name, cells) = match name {
            "line" if cells == 13 => {
                return Err(OpenError::Options("13 cells bring bad luck".into()));
            }
            "line" => ("line", cells),
            "short" => ("short", 2),
            _ => return Err(OpenError::UnknownVariant(name.into())),
        };
        settle(settings);
        Ok(Box::new(FakeBackend { name, cells }))
    }

    fn bench(&self) -> Vec<BenchPosition> {
        Vec::new()
    }
}

impl FakeBackend {
    fn called(&self, what: &str) {
        world(|world| world.calls.push(what.to_owned()));
    }
}

impl Backend for FakeBackend {
    fn identity(&self) -> Identity {
        Identity { variant: self.name.into(), rules: format!("{} cells", self.cells) }
    }

    fn configure(&mut self, settings: &Settings, _sink: Sink) {
        self.called("configure");
        settle(settings);
    }

    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        let name = file.map_or("its own".into(), Path::to_string_lossy);
        if name == "bad" {
            return Err("no book".into());
        }
        self.called(&format!("open_book {name}"));
        Ok(())
    }

    fn new_game(&mut self) {
        self.called("new_game");
    }

    fn clear_hash(&mut self) {
        self.called("clear_hash");
    }

    fn set_position(&mut self, start: Option<&str>, moves: &[&str]) -> Result<(), PositionError> {
        if let Some(text @ "nonsense") = start {
            return Err(PositionError::Start(NotationError::position(text, 1, "no line")));
        }
        if let Some(at) = moves.iter().position(|mv| *mv == "bad") {
            return Err(PositionError::Move(at + 1, NotationError::mv("bad", "not on the board")));
        }
        self.called("set_position");
        Ok(())
    }

    fn position_end(&self, text: &str, keyword: &str) -> usize {
        text.find(keyword).unwrap_or(text.len())
    }

    fn flip(&mut self) -> Result<(), NotationError> {
        Ok(())
    }

    fn turn(&self) -> Side {
        Side::First
    }

    fn outcome(&self) -> Option<Outcome> {
        world(|world| world.outcome)
    }

    fn plies_left(&self) -> u32 {
        self.cells as u32
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn picture(&self) -> Picture {
        Picture {
            board: "....\na b".into(),
            plain: "4/4/4/4 w".into(),
            pocket: "pocket".into(),
            key: 0xABCD,
            legal: vec!["a1".into(), "b1".into()],
            turn: Side::First,
            outcome: None,
        }
    }

    fn explain(&self) -> Option<(Score, Vec<Term>)> {
        let terms = vec![Term { name: "centre", value: 12 }, Term { name: "threats", value: -40 }];
        Some((Score::heuristic(-28), terms))
    }

    fn go(&mut self, _go: Go, sink: Sink) -> Control {
        start(Kind::Search, sink)
    }

    fn perft(&mut self, _depth: u32, _received: Instant, sink: Sink) -> Control {
        start(Kind::Perft, sink)
    }

    fn ready(&mut self, sink: Sink) -> bool {
        world(|world| {
            if world.busy {
                world.ready_sinks.push(sink);
            }
            !world.busy
        })
    }
}

pub(super) fn report(mv: &str) -> Event {
    Event::Report(Report {
        depth: 1,
        seldepth: 1,
        line: 1,
        score: Score::heuristic(5),
        bound: Bound::Exact,
        odds: None,
        nodes: 9,
        time: Duration::from_millis(1),
        hashfull: 0,
        probe_hits: 0,
        pv: vec![mv.to_owned()],
    })
}

pub(super) fn answer(mv: &str) -> Event {
    let Event::Report(report) = report(mv) else { unreachable!() };
    let blank = Answer::blank(report.score, Some(mv.to_owned()));
    Event::Answer(Answer { report, news: false, ..blank })
}

/// A session, its post box and a client.
pub(super) struct Talk {
    session: Session,
    post: Arc<Mutex<VecDeque<(Ticket, Event)>>>,
}

impl Talk {
    pub(super) fn new() -> Self {
        world(|world| *world = World::default());
        let post = Arc::new(Mutex::new(VecDeque::new()));
        let letters = Arc::clone(&post);
        let engine = Engine {
            catalog: &FAKE,
            bench: |_, _, sink| start(Kind::Bench, sink),
            memory_mib: None,
        };
        let send = move |ticket, event| letters.lock().unwrap().push_back((ticket, event));
        let session = Session::new(engine, None, Arc::new(send)).unwrap();
        Self { session, post }
    }

    /// What is said in reply to a line.
    pub(super) fn say(&mut self, line: &str) -> Vec<String> {
        self.session.line(line, Instant::now());
        self.heard()
    }

    /// What is said in reply to a line of this beginning that is too long.
    pub(super) fn say_too_much(&mut self, beginning: &str) -> Vec<String> {
        self.session.overlong_line(beginning, Instant::now());
        self.heard()
    }

    /// What is said when the client has left.
    pub(super) fn end(&mut self) -> Vec<String> {
        self.session.end_of_input();
        self.heard()
    }

    /// What is said when the time of the session's timer is over.
    pub(super) fn end_timer(&mut self) -> Vec<String> {
        self.session.timer_ended();
        self.heard()
    }

    /// What is said when the `n`-th piece of work sends `event`.
    pub(super) fn tell(&mut self, n: usize, event: Event) -> Vec<String> {
        let ends = !matches!(event, Event::Report(_) | Event::Note(_));
        let sink = world(|world| {
            world.work[n].open &= !ends;
            world.work[n].sink.clone()
        });
        sink(event);
        self.deliver()
    }

    /// What is said when the backend has done what was before an `isready`.
    pub(super) fn tell_ready(&mut self) -> Vec<String> {
        let sink =
            world(|world| (!world.ready_sinks.is_empty()).then(|| world.ready_sinks.remove(0)));
        if let Some(sink) = sink {
            sink(Event::Ready);
        }
        self.deliver()
    }

    /// What is said when the last piece of work, if it still goes on, ends.
    pub(super) fn finish_last(&mut self) -> Vec<String> {
        let last =
            world(|world| Some((world.work.len().checked_sub(1)?, world.work.last()?.clone())));
        let Some((n, work)) = last.filter(|(_, work)| work.open) else { return Vec::new() };
        let perft = || Perft { divide: vec![], nodes: 0, time: Duration::ZERO, complete: true };
        match work.kind {
            Kind::Search => self.tell(n, answer("a1")),
            Kind::Perft => self.tell(n, Event::Perft(perft())),
            Kind::Bench => Vec::new(),
        }
    }

    pub(super) fn report_last(&mut self) -> Vec<String> {
        let n = world(|world| world.work.len().checked_sub(1));
        n.map_or_else(Vec::new, |n| self.tell(n, report("a1")))
    }

    pub(super) fn has_open_work(&self) -> bool {
        world(|world| world.work.iter().any(|work| work.open))
    }

    pub(super) fn is_stopped(&self, n: usize) -> bool {
        world(|world| world.work[n].signal.is_stopped())
    }

    pub(super) fn is_hit(&self, n: usize) -> bool {
        world(|world| world.work[n].signal.ponderhit_at().is_some())
    }

    pub(super) fn searches(&self) -> usize {
        world(|world| world.work.iter().filter(|work| work.kind == Kind::Search).count())
    }

    pub(super) fn calls(&self) -> Vec<String> {
        world(|world| world.calls.clone())
    }

    pub(super) fn world<T>(&self, visit: impl FnOnce(&mut World) -> T) -> T {
        world(visit)
    }

    fn deliver(&mut self) -> Vec<String> {
        while let Some((ticket, event)) = self.next_letter() {
            self.session.event(ticket, event);
        }
        self.heard()
    }

    fn next_letter(&self) -> Option<(Ticket, Event)> {
        self.post.lock().unwrap().pop_front()
    }

    fn heard(&mut self) -> Vec<String> {
        let path =
            |path: Option<PathBuf>| path.map_or("-".into(), |path| path.display().to_string());
        let text = |effect| match effect {
            Effect::Line(line) => line,
            Effect::Log(file) => format!("LOG {}", path(file)),
            Effect::Timer(after) => format!("TIMER {after:?}"),
            Effect::Quit => "QUIT".to_owned(),
        };
        self.session.effects().map(text).collect()
    }
}
