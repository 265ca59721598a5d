//! What every connection of a JSON client does with the lines that it reads: it lets the client in
//! (token, `hello`, resumption), and hands lines to the session.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::dialect::json::query::{HelloFields, Query};
use tengen_protocol::dialect::json::read;
use tengen_protocol::dialect::json::reply::{ErrorReply, Reply};
use tengen_protocol::dialect::json::{Code, Problem};
use tokio::time::Instant;

use crate::access::{Access, Offenders};
use crate::hub::{Handle, Hub};

/// What all connections share.
pub(crate) struct Gate {
    pub(crate) hub: Arc<Hub>,
    pub(crate) access: Access,
    pub(crate) offenders: Mutex<Offenders>,
}

impl Gate {
    /// Returns whether the address has shown too many wrong tokens.
    pub(crate) fn shuts_out(&self, address: IpAddr) -> bool {
        self.offenders().shuts_out(address, Instant::now())
    }

    /// Notes a wrong token.
    pub(crate) fn failed(&self, address: IpAddr) {
        self.hub.metrics.refused(Code::Unauthorized);
        self.offenders().failed(address, Instant::now());
    }

    /// Counts a connection; `false` where there are too many.
    pub(crate) fn may_connect(&self, address: IpAddr) -> bool {
        let most = self.hub.limits.connections_per_second;
        self.offenders().may_connect(address, most, Instant::now())
    }

    fn offenders(&self) -> std::sync::MutexGuard<'_, Offenders> {
        self.offenders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client of queries and its session.
pub(crate) struct Visitor {
    gate: Arc<Gate>,
    address: IpAddr,
    pub(crate) handle: Handle,
    /// Whether it has shown the token, where there is one.
    pub(crate) is_let_in: bool,
}

/// Whether the connection stays open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goes {
    On,
    /// The client showed no token, or a wrong one.
    Out,
}

impl Visitor {
    pub(crate) fn new(gate: Arc<Gate>, address: IpAddr, handle: Handle, is_let_in: bool) -> Self {
        Self { gate, address, handle, is_let_in }
    }

    /// Reads a line.
    pub(crate) fn line(&mut self, line: &str) -> Goes {
        if !self.is_let_in && !line.trim_ascii().is_empty() && !self.shows_token(line) {
            self.gate.failed(self.address);
            self.tell_unauthorized(line);
            return Goes::Out;
        }
        if self.has_shown_word(line) {
            return Goes::On;
        }
        if let Some((id, fields)) = hello(line)
            && let Some(name) = &fields.resume
        {
            let last = fields.last_seq.map_or(0, |seq| seq.to());
            if let Some(handle) = self.gate.hub.resume(name, last, id) {
                let fresh = std::mem::replace(&mut self.handle, handle);
                self.gate.hub.detach(&fresh);
                return Goes::On;
            }
        }
        self.gate.hub.line(self.handle.id, line);
        Goes::On
    }

    /// Reads the beginning of a line that is too long.
    pub(crate) fn overlong_line(&self, beginning: &str) {
        self.gate.hub.overlong_line(self.handle.id, beginning);
    }

    fn shows_token(&mut self, line: &str) -> bool {
        let of_hello = hello(line).and_then(|(_, fields)| fields.token);
        let shown = of_hello.as_deref().or_else(|| token_word(line));
        self.is_let_in = self.gate.access.accepts(shown);
        self.is_let_in
    }

    /// Returns whether a line shows the token and says nothing else.
    fn has_shown_word(&self, line: &str) -> bool {
        self.gate.access.token.is_some() && token_word(line).is_some()
    }

    fn tell_unauthorized(&self, line: &str) {
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

impl Drop for Visitor {
    fn drop(&mut self) {
        self.gate.hub.detach(&self.handle);
    }
}

/// Returns the token in `token TOKEN`, as clients that send commands show it.
fn token_word(line: &str) -> Option<&str> {
    line.trim_ascii().strip_prefix("token ").map(str::trim_ascii)
}

/// Returns the name and the fields of a `hello`; `None` for another line.
fn hello(line: &str) -> Option<(Id, HelloFields)> {
    // Most lines are something else: they are read by the session alone.
    if !line.contains("hello") {
        return None;
    }
    match read::query(line, 1).ok()?.query {
        Query::Hello(hello) => Some((hello.head.id, hello.own)),
        _ => None,
    }
}
