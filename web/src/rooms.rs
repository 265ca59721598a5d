//! [`Rooms`]: the rooms of a server, in which two people play by links. It attaches the games of
//! [`room`] to sessions, and writes each change with [`store`] before anybody hears of it.
//!
//! A room has three secrets of 128 bits: of each player, and of people who look on. Only their SHA-256 is kept,
//! and a secret is looked up by it, so that the time of a refusal tells nothing.

mod links;
mod room;
mod store;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use data_encoding::HEXLOWER;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tengen_engine::backend::Catalog;
use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::dialect::json::query::{MakeRoom, Query};
use tengen_protocol::dialect::json::read::{self, ReadQuery};
use tengen_protocol::dialect::json::reply::{Reply, Warning, WarningCode};
use tengen_protocol::dialect::json::rooms::{
    RoomActFields, RoomMade, RoomReply, RoomTerms, RoomVerb,
};
use tengen_protocol::dialect::json::{Code, Problem};
use tengen_protocol::pool::queue::SessionId;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

pub use self::links::qr_code;
use self::room::{Deed, Room, Seat};
use self::store::{RoomRecord, Store, system_time};
use crate::access::random_secret;
use crate::hub::{Hub, error_line};

/// The time between two signs of a server that keeps clocks.
const BEAT: Duration = Duration::from_millis(250);
/// The maximum number of connections of one player.
const CONNECTIONS_OF_PLAYER: usize = 8;
/// When so many records of ended rooms are in the file, they are removed.
const MAX_ENDED_RECORDS: usize = 20_000;

/// The SHA-256 of a secret, in hexadecimal.
type Key = String;

/// Whose secret it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Player(Seat),
    Watcher,
}

impl Role {
    /// The roles in the order of a room's keys.
    const ALL: [Self; 3] = [Self::Player(0), Self::Player(1), Self::Watcher];

    const fn seat(self) -> Option<Seat> {
        match self {
            Self::Player(seat) => Some(seat),
            Self::Watcher => None,
        }
    }
}

/// The rooms of a server.
pub(crate) struct Rooms {
    state: Mutex<State>,
    /// Taken by [`run`](Self::run).
    store: Mutex<Option<Store>>,
    wakes: Notify,
    hub: Arc<Hub>,
    /// The addresses of the server that other machines reach, as `http://192.0.2.1:7878`.
    addresses: Vec<String>,
}

struct State {
    catalog: &'static dyn Catalog,
    rooms: HashMap<u64, OpenRoom>,
    keys: HashMap<Key, (u64, Role)>,
    guests: HashMap<SessionId, Guest>,
    next: u64,
    /// What is written next.
    records: Vec<RoomRecord>,
    /// What is sent when all records are written.
    letters: Vec<Letter>,
    /// How many records in the file belong to rooms that have ended.
    ended_records: usize,
    is_closed: bool,
    /// A time of the system, and the instant for it. The clock never goes back.
    clock: (u64, Instant),
}

struct OpenRoom {
    room: Room,
    keys: [Key; 3],
    records: usize,
}

/// A session that has joined a room.
struct Guest {
    room: u64,
    role: Role,
    /// The query.
    id: Id,
    is_connected: bool,
}

/// A line to a session.
struct Letter {
    session: SessionId,
    line: String,
    /// The query, if this is its only answer: it gets an error if the change cannot be written.
    answers: Option<Id>,
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

fn key(secret: &str) -> Key {
    HEXLOWER.encode(&Sha256::digest(secret.as_bytes()))
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
    /// Opens the rooms that are kept in `folder`.
    pub(crate) fn open(
        folder: &Path,
        hub: Arc<Hub>,
        catalog: &'static dyn Catalog,
        addresses: Vec<String>,
    ) -> Result<Arc<Self>, tengen_runs::Error> {
        let (store, records, seen) = Store::open(folder)?;
        let time = system_time().max(seen);
        let mut state = State {
            catalog,
            rooms: HashMap::new(),
            keys: HashMap::new(),
            guests: HashMap::new(),
            next: 0,
            records: Vec::new(),
            letters: Vec::new(),
            ended_records: 0,
            is_closed: false,
            clock: (time, Instant::now()),
        };
        state.restore(records);
        if state.runs() {
            state.stand_still(seen, time);
            state.records.push(RoomRecord::Down { from: seen, to: time });
        }
        let (state, store, wakes) = (Mutex::new(state), Mutex::new(Some(store)), Notify::new());
        Ok(Arc::new(Self { state, store, wakes, hub, addresses }))
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
            Query::MakeRoom(query) => state.make(session, query, self),
            Query::JoinRoom(query) => state.join(session, &id, query.own.room.as_str(), self),
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

impl State {
    /// Returns the time in milliseconds since 1970.
    fn now(&self) -> u64 {
        let (time, instant) = self.clock;
        time + u64::try_from(instant.elapsed().as_millis()).unwrap_or_default()
    }

    /// Returns whether the clock of a room runs.
    fn runs(&self) -> bool {
        self.rooms.values().any(|open| open.room.runs())
    }

    const fn has_many_ended(&self) -> bool {
        self.ended_records > MAX_ENDED_RECORDS
    }

    fn stand_still(&mut self, from: u64, to: u64) {
        self.rooms.values_mut().for_each(|open| open.room.stand_still(from, to));
    }

    /// Makes the rooms of `records` from their beginning.
    fn restore(&mut self, records: Vec<RoomRecord>) {
        self.rooms.clear();
        self.keys.clear();
        for record in records {
            match record {
                RoomRecord::Made { room, at, terms, keys } => {
                    self.next = self.next.max(room + 1);
                    match Room::new(self.catalog, terms, at) {
                        Ok(made) => self.add(room, made, keys),
                        Err(error) => tracing::warn!(error = error.message, "a room is left out"),
                    }
                }
                RoomRecord::Did { room, at, by, deed } => {
                    let Some(open) = self.rooms.get_mut(&room) else { continue };
                    open.records += 1;
                    if let Err(error) = open.room.carry_out(by, &deed, at) {
                        tracing::warn!(error = error.message, "a room is left out");
                        self.remove(room);
                    }
                }
                RoomRecord::Down { from, to } => self.stand_still(from, to),
            }
        }
    }

    fn add(&mut self, number: u64, room: Room, keys: [Key; 3]) {
        for (key, role) in keys.iter().zip(Role::ALL) {
            self.keys.insert(key.clone(), (number, role));
        }
        self.rooms.insert(number, OpenRoom { room, keys, records: 1 });
    }

    fn remove(&mut self, number: u64) {
        let Some(open) = self.rooms.remove(&number) else { return };
        for key in &open.keys {
            self.keys.remove(key);
        }
        self.guests.retain(|_, guest| guest.room != number);
        self.ended_records += open.records;
    }

    /// Lets fallen clocks end their games and ends old rooms. Returns what to write, what to send then, and when
    /// to call this again.
    fn take_work(&mut self) -> (Vec<RoomRecord>, Vec<Letter>, Option<Instant>) {
        let now = self.now();
        let fallen = |open: &OpenRoom| open.room.falls().filter(|(_, time)| *time <= now);
        let fallen: Vec<(u64, Seat)> = self
            .rooms
            .iter()
            .filter_map(|(number, open)| Some((*number, fallen(open)?.0)))
            .collect();
        for (number, seat) in fallen {
            if let Err(error) = self.carry_out(number, seat, Deed::Fall) {
                tracing::error!(error = error.message, "a clock of a room does not fall");
            }
        }
        let ended: Vec<u64> =
            self.rooms.iter().filter(|(_, open)| open.room.ends() <= now).map(|it| *it.0).collect();
        for number in ended {
            self.tell(number);
            self.remove(number);
        }
        let next = self
            .rooms
            .values()
            .flat_map(|open| [Some(open.room.ends()), open.room.falls().map(|(_, time)| time)]);
        let (time, instant) = self.clock;
        let next = next.flatten().filter(|at| *at > now).min();
        // What was refused is tried again with the next beat.
        let next = next.map(|at| instant + Duration::from_millis(at - time.min(at)));
        (std::mem::take(&mut self.records), std::mem::take(&mut self.letters), next)
    }

    fn make(
        &mut self,
        session: SessionId,
        query: MakeRoom,
        rooms: &Rooms,
    ) -> Result<Option<()>, Problem> {
        if self.rooms.len() >= rooms.hub.limits.rooms {
            return Err(Problem::new(Code::TooMany, "too many rooms: they end after a day"));
        }
        let page = query.own.page.map(|page| links::page(page.as_str(), &rooms.addresses));
        let page = page.transpose()?;
        let at = self.now();
        let terms: RoomTerms = query.terms;
        let made = Room::new(self.catalog, terms.clone(), at)?;
        let none = || Problem::new(Code::Internal, "the system has no random numbers");
        let mut secrets = Vec::new();
        for _ in Role::ALL {
            secrets.push(random_secret().ok_or_else(none)?);
        }
        let Ok([own, friend, watch]) = <[String; 3]>::try_from(secrets) else { return Err(none()) };
        let keys = [&own, &friend, &watch].map(|secret| key(secret));
        let room = self.next;
        self.next += 1;
        self.add(room, made, keys.clone());
        self.records.push(RoomRecord::Made { room, at, terms, keys });
        let code = page.as_ref().and_then(|page| qr_code(&format!("{page}#room={friend}")));
        let text = |row: &Vec<bool>| row.iter().map(|dark| if *dark { '1' } else { '0' }).collect();
        let qr = code.map(|code| code.iter().map(text).collect());
        let id = query.head.id;
        let reply = RoomMade { id: id.clone(), own, friend, watch, page, qr };
        self.letter(session, &Reply::RoomMade(reply), Some(id));
        Ok(Some(()))
    }

    fn join(
        &mut self,
        session: SessionId,
        id: &Id,
        secret: &str,
        rooms: &Rooms,
    ) -> Result<Option<()>, Problem> {
        let Some((room, role)) = self.keys.get(&key(secret)).copied() else { return Ok(None) };
        let most = match role {
            Role::Player(_) => CONNECTIONS_OF_PLAYER,
            Role::Watcher => rooms.hub.limits.watchers,
        };
        let is_like = |(known, guest): (&SessionId, &Guest)| {
            let is_same = (guest.room, guest.role) == (room, role);
            *known != session && guest.is_connected && is_same
        };
        if self.guests.iter().filter(|it| is_like(*it)).count() >= most {
            return Err(Problem::new(Code::TooMany, "too many connections to this room"));
        }
        let before =
            self.guests.insert(session, Guest { room, role, id: id.clone(), is_connected: true });
        match before {
            Some(before) if before.id != *id => self.dismiss(session, before),
            Some(before) if before.room != room => self.tell(before.room),
            _ => {}
        }
        let is_first = |open: &OpenRoom| role == Role::Player(1) && !open.room.has_met();
        match self.rooms.get(&room).is_some_and(is_first) {
            true => self.carry_out(room, 1, Deed::Meet)?,
            false => self.tell(room),
        }
        Ok(Some(()))
    }

    fn act(
        &mut self,
        session: SessionId,
        id: &Id,
        own: &RoomActFields,
    ) -> Result<Option<()>, Problem> {
        let Some((room, role)) = self.keys.get(&key(own.room.as_str())).copied() else {
            return Ok(None);
        };
        if own.verb == RoomVerb::Leave {
            if self.guests.get(&session).is_none_or(|guest| guest.room != room) {
                let why = "the session has not joined this room";
                return Err(Problem::with(Code::BadField, "room", why));
            }
            self.leave(session);
        } else {
            let watches =
                || Problem::with(Code::Forbidden, "room", "people who look on do not act");
            let seat = role.seat().ok_or_else(watches)?;
            let absent = |field: &str| {
                Problem::with(Code::BadField, field.to_owned(), format!("{field} is missing"))
            };
            let wish = || own.what.ok_or_else(|| absent("what"));
            let deed = match own.verb {
                RoomVerb::Act => {
                    Deed::Act(own.act.as_ref().ok_or_else(|| absent("act"))?.as_str().to_owned())
                }
                RoomVerb::Ask => Deed::Ask(wish()?),
                RoomVerb::Decline => Deed::Decline(wish()?),
                RoomVerb::Resign | RoomVerb::Leave => Deed::Resign,
            };
            let open = self.rooms.get(&room);
            let count = own.number.map(|number| number.to());
            let game = own.game.map(|game| game.to());
            open.map_or(Ok(()), |open| open.room.expect(game, count))?;
            self.carry_out(room, seat, deed)?;
        }
        if let Some(reply) = self.state_of(room, id.clone(), role) {
            self.letter(session, &Reply::Room(Box::new(reply)), Some(id.clone()));
        }
        Ok(Some(()))
    }

    /// Carries out a deed now, and tells everybody in the room.
    fn carry_out(&mut self, room: u64, by: Seat, deed: Deed) -> Result<(), Problem> {
        let at = self.now();
        let Some(open) = self.rooms.get_mut(&room) else { return Ok(()) };
        let fallen = open.room.falls().filter(|(_, time)| *time <= at && deed != Deed::Fall);
        if let Some((seat, _)) = fallen {
            self.carry_out(room, seat, Deed::Fall)?;
            return self.carry_out(room, by, deed);
        }
        open.room.carry_out(by, &deed, at)?;
        open.records += 1;
        self.records.push(RoomRecord::Did { room, at, by, deed });
        self.tell(room);
        Ok(())
    }

    fn leave(&mut self, session: SessionId) {
        if let Some(guest) = self.guests.remove(&session) {
            self.dismiss(session, guest);
        }
    }

    /// Ends the query of a guest who is no longer in the room, and tells the others.
    fn dismiss(&mut self, session: SessionId, guest: Guest) {
        if let Some(reply) = self.state_of(guest.room, guest.id, guest.role) {
            self.letter(session, &Reply::Room(Box::new(reply)), None);
        }
        self.tell(guest.room);
    }

    /// Returns the state of a room.
    fn state_of(&self, number: u64, id: Id, role: Role) -> Option<RoomReply> {
        let open = self.rooms.get(&number)?;
        let mut reply = open.room.state(id, role.seat(), self.now());
        let here = self.guests.values().filter(|it| it.room == number && it.is_connected);
        for guest in here {
            match guest.role {
                Role::Player(seat) => reply.here[seat] = true,
                Role::Watcher => reply.watchers += 1,
            }
        }
        Some(reply)
    }

    /// Tells everybody in a room its state.
    fn tell(&mut self, room: u64) {
        let guests = self.guests.iter().filter(|(_, guest)| guest.room == room);
        let guests: Vec<(SessionId, Id, Role)> =
            guests.map(|(session, guest)| (*session, guest.id.clone(), guest.role)).collect();
        for (session, id, role) in guests {
            if let Some(mut reply) = self.state_of(room, id, role) {
                reply.more = !reply.ended;
                self.letter(session, &Reply::Room(Box::new(reply)), None);
            }
        }
    }

    /// Tells a client that a query does not use a field.
    fn warn(&mut self, session: SessionId, id: &Id, field: String) {
        let message = format!("\"{field}\" is not used");
        let (id, code) = (id.clone(), WarningCode::UnusedField);
        let warning = Warning { id, code, field: Some(field), message };
        self.letter(session, &Reply::Warning(warning), None);
    }

    fn letter(&mut self, session: SessionId, reply: &Reply, answers: Option<Id>) {
        // A reply can always be written.
        let line = serde_json::to_string(reply).unwrap_or_default();
        self.letters.push(Letter { session, line, answers });
    }
}
