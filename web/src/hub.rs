//! [`Hub`]: the pool, and the sessions of all clients. Each call also handles all its consequences at
//! once: it starts searches, and puts lines into the outboxes.
//!
//! It decides which clients may connect, and when a session is resumed or removed. It knows no
//! connections: it takes lines of clients, and has an [`Outbox`] for each session.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::pool::queue::SessionId;
use tengen_protocol::pool::{Pool, PoolSettings, SearchEvent, Update, UpdateKind};
use tengen_protocol::queries::{Effect, QuerySession, Room, Service, SessionIdentity};
use tokio::sync::{Notify, mpsc};

use crate::limits::ServerLimits;
use crate::metrics::{Kind, Metrics};
use crate::outbox::{COALESCE_ABOVE, Close, Outbox};
use crate::talk::Conversation;

/// The sessions and their pool.
pub(crate) struct Hub {
    state: Mutex<State>,
    /// Notifies the event loop of changed wake times.
    wakes: Notify,
    pub(crate) metrics: Metrics,
    pub(crate) limits: ServerLimits,
    /// The unsent bytes of all outboxes.
    backlog_bytes: Arc<AtomicUsize>,
}

struct State {
    service: Service,
    pool: Pool,
    clients: HashMap<SessionId, Client>,
    /// The sessions with a name, which can be resumed.
    names: HashMap<String, SessionId>,
    /// When to wake a session, or to remove it.
    wakes: BTreeSet<(Instant, SessionId)>,
    /// How many sessions each address has.
    addresses: HashMap<IpAddr, usize>,
    /// When the time for searches ends during a shutdown; `None` while the server runs.
    drain_deadline: Option<Instant>,
    has_drained: bool,
}

struct Client {
    conversation: Conversation,
    /// Whether the first line must still choose between queries and commands.
    awaits_first_line: bool,
    outbox: Arc<Outbox>,
    address: IpAddr,
    kind: Kind,
    /// The session's name; `None` before `hello`.
    name: Option<String>,
    /// When the session is removed; `None` while it has a connection.
    expires_at: Option<Instant>,
    /// Whether its searches are held back, because the client reads too slowly.
    is_blocked: bool,
    /// Its entry in [`State::wakes`].
    wake: Option<Instant>,
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

/// The error that there are too many sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Full;

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
        let pool = Pool::new(settings, Arc::new(move |event| drop(send_event.send(event))));
        let state = State {
            service,
            pool,
            clients: HashMap::new(),
            names: HashMap::new(),
            wakes: BTreeSet::new(),
            addresses: HashMap::new(),
            drain_deadline: None,
            has_drained: false,
        };
        let hub = Self {
            state: Mutex::new(state),
            wakes: Notify::new(),
            metrics: Metrics::default(),
            limits,
            backlog_bytes: Arc::default(),
        };
        (Arc::new(hub), events)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a session for a client at `address`.
    pub(crate) fn open(&self, address: IpAddr, kind: Kind) -> Result<Handle, Full> {
        let mut state = self.lock();
        state.admit(address, &self.limits)?;
        let now = now();
        let id = state.pool.join(now);
        let identity = SessionIdentity { session: random_name(), kept: self.limits.resume };
        let outbox = Arc::new(Outbox::with_history(self.limits.resume_bytes, &self.backlog_bytes));
        let client = Client {
            conversation: Conversation::Queries(Box::new(QuerySession::new(
                state.service,
                identity,
            ))),
            awaits_first_line: kind == Kind::Tcp,
            outbox: Arc::clone(&outbox),
            address,
            kind,
            name: None,
            expires_at: None,
            is_blocked: false,
            wake: None,
            idle_since: now,
        };
        state.clients.insert(id, client);
        self.metrics.opened(kind);
        let connection = outbox.attach();
        Ok(Handle { id, outbox, connection })
    }

    /// Handles a line of a client.
    pub(crate) fn line(&self, id: SessionId, line: &str) {
        let limit = self.limits.queue;
        let service = self.lock().service;
        self.with_client(id, |client, pool| {
            let now = now();
            client.idle_since = now;
            client.choose_conversation(line, service);
            client.conversation.line(line, now, pool.room(id, Some(limit)));
        });
    }

    /// Handles a line of a client that is too long. Only its `beginning` is known.
    pub(crate) fn overlong_line(&self, id: SessionId, beginning: &str) {
        let service = self.lock().service;
        self.with_client(id, |client, _| {
            client.choose_conversation(beginning, service);
            client.conversation.overlong_line(beginning, now());
        });
    }

    /// Makes a session quit after its last open query.
    pub(crate) fn leave_when_done(&self, id: SessionId) {
        self.with_client(id, |client, _| client.conversation.leave_when_done());
    }

    /// Handles the end of the input of a connection. Open queries are still answered.
    pub(crate) fn end_of_input(&self, handle: &Handle) {
        // The session may already have another connection.
        if handle.outbox.is_current(handle.connection) {
            self.with_client(handle.id, |client, _| client.conversation.end_of_input(now()));
        }
    }

    /// Handles that all lines of an outbox were sent: a blocked session may continue.
    pub(crate) fn drained(&self, id: SessionId) {
        let is_blocked = self.lock().clients.get(&id).is_some_and(|client| client.is_blocked);
        if is_blocked {
            self.with_client(id, |_, _| ());
        }
    }

    /// Calls `act` with the client of a session, and handles the consequences.
    fn with_client(&self, id: SessionId, act: impl FnOnce(&mut Client, &mut Pool)) {
        let mut state = self.lock();
        let State { clients, pool, .. } = &mut *state;
        if let Some(client) = clients.get_mut(&id) {
            act(client, pool);
            state.process_all(Some(id), self);
        }
        drop(state);
        self.wakes.notify_one();
    }

    /// Handles an event of a search.
    pub(crate) fn event(&self, event: SearchEvent) {
        let mut state = self.lock();
        let update = state.pool.event(event, now());
        let session = update.and_then(|update| state.deliver(update, self));
        state.process_all(session, self);
    }

    /// Connects a new connection to the session `name`, and resends all messages after `last_seq`.
    /// `hello` is the id of the query. Returns `None` if there is no such session, or if a message
    /// is no longer kept.
    pub(crate) fn resume(&self, name: &str, last_seq: u64, hello: Id) -> Option<Handle> {
        let mut state = self.lock();
        let State { names, clients, pool, .. } = &mut *state;
        let id = *names.get(name)?;
        let client = clients.get_mut(&id)?;
        if !client.outbox.has_all_after(last_seq) {
            return None;
        }
        let connection = client.outbox.attach();
        client.outbox.resend_after(last_seq);
        client.expires_at = None;
        pool.set_away(id, false);
        client.idle_since = now();
        if let Some(session) = client.conversation.queries() {
            session.hello(hello, true);
        }
        let outbox = Arc::clone(&client.outbox);
        state.process_all(Some(id), self);
        drop(state);
        self.wakes.notify_one();
        Some(Handle { id, outbox, connection })
    }

    /// Handles the end of a connection. A session with a name is kept for a while.
    pub(crate) fn detach(&self, handle: &Handle) {
        let mut state = self.lock();
        let is_current = handle.outbox.is_current(handle.connection);
        let Some(client) = state.clients.get_mut(&handle.id).filter(|_| is_current) else { return };
        if client.name.is_some() && !client.conversation.is_over() {
            let until = now() + self.limits.resume;
            client.expires_at = Some(until);
            state.pool.set_away(handle.id, true);
            state.process_all(Some(handle.id), self);
            drop(state);
            return self.wakes.notify_one();
        }
        state.remove(handle.id, self);
        state.process_all(None, self);
    }

    /// Returns how long a client has been idle: it sent no line and has no open query.
    pub(crate) fn idle_time(&self, id: SessionId) -> Duration {
        let state = self.lock();
        let client = state.clients.get(&id);
        client.map_or(Duration::ZERO, |client| match client.conversation.is_busy() {
            true => Duration::ZERO,
            false => now().saturating_duration_since(client.idle_since),
        })
    }

    /// Shuts the server down: notifies all clients, and gives searches the time `grace` to end.
    pub(crate) fn drain(&self, grace: Duration) {
        let mut state = self.lock();
        if state.drain_deadline.is_some() {
            return;
        }
        state.drain_deadline = Some(now() + grace);
        let ids: Vec<SessionId> = state.clients.keys().copied().collect();
        for id in ids {
            if let Some(client) = state.clients.get_mut(&id) {
                client.conversation.drain(grace, now());
            }
            state.process_all(Some(id), self);
        }
        drop(state);
        self.wakes.notify_one();
    }

    /// Returns the answer to `query_version`, as a line.
    pub(crate) fn version(&self) -> String {
        let service = self.lock().service;
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
        self.lock().drain_deadline.is_some()
    }

    /// Returns whether the server accepts more queries.
    pub(crate) fn is_ready(&self) -> bool {
        let state = self.lock();
        state.drain_deadline.is_none() && state.pool.waiting() < self.limits.queue_in_all
    }

    /// Returns whether no session has a connection, which ends a shutdown.
    pub(crate) fn is_empty(&self) -> bool {
        let state = self.lock();
        state.clients.values().all(|client| client.expires_at.is_some())
    }

    /// Returns how many positions wait in the queue, and how many search threads run.
    pub(crate) fn load(&self) -> (usize, usize) {
        let state = self.lock();
        (state.pool.waiting(), state.pool.threads())
    }

    /// Returns how many bytes are unsent for all clients together.
    pub(crate) fn backlog(&self) -> usize {
        self.backlog_bytes.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Handles everything that is due, and returns when to call this again; `None` for never.
    fn handle_due(&self) -> Option<Instant> {
        let mut state = self.lock();
        let now = now();
        let due: Vec<(Instant, SessionId)> =
            state.wakes.iter().take_while(|(at, _)| *at <= now).copied().collect();
        for (at, id) in due {
            state.wakes.remove(&(at, id));
            let Some(client) = state.clients.get_mut(&id) else { continue };
            client.wake = None;
            if client.expires_at.is_some_and(|until| until <= now) {
                state.remove(id, self);
                state.process_all(None, self);
                continue;
            }
            client.conversation.wake(now);
            state.process_all(Some(id), self);
        }
        if state.drain_deadline.is_some_and(|at| at <= now)
            && !std::mem::replace(&mut state.has_drained, true)
        {
            let ids: Vec<SessionId> = state.clients.keys().copied().collect();
            for id in ids {
                if let Some(client) = state.clients.get_mut(&id) {
                    client.conversation.end_drain(now);
                }
                state.process_all(Some(id), self);
            }
        }
        state.process_all(None, self);
        let drain = state.drain_deadline.filter(|_| !state.has_drained);
        let session = state.wakes.first().map(|(at, _)| *at);
        [session, state.pool.next_wake(now), drain].into_iter().flatten().min()
    }

    /// Runs the event loop: handles search events and everything that is due.
    pub(crate) async fn run(self: Arc<Self>, mut events: mpsc::UnboundedReceiver<SearchEvent>) {
        loop {
            let wake = self.handle_due();
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) => self.event(event),
                    None => return,
                },
                () = self.wakes.notified() => {}
                () = sleep_until(wake) => {}
            }
        }
    }
}

impl Client {
    /// Chooses between queries and commands by the client's first line.
    fn choose_conversation(&mut self, line: &str, service: Service) {
        if !self.awaits_first_line || line.trim_ascii().is_empty() {
            return;
        }
        match Conversation::of_commands(line, service) {
            Some(Ok(conversation)) => self.conversation = conversation,
            Some(Err(error)) => tracing::error!(%error, "a game cannot be described"),
            None => {}
        }
        // After a comment the next line chooses.
        self.awaits_first_line = line.trim_ascii_start().starts_with('#');
    }
}

/// Returns the current instant of tokio's clock, which tests can set.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Waits until `deadline`; forever when `None`.
async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}

impl State {
    /// Counts a new session of `address`, if its limits allow one more.
    fn admit(&mut self, address: IpAddr, limits: &ServerLimits) -> Result<(), Full> {
        let own = self.addresses.get(&address).copied().unwrap_or_default();
        let is_crowded = own >= limits.sessions_per_address && !address.is_loopback();
        if self.clients.len() >= limits.sessions || is_crowded {
            return Err(Full);
        }
        *self.addresses.entry(address).or_default() += 1;
        Ok(())
    }

    /// Uncounts a session of `address`.
    fn release(&mut self, address: IpAddr) {
        if let Some(count) = self.addresses.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                self.addresses.remove(&address);
            }
        }
    }

    /// Removes a session, and stops its searches.
    fn remove(&mut self, id: SessionId, hub: &Hub) {
        let Some(client) = self.clients.remove(&id) else { return };
        if let Some(wake) = client.wake {
            self.wakes.remove(&(wake, id));
        }
        if let Some(name) = &client.name {
            self.names.remove(name);
        }
        self.pool.leave(id);
        self.release(client.address);
        client.outbox.close(Close::Done);
        hub.metrics.closed(client.kind);
    }

    /// Passes news about a search to its session. Returns the session; `None` if it is gone.
    fn deliver(&mut self, update: Update, hub: &Hub) -> Option<SessionId> {
        let Update { session, turn, kind } = update;
        let client = self.clients.get_mut(&session)?;
        let now = now();
        client.idle_since = now;
        match &kind {
            UpdateKind::Started(waited) => hub.metrics.waited(*waited),
            UpdateKind::Finished(result) => {
                if let Ok(result) = &**result {
                    hub.metrics.searched(result.answer.report.time, result.answer.report.nodes);
                }
            }
            // A slow client does not need every report.
            UpdateKind::Forwarded(_) if client.outbox.bytes() > COALESCE_ABOVE => return None,
            _ => {}
        }
        client.conversation.update(turn, kind, now);
        Some(session)
    }

    /// Handles effects and updates until there are none left, beginning with the session `first`.
    fn process_all(&mut self, first: Option<SessionId>, hub: &Hub) {
        let mut changed: VecDeque<SessionId> = first.into_iter().collect();
        loop {
            while let Some(id) = changed.pop_front() {
                self.run_effects(id, hub);
            }
            for update in self.pool.advance(now()) {
                changed.extend(self.deliver(update, hub));
            }
            for id in self.pool.take_cleared() {
                if let Some(client) = self.clients.get_mut(&id) {
                    client.conversation.cleared();
                    changed.push_back(id);
                }
            }
            if changed.is_empty() {
                return;
            }
        }
    }

    fn run_effects(&mut self, id: SessionId, hub: &Hub) {
        loop {
            let Some(client) = self.clients.get_mut(&id) else { return };
            let effects = client.conversation.effects();
            if effects.is_empty() {
                break;
            }
            for effect in effects {
                self.run_effect(id, effect, hub);
            }
        }
        let Some(client) = self.clients.get_mut(&id) else { return };
        let is_blocked =
            client.outbox.bytes() > hub.limits.backlog || hub.backlog() > hub.limits.backlog_in_all;
        if is_blocked != client.is_blocked {
            client.is_blocked = is_blocked;
            self.pool.block(id, is_blocked);
        }
        self.set_wake(id);
    }

    fn run_effect(&mut self, id: SessionId, effect: Effect, hub: &Hub) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        match effect {
            Effect::Line(line) => {
                hub.metrics.sent(&line);
                client.outbox.line(line);
            }
            Effect::Last(_, line) => {
                hub.metrics.sent(&line);
                client.outbox.line(line);
            }
            Effect::Report(turn, line) => client.outbox.report(turn, line),
            Effect::Number => {
                client.outbox.number();
                if let Some(session) = client.conversation.queries() {
                    let name = session.name().to_owned();
                    client.name = Some(name.clone());
                    self.names.insert(name, id);
                }
            }
            Effect::Search(turns) => self.pool.search(id, turns, now()),
            Effect::Cancel(turn) => self.pool.cancel(id, turn),
            Effect::PonderHit(turn, at) => self.pool.ponderhit(id, turn, at),
            Effect::ClearTables => {
                if self.pool.clear(id) {
                    client.conversation.cleared();
                }
            }
            Effect::Quit => {
                let why =
                    if self.drain_deadline.is_some() { Close::GoingAway } else { Close::Done };
                client.outbox.close(why);
            }
        }
    }

    /// Updates when to wake a session.
    fn set_wake(&mut self, id: SessionId) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        let wake = [client.conversation.next_wake(), client.expires_at].into_iter().flatten().min();
        if wake != client.wake {
            if let Some(old) = client.wake {
                self.wakes.remove(&(old, id));
            }
            if let Some(new) = wake {
                self.wakes.insert((new, id));
            }
            client.wake = wake;
        }
    }
}

/// Returns 128 random bits in hexadecimal.
fn random_name() -> String {
    let mut bytes = [0; 16];
    // Without random numbers there is no name, so that nobody can guess one.
    if getrandom::fill(&mut bytes).is_err() {
        return String::new();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
