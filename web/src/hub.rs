//! [`Hub`]: the pool and the sessions of all clients. Every call does at once all that follows from it:
//! searches start, and lines are put into the outboxes.
//!
//! It decides who is let in, and when a session is woken or forgotten. It knows no connection: it hands out
//! an [`Outbox`] for each session and takes lines of clients.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tengen_protocol::analysis::pool::{Pool, PoolSettings, SearchEvent, Update, UpdateKind};
use tengen_protocol::analysis::queue::SessionId;
use tengen_protocol::analysis::session::{Effect, QuerySession, Room, Service, SessionIdentity};
use tengen_protocol::dialect::json::number::Id;
use tokio::sync::{Notify, mpsc};

use crate::limits::ServerLimits;
use crate::metrics::{Kind, Metrics};
use crate::outbox::{COALESCES, Close, Outbox};
use crate::talk::Talk;

/// The sessions and their pool.
pub(crate) struct Hub {
    state: Mutex<State>,
    /// Tells the loop that wakes have changed.
    wakes: Notify,
    pub(crate) metrics: Metrics,
    pub(crate) limits: ServerLimits,
    total: Arc<AtomicUsize>,
}

struct State {
    service: Service,
    pool: Pool,
    clients: HashMap<SessionId, Client>,
    names: HashMap<String, SessionId>,
    /// When a session wants to be woken, or is forgotten.
    wakes: BTreeSet<(Instant, SessionId)>,
    addresses: HashMap<IpAddr, usize>,
    drains: Option<Instant>,
    has_drained: bool,
}

struct Client {
    talk: Talk,
    /// Whether its first line is still to come.
    is_undecided: bool,
    outbox: Arc<Outbox>,
    address: IpAddr,
    kind: Kind,
    /// Its name, once it has said hello.
    name: Option<String>,
    /// When it is forgotten, while no connection has it.
    forgotten: Option<Instant>,
    is_blocked: bool,
    wake: Option<Instant>,
    /// Since when it has neither said anything nor had a query open.
    quiet_since: Instant,
}

/// A session as its connection sees it.
#[derive(Clone)]
pub(crate) struct Handle {
    pub(crate) id: SessionId,
    pub(crate) outbox: Arc<Outbox>,
    /// The number of the connection.
    pub(crate) connection: u64,
}

/// There are too many sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Full;

impl Hub {
    /// Returns a hub over a pool of its own, and the events of the pool's searches.
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
        // Nobody reads the last events of a server that is gone.
        let pool = Pool::new(settings, Arc::new(move |event| drop(send_event.send(event))));
        let state = State {
            service,
            pool,
            clients: HashMap::new(),
            names: HashMap::new(),
            wakes: BTreeSet::new(),
            addresses: HashMap::new(),
            drains: None,
            has_drained: false,
        };
        let hub = Self {
            state: Mutex::new(state),
            wakes: Notify::new(),
            metrics: Metrics::default(),
            limits,
            total: Arc::default(),
        };
        (Arc::new(hub), events)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a session for a client at this address.
    pub(crate) fn open(&self, address: IpAddr, kind: Kind) -> Result<Handle, Full> {
        let mut state = self.lock();
        state.admit(address, &self.limits)?;
        let now = now();
        let id = state.pool.join(now);
        let name = SessionIdentity { session: random_name(), kept: self.limits.resume };
        let outbox = Arc::new(Outbox::keeping(self.limits.resume_bytes, &self.total));
        let client = Client {
            talk: Talk::Queries(Box::new(QuerySession::new(state.service, name))),
            is_undecided: kind == Kind::Tcp,
            outbox: Arc::clone(&outbox),
            address,
            kind,
            name: None,
            forgotten: None,
            is_blocked: false,
            wake: None,
            quiet_since: now,
        };
        state.clients.insert(id, client);
        self.metrics.opened(kind);
        let connection = outbox.attach();
        Ok(Handle { id, outbox, connection })
    }

    /// Handles a line of a client.
    pub(crate) fn line(&self, id: SessionId, line: &str) {
        let most = self.limits.queue;
        let service = self.lock().service;
        self.with(id, |client, pool| {
            let now = now();
            client.quiet_since = now;
            client.decide(line, service);
            client.talk.line(line, now, pool.room(id, Some(most)));
        });
    }

    /// Handles a line of a client that was too long.
    pub(crate) fn overlong_line(&self, id: SessionId, beginning: &str) {
        let service = self.lock().service;
        self.with(id, |client, _| {
            client.decide(beginning, service);
            client.talk.overlong_line(beginning, now());
        });
    }

    /// Lets a session end once its queries have ended.
    pub(crate) fn leave_when_done(&self, id: SessionId) {
        self.with(id, |client, _| client.talk.leave_when_done());
    }

    /// The client sends no more over its connection: what waits is still searched.
    pub(crate) fn end_of_input(&self, handle: &Handle) {
        // The end of a connection that another one has replaced ends nothing.
        if handle.outbox.is_current(handle.connection) {
            self.with(handle.id, |client, _| client.talk.end_of_input(now()));
        }
    }

    /// Handles that everything that waited for a client was sent.
    pub(crate) fn drained(&self, id: SessionId) {
        let is_blocked = self.lock().clients.get(&id).is_some_and(|client| client.is_blocked);
        if is_blocked {
            self.with(id, |_, _| ());
        }
    }

    /// Does something with a session, and all that follows.
    fn with(&self, id: SessionId, act: impl FnOnce(&mut Client, &mut Pool)) {
        let mut state = self.lock();
        let State { clients, pool, .. } = &mut *state;
        if let Some(client) = clients.get_mut(&id) {
            act(client, pool);
            state.settle(Some(id), self);
        }
        drop(state);
        self.wakes.notify_one();
    }

    /// Reads an event of a search.
    pub(crate) fn event(&self, event: SearchEvent) {
        let mut state = self.lock();
        let update = state.pool.event(event, now());
        let heard = update.and_then(|update| state.hear(update, self));
        state.settle(heard, self);
    }

    /// Lets a connection take over the session of this name, and sends again what came after the
    /// message of this number. `None` where there is no such session, or a message is lost.
    pub(crate) fn resume(&self, name: &str, last_seq: u64, hello: Id) -> Option<Handle> {
        let mut state = self.lock();
        let State { names, clients, pool, .. } = &mut *state;
        let id = *names.get(name)?;
        let client = clients.get_mut(&id)?;
        if !client.outbox.keeps_after(last_seq) {
            return None;
        }
        let connection = client.outbox.attach();
        client.outbox.send_again(last_seq);
        client.forgotten = None;
        pool.set_away(id, false);
        client.quiet_since = now();
        if let Some(session) = client.talk.queries() {
            session.hello(hello, true);
        }
        let outbox = Arc::clone(&client.outbox);
        state.settle(Some(id), self);
        drop(state);
        self.wakes.notify_one();
        Some(Handle { id, outbox, connection })
    }

    /// Handles the end of a connection. A session with a name is kept for a while.
    pub(crate) fn detach(&self, handle: &Handle) {
        let mut state = self.lock();
        let is_current = handle.outbox.is_current(handle.connection);
        let Some(client) = state.clients.get_mut(&handle.id).filter(|_| is_current) else { return };
        if client.name.is_some() && !client.talk.is_over() {
            let until = now() + self.limits.resume;
            client.forgotten = Some(until);
            state.pool.set_away(handle.id, true);
            state.settle(Some(handle.id), self);
            drop(state);
            return self.wakes.notify_one();
        }
        state.forget(handle.id, self);
        state.settle(None, self);
    }

    /// Returns for how long a client has been silent without a query.
    pub(crate) fn quiet_for(&self, id: SessionId) -> Duration {
        let state = self.lock();
        let client = state.clients.get(&id);
        client.map_or(Duration::ZERO, |client| match client.talk.is_busy() {
            true => Duration::ZERO,
            false => now().saturating_duration_since(client.quiet_since),
        })
    }

    /// Tells all clients that the server goes down, and gives searches so long.
    pub(crate) fn drain(&self, grace: Duration) {
        let mut state = self.lock();
        if state.drains.is_some() {
            return;
        }
        state.drains = Some(now() + grace);
        let ids: Vec<SessionId> = state.clients.keys().copied().collect();
        for id in ids {
            if let Some(client) = state.clients.get_mut(&id) {
                client.talk.drain(grace, now());
            }
            state.settle(Some(id), self);
        }
        drop(state);
        self.wakes.notify_one();
    }

    /// Returns version, limits and variants as a line.
    pub(crate) fn version(&self) -> String {
        let service = self.lock().service;
        let name = SessionIdentity { session: String::new(), kept: Duration::ZERO };
        let mut session = QuerySession::new(service, name);
        session.line("{\"id\":\"version\",\"action\":\"query_version\"}", now(), Room::ENOUGH);
        let lines = session.effects().into_iter().filter_map(|effect| match effect {
            Effect::Line(line) => Some(line),
            _ => None,
        });
        lines.collect()
    }

    /// Returns whether the server goes down.
    pub(crate) fn is_draining(&self) -> bool {
        self.lock().drains.is_some()
    }

    /// Returns whether the server takes more work.
    pub(crate) fn is_ready(&self) -> bool {
        let state = self.lock();
        state.drains.is_none() && state.pool.waiting() < self.limits.queue_in_all
    }

    /// Returns whether every session has ended, after the server began to go down.
    pub(crate) fn is_empty(&self) -> bool {
        let state = self.lock();
        state.clients.values().all(|client| client.forgotten.is_some())
    }

    /// Returns how many positions wait, and how many threads search.
    pub(crate) fn figures(&self) -> (usize, usize) {
        let state = self.lock();
        (state.pool.waiting(), state.pool.threads())
    }

    /// Returns how many bytes wait for all clients.
    pub(crate) fn backlog(&self) -> usize {
        self.total.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Does what is due, and returns when something is due again.
    fn tick(&self) -> Option<Instant> {
        let mut state = self.lock();
        let now = now();
        let due: Vec<(Instant, SessionId)> =
            state.wakes.iter().take_while(|(at, _)| *at <= now).copied().collect();
        for (at, id) in due {
            state.wakes.remove(&(at, id));
            let Some(client) = state.clients.get_mut(&id) else { continue };
            client.wake = None;
            if client.forgotten.is_some_and(|until| until <= now) {
                state.forget(id, self);
                state.settle(None, self);
                continue;
            }
            client.talk.wake(now);
            state.settle(Some(id), self);
        }
        if state.drains.is_some_and(|at| at <= now)
            && !std::mem::replace(&mut state.has_drained, true)
        {
            let ids: Vec<SessionId> = state.clients.keys().copied().collect();
            for id in ids {
                if let Some(client) = state.clients.get_mut(&id) {
                    client.talk.end_drain(now);
                }
                state.settle(Some(id), self);
            }
        }
        state.settle(None, self);
        let drains = state.drains.filter(|_| !state.has_drained);
        let own = state.wakes.first().map(|(at, _)| *at);
        [own, state.pool.next_wake(now), drains].into_iter().flatten().min()
    }

    /// Reads events and does what is due, for ever.
    pub(crate) async fn run(self: Arc<Self>, mut events: mpsc::UnboundedReceiver<SearchEvent>) {
        loop {
            let wake = self.tick();
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) => self.event(event),
                    None => return,
                },
                () = self.wakes.notified() => {}
                () = until(wake) => {}
            }
        }
    }
}

impl Client {
    /// Finds out by a client's first line whether it speaks in queries or in commands.
    fn decide(&mut self, line: &str, service: Service) {
        if !self.is_undecided || line.trim_ascii().is_empty() {
            return;
        }
        match Talk::in_commands(line, service) {
            Some(Ok(talk)) => self.talk = talk,
            Some(Err(error)) => tracing::error!(%error, "a game cannot be described"),
            None => {}
        }
        // A comment decides nothing.
        self.is_undecided = line.trim_ascii_start().starts_with('#');
    }
}

/// Returns the instant on the clock of the timers, which tests may set.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

impl State {
    /// Counts a session of this address, where there may be one more.
    fn admit(&mut self, address: IpAddr, limits: &ServerLimits) -> Result<(), Full> {
        let own = self.addresses.get(&address).copied().unwrap_or_default();
        let is_crowded = own >= limits.sessions_per_address && !address.is_loopback();
        if self.clients.len() >= limits.sessions || is_crowded {
            return Err(Full);
        }
        *self.addresses.entry(address).or_default() += 1;
        Ok(())
    }

    fn release(&mut self, address: IpAddr) {
        if let Some(count) = self.addresses.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                self.addresses.remove(&address);
            }
        }
    }

    /// Forgets a session; its searches are stopped.
    fn forget(&mut self, id: SessionId, hub: &Hub) {
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

    /// Passes news of a search on to its session, and returns which.
    fn hear(&mut self, update: Update, hub: &Hub) -> Option<SessionId> {
        let Update { session, turn, kind } = update;
        let client = self.clients.get_mut(&session)?;
        let now = now();
        client.quiet_since = now;
        match &kind {
            UpdateKind::Started(waited) => hub.metrics.waited(*waited),
            UpdateKind::Finished(result) => {
                if let Ok(found) = &**result {
                    hub.metrics.searched(found.answer.report.time, found.answer.report.nodes);
                }
            }
            // Reports that were not read in time are not worth keeping.
            UpdateKind::Forwarded(_) if client.outbox.bytes() > COALESCES => return None,
            _ => {}
        }
        client.talk.update(turn, kind, now);
        Some(session)
    }

    /// Does what follows, until nothing more does.
    fn settle(&mut self, first: Option<SessionId>, hub: &Hub) {
        let mut touched: VecDeque<SessionId> = first.into_iter().collect();
        loop {
            while let Some(id) = touched.pop_front() {
                self.carry_out(id, hub);
            }
            for update in self.pool.advance(now()) {
                touched.extend(self.hear(update, hub));
            }
            for id in self.pool.take_cleared() {
                if let Some(client) = self.clients.get_mut(&id) {
                    client.talk.cleared();
                    touched.push_back(id);
                }
            }
            if touched.is_empty() {
                return;
            }
        }
    }

    fn carry_out(&mut self, id: SessionId, hub: &Hub) {
        loop {
            let Some(client) = self.clients.get_mut(&id) else { return };
            let effects = client.talk.effects();
            if effects.is_empty() {
                break;
            }
            for effect in effects {
                self.act(id, effect, hub);
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

    fn act(&mut self, id: SessionId, effect: Effect, hub: &Hub) {
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
                if let Some(session) = client.talk.queries() {
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
                    client.talk.cleared();
                }
            }
            Effect::Quit => {
                let why = if self.drains.is_some() { Close::GoingAway } else { Close::Done };
                client.outbox.close(why);
            }
        }
    }

    /// Notes when a session is to be woken.
    fn set_wake(&mut self, id: SessionId) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        let wake = [client.talk.next_wake(), client.forgotten].into_iter().flatten().min();
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
    // A system without random numbers has no sessions that others could guess.
    if getrandom::fill(&mut bytes).is_err() {
        return String::new();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
