//! Ten thousand sessions of queries and ten thousand of UCI share two workers. No backend is opened
//! before the first search, and only two are open afterwards. All searches are of one variant.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tengen_engine::GameSpec;
use tengen_engine::backend::{Backend, Catalog, Settings, Sink};
use tengen_engine::wrapper::CatalogWrapper;
use tengen_games::CATALOG;
use tengen_protocol::pool::commands::CommandSession;
use tengen_protocol::pool::queue::{Owner, SessionId};
use tengen_protocol::pool::{Effect, Pool, PoolSession, PoolSettings, Room};
use tengen_protocol::queries::{QuerySession, Service, SessionIdentity};

const SESSIONS: usize = 10_000;
/// The number of sessions that ask a query. Each start of a search takes time in proportion to the
/// waiting sessions.
const ASKING_SESSIONS: usize = SESSIONS / 20;
const WORKERS: usize = 2;
/// The timeout that turns a hang into a failure.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The catalogue of games, with a count of the opened backends.
struct CountingCatalog(AtomicUsize);

static COUNTING_CATALOG: CountingCatalog = CountingCatalog(AtomicUsize::new(0));

impl CatalogWrapper for CountingCatalog {
    fn inner(&self) -> &dyn Catalog {
        &CATALOG
    }

    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend> {
        self.0.fetch_add(1, Ordering::Relaxed);
        CATALOG.open(spec, settings, sink)
    }
}

fn service() -> Service {
    Service { workers: WORKERS, hash_mib: 1, ..Service::new(&COUNTING_CATALOG) }
}

fn opened() -> usize {
    COUNTING_CATALOG.0.load(Ordering::Relaxed)
}

/// A client that asks at most one query, and the last lines that it received.
struct Client {
    session: QuerySession,
    last_lines: Vec<String>,
}

impl Client {
    /// Carries out the effects of the session: keeps last lines and hands searches to the pool.
    fn carry_out(&mut self, id: SessionId, pool: &mut Pool, now: Instant) {
        for effect in self.session.effects() {
            match effect {
                Effect::Last(_, line) => self.last_lines.push(line),
                Effect::Search(turns) => pool.search(id, turns, now),
                Effect::Line(line) => panic!("{line}"),
                _ => {}
            }
        }
    }
}

#[test]
fn ten_thousand_sessions_open_only_two_backends_and_only_for_searches() {
    let (sender, events) = mpsc::channel();
    let settings = PoolSettings::new(&COUNTING_CATALOG, WORKERS, 1);
    let mut pool = Pool::new(settings, Arc::new(move |event| drop(sender.send(event))));
    let now = Instant::now();
    // UCI clients that are ready and have a position.
    let mut players: Vec<CommandSession> =
        (0..SESSIONS).map(|_| CommandSession::new(service()).unwrap()).collect();
    for player in &mut players {
        for line in ["uci", "isready", "position startpos moves d1 d2"] {
            player.line(line, now, Room::ENOUGH);
        }
        let lines = player.effects();
        assert!(lines.iter().any(|it| matches!(it, Effect::Line(line) if line == "readyok")));
    }
    let mut clients: HashMap<SessionId, Client> = HashMap::new();
    for number in 0..SESSIONS {
        let id = pool.join(Owner::LOCAL, now);
        let name = SessionIdentity { session: number.to_string(), kept: Duration::ZERO };
        let mut session = QuerySession::new(service(), name);
        let query = json!({ "id": "a", "variant": "tictactoe", "nodes": 10, "book": false });
        if number < ASKING_SESSIONS {
            session.line(&query.to_string(), now, Room::ENOUGH);
        }
        let mut client = Client { session, last_lines: Vec::new() };
        client.carry_out(id, &mut pool, now);
        clients.insert(id, client);
    }
    assert_eq!((pool.waiting(), opened()), (ASKING_SESSIONS, 0));
    let mut left = ASKING_SESSIONS;
    let mut updates = pool.advance(now);
    assert_eq!((pool.waiting(), pool.threads()), (ASKING_SESSIONS - WORKERS, WORKERS));
    while left > 0 {
        for update in updates {
            let id = update.session;
            let client = clients.get_mut(&id).unwrap();
            client.session.update(update.turn, update.kind, now);
            let before = client.last_lines.len();
            client.carry_out(id, &mut pool, now);
            left -= client.last_lines.len() - before;
        }
        updates = match left {
            0 => Vec::new(),
            _ => pool.event(events.recv_timeout(TIMEOUT).unwrap(), now).into_iter().collect(),
        };
        updates.extend(pool.advance(now));
    }
    for line in clients.values().flat_map(|client| &client.last_lines) {
        let answer: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&answer["type"], &answer["id"]), (&json!("answer"), &json!("a")));
    }
    assert_eq!(
        clients.values().filter(|client| !client.last_lines.is_empty()).count(),
        ASKING_SESSIONS
    );
    assert!(
        clients.values().all(|client| client.last_lines.len() <= 1 && !client.session.is_busy())
    );
    assert_eq!((pool.waiting(), pool.threads(), opened()), (0, 0, WORKERS));
    assert!(players.iter().all(|player| !player.is_busy()));
}
