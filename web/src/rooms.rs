//! [`Rooms`]: the rooms of a server, in which two people play by links. It attaches the games of
//! [`state`] to sessions. [`store`] writes each change before a session gets it.
//!
//! A room has three secrets of 128 bits: of each player, and of people who look on. Only their SHA-256 is kept,
//! and a secret is looked up by it, so that the time of a refusal tells nothing.

mod links;
mod room;
mod state;
mod store;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tengen_engine::backend::Catalog;
use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::dialect::json::query::Query;
use tengen_protocol::dialect::json::read::{self, ReadQuery};
use tengen_protocol::dialect::json::{Code, Problem};
use tengen_protocol::pool::queue::SessionId;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

pub use self::links::qr_code;
use self::state::{Letter, State, key};
use self::store::{RoomRecord, Store, system_time};
use crate::hub::{Hub, error_line};

/// The time between two signs of a server that keeps clocks.
const BEAT: Duration = Duration::from_millis(250);
/// The rooms of a server.
pub(crate) struct Rooms {
    state: Mutex<State>,
    /// Taken by [`run`](Self::run).
    store: Mutex<Option<Store>>,
    wakes: Notify,
    hub: Arc<Hub>,
}

/// What [`Rooms::line`] did with a line.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Handled {
    /// It is not about rooms.
    Other,
    Done,
    /// The secret opens no room: the reply, which comes late.
    Wrong(String),
}

/// Returns the query in a line and the fields that it does not use, if it is about rooms.
fn room_query(line: &str) -> Option<ReadQuery> {
    // Most lines are not about rooms. Only the session parses those.
    if !line.contains("room") {
        return None;
    }
    let read = read::query(line, 1).ok()?;
    matches!(read.query, Query::MakeRoom(_) | Query::JoinRoom(_) | Query::RoomAct(_))
        .then_some(read)
}

fn wrong_secret(id: Id) -> String {
    error_line(Some(id), Problem::with(Code::Forbidden, "room", "no such room"))
}

impl Rooms {
    /// Opens the rooms that are kept in `folder`. `addresses` are those of the server that other machines reach,
    /// as `http://192.0.2.1:7878`.
    pub(crate) fn open(
        folder: &Path,
        hub: Arc<Hub>,
        catalog: &'static dyn Catalog,
        addresses: Vec<String>,
    ) -> Result<Arc<Self>, tengen_runs::Error> {
        let (store, records, seen) = Store::open(folder)?;
        let time = system_time().max(seen);
        let mut state = State::new(catalog, hub.limits, addresses, time);
        state.restore(records);
        if state.runs() {
            state.stand_still(seen, time);
            state.records.push(RoomRecord::Down { from: seen, to: time });
        }
        let (state, store, wakes) = (Mutex::new(state), Mutex::new(Some(store)), Notify::new());
        Ok(Arc::new(Self { state, store, wakes, hub }))
    }

    /// Returns whether a secret opens a room.
    pub(crate) fn knows(&self, secret: &str) -> bool {
        self.state.lock().keys.contains_key(&key(secret))
    }

    /// Handles a line of a session, if it is about rooms. `may_make`: whether the client may make a room.
    pub(crate) fn line(&self, session: SessionId, line: &str, may_make: bool) -> Handled {
        let Some(ReadQuery { query, unused }) = room_query(line) else { return Handled::Other };
        let id = query.head().id.clone();
        let mut state = self.state.lock();
        let before = state.letters.len();
        let done = match query {
            Query::MakeRoom(_) if !may_make => {
                let why = "make_room: the link of a room allows its game only";
                Err(Problem::with(Code::Forbidden, "action", why))
            }
            Query::MakeRoom(query) => state.make(session, query),
            Query::JoinRoom(query) => state.join(session, &id, query.own.room.as_str()),
            Query::RoomAct(query) => state.act(session, &id, &query.own),
            _ => Ok(Some(())),
        };
        if matches!(done, Ok(Some(()))) {
            let replies = state.letters.split_off(before);
            unused.into_iter().for_each(|field| state.warn(session, &id, field));
            state.letters.extend(replies);
        }
        drop(state);
        self.wakes.notify_one();
        match done {
            Ok(Some(())) => return Handled::Done,
            Ok(None) => return Handled::Wrong(wrong_secret(id)),
            Err(problem) => self.hub.send(session, error_line(Some(id), problem)),
        };
        Handled::Done
    }

    /// Notes that a session has lost its connection, or has a new one.
    pub(crate) fn set_connected(&self, session: SessionId, is_connected: bool) {
        let mut state = self.state.lock();
        let Some(guest) = state.guests.get_mut(&session) else { return };
        if guest.is_connected != is_connected {
            guest.is_connected = is_connected;
            let room = guest.room;
            state.tell(room);
            drop(state);
            self.wakes.notify_one();
        }
    }

    /// Ends [`run`](Self::run) when all changes are written.
    pub(crate) fn close(&self) {
        self.state.lock().is_closed = true;
        self.wakes.notify_one();
    }

    /// Writes changes and sends messages, until [`close`](Self::close).
    pub(crate) async fn run(self: Arc<Self>) {
        let Some(mut store) = self.store.lock().take() else { return };
        loop {
            let (records, letters, wake) = self.state.lock().take_work();
            if !records.is_empty() {
                let written = spawn_blocking(move || {
                    let written = store.append(&records);
                    (store, written)
                });
                // The task ends only with the server.
                let Ok((back, written)) = written.await else { return };
                store = back;
                if let Err(error) = written {
                    self.take_back(&store, &letters, &error);
                    // What is due is due again at once.
                    tokio::time::sleep(BEAT).await;
                    continue;
                }
            }
            let sent = !letters.is_empty();
            self.send(letters);
            let runs = self.state.lock().runs();
            if runs {
                store.beat(self.state.lock().now());
            }
            if self.state.lock().has_many_ended() {
                self.forget_ended(&mut store);
            }
            if sent {
                continue;
            }
            if self.state.lock().is_closed {
                return;
            }
            let beat = Instant::now() + BEAT;
            let wake = if runs { Some(wake.map_or(beat, |wake| wake.min(beat))) } else { wake };
            tokio::select! {
                () = self.wakes.notified() => {}
                () = async {
                    match wake {
                        Some(wake) => sleep_until(wake).await,
                        None => std::future::pending().await,
                    }
                } => {}
            }
        }
    }

    fn send(&self, letters: Vec<Letter>) {
        let is_gone = |letter: &Letter| !self.hub.send(letter.session, letter.line.clone());
        let gone: Vec<SessionId> =
            letters.iter().filter(|letter| is_gone(letter)).map(|letter| letter.session).collect();
        if !gone.is_empty() {
            let mut state = self.state.lock();
            gone.into_iter().for_each(|session| state.leave(session));
        }
    }

    /// Goes back to what is in the file, after a change that could not be written.
    fn take_back(&self, store: &Store, letters: &[Letter], error: &tengen_runs::Error) {
        tracing::error!(%error, "a change of a room is not written");
        for letter in letters {
            if let Some(id) = &letter.answers {
                let problem =
                    Problem::new(Code::Internal, "the server cannot keep this: try again");
                self.hub.send(letter.session, error_line(Some(id.clone()), problem));
            }
        }
        let records = match store.records() {
            Ok(records) => records,
            Err(error) => {
                tracing::error!(%error, "the file of the rooms cannot be read");
                return;
            }
        };
        let mut state = self.state.lock();
        state.records.clear();
        state.letters.clear();
        state.restore(records);
        let rooms: Vec<u64> = state.rooms.keys().copied().collect();
        rooms.into_iter().for_each(|room| state.tell(room));
    }

    fn forget_ended(&self, store: &mut Store) {
        let now = self.state.lock().now();
        let forgotten = store.records().and_then(|records| store.forget_ended(records, now));
        if let Err(error) = forgotten {
            tracing::warn!(%error, "the file of the rooms keeps rooms that have ended");
        }
        self.state.lock().ended_records = 0;
    }
}
