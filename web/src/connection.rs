//! [`Connection`]: a connection of a client. [`ServerContext::greet`] checks the first line of a
//! client that must show the token. [`LineHandler`] answers `hello`, resumes sessions, and passes
//! lines to the session.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::dialect::json::query::{HelloFields, Query};
use tengen_protocol::dialect::json::read;
use tengen_protocol::dialect::json::{Code, Problem};
use tokio::time::{Instant, sleep};

use crate::access::{Access, ConnectionCounter, Reached};
use crate::hub::{Full, Handle, Hub, error_line};
use crate::line_queue::{LineQueue, Share};
use crate::metrics::Kind;
use crate::places::{ConnectionPlace, Places};
use crate::rooms::{Handled, Rooms};

/// The delay of the answer to a wrong token. A right token has no delay.
const WRONG_TOKEN_DELAY: Duration = Duration::from_secs(1);

/// The state that all connections share.
pub(crate) struct ServerContext {
    pub(crate) hub: Arc<Hub>,
    pub(crate) access: Access,
    /// `None` if the server has no rooms.
    pub(crate) rooms: Option<Arc<Rooms>>,
    places: Arc<Places>,
    lines: Arc<LineQueue>,
    counter: Mutex<ConnectionCounter>,
}

/// A connection of a client.
pub(crate) struct Connection {
    pub(crate) address: IpAddr,
    /// The address at which the client reached the server.
    pub(crate) reached: Reached,
    /// Whether the client's address opens too many connections.
    pub(crate) is_flood: bool,
    pub(crate) place: ConnectionPlace,
    pub(crate) share: Share,
}

impl ServerContext {
    pub(crate) fn new(hub: Arc<Hub>, access: Access, rooms: Option<Arc<Rooms>>) -> Arc<Self> {
        let (places, lines) = (Places::new(hub.limits.idle_connections), LineQueue::new());
        Arc::new(Self { hub, access, rooms, places, lines, counter: Mutex::default() })
    }

    /// Adds a connection of a client at `peer`, which reached the server at `reached`.
    pub(crate) fn connect(&self, peer: SocketAddr, reached: Reached) -> Arc<Connection> {
        let address = peer.ip().to_canonical();
        let limit = self.hub.limits.connections_per_second;
        let is_flood = self.counter.lock().is_flood(address, limit, Instant::now());
        let (place, share) = (self.places.enter(address), self.lines.join(address));
        Arc::new(Connection { address, reached, is_flood, place, share })
    }

    /// Returns how many connections there are.
    pub(crate) fn connections(&self) -> usize {
        self.places.count()
    }

    /// Records a wrong or absent token. If `has_token`, the token is wrong, and this waits for
    /// [`WRONG_TOKEN_DELAY`].
    pub(crate) async fn refuse_token(&self, has_token: bool) {
        self.hub.metrics.refused(Code::Unauthorized);
        if has_token {
            sleep(WRONG_TOKEN_DELAY).await;
        }
    }

    /// Checks the token in the first line of a client, or the secret of a room. Returns whether the client is only
    /// a guest of a room. The error is the reply to a line without either.
    pub(crate) async fn greet(&self, connection: &Connection, line: &str) -> Result<bool, String> {
        if self.access.token.is_none() {
            return Ok(false);
        }
        let (is_right, is_guest, sent, id) = connection
            .share
            .run(|| {
                let hello = hello(line);
                let shown = hello.as_ref().and_then(|(_, fields)| fields.token.as_deref());
                let shown = shown.or_else(|| token_word(line));
                let is_right = self.access.accepts(shown);
                let room = hello.as_ref().and_then(|(_, fields)| fields.room.as_ref());
                let rooms = self.rooms.as_ref().zip(room);
                let is_guest = rooms.is_some_and(|(rooms, room)| rooms.knows(room.as_str()));
                let sent = shown.map(|_| "token").or_else(|| room.map(|_| "room"));
                (is_right, is_guest, sent, hello.as_ref().map(|(id, _)| id.clone()))
            })
            .await;
        if is_right || is_guest {
            connection.place.token_shown();
            return Ok(!is_right);
        }
        self.refuse_token(sent.is_some()).await;
        let message = match sent {
            None => "this server needs a token",
            Some("token") => "wrong token",
            Some(_) => "wrong secret of a room",
        };
        let field = sent.unwrap_or("token");
        Err(match line.trim_ascii_start().starts_with('{') {
            true => error_line(id, Problem::with(Code::Unauthorized, field, message)),
            false => format!("ERROR {message}: send \"token TOKEN\" first"),
        })
    }
}

impl Full {
    /// Returns the reply to a client that gets no session.
    pub(crate) fn line(self) -> String {
        let mut problem = Problem::new(Code::TooMany, self.message());
        problem.retry_after_ms = Some(60_000);
        error_line(None, problem)
    }
}

/// Handles the lines of a session.
pub(crate) struct LineHandler {
    server: Arc<ServerContext>,
    connection: Arc<Connection>,
    kind: Kind,
    /// Whether the client has shown the secret of a room only.
    is_guest: bool,
    pub(crate) handle: Handle,
}

impl LineHandler {
    /// Opens a session.
    pub(crate) fn open(
        server: &Arc<ServerContext>,
        connection: &Arc<Connection>,
        kind: Kind,
        is_guest: bool,
    ) -> Result<Self, Full> {
        let opened = server.hub.open(connection.address, kind, is_guest);
        let handle = opened.inspect_err(|_| server.hub.metrics.closed_for("full"))?;
        connection.place.session_opened();
        let (server, connection) = (Arc::clone(server), Arc::clone(connection));
        Ok(Self { server, connection, kind, is_guest, handle })
    }

    /// Handles a line when it is the connection's turn.
    pub(crate) async fn line(&mut self, line: &str) {
        let connection = Arc::clone(&self.connection);
        let refusal = connection.share.run(|| self.handle_line(line)).await;
        if let Some(refusal) = refusal {
            // A wrong secret of a room takes as long as a wrong token.
            self.server.refuse_token(true).await;
            self.server.hub.send(self.handle.id, refusal);
        }
    }

    /// Handles a line. Returns the reply to a wrong secret of a room.
    fn handle_line(&mut self, line: &str) -> Option<String> {
        if self.server.access.token.is_some() && token_word(line).is_some() {
            return None;
        }
        if let Some(rooms) = self.server.rooms.as_ref().filter(|_| self.kind == Kind::WebSocket) {
            match rooms.line(self.handle.id, line, !self.is_guest) {
                Handled::Other => {}
                Handled::Done => return None,
                Handled::Wrong(refusal) => return Some(refusal),
            }
        }
        if let Some((id, fields)) = hello(line)
            && let Some(name) = &fields.resume
        {
            let last = fields.last_seq.map_or(0, |seq| seq.to());
            if let Some(handle) = self.server.hub.resume(name, last, id, self.is_guest) {
                let unused = std::mem::replace(&mut self.handle, handle);
                self.server.hub.detach(&unused);
                self.set_connected(true);
                return None;
            }
        }
        self.server.hub.line(self.handle.id, line);
        None
    }

    /// Tells the rooms whether the session has a connection.
    fn set_connected(&self, is_connected: bool) {
        if let Some(rooms) = &self.server.rooms {
            rooms.set_connected(self.handle.id, is_connected);
        }
    }

    /// Handles a line that is too long. Only its `beginning` is known.
    pub(crate) async fn overlong_line(&self, beginning: &str) {
        let line = || self.server.hub.overlong_line(self.handle.id, beginning);
        self.connection.share.run(line).await;
    }
}

impl Drop for LineHandler {
    fn drop(&mut self) {
        self.server.hub.detach(&self.handle);
        // The session may already have another connection.
        if self.handle.outbox.is_current(self.handle.connection) {
            self.set_connected(false);
        }
        self.connection.place.session_closed();
    }
}

/// Returns the token in the line `token TOKEN`, which clients of commands send; `None` for other
/// lines.
fn token_word(line: &str) -> Option<&str> {
    let (word, token) = line.trim_ascii().split_once(|sign: char| sign.is_ascii_whitespace())?;
    word.eq_ignore_ascii_case("token").then(|| token.trim_ascii())
}

/// Returns the id and the fields of a `hello`; `None` for other lines.
fn hello(line: &str) -> Option<(Id, HelloFields)> {
    // Most lines are no `hello`. Only the session parses those.
    if !line.contains("hello") {
        return None;
    }
    match read::query(line, 1).ok()?.query {
        Query::Hello(hello) => Some((hello.head.id, hello.own)),
        _ => None,
    }
}
