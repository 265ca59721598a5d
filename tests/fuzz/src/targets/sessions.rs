//! Sessions in each dialect, with the real games and a search that answers when the input says so, beside a
//! model that counts what is owed to the client; and the client halves of the dialects.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tengen_engine::backend::{Backend, BenchTotal, Catalog, Event};
use tengen_engine::{Chosen, Control, GameSpec, Instant};
use tengen_games::CATALOG;
use tengen_protocol::client::ClientDialect;
use tengen_protocol::dialect::by_name;
use tengen_protocol::dialect::gomocup::client::GomocupClient;
use tengen_protocol::dialect::gtp::client::GtpClient;
use tengen_protocol::dialect::uci::client::UciClient;
use tengen_protocol::pool::driver::{Clients, Driver};
use tengen_protocol::pool::queue::SessionId;
use tengen_protocol::pool::{self, PoolSession, PoolSettings};
use tengen_protocol::queries::QuerySession;
use tengen_protocol::service::{Service, SessionIdentity};
use tengen_protocol::session::{Effect, Engine, Session, Ticket};

use super::stub::{OpenWork, Stub, StubCatalog};

/// A line of the input that begins with this character ends the oldest search, instead of being sent.
const ANSWER: char = '\u{1}';
/// The most lines of an input.
const MAX_LINES: usize = 200;

static STUB_CATALOG: StubCatalog = StubCatalog;

/// The events of backends that the session has not got yet.
type Events = Arc<Mutex<VecDeque<(Ticket, Event)>>>;

/// Sends the lines of the input to a session that speaks `dialect`; without one, the first line chooses.
pub(super) fn talk(input: &[u8], dialect: Option<&str>) {
    let (events, work) = (Events::default(), OpenWork::default());
    let (queue, opened) = (Arc::clone(&events), work.clone());
    let post = Arc::new(move |ticket, event| queue.lock().unwrap().push_back((ticket, event)));
    let open = move |spec: &GameSpec, _: &_, _| -> Box<dyn Backend> {
        Box::new(Stub { spec: spec.clone(), work: opened.clone(), ends_at_once: false })
    };
    let engine = Engine {
        bench: |_, _, sink| {
            sink(Event::Bench(BenchTotal::default()));
            Control::new(Arc::default())
        },
        keeps_log: false,
        ..Engine::new(&CATALOG)
    };
    let mut session = Session::new(engine, None, post).unwrap().with_search(Arc::new(open));
    if let Some(kind) = dialect {
        session.set_dialect(by_name(kind).unwrap());
    }
    let mut client = Client { session, events, owed: Owed::default() };
    let start = Instant::now();
    let text = String::from_utf8_lossy(input);
    for (line, number) in text.split('\n').take(MAX_LINES).zip(0_u32..) {
        if line.starts_with(ANSWER) {
            work.end_one();
        } else {
            client.owed.sent(line, dialect);
            client.session.line(line, start + Duration::from_millis(1) * number);
        }
        client.deliver();
    }
    client.session.end_of_input();
    client.deliver();
    // A timer ends what would not end.
    while work.end_one() || client.end_timer() {
        client.deliver();
    }
    client.owed.end(dialect);
}

struct Client {
    session: Session,
    events: Events,
    owed: Owed,
}

impl Client {
    /// Ends the timer of the session. Returns whether it ran.
    fn end_timer(&mut self) -> bool {
        let ran = std::mem::take(&mut self.owed.has_timer);
        if ran {
            self.session.timer_ended();
        }
        ran
    }

    fn deliver(&mut self) {
        loop {
            for effect in self.session.effects() {
                self.owed.effect(&effect);
            }
            let next = self.events.lock().unwrap().pop_front();
            let Some((ticket, event)) = next else { return };
            self.session.event(ticket, event);
        }
    }
}

/// What a session owes to its client.
#[derive(Default)]
struct Owed {
    isready: usize,
    readyok: usize,
    go: usize,
    bestmove: usize,
    has_timer: bool,
    has_quit: bool,
}

impl Owed {
    fn sent(&mut self, line: &str, dialect: Option<&str>) {
        if self.has_quit || dialect != Some("uci") {
            return;
        }
        // A line is one command at most, in letters of any case; words before it are skipped.
        let line = line.to_ascii_lowercase();
        self.isready += usize::from(line.contains("isready"));
        self.go += usize::from(line.contains("go"));
    }

    fn effect(&mut self, effect: &Effect) {
        assert!(!self.has_quit, "an effect after the last one: {effect:?}");
        match effect {
            Effect::Line(line) => {
                let is_clean = !line.chars().any(|c| c.is_control() && c != '\n' && c != '\t');
                assert!(is_clean, "a line with control characters: {line:?}");
                self.readyok += usize::from(line == "readyok");
                self.bestmove += usize::from(line.starts_with("bestmove "));
            }
            Effect::Quit => self.has_quit = true,
            Effect::Timer(_) => self.has_timer = true,
            Effect::Log(_) => {}
        }
    }

    fn end(&self, dialect: Option<&str>) {
        assert!(self.has_quit, "the session does not end with its input");
        if dialect == Some("uci") {
            assert!(self.readyok <= self.isready, "more readyok than isready");
            assert!(self.bestmove <= self.go, "more bestmove than go");
        }
    }
}

/// Checks that each line is an object.
struct Objects;

impl Clients for Objects {
    fn effect(&mut self, _: SessionId, _: &dyn PoolSession, effect: pool::Effect) {
        use pool::Effect::{Last, Line, Report};
        if let Line(line) | Report(_, line) | Last(_, line) = effect {
            let read: Result<serde_json::Value, _> = serde_json::from_str(&line);
            assert!(read.is_ok_and(|value| value.is_object()), "no object: {line}");
        }
    }
}

/// Sends the lines of the input to a session of queries.
pub(super) fn queries(input: &[u8]) {
    let events = Arc::new(Mutex::new(VecDeque::new()));
    let queue = Arc::clone(&events);
    let post = Arc::new(move |event| queue.lock().unwrap().push_back(event));
    let mut driver = Driver::new(PoolSettings::new(&STUB_CATALOG, 1, 1), post);
    let service = Service { hash_mib: 1, ..Service::new(&STUB_CATALOG) };
    let identity = SessionIdentity { session: "fuzz".to_owned(), kept: Duration::ZERO };
    let now = Instant::now();
    let session = driver.join(Box::new(QuerySession::new(service, identity)), now);
    for line in String::from_utf8_lossy(input).split('\n').take(MAX_LINES) {
        driver.line(session, line, now, None, &mut Objects);
        loop {
            let next = events.lock().unwrap().pop_front();
            let Some(event) = next else { break };
            driver.event(event, &mut Objects);
        }
    }
    driver.leave(session, &mut Objects);
}

pub(super) fn uci_client(input: &[u8]) {
    listen(input, &mut UciClient::default());
}

pub(super) fn gomocup_client(input: &[u8]) {
    listen(input, &mut GomocupClient::new(false, None));
}

pub(super) fn gtp_client(input: &[u8]) {
    listen(input, &mut GtpClient::default());
}

/// Reads the lines of an engine, with the client half of a dialect.
fn listen(input: &[u8], dialect: &mut dyn ClientDialect) {
    let spec = CATALOG.describe("gomoku", &Chosen::new()).unwrap();
    let mut sent = Vec::new();
    dialect.greet(&spec, &mut |line| sent.push(line));
    for line in String::from_utf8_lossy(input).split('\n').take(MAX_LINES) {
        dialect.read(line);
    }
    assert!(sent.iter().all(|line| !line.contains('\n')));
}
