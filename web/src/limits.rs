//! [`ServerLimits`]: the limits of a session, and of all sessions together. Each limit has a name on the
//! command line.

use std::time::Duration;

use thiserror::Error;

/// The limits of sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServerLimits {
    /// The most sessions.
    pub sessions: usize,
    /// The most sessions of one address; loopback has no limit.
    pub sessions_per_address: usize,
    /// The most new connections of one address in a second; loopback has no limit.
    pub connections_per_second: u32,
    /// The longest search.
    pub time: Duration,
    /// The longest infinite search.
    pub infinite: Duration,
    /// The total size of the tables that sessions of UCI, UGI and Gomocup keep between searches, in
    /// MiB.
    pub hash_mib_in_all: usize,
    /// The most positions of a session in the queue.
    pub queue: usize,
    /// The most positions of all sessions in the queue.
    pub queue_in_all: usize,
    /// The longest line or message, in bytes.
    pub line_bytes: usize,
    /// The most lines per second in the long run.
    pub lines_per_second: u32,
    /// The most lines at once.
    pub lines_at_once: u32,
    /// The most unsent bytes of a client. With more, its input and its searches pause.
    pub backlog: usize,
    /// The most unsent bytes of all clients. With more, all searches pause.
    pub backlog_in_all: usize,
    /// How long a client may read nothing while bytes are unsent.
    pub stall: Duration,
    /// How long a client may be idle without an open query.
    pub idle: Duration,
    /// The time between pings of a WebSocket, and the timeout of the pong.
    pub ping: Duration,
    /// The timeout for the header of a request, for its body, and for the first line of a client.
    pub header: Duration,
    /// The most ranked moves of a search.
    pub multi_pv: usize,
    /// How long a session with a name is kept without a connection.
    pub resume: Duration,
    /// The most bytes of sent messages that are kept for a client that resumes.
    pub resume_bytes: usize,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            sessions: 1024,
            sessions_per_address: 32,
            connections_per_second: 20,
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
    #[error("--limit {0}: unknown limit; the limits are {known}", known = ServerLimits::NAMES.join(", "))]
    Name(String),
    /// The value is not a whole number from 1 to 4294967295.
    #[error("--limit {0}={1}: expected a whole number from 1 to 4294967295")]
    Value(String, String),
}

impl ServerLimits {
    /// The names of all limits.
    pub const NAMES: &[&str] = &[
        "sessions",
        "sessions_per_address",
        "connections_per_second",
        "time_ms",
        "infinite_ms",
        "hash_mib_in_all",
        "queue",
        "queue_in_all",
        "line_bytes",
        "lines_per_second",
        "lines_at_once",
        "backlog_bytes",
        "backlog_bytes_in_all",
        "stall_ms",
        "idle_ms",
        "ping_ms",
        "header_ms",
        "multi_pv",
        "resume_ms",
        "resume_bytes",
    ];

    /// Sets a limit from `NAME=VALUE`. Times are in milliseconds.
    pub fn set(&mut self, text: &str) -> Result<(), LimitError> {
        let (name, value) =
            text.split_once('=').ok_or_else(|| LimitError::Form(text.to_owned()))?;
        if !Self::NAMES.contains(&name) {
            return Err(LimitError::Name(name.to_owned()));
        }
        let number: u32 = value
            .parse()
            .ok()
            .filter(|number| *number > 0)
            .ok_or_else(|| LimitError::Value(name.to_owned(), value.to_owned()))?;
        let (size, time) = (number as usize, Duration::from_millis(number.into()));
        match name {
            "sessions" => self.sessions = size,
            "sessions_per_address" => self.sessions_per_address = size,
            "connections_per_second" => self.connections_per_second = number,
            "time_ms" => self.time = time,
            "infinite_ms" => self.infinite = time,
            "hash_mib_in_all" => self.hash_mib_in_all = size,
            "queue" => self.queue = size,
            "queue_in_all" => self.queue_in_all = size,
            "line_bytes" => self.line_bytes = size,
            "lines_per_second" => self.lines_per_second = number,
            "lines_at_once" => self.lines_at_once = number,
            "backlog_bytes" => self.backlog = size,
            "backlog_bytes_in_all" => self.backlog_in_all = size,
            "stall_ms" => self.stall = time,
            "idle_ms" => self.idle = time,
            "ping_ms" => self.ping = time,
            "header_ms" => self.header = time,
            "multi_pv" => self.multi_pv = size,
            "resume_ms" => self.resume = time,
            _ => self.resume_bytes = size,
        }
        Ok(())
    }
}

/// Limits how many lines a client may send at once, and per second in the long run (token bucket).
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateLimiter {
    /// The lines that may be sent now, in thousandths of a line.
    available: u64,
    /// The largest value of `available`.
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
