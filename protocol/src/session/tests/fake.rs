//! [`Fake`]: a catalogue whose backends record their calls, and send events when a test says so.

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tengen_engine::backend::{
    Backend, BenchPosition, Catalog, Event, Features, Go, OpenError, Perft, Settings, Sink,
};
use tengen_engine::options::{OptionKind, OptionSpec};
use tengen_engine::table::TableHandle;
use tengen_engine::{
    About, Answer, Chosen, Control, GameSpec, Grid, GridNotation, IllegalMove, Instant, Move,
    NotationError, Outcome, Placement, Point, Position, Report, Score, Side, Signal, Style, Term,
    Variant,
};

use crate::session::{Effect, Engine, Session, Ticket};

/// The catalogue: `line`, with 4 cells or the number in `Length`, and `short`, with 2 cells.
pub(crate) static FAKE: Fake = Fake;

pub(crate) struct Fake;

/// The state of the backends of one test. Each test has its own thread.
#[derive(Default)]
pub(super) struct World {
    pub(super) outcome: Option<Outcome>,
    pub(super) busy: bool,
    pub(super) hash: usize,
    pub(super) threads: usize,
    pub(super) overhead: Duration,
    /// How many moves were played in positions.
    pub(super) plays: usize,
    calls: Vec<String>,
    work: Vec<Work>,
    ready_sinks: Vec<Sink>,
}

#[derive(Clone)]
struct Work {
    signal: Arc<Signal>,
    sink: Sink,
    kind: Kind,
    is_open: bool,
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
    let work = Work { signal: Arc::clone(&signal), sink, kind, is_open: true };
    world(|world| {
        assert!(world.work.iter().all(|work| !work.is_open), "one thing at a time");
        world.work.push(work);
    });
    Control::new(signal)
}

/// Returns the grid of every game.
fn grid(side: u32) -> GridNotation {
    GridNotation::new(Grid::new(side, side).unwrap(), false)
}

fn typed(mv: &str) -> Move {
    typed_on(4, mv)
}

/// Returns the move to a point of a square board.
pub(crate) fn typed_on(side: u32, mv: &str) -> Move {
    let point: Point = mv.parse().unwrap_or(Point { column: 3, row: 3 });
    grid(side).move_to(point)
}

/// Returns `value` after `change`. Needed for non-exhaustive structs.
pub(crate) fn changed<T>(mut value: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut value);
    value
}

/// Returns a position on a square board, for tests that write moves.
pub(crate) fn position_on(side: u32) -> Box<dyn Position> {
    let spec = FAKE.describe("line", &Chosen::new()).unwrap();
    let spec = changed(spec, |spec| spec.grid = Some(grid(side)));
    FAKE.position(&spec)
}

#[derive(Clone)]
struct FakePosition {
    spec: GameSpec,
    played: Vec<Move>,
}

struct FakeBackend {
    spec: GameSpec,
}

fn record_settings(settings: &Settings) {
    world(|world| {
        world.hash = settings.hash_mib;
        world.threads = settings.threads;
        world.overhead = settings.overhead;
    });
}

fn record_call(call: &str) {
    world(|world| world.calls.push(call.to_owned()));
}

impl Catalog for Fake {
    fn about(&self) -> About {
        About::new("Fake").with_version("3").with_author("a tester").with_description("a fake")
    }

    fn features(&self) -> Features {
        Features::ALL
    }

    fn variants(&self) -> &[Variant] {
        const VARIANTS: &[Variant] = &[
            Variant::new("line", "a line").with_aliases(&["row"]).with_options(&["Length"]),
            Variant::new("short", "2 cells"),
        ];
        VARIANTS
    }

    fn options(&self) -> Vec<OptionSpec> {
        let kind = OptionKind::Spin { default: 4, min: 1, max: 20 };
        vec![OptionSpec::new("Length", kind)]
    }

    fn describe(&self, name: &str, chosen: &Chosen) -> Result<GameSpec, OpenError> {
        let cells = chosen.get("Length").copied().unwrap_or(4);
        let (variant, cells) = match name {
            "line" if cells == 13 => {
                return Err(OpenError::Options("13 cells bring bad luck".into()));
            }
            "line" => ("line", cells),
            "short" => ("short", 2),
            _ => return Err(OpenError::UnknownVariant(name.into())),
        };
        Ok(changed(GameSpec::new(variant, format!("{cells} cells")), |spec| {
            spec.grid = Some(grid(4));
            spec.own_eval = Some("built in, checksum 1234ABCD".to_owned());
            (spec.is_exact, spec.has_book, spec.has_own_book) = (true, true, variant == "line");
        }))
    }

    fn position(&self, spec: &GameSpec) -> Box<dyn Position> {
        Box::new(FakePosition { spec: spec.clone(), played: Vec::new() })
    }

    fn open(&self, spec: &GameSpec, settings: &Settings, _sink: Sink) -> Box<dyn Backend> {
        record_call("open");
        record_settings(settings);
        Box::new(FakeBackend { spec: spec.clone() })
    }

    fn bench(&self) -> Vec<BenchPosition> {
        Vec::new()
    }
}

impl Position for FakePosition {
    fn spec(&self) -> &GameSpec {
        &self.spec
    }

    fn reset(&mut self) {
        self.played.clear();
    }

    fn set_up(&mut self, text: &str) -> Result<(), NotationError> {
        if text == "nonsense" {
            return Err(NotationError::position(text, 1, "no line"));
        }
        self.played.clear();
        Ok(())
    }

    fn place(&mut self, _placement: &Placement) -> Result<(), NotationError> {
        self.played.clear();
        Ok(())
    }

    fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        world(|world| world.plays += 1);
        self.played.push(mv);
        Ok(())
    }

    fn undo(&mut self) -> Option<Move> {
        self.played.pop()
    }

    fn played(&self) -> &[Move] {
        &self.played
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
        4
    }

    fn key(&self) -> u64 {
        0xABCD
    }

    fn legal(&self) -> Vec<Move> {
        vec![typed("a1"), typed("b1")]
    }

    fn forbidden(&self, _side: Side) -> Vec<(Point, &'static str)> {
        Vec::new()
    }

    fn stone(&self, _at: Point) -> Option<Side> {
        None
    }

    fn fen(&self, pocket: bool) -> String {
        if pocket { "pocket" } else { "4/4/4/4 w" }.to_owned()
    }

    fn draw(&self) -> String {
        "....\na b".to_owned()
    }

    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    fn read_move(&self, text: &str) -> Result<Move, NotationError> {
        if text == "bad" {
            return Err(NotationError::mv(text, "not on the board"));
        }
        Ok(typed(text.trim_start_matches(['P', 'p', '@'])))
    }

    fn split_moves<'a>(&self, text: &'a str) -> Vec<&'a str> {
        text.split_ascii_whitespace().collect()
    }

    fn write_line(&self, moves: &[Move], style: Style) -> Vec<String> {
        let Some(grid) = self.spec.grid else { return Vec::new() };
        let points = moves.iter().filter_map(|mv| grid.point_of(*mv));
        points.map(|point| grid.write_move(point, style)).collect()
    }

    fn text_end(&self, text: &str, keyword: &str) -> usize {
        text.find(keyword).unwrap_or(text.len())
    }

    fn duplicate(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Backend for FakeBackend {
    fn spec(&self) -> &GameSpec {
        &self.spec
    }

    fn configure(&mut self, settings: &Settings, _sink: Sink) {
        record_call("configure");
        record_settings(settings);
    }

    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        let name = file.map_or("its own".into(), Path::to_string_lossy);
        if name == "bad" {
            return Err("no book".into());
        }
        record_call(&format!("open_book {name}"));
        Ok(())
    }

    fn open_eval_file(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        let name = file.map_or("its own".into(), Path::to_string_lossy);
        if name == "bad" {
            return Err("no evaluation file".into());
        }
        record_call(&format!("open_eval_file {name}"));
        Ok(())
    }

    fn eval_source(&self) -> Option<String> {
        self.spec.own_eval.clone()
    }

    fn use_table(&mut self, _table: TableHandle) {}

    fn clear_hash(&mut self) {
        record_call("clear_hash");
    }

    fn evaluate(&self, _position: &dyn Position) -> Option<(Score, Vec<Term>)> {
        let terms = vec![Term { name: "centre", value: 12 }, Term { name: "threats", value: -40 }];
        Some((Score::heuristic(-28), terms))
    }

    fn go(&mut self, _position: &dyn Position, _go: Go, sink: Sink) -> Control {
        start(Kind::Search, sink)
    }

    fn perft(
        &mut self,
        _position: &dyn Position,
        _depth: u32,
        _received: Instant,
        sink: Sink,
    ) -> Control {
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

pub(crate) fn report(mv: &str) -> Event {
    Event::Report(changed(Report::blank(Score::heuristic(5), Some(typed(mv))), |report| {
        (report.depth, report.seldepth) = (1, 1);
        (report.nodes, report.time) = (9, Duration::from_millis(1));
    }))
}

pub(crate) fn answer(mv: &str) -> Event {
    let Event::Report(report) = report(mv) else { unreachable!() };
    Event::Answer(changed(Answer::blank(report.score, Some(typed(mv))), |answer| {
        (answer.report, answer.has_unreported) = (report, false);
    }))
}

/// A session with its event queue, and a client.
pub(crate) struct Talk {
    session: Session,
    events: Arc<Mutex<VecDeque<(Ticket, Event)>>>,
}

impl Talk {
    pub(crate) fn new() -> Self {
        world(|world| *world = World::default());
        let events = Arc::new(Mutex::new(VecDeque::new()));
        let queue = Arc::clone(&events);
        let engine =
            Engine { bench: |_, _, sink| start(Kind::Bench, sink), cores: 3, ..Engine::new(&FAKE) };
        let send = move |ticket, event| queue.lock().unwrap().push_back((ticket, event));
        let session = Session::new(engine, None, Arc::new(send)).unwrap();
        Self { session, events }
    }

    /// Sends a line. Returns the effects of the session as text.
    pub(crate) fn say(&mut self, line: &str) -> Vec<String> {
        self.session.line(line, Instant::now());
        self.effects()
    }

    /// Sends a line that is too long and has this beginning.
    pub(crate) fn say_too_much(&mut self, beginning: &str) -> Vec<String> {
        self.session.overlong_line(beginning, Instant::now());
        self.effects()
    }

    /// Ends the input.
    pub(crate) fn end(&mut self) -> Vec<String> {
        self.session.end_of_input();
        self.effects()
    }

    /// Ends the session's timer.
    pub(crate) fn end_timer(&mut self) -> Vec<String> {
        self.session.timer_ended();
        self.effects()
    }

    /// Lets the work with number `n`, from 0, send `event`.
    pub(crate) fn tell(&mut self, n: usize, event: Event) -> Vec<String> {
        let ends = !matches!(event, Event::Report(_) | Event::Note(_));
        let sink = world(|world| {
            world.work[n].is_open &= !ends;
            world.work[n].sink.clone()
        });
        sink(event);
        self.deliver()
    }

    /// Lets the backend answer the first open `isready`.
    pub(crate) fn tell_ready(&mut self) -> Vec<String> {
        let sink =
            world(|world| (!world.ready_sinks.is_empty()).then(|| world.ready_sinks.remove(0)));
        if let Some(sink) = sink {
            sink(Event::Ready);
        }
        self.deliver()
    }

    /// Ends the last work, if it is open.
    pub(crate) fn finish_last(&mut self) -> Vec<String> {
        let last =
            world(|world| Some((world.work.len().checked_sub(1)?, world.work.last()?.clone())));
        let Some((n, work)) = last.filter(|(_, work)| work.is_open) else { return Vec::new() };
        let perft = || changed(Perft::default(), |it| it.complete = true);
        match work.kind {
            Kind::Search => self.tell(n, answer("a1")),
            Kind::Perft => self.tell(n, Event::Perft(perft())),
            Kind::Bench => Vec::new(),
        }
    }

    pub(crate) fn report_last(&mut self) -> Vec<String> {
        let n = world(|world| world.work.len().checked_sub(1));
        n.map_or_else(Vec::new, |n| self.tell(n, report("a1")))
    }

    pub(crate) fn has_open_work(&self) -> bool {
        world(|world| world.work.iter().any(|work| work.is_open))
    }

    pub(crate) fn is_stopped(&self, n: usize) -> bool {
        world(|world| world.work[n].signal.is_stopped())
    }

    pub(crate) fn is_hit(&self, n: usize) -> bool {
        world(|world| world.work[n].signal.ponderhit_at().is_some())
    }

    pub(crate) fn searches(&self) -> usize {
        world(|world| world.work.iter().filter(|work| work.kind == Kind::Search).count())
    }

    pub(crate) fn calls(&self) -> Vec<String> {
        world(|world| world.calls.clone())
    }

    /// Returns how the session writes moves.
    pub(crate) fn style(&self) -> Style {
        self.session.style
    }

    pub(super) fn world<T>(&self, visit: impl FnOnce(&mut World) -> T) -> T {
        world(visit)
    }

    fn deliver(&mut self) -> Vec<String> {
        while let Some((ticket, event)) = self.next_event() {
            self.session.event(ticket, event);
        }
        self.effects()
    }

    fn next_event(&self) -> Option<(Ticket, Event)> {
        self.events.lock().unwrap().pop_front()
    }

    fn effects(&mut self) -> Vec<String> {
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
