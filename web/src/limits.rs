//! [`ServerLimits`]: the limits of a session, and of all sessions together. Each limit has a name
//! on the command line.

use std::time::Duration;

use thiserror::Error;

/// The limits of sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServerLimits {
    /// The maximum number of sessions.
    pub sessions: usize,
    /// The maximum number of sessions of one address; loopback has no limit.
    pub sessions_per_address: usize,
    /// The maximum number of new connections of one address in a second; loopback has no limit.
    pub connections_per_second: u32,
    /// The maximum number of connections without a session. With more, the server closes the one
    /// that has been idle longest.
    pub idle_connections: usize,
    /// The maximum time of a search.
    pub time: Duration,
    /// The maximum time of an infinite search.
    pub infinite: Duration,
    /// The total size of the tables that sessions of UCI, UGI and Gomocup keep between searches, in
    /// MiB.
    pub hash_mib_in_all: usize,
    /// The maximum number of positions of a session in the queue.
    pub queue: usize,
    /// The maximum number of positions of all sessions in the queue.
    pub queue_in_all: usize,
    /// The maximum length of a line or message, in bytes.
    pub line_bytes: usize,
    /// The maximum number of lines per second in the long run.
    pub lines_per_second: u32,
    /// The maximum number of lines in one burst.
    pub lines_at_once: u32,
    /// The maximum number of unsent bytes of a client. With more, its input and its searches pause.
    pub backlog: usize,
    /// The maximum number of unsent bytes of all clients. With more, all searches pause.
    pub backlog_in_all: usize,
    /// How long a client may read nothing while bytes are unsent.
    pub stall: Duration,
    /// How long a client may be idle without an open query.
    pub idle: Duration,
    /// The time between pings of a WebSocket, and the timeout of the pong.
    pub ping: Duration,
    /// The timeout for the header of a request, for its body, and for the first line of a client.
    pub header: Duration,
    /// The maximum number of ranked moves of a search.
    pub multi_pv: usize,
    /// How long a session with a name is kept without a connection.
    pub resume: Duration,
    /// The maximum number of bytes of sent messages that are kept for a client that resumes.
    pub resume_bytes: usize,
    /// The maximum number of bytes of messages, sent and unsent, of all sessions without a connection.
    /// With more, the session that lost its connection first is removed.
    pub detached_bytes: usize,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            sessions: 1024,
            sessions_per_address: 32,
            connections_per_second: 20,
            idle_connections: 256,
            time: Duration::from_secs(60),
            infinite: Duration::from_secs(600),
            hash_mib_in_all: 1024,
            queue: 256,
            queue_in_all: 10_000,
            line_bytes: 64 << 10,
            lines_per_second: 200,
            lines_at_once: 400,
            backlog: 1 << 20,
            backlog_in_all: 64 << 20,
            stall: Duration::from_secs(10),
            idle: Duration::from_secs(600),
            ping: Duration::from_secs(20),
            header: Duration::from_secs(10),
            multi_pv: 64,
            resume: Duration::from_secs(60),
            resume_bytes: 1 << 20,
            detached_bytes: 32 << 20,
        }
    }
}

/// Why a limit was not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LimitError {
    /// The text is not `NAME=VALUE`.
    #[error("--limit {0}: expected NAME=VALUE")]
    Form(String),
    /// No limit has this name.
    #[error("--limit {0}: unknown limit; the limits are {known}", known = LIMITS.map(|(name, _)| name).join(", "))]
    Name(String),
    /// The value is not a whole number from 1 to 4294967295.
    #[error("--limit {0}={1}: expected a whole number from 1 to 4294967295")]
    Value(String, String),
}

/// Sets a limit to a number; times are in milliseconds.
type SetLimit = fn(&mut ServerLimits, u32);

/// The limits by name.
const LIMITS: [(&str, SetLimit); 22] = [
    ("sessions", |limits, number| limits.sessions = number as usize),
    ("sessions_per_address", |limits, number| limits.sessions_per_address = number as usize),
    ("connections_per_second", |limits, number| limits.connections_per_second = number),
    ("idle_connections", |limits, number| limits.idle_connections = number as usize),
    ("time_ms", |limits, number| limits.time = millis(number)),
    ("infinite_ms", |limits, number| limits.infinite = millis(number)),
    ("hash_mib_in_all", |limits, number| limits.hash_mib_in_all = number as usize),
    ("queue", |limits, number| limits.queue = number as usize),
    ("queue_in_all", |limits, number| limits.queue_in_all = number as usize),
    ("line_bytes", |limits, number| limits.line_bytes = number as usize),
    ("lines_per_second", |limits, number| limits.lines_per_second = number),
    ("lines_at_once", |limits, number| limits.lines_at_once = number),
    ("backlog_bytes", |limits, number| limits.backlog = number as usize),
    ("backlog_bytes_in_all", |limits, number| limits.backlog_in_all = number as usize),
    ("stall_ms", |limits, number| limits.stall = millis(number)),
    ("idle_ms", |limits, number| limits.idle = millis(number)),
    ("ping_ms", |limits, number| limits.ping = millis(number)),
    ("header_ms", |limits, number| limits.header = millis(number)),
    ("multi_pv", |limits, number| limits.multi_pv = number as usize),
    ("resume_ms", |limits, number| limits.resume = millis(number)),
    ("resume_bytes", |limits, number| limits.resume_bytes = number as usize),
    ("detached_bytes", |limits, number| limits.detached_bytes = number as usize),
];

fn millis(number: u32) -> Duration {
    Duration::from_millis(number.into())
}

impl ServerLimits {
    /// Sets a limit from `NAME=VALUE`. Times are in milliseconds.
    pub fn set(&mut self, text: &str) -> Result<(), LimitError> {
        let (name, value) =
            text.split_once('=').ok_or_else(|| LimitError::Form(text.to_owned()))?;
        let set = LIMITS.iter().find(|(known, _)| *known == name).map(|(_, set)| set);
        let set = set.ok_or_else(|| LimitError::Name(name.to_owned()))?;
        let number = value.parse().ok().filter(|number| *number > 0);
        set(self, number.ok_or_else(|| LimitError::Value(name.to_owned(), value.to_owned()))?);
        Ok(())
    }
}

/// Limits how many lines a client may send in one burst, and per second in the long run (token
/// bucket).
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateLimiter {
    /// The lines that may be sent now, in thousandths of a line.
    available: u64,
    /// The maximum value of `available`.
    capacity: u64,
    per_second: u64,
    updated_at: tokio::time::Instant,
}

impl RateLimiter {
    pub(crate) fn new(per_second: u32, at_once: u32, now: tokio::time::Instant) -> Self {
        let capacity = u64::from(at_once) * 1000;
        Self { available: capacity, capacity, per_second: per_second.into(), updated_at: now }
    }

    /// Counts a line, and returns when the next one may be read.
    pub(crate) fn take(&mut self, now: tokio::time::Instant) -> tokio::time::Instant {
        let elapsed = now.saturating_duration_since(self.updated_at);
        let millis = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        if millis > 0 {
            let gained = millis.saturating_mul(self.per_second);
            self.available = self.available.saturating_add(gained).min(self.capacity);
            self.updated_at = now;
        }
        self.available = self.available.saturating_sub(1000);
        match self.available {
            1000.. => now,
            rest => now + Duration::from_millis((1000 - rest).div_ceil(self.per_second.max(1))),
        }
    }
}
