//! [`Hub`]: the pool, and the sessions of all clients. Each call also handles all its consequences
//! at once: it starts searches, and puts lines into the outboxes.
//!
//! It decides which clients may connect, and when a session is resumed or removed. It knows no
//! connections: it takes lines of clients, and has an [`Outbox`] for each session.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use data_encoding::HEXLOWER;
use parking_lot::Mutex;
use tengen_protocol::dialect::json::Problem;
use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::dialect::json::reply::{ErrorReply, Reply};
use tengen_protocol::dialect::{Speech, by_first_line};
use tengen_protocol::pool::commands::CommandSession;
use tengen_protocol::pool::driver::{Clients, Driver};
use tengen_protocol::pool::queue::{Owner, SessionId};
use tengen_protocol::pool::{
    Effect, EventSender, PoolSession, PoolSettings, Room, SearchEvent, Update, UpdateKind,
};
use tengen_protocol::queries::{QuerySession, Service, SessionIdentity};
use tengen_protocol::server::sleep_until;
use tokio::sync::{Notify, mpsc};

use crate::limits::ServerLimits;
use crate::line_queue::{processor_time, yield_after};
use crate::metrics::{Kind, Metrics};
use crate::outbox::{COALESCE_ABOVE, Close, Outbox};

/// The sessions and their pool.
pub(crate) struct Hub {
    state: Mutex<State>,
    /// Notifies the event loop of changed wake times.
    wakes: Notify,
    /// Notifies [`Self::emptied`] of a connection that has ended.
    detached: Notify,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) limits: ServerLimits,
    /// The unsent bytes of all outboxes.
    backlog_bytes: Arc<AtomicUsize>,
    version: OnceLock<String>,
}

struct State {
    service: Service,
    driver: Driver,
    clients: ClientTable,
    /// When sessions without a connection are removed.
    expiries: BTreeSet<(Instant, SessionId)>,
    /// When the time for searches ends during a shutdown; `None` while the server runs.
    drain_deadline: Option<Instant>,
}

/// The clients of all sessions.
struct ClientTable {
    clients: HashMap<SessionId, Client>,
    /// The sessions with a name, which can be resumed.
    names: HashMap<String, SessionId>,
    is_draining: bool,
    limits: ServerLimits,
    metrics: Arc<Metrics>,
    backlog_bytes: Arc<AtomicUsize>,
}

struct Client {
    /// Whether the first line must still choose between queries and commands.
    awaits_first_line: bool,
    outbox: Arc<Outbox>,
    address: IpAddr,
    kind: Kind,
    /// Whether the client had shown the secret of a room only.
    is_guest: bool,
    /// The session's name; `None` before `hello`.
    name: Option<String>,
    /// When the session is removed; `None` while it has a connection.
    expires_at: Option<Instant>,
    /// Whether its searches are held back, because the client reads too slowly.
    is_blocked: bool,
    /// When the client last sent a line or got a search event.
    idle_since: Instant,
}

/// The handle of a connection to its session.
#[derive(Clone)]
pub(crate) struct Handle {
    pub(crate) id: SessionId,
    pub(crate) outbox: Arc<Outbox>,
    /// The number of the connection.
    pub(crate) connection: u64,
}

/// The limit of sessions that refuses a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Full {
    /// The server has no session left.
    Server,
    /// The client's address has too many sessions.
    Address,
}

impl Full {
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Server => "too many sessions",
            Self::Address => "too many sessions of this address",
        }
    }
}

impl Hub {
    /// Returns a hub with its own pool, and the receiver of the pool's search events.
    pub(crate) fn new(
        service: Service,
        limits: ServerLimits,
        isolates: bool,
    ) -> (Arc<Self>, mpsc::UnboundedReceiver<SearchEvent>) {
        let (send_event, events) = mpsc::unbounded_channel();
        let settings = PoolSettings {
            session_tables_mib: limits.hash_mib_in_all,
            max_waiting: limits.queue_in_all,
            isolates,
            ..PoolSettings::new(service.catalog, service.workers, service.hash_mib)
        };
        // An error means that the server has ended; the last events are dropped.
        let send_event: EventSender = Arc::new(move |event| drop(send_event.send(event)));
        let (metrics, backlog_bytes) = (Arc::<Metrics>::default(), Arc::default());
        let clients = ClientTable {
            clients: HashMap::new(),
            names: HashMap::new(),
            is_draining: false,
            limits,
            metrics: Arc::clone(&metrics),
            backlog_bytes: Arc::clone(&backlog_bytes),
        };
        let state = State {
            service,
            driver: Driver::new(settings, send_event),
            clients,
            expiries: BTreeSet::new(),
            drain_deadline: None,
        };
        let (state, wakes, detached) = (Mutex::new(state), Notify::new(), Notify::new());
        let version = OnceLock::new();
        (Arc::new(Self { state, wakes, detached, metrics, limits, backlog_bytes, version }), events)
    }

    /// Calls `act` with the state. Afterwards the event loop sees changed wake times.
    fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let done = act(&mut self.state.lock());
        self.wakes.notify_one();
        done
    }

    /// Calls `act` with a session, and handles the consequences.
    fn act(&self, id: SessionId, act: impl FnOnce(&mut dyn PoolSession)) {
        self.with_state(|state| state.driver.act(id, &mut state.clients, act));
    }

    /// Opens a session for a client at `address`, unless there are too many.
    /// A guest of a room may only ask about the rules.
    pub(crate) fn open(&self, address: IpAddr, kind: Kind, is_guest: bool) -> Result<Handle, Full> {
        let mut state = self.state.lock();
        state.admit(address, &self.limits)?;
        let now = now();
        let identity = SessionIdentity { session: random_name(), kept: self.limits.resume };
        let mut service = state.service;
        if is_guest {
            (service.limits.may_search, service.limits.may_make_rooms) = (false, false);
        }
        let session = QuerySession::new(service, identity);
        let id = state.driver.join_of(Owner::of(address), Box::new(session), now);
        let outbox = Arc::new(Outbox::with_history(self.limits.resume_bytes, &self.backlog_bytes));
        let client = Client {
            awaits_first_line: kind == Kind::Tcp,
            outbox: Arc::clone(&outbox),
            address,
            kind,
            is_guest,
            name: None,
            expires_at: None,
            is_blocked: false,
            idle_since: now,
        };
        state.clients.clients.insert(id, client);
        self.metrics.opened(kind);
        let connection = outbox.attach();
        Ok(Handle { id, outbox, connection })
    }

    /// Handles a line of a client.
    pub(crate) fn line(&self, id: SessionId, line: &str) {
        self.with_state(|state| {
            state.choose_session(id, line);
            let limit = Some(self.limits.queue);
            state.driver.line(id, line, now(), limit, &mut state.clients);
        });
    }

    /// Handles a line of a client that is too long. Only its `beginning` is known.
    pub(crate) fn overlong_line(&self, id: SessionId, beginning: &str) {
        self.with_state(|state| {
            state.choose_session(id, beginning);
            let act = |session: &mut dyn PoolSession| session.overlong_line(beginning, now());
            state.driver.act(id, &mut state.clients, act);
        });
    }

    /// Sends a line to the client of a session. Returns `false` if there is no such session.
    pub(crate) fn send(&self, id: SessionId, line: String) -> bool {
        let mut state = self.state.lock();
        let Some(client) = state.clients.clients.get_mut(&id) else { return false };
        client.idle_since = now();
        client.outbox.line(line);
        true
    }

    /// Makes a session quit after its last open query.
    pub(crate) fn leave_when_done(&self, id: SessionId) {
        self.act(id, |session| session.leave_when_done());
    }

    /// Handles the end of the input of a connection. Open queries are still answered.
    pub(crate) fn end_of_input(&self, handle: &Handle) {
        // The session may already have another connection.
        if handle.outbox.is_current(handle.connection) {
            self.act(handle.id, |session| session.end_of_input(false, now()));
        }
    }

    /// Sends a line to a client whose input has ended, to see whether it still reads.
    pub(crate) fn probe(&self, id: SessionId) {
        self.act(id, |session| session.probe(now()));
    }

    /// Called when the outbox is empty: a blocked session may continue.
    pub(crate) fn drained(&self, id: SessionId) {
        if self.state.lock().clients.clients.get(&id).is_some_and(|client| client.is_blocked) {
            self.act(id, |_| ());
        }
    }

    /// Connects a new connection to the session `name`, and resends all messages after `last_seq`.
    /// `hello` is the id of the query. Returns `None` if there is no such session, or if a message
    /// is no longer kept. A guest of a room gets no session that may more.
    pub(crate) fn resume(
        &self,
        name: &str,
        last_seq: u64,
        hello: Id,
        is_guest: bool,
    ) -> Option<Handle> {
        self.with_state(|state| {
            let State { driver, clients, expiries, .. } = state;
            let id = *clients.names.get(name)?;
            let client = clients.clients.get_mut(&id)?;
            let may_have = client.is_guest || !is_guest;
            if !may_have || !client.outbox.has_all_after(last_seq) {
                return None;
            }
            let outbox = Arc::clone(&client.outbox);
            let connection = outbox.attach();
            outbox.resend_after(last_seq);
            if let Some(until) = client.expires_at.take() {
                expiries.remove(&(until, id));
            }
            client.idle_since = now();
            driver.set_away(id, false);
            driver.act(id, clients, |session| session.resume(hello));
            Some(Handle { id, outbox, connection })
        })
    }

    /// Handles the end of a connection. A session with a name is kept for a while.
    pub(crate) fn detach(&self, handle: &Handle) {
        if !handle.outbox.is_current(handle.connection) {
            return;
        }
        self.with_state(|state| {
            let id = handle.id;
            let State { driver, clients, expiries, .. } = state;
            let Some(client) = clients.clients.get_mut(&id) else { return };
            if client.name.is_none() || driver.session(id).is_none_or(|session| session.is_over()) {
                return state.remove(id);
            }
            let until = now() + self.limits.resume;
            client.expires_at = Some(until);
            expiries.insert((until, id));
            driver.set_away(id, true);
            driver.act(id, clients, |_| ());
            state.drop_detached(self.limits.detached_bytes);
        });
        self.detached.notify_waiters();
    }

    /// Returns how long a client has been idle: it sent no line and has no open query.
    pub(crate) fn idle_time(&self, id: SessionId) -> Duration {
        let state = self.state.lock();
        let is_busy = state.driver.session(id).is_some_and(|session| session.is_busy());
        let client = state.clients.clients.get(&id).filter(|_| !is_busy);
        client.map_or(Duration::ZERO, |it| now().saturating_duration_since(it.idle_since))
    }

    /// Shuts the server down: notifies all clients, and gives searches the time `grace` to end.
    pub(crate) fn drain(&self, grace: Duration) {
        self.with_state(|state| {
            if !std::mem::replace(&mut state.clients.is_draining, true) {
                state.drain_deadline = Some(now() + grace);
                let State { driver, clients, .. } = state;
                driver.act_all(clients, |session| session.drain(grace, now()));
            }
        });
    }

    /// Returns the answer to `query_version`, as a line.
    pub(crate) fn version(&self) -> String {
        self.version.get_or_init(|| self.write_version()).clone()
    }

    fn write_version(&self) -> String {
        let service = self.state.lock().service;
        let identity = SessionIdentity { session: String::new(), kept: Duration::ZERO };
        let mut session = QuerySession::new(service, identity);
        session.line("{\"id\":\"version\",\"action\":\"query_version\"}", now(), Room::ENOUGH);
        let lines = session.effects().into_iter().filter_map(|effect| match effect {
            Effect::Line(line) => Some(line),
            _ => None,
        });
        lines.collect()
    }

    /// Returns whether the server is shutting down.
    pub(crate) fn is_draining(&self) -> bool {
        self.state.lock().clients.is_draining
    }

    /// Returns whether the server accepts more sessions and queries.
    pub(crate) fn is_ready(&self) -> bool {
        let has_place = self.state.lock().clients.clients.len() < self.limits.sessions;
        has_place && !self.is_draining() && self.load().0 < self.limits.queue_in_all
    }

    /// Waits until no session has a connection, which ends a shutdown.
    pub(crate) async fn emptied(&self) {
        loop {
            let detached = self.detached.notified();
            let is_detached = |client: &Client| client.expires_at.is_some();
            if self.state.lock().clients.clients.values().all(is_detached) {
                return;
            }
            detached.await;
        }
    }

    /// Returns how many positions wait in the queue, and how many search threads run.
    pub(crate) fn load(&self) -> (usize, usize) {
        let state = self.state.lock();
        (state.driver.pool().waiting(), state.driver.pool().threads())
    }

    /// Returns how many bytes are unsent for all clients together.
    pub(crate) fn backlog(&self) -> usize {
        self.backlog_bytes.load(Relaxed)
    }

    /// Handles everything that is due, and returns when to call this again; `None` for never.
    fn handle_due(&self) -> Option<Instant> {
        let mut state = self.state.lock();
        let now = now();
        while let Some((_, id)) = state.expiries.first().filter(|(at, _)| *at <= now).copied() {
            state.remove(id);
        }
        // Sessions without a connection still get answers.
        if state.expiries.len() > 1 {
            state.drop_detached(self.limits.detached_bytes);
        }
        let State { driver, clients, drain_deadline, expiries, .. } = &mut *state;
        driver.wake(clients);
        if drain_deadline.take_if(|at| *at <= now).is_some() {
            driver.act_all(clients, |session| session.end_drain(now));
        }
        let expiry = expiries.first().map(|(at, _)| *at);
        [driver.next_wake(now), expiry, *drain_deadline].into_iter().flatten().min()
    }

    /// Handles a search event. Returns how long that took.
    fn handle(&self, event: SearchEvent) -> Duration {
        let begin = processor_time();
        let State { driver, clients, .. } = &mut *self.state.lock();
        driver.event(event, clients);
        processor_time().saturating_sub(begin)
    }

    /// Runs the event loop: handles search events and everything that is due.
    pub(crate) async fn run(self: Arc<Self>, mut events: mpsc::UnboundedReceiver<SearchEvent>) {
        loop {
            let wake = self.handle_due();
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) => yield_after(self.handle(event)).await,
                    None => return,
                },
                () = self.wakes.notified() => {}
                () = sleep_until(wake) => {}
            }
        }
    }
}

/// Returns the current instant of tokio's clock, which tests can set.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

impl State {
    /// Refuses one more session of a client at `address` if there are too many.
    fn admit(&self, address: IpAddr, limits: &ServerLimits) -> Result<(), Full> {
        let clients = &self.clients.clients;
        let own = clients.values().filter(|client| client.address == address).count();
        match () {
            () if clients.len() >= limits.sessions => Err(Full::Server),
            () if address.is_loopback() || own < limits.sessions_per_address => Ok(()),
            () => Err(Full::Address),
        }
    }

    /// Removes sessions without a connection, those that lost it first, until the others hold at most
    /// `most` bytes of messages.
    fn drop_detached(&mut self, most: usize) {
        let held = |clients: &ClientTable, id: &SessionId| {
            clients.clients.get(id).map_or(0, |client| client.outbox.held())
        };
        let mut sum: usize = self.expiries.iter().map(|(_, id)| held(&self.clients, id)).sum();
        while sum > most
            && let Some((_, id)) = self.expiries.first().copied()
        {
            sum -= held(&self.clients, &id);
            self.remove(id);
        }
    }

    /// Removes a session, and stops its searches.
    fn remove(&mut self, id: SessionId) {
        let Some(client) = self.clients.clients.remove(&id) else { return };
        if let Some(until) = client.expires_at {
            self.expiries.remove(&(until, id));
        }
        if let Some(name) = &client.name {
            self.clients.names.remove(name);
        }
        client.outbox.close(Close::Done);
        self.clients.metrics.closed(client.kind);
        self.driver.leave(id, &mut self.clients);
    }

    /// Handles that a client sends `line`. The first line of a client over TCP chooses between
    /// queries and commands.
    fn choose_session(&mut self, id: SessionId, line: &str) {
        let Some(client) = self.clients.clients.get_mut(&id) else { return };
        client.idle_since = now();
        if !client.awaits_first_line || line.trim_ascii().is_empty() {
            return;
        }
        // After a comment the next line chooses.
        client.awaits_first_line = line.trim_ascii_start().starts_with('#');
        if by_first_line(line).is_some_and(|kind| matches!(kind.speech, Speech::Commands(_))) {
            match CommandSession::new(self.service) {
                Ok(session) => self.driver.replace(id, Box::new(session)),
                Err(error) => tracing::error!(%error, "a game cannot be described"),
            }
        }
    }
}

impl Clients for ClientTable {
    fn effect(&mut self, id: SessionId, session: &dyn PoolSession, effect: Effect) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        match effect {
            Effect::Line(line) | Effect::Last(_, line) => {
                self.metrics.sent(&line);
                client.outbox.line(line);
            }
            Effect::Report(turn, line) => client.outbox.report(turn, line),
            Effect::Number => {
                client.outbox.number();
                client.name = session.name().map(str::to_owned);
                self.names.extend(client.name.clone().map(|name| (name, id)));
            }
            Effect::Quit => {
                let why = if self.is_draining { Close::GoingAway } else { Close::Done };
                client.outbox.close(why);
            }
            // The driver carries out the other effects.
            _ => {}
        }
    }

    fn update(&mut self, update: &Update) -> bool {
        let Some(client) = self.clients.get_mut(&update.session) else { return false };
        client.idle_since = now();
        match &update.kind {
            UpdateKind::Started(waited) => self.metrics.waited(*waited),
            UpdateKind::Finished(result) => {
                if let Ok(result) = &**result {
                    self.metrics.searched(result.answer.report.time, result.answer.report.nodes);
                }
            }
            // A slow client does not need every report.
            UpdateKind::Forwarded(_) => return client.outbox.bytes() <= COALESCE_ABOVE,
            _ => {}
        }
        true
    }

    fn is_blocked(&mut self, id: SessionId) -> bool {
        let Some(client) = self.clients.get_mut(&id) else { return false };
        let ServerLimits { backlog, backlog_in_all, .. } = self.limits;
        client.is_blocked =
            client.outbox.bytes() > backlog || self.backlog_bytes.load(Relaxed) > backlog_in_all;
        client.is_blocked
    }

    fn now(&self) -> Instant {
        now()
    }
}

/// Returns the line of an error.
pub(crate) fn error_line(id: Option<Id>, problem: Problem) -> String {
    // A reply can always be written.
    serde_json::to_string(&Reply::Error(ErrorReply::new(id, problem, None))).unwrap_or_default()
}

/// Returns 128 random bits in hexadecimal.
fn random_name() -> String {
    let mut bytes = [0; 16];
    // Without random numbers there is no name, so that nobody can guess one.
    if getrandom::fill(&mut bytes).is_err() {
        return String::new();
    }
    HEXLOWER.encode(&bytes)
}
