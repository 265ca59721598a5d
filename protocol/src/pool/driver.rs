//! [`Driver`]: sessions whose searches run in one pool. It hands effects to the pool and updates to
//! the sessions, until there are none left.

use std::collections::{BTreeSet, HashMap};

use tengen_engine::Instant;

use super::interface::{Effect, PoolSession, Update};
use super::queue::{Owner, SessionId};
use super::{EventSender, Pool, PoolSettings, SearchEvent};

/// The clients of the sessions of a [`Driver`], which get the replies.
pub trait Clients {
    /// Carries out an effect of `session` that is not for the pool: a line, a number or the end.
    fn effect(&mut self, id: SessionId, session: &dyn PoolSession, effect: Effect);

    /// Called before a session gets an update. Returns `false` to drop the update.
    fn update(&mut self, _update: &Update) -> bool {
        true
    }

    /// Returns whether the waiting searches of a session are held back, because its client is slow.
    fn is_blocked(&mut self, _id: SessionId) -> bool {
        false
    }

    /// Returns the current instant.
    fn now(&self) -> Instant {
        Instant::now()
    }
}

/// Sessions and their pool. Each call also handles all its consequences.
///
/// The caller passes in each event of the pool ([`Self::event`]), and calls [`Self::wake`] when
/// [`Self::next_wake`] says so. A thread with a channel waits for the next event until then.
pub struct Driver {
    pool: Pool,
    members: HashMap<SessionId, Member>,
    /// When to wake sessions.
    wakes: BTreeSet<(Instant, SessionId)>,
}

struct Member {
    session: Box<dyn PoolSession>,
    /// Its entry in [`Driver::wakes`].
    wake: Option<Instant>,
}

impl Driver {
    /// Returns a driver without sessions. The pool sends its events to `send_event`.
    pub fn new(settings: PoolSettings, send_event: EventSender) -> Self {
        let pool = Pool::new(settings, send_event);
        Self { pool, members: HashMap::new(), wakes: BTreeSet::new() }
    }

    /// Returns the pool.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Adds a session without a network, and returns its id.
    pub fn join(&mut self, session: Box<dyn PoolSession>, now: Instant) -> SessionId {
        self.join_of(Owner::LOCAL, session, now)
    }

    /// Adds a session of `owner`, and returns its id.
    pub fn join_of(
        &mut self,
        owner: Owner,
        session: Box<dyn PoolSession>,
        now: Instant,
    ) -> SessionId {
        let id = self.pool.join(owner, now);
        self.members.insert(id, Member { session, wake: None });
        id
    }

    /// Removes a session, and stops its searches.
    pub fn leave(&mut self, id: SessionId, clients: &mut dyn Clients) {
        if let Some(wake) = self.members.remove(&id).and_then(|member| member.wake) {
            self.wakes.remove(&(wake, id));
        }
        self.pool.leave(id);
        self.process(Vec::new(), clients);
    }

    /// Sets whether the client of a session is disconnected. Then infinite searches of the session
    /// are paused at once when other sessions wait.
    pub fn set_away(&mut self, id: SessionId, is_away: bool) {
        self.pool.queue.set_away(id, is_away);
    }

    /// Returns a session; `None` if it has left.
    pub fn session(&self, id: SessionId) -> Option<&dyn PoolSession> {
        self.members.get(&id).map(|member| &*member.session)
    }

    /// Replaces a session that has had no line yet.
    pub fn replace(&mut self, id: SessionId, session: Box<dyn PoolSession>) {
        if let Some(member) = self.members.get_mut(&id) {
            member.session = session;
        }
    }

    /// Passes `line`, received at `at`, to a session that may have `limit` positions in the queue.
    pub fn line(
        &mut self,
        id: SessionId,
        line: &str,
        at: Instant,
        limit: Option<usize>,
        clients: &mut dyn Clients,
    ) {
        let room = self.pool.room(id, limit);
        self.act(id, clients, |session| session.line(line, at, room));
    }

    /// Calls `act` with a session.
    pub fn act(
        &mut self,
        id: SessionId,
        clients: &mut dyn Clients,
        act: impl FnOnce(&mut dyn PoolSession),
    ) {
        if let Some(member) = self.members.get_mut(&id) {
            act(&mut *member.session);
        }
        self.process(vec![id], clients);
    }

    /// Calls `act` with each session.
    pub fn act_all(
        &mut self,
        clients: &mut dyn Clients,
        mut act: impl FnMut(&mut dyn PoolSession),
    ) {
        self.members.values_mut().for_each(|member| act(&mut *member.session));
        self.process(self.members.keys().copied().collect(), clients);
    }

    /// Handles an event of a search.
    pub fn event(&mut self, event: SearchEvent, clients: &mut dyn Clients) {
        let update = self.pool.event(event, clients.now());
        let mut changed = self.deliver(update, clients);
        // A free worker starts the next search before the reply is written.
        let started = self.pool.advance(clients.now());
        changed.extend(self.deliver(started, clients));
        self.process(changed, clients);
    }

    /// Returns when to call [`Self::wake`]; `None` for never.
    pub fn next_wake(&self, now: Instant) -> Option<Instant> {
        let session = self.wakes.first().map(|(at, _)| *at);
        [session, self.pool.queue.next_pause(now)].into_iter().flatten().min()
    }

    /// Handles everything that is due.
    pub fn wake(&mut self, clients: &mut dyn Clients) {
        let now = clients.now();
        let due = self.wakes.iter().take_while(|(at, _)| *at <= now);
        let due: Vec<SessionId> = due.map(|(_, id)| *id).collect();
        for id in &due {
            if let Some(member) = self.members.get_mut(id) {
                member.session.wake(now);
            }
        }
        self.process(due, clients);
    }

    /// Handles effects and updates until there are none left, beginning with the sessions `changed`.
    fn process(&mut self, mut changed: Vec<SessionId>, clients: &mut dyn Clients) {
        loop {
            for id in std::mem::take(&mut changed) {
                self.run_effects(id, clients);
            }
            let updates = self.pool.advance(clients.now());
            changed.extend(self.deliver(updates, clients));
            for id in self.pool.take_cleared() {
                if let Some(member) = self.members.get_mut(&id) {
                    member.session.cleared();
                    changed.push(id);
                }
            }
            if changed.is_empty() {
                return;
            }
        }
    }

    /// Passes news about searches to their sessions. Returns the sessions.
    fn deliver(
        &mut self,
        updates: impl IntoIterator<Item = Update>,
        clients: &mut dyn Clients,
    ) -> Vec<SessionId> {
        let mut changed = Vec::new();
        for update in updates {
            let id = update.session;
            if let Some(member) = self.members.get_mut(&id)
                && clients.update(&update)
            {
                member.session.update(update.turn, update.kind, clients.now());
                changed.push(id);
            }
        }
        changed
    }

    fn run_effects(&mut self, id: SessionId, clients: &mut dyn Clients) {
        let Some(Member { session, wake }) = self.members.get_mut(&id) else { return };
        loop {
            let effects = session.effects();
            if effects.is_empty() {
                break;
            }
            for effect in effects {
                match effect {
                    Effect::Search(turns) => self.pool.search(id, turns, clients.now()),
                    Effect::LookUp(turn, lookup) => {
                        self.pool.look_up(id, turn, lookup, clients.now());
                    }
                    Effect::Cancel(turn) => self.pool.cancel(id, turn),
                    Effect::PonderHit(turn, at) => self.pool.ponderhit(id, turn, at),
                    Effect::ClearTables if self.pool.clear(id) => session.cleared(),
                    Effect::ClearTables => {}
                    effect => clients.effect(id, &**session, effect),
                }
            }
        }
        self.pool.block(id, clients.is_blocked(id));
        let next = session.next_wake();
        if next != *wake {
            if let Some(old) = std::mem::replace(wake, next) {
                self.wakes.remove(&(old, id));
            }
            self.wakes.extend(next.map(|at| (at, id)));
        }
    }
}
