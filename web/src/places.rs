//! [`Places`]: the connections, and which of them are closed when too many have no session.
//!
//! A new connection is always accepted, so that a client can show its token. If there are too many
//! idle connections, one of them is closed. Connections without the token are closed first. Among
//! them, those of the address with the most idle connections are closed first, and among these, the
//! one that has been idle longest.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

/// All connections.
pub(crate) struct Places {
    state: Mutex<State>,
    /// The maximum number of connections without a session.
    max_idle: usize,
}

#[derive(Default)]
struct State {
    connections: HashMap<u64, Entry>,
    /// The number of the last connection.
    last: u64,
    /// Counts what connections do, as the time of [`Entry::used_at`].
    clock: u64,
}

struct Entry {
    address: IpAddr,
    has_token: bool,
    /// How many sessions it has.
    sessions: usize,
    used_at: u64,
    close: Arc<Notify>,
    is_closing: bool,
}

impl Entry {
    fn is_idle(&self) -> bool {
        self.sessions == 0 && !self.is_closing
    }
}

/// The place of a connection. Dropping it ends the connection.
pub(crate) struct ConnectionPlace {
    places: Arc<Places>,
    number: u64,
    close: Arc<Notify>,
}

impl Places {
    pub(crate) fn new(max_idle: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), max_idle })
    }

    /// Adds a connection of `address`.
    pub(crate) fn enter(self: &Arc<Self>, address: IpAddr) -> ConnectionPlace {
        let (mut state, close) = (self.state.lock(), Arc::<Notify>::default());
        state.last += 1;
        state.clock += 1;
        let (number, used_at) = (state.last, state.clock);
        let entry = Entry {
            address,
            has_token: false,
            sessions: 0,
            used_at,
            close: Arc::clone(&close),
            is_closing: false,
        };
        state.connections.insert(number, entry);
        state.close_surplus(self.max_idle);
        drop(state);
        ConnectionPlace { places: Arc::clone(self), number, close }
    }

    /// Returns how many connections there are.
    pub(crate) fn count(&self) -> usize {
        self.state.lock().connections.len()
    }
}

impl ConnectionPlace {
    fn change(&self, change: impl FnOnce(&mut Entry)) {
        let mut state = self.places.state.lock();
        state.clock += 1;
        let used_at = state.clock;
        if let Some(entry) = state.connections.get_mut(&self.number) {
            entry.used_at = used_at;
            change(entry);
        }
        state.close_surplus(self.places.max_idle);
    }

    /// Records that the client sent a request.
    pub(crate) fn used(&self) {
        self.change(|_| ());
    }

    /// Records that the client showed the token.
    pub(crate) fn token_shown(&self) {
        self.change(|entry| entry.has_token = true);
    }

    pub(crate) fn session_opened(&self) {
        self.change(|entry| entry.sessions += 1);
    }

    pub(crate) fn session_closed(&self) {
        self.change(|entry| entry.sessions -= 1);
    }

    /// Waits until the connection must close for another one.
    pub(crate) async fn must_close(&self) {
        self.close.notified().await;
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.places.state.lock().connections.remove(&self.number);
    }
}

impl State {
    /// Closes idle connections until there are at most `max`. The newest one stays.
    fn close_surplus(&mut self, max: usize) {
        let idle = self.connections.values().filter(|entry| entry.is_idle()).count();
        for _ in max..idle {
            let mut counts = HashMap::<IpAddr, usize>::new();
            for entry in self.connections.values().filter(|entry| entry.is_idle()) {
                *counts.entry(entry.address).or_default() += 1;
            }
            let newest = self.clock;
            let others = self.connections.values_mut();
            let others = others.filter(|entry| entry.is_idle() && entry.used_at < newest);
            let Some(surplus) = others.min_by_key(|entry| {
                (entry.has_token, Reverse(counts.get(&entry.address).copied()), entry.used_at)
            }) else {
                return;
            };
            surplus.is_closing = true;
            surplus.close.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use super::*;

    const NEAR: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const FAR: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

    async fn closing(places: &[ConnectionPlace]) -> Vec<usize> {
        let mut closing = Vec::new();
        for (index, place) in places.iter().enumerate() {
            if tokio::time::timeout(Duration::ZERO, place.must_close()).await.is_ok() {
                closing.push(index);
            }
        }
        closing
    }

    #[tokio::test]
    async fn the_connection_that_is_idle_longest_makes_room() {
        let places = Places::new(2);
        let mut all: Vec<ConnectionPlace> = (0..3).map(|_| places.enter(NEAR)).collect();
        assert_eq!(closing(&all).await, [0]);
        all[1].used();
        all.push(places.enter(NEAR));
        assert_eq!(closing(&all).await, [2]);
        // One with a session or with a token stays.
        all[1].session_opened();
        all[3].token_shown();
        all.push(places.enter(NEAR));
        assert_eq!(closing(&all).await, Vec::<usize>::new());
        all.push(places.enter(NEAR));
        assert_eq!(closing(&all).await, [4]);
        all[1].session_closed();
        assert_eq!(closing(&all).await, [5]);
        assert_eq!(places.count(), 6);
        drop(all);
        assert_eq!(places.count(), 0);
    }

    #[tokio::test]
    async fn the_address_with_most_idle_connections_makes_room() {
        let places = Places::new(3);
        let mut all = vec![places.enter(NEAR)];
        all.extend((0..3).map(|_| places.enter(FAR)));
        assert_eq!(closing(&all).await, [1]);
        // The newest one stays, even if all others have shown the token.
        all.iter().for_each(ConnectionPlace::token_shown);
        all.push(places.enter(FAR));
        assert_eq!(closing(&all).await, [2]);
    }
}
