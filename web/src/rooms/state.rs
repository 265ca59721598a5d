//! [`State`]: the rooms in memory, who is in them, and what has to be written and sent. It does no IO.

use std::collections::HashMap;
use std::time::Duration;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use tengen_engine::backend::Catalog;
use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::dialect::json::query::MakeRoom;
use tengen_protocol::dialect::json::reply::{Reply, Warning, WarningCode};
use tengen_protocol::dialect::json::rooms::{
    RoomActFields, RoomMade, RoomReply, RoomTerms, RoomVerb,
};
use tengen_protocol::dialect::json::{Code, Problem};
use tengen_protocol::pool::queue::SessionId;
use tokio::time::Instant;

use super::links::{self, qr_code};
use super::room::{Deed, Room, Seat};
use super::store::RoomRecord;
use crate::access::random_secret;
use crate::limits::ServerLimits;

/// The maximum number of connections of one player.
const CONNECTIONS_OF_PLAYER: usize = 8;
/// When so many records of ended rooms are in the file, they are removed.
const MAX_ENDED_RECORDS: usize = 20_000;

/// The SHA-256 of a secret, in hexadecimal.
pub(super) type Key = String;

/// Whose secret it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
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

/// The rooms, the sessions in them, and what is written and sent next.
pub(super) struct State {
    catalog: &'static dyn Catalog,
    limits: ServerLimits,
    /// The addresses of the server that other machines reach.
    addresses: Vec<String>,
    pub(super) rooms: HashMap<u64, OpenRoom>,
    pub(super) keys: HashMap<Key, (u64, Role)>,
    pub(super) guests: HashMap<SessionId, Guest>,
    next: u64,
    /// What is written next.
    pub(super) records: Vec<RoomRecord>,
    /// What is sent when all records are written.
    pub(super) letters: Vec<Letter>,
    /// How many records in the file belong to rooms that have ended.
    pub(super) ended_records: usize,
    pub(super) is_closed: bool,
    /// A time of the system, and the instant for it. The clock never goes back.
    clock: (u64, Instant),
}

pub(super) struct OpenRoom {
    room: Room,
    keys: [Key; 3],
    records: usize,
}

/// A session that has joined a room.
pub(super) struct Guest {
    pub(super) room: u64,
    role: Role,
    /// The query.
    id: Id,
    pub(super) is_connected: bool,
}

/// A line to a session.
pub(super) struct Letter {
    pub(super) session: SessionId,
    pub(super) line: String,
    /// The query, if this is its only answer: it gets an error if the change cannot be written.
    pub(super) answers: Option<Id>,
}

/// Returns by what a secret is looked up.
pub(super) fn key(secret: &str) -> Key {
    HEXLOWER.encode(&Sha256::digest(secret.as_bytes()))
}

impl State {
    /// Returns rooms without any, at the time `time` of the system.
    pub(super) fn new(
        catalog: &'static dyn Catalog,
        limits: ServerLimits,
        addresses: Vec<String>,
        time: u64,
    ) -> Self {
        Self {
            catalog,
            limits,
            addresses,
            rooms: HashMap::new(),
            keys: HashMap::new(),
            guests: HashMap::new(),
            next: 0,
            records: Vec::new(),
            letters: Vec::new(),
            ended_records: 0,
            is_closed: false,
            clock: (time, Instant::now()),
        }
    }

    /// Returns the time in milliseconds since 1970.
    pub(super) fn now(&self) -> u64 {
        let (time, instant) = self.clock;
        time + u64::try_from(instant.elapsed().as_millis()).unwrap_or_default()
    }

    /// Returns whether the clock of a room runs.
    pub(super) fn runs(&self) -> bool {
        self.rooms.values().any(|open| open.room.runs())
    }

    pub(super) const fn has_many_ended(&self) -> bool {
        self.ended_records > MAX_ENDED_RECORDS
    }

    pub(super) fn stand_still(&mut self, from: u64, to: u64) {
        self.rooms.values_mut().for_each(|open| open.room.stand_still(from, to));
    }

    /// Makes the rooms of `records` from their beginning.
    pub(super) fn restore(&mut self, records: Vec<RoomRecord>) {
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
    pub(super) fn take_work(&mut self) -> (Vec<RoomRecord>, Vec<Letter>, Option<Instant>) {
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

    pub(super) fn make(
        &mut self,
        session: SessionId,
        query: MakeRoom,
    ) -> Result<Option<()>, Problem> {
        if self.rooms.len() >= self.limits.rooms {
            return Err(Problem::new(Code::TooMany, "too many rooms: they end after a day"));
        }
        let page = query.own.page.map(|page| links::page(page.as_str(), &self.addresses));
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

    pub(super) fn join(
        &mut self,
        session: SessionId,
        id: &Id,
        secret: &str,
    ) -> Result<Option<()>, Problem> {
        let Some((room, role)) = self.keys.get(&key(secret)).copied() else { return Ok(None) };
        let most = match role {
            Role::Player(_) => CONNECTIONS_OF_PLAYER,
            Role::Watcher => self.limits.watchers,
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

    pub(super) fn act(
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

    pub(super) fn leave(&mut self, session: SessionId) {
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
    pub(super) fn tell(&mut self, room: u64) {
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
    pub(super) fn warn(&mut self, session: SessionId, id: &Id, field: String) {
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
