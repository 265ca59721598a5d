//! [`LineHandler`]: handles the lines of a connection. It checks the client's token, answers `hello`,
//! resumes sessions, and passes lines to the session.

use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::dialect::json::query::{HelloFields, Query};
use tengen_protocol::dialect::json::read;
use tengen_protocol::dialect::json::reply::{ErrorReply, Reply};
use tengen_protocol::dialect::json::{Code, Problem};
use tokio::time::Instant;

use crate::access::{Access, AddressLimiter};
use crate::hub::{Handle, Hub};

/// The state that all connections share.
pub(crate) struct ServerContext {
    pub(crate) hub: Arc<Hub>,
    pub(crate) access: Access,
    pub(crate) address_limiter: Mutex<AddressLimiter>,
}

impl ServerContext {
    /// Returns whether the address is blocked because of too many wrong tokens.
    pub(crate) fn is_blocked(&self, address: IpAddr) -> bool {
        self.address_limiter.lock().is_blocked(address, Instant::now())
    }

    /// Records a wrong token.
    pub(crate) fn record_failure(&self, address: IpAddr) {
        self.hub.metrics.refused(Code::Unauthorized);
        self.address_limiter.lock().record_failure(address, Instant::now());
    }

    /// Counts a connection of the address. Returns `false` if there are too many.
    pub(crate) fn allow_connection(&self, address: IpAddr) -> bool {
        let limit = self.hub.limits.connections_per_second;
        self.address_limiter.lock().allow_connection(address, limit, Instant::now())
    }
}

/// Handles the lines of a connection.
pub(crate) struct LineHandler {
    pub(crate) server: Arc<ServerContext>,
    pub(crate) address: IpAddr,
    pub(crate) handle: Handle,
    /// Whether the client has shown the token, or the server needs none.
    pub(crate) is_authorized: bool,
}

impl LineHandler {
    /// Handles a line. Returns whether the connection stays open; if not, the client showed no
    /// token, or a wrong one.
    pub(crate) fn line(&mut self, line: &str) -> bool {
        if !self.is_authorized && !line.trim_ascii().is_empty() && !self.shows_token(line) {
            self.server.record_failure(self.address);
            self.reply_unauthorized(line);
            return false;
        }
        if self.server.access.token.is_some() && token_word(line).is_some() {
            return true;
        }
        if let Some((id, fields)) = hello(line)
            && let Some(name) = &fields.resume
        {
            let last = fields.last_seq.map_or(0, |seq| seq.to());
            if let Some(handle) = self.server.hub.resume(name, last, id) {
                let unused = std::mem::replace(&mut self.handle, handle);
                self.server.hub.detach(&unused);
                return true;
            }
        }
        self.server.hub.line(self.handle.id, line);
        true
    }

    /// Handles a line that is too long. Only its `beginning` is known.
    pub(crate) fn overlong_line(&self, beginning: &str) {
        self.server.hub.overlong_line(self.handle.id, beginning);
    }

    /// Checks the token in a line. Returns whether it is right.
    fn shows_token(&mut self, line: &str) -> bool {
        let in_hello = hello(line).and_then(|(_, fields)| fields.token);
        let token = in_hello.as_deref().or_else(|| token_word(line));
        self.is_authorized = self.server.access.accepts(token);
        self.is_authorized
    }

    fn reply_unauthorized(&self, line: &str) {
        if !line.trim_ascii_start().starts_with('{') {
            let line = "ERROR this server needs a token: send \"token TOKEN\" first".to_owned();
            return self.handle.outbox.line(line);
        }
        let id = hello(line).map(|(id, _)| id);
        let problem = Problem::with(Code::Unauthorized, "token", "this server needs a token");
        let reply = Reply::Error(ErrorReply::new(id, problem, None));
        if let Ok(line) = serde_json::to_string(&reply) {
            self.handle.outbox.line(line);
        }
    }
}

impl Drop for LineHandler {
    fn drop(&mut self) {
        self.server.hub.detach(&self.handle);
    }
}

/// Returns the token in the line `token TOKEN`, which clients of commands send; `None` for other
/// lines.
fn token_word(line: &str) -> Option<&str> {
    line.trim_ascii().strip_prefix("token ").map(str::trim_ascii)
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
