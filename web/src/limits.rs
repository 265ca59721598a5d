//! [`ServerLimits`]: what a session may take, and all sessions together. Each has a name on the command line.

use std::time::Duration;

use thiserror::Error;

/// What sessions may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServerLimits {
    /// Sessions in all.
    pub sessions: usize,
    /// Sessions of one address; loopback has no limit.
    pub sessions_per_address: usize,
    /// New connections of one address in a second; loopback has no limit.
    pub connections_per_second: u32,
    /// The longest search.
    pub time: Duration,
    /// The longest search with `infinite`.
    pub infinite: Duration,
    /// MiB of all tables that sessions of UCI, UGI and Gomocup keep between their searches.
    pub hash_mib_in_all: usize,
    /// Positions of a session in the queue.
    pub queue: usize,
    /// Positions of all sessions in the queue.
    pub queue_in_all: usize,
    /// Bytes of a line or message.
    pub line_bytes: usize,
    /// Lines a second.
    pub lines_per_second: u32,
    /// Lines at once.
    pub lines_at_once: u32,
    /// Bytes that wait for a client.
    pub backlog: usize,
    /// Bytes that wait for all clients.
    pub backlog_in_all: usize,
    /// How long a client may read nothing while bytes wait for it.
    pub stall: Duration,
    /// How long a session may be silent without a search.
    pub idle: Duration,
    /// How often a WebSocket is pinged, and when the pong is due.
    pub ping: Duration,
    /// How long a client may take for the header of a request, for its body, or for its first line.
    pub header: Duration,
    /// Moves that are ranked.
    pub multi_pv: usize,
    /// How long a named session is kept after its connection is lost.
    pub resume: Duration,
    /// Bytes of messages that are kept for a client that resumes.
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
    /// It has another form.
    #[error("--limit {0}: expected NAME=VALUE")]
    Form(String),
    /// There is no such limit.
    #[error("--limit {0}: unknown limit; the limits are {known}", known = ServerLimits::NAMES.join(", "))]
    Name(String),
    /// The value is no number above 0.
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

/// Lines that a client may send now: so many at once, and so many a second in the long run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// In thousandths of a line.
    left: u64,
    most: u64,
    a_second: u64,
    since: tokio::time::Instant,
}

impl Allowance {
    pub(crate) fn new(a_second: u32, at_once: u32, now: tokio::time::Instant) -> Self {
        let most = u64::from(at_once) * 1000;
        Self { left: most, most, a_second: a_second.into(), since: now }
    }

    /// Takes a line, and returns when the next may be read.
    pub(crate) fn take(&mut self, now: tokio::time::Instant) -> tokio::time::Instant {
        let gone = now.saturating_duration_since(self.since);
        let gained = u64::try_from(gone.as_millis()).unwrap_or(u64::MAX);
        if gained > 0 {
            self.left =
                self.left.saturating_add(gained.saturating_mul(self.a_second)).min(self.most);
            self.since = now;
        }
        self.left = self.left.saturating_sub(1000);
        match self.left {
            1000.. => now,
            left => now + Duration::from_millis((1000 - left).div_ceil(self.a_second.max(1))),
        }
    }
}
