//! [`ServerLimits`]: the limits of a session, and of all sessions together. Each limit has a name
//! on the command line.

use std::time::Duration;

use thiserror::Error;

/// Declares the limits: for each a field, its default, its name on the command line, and how a number
/// there becomes the field.
macro_rules! limits {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $default:expr, $name:literal $read:ident;)*) => {
        /// The limits of sessions.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct ServerLimits {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for ServerLimits {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        /// The limits by name, each with a function that sets it.
        const LIMITS: &[(&str, fn(&mut ServerLimits, u32))] =
            &[$(($name, |limits, number| limits.$field = $read(number))),*];
    };
}

limits! {
    /// The maximum number of sessions.
    sessions: usize = 1024, "sessions" count;
    /// The maximum number of sessions of one address; loopback has no limit.
    sessions_per_address: usize = 32, "sessions_per_address" count;
    /// The maximum number of new connections of one address in a second; loopback has no limit.
    connections_per_second: u32 = 20, "connections_per_second" plain;
    /// The maximum number of connections without a session. With more, the server closes the one
    /// that has been idle longest.
    idle_connections: usize = 256, "idle_connections" count;
    /// The maximum time of a search.
    time: Duration = Duration::from_secs(60), "time_ms" millis;
    /// The maximum time of an infinite search.
    infinite: Duration = Duration::from_secs(600), "infinite_ms" millis;
    /// The total size of the tables that sessions of UCI, UGI and Gomocup keep between searches, in
    /// MiB.
    hash_mib_in_all: usize = 1024, "hash_mib_in_all" count;
    /// The maximum number of positions of a session in the queue.
    queue: usize = 256, "queue" count;
    /// The maximum number of positions of all sessions in the queue.
    queue_in_all: usize = 10_000, "queue_in_all" count;
    /// The maximum length of a line or message, in bytes.
    line_bytes: usize = 64 << 10, "line_bytes" count;
    /// The maximum number of lines per second in the long run.
    lines_per_second: u32 = 200, "lines_per_second" plain;
    /// The maximum number of lines in one burst.
    lines_at_once: u32 = 400, "lines_at_once" plain;
    /// The maximum number of unsent bytes of a client. With more, its input and its searches pause.
    backlog: usize = 1 << 20, "backlog_bytes" count;
    /// The maximum number of unsent bytes of all clients. With more, all searches pause.
    backlog_in_all: usize = 64 << 20, "backlog_bytes_in_all" count;
    /// How long a client may read nothing while bytes are unsent.
    stall: Duration = Duration::from_secs(10), "stall_ms" millis;
    /// How long a client may be idle without an open query.
    idle: Duration = Duration::from_secs(600), "idle_ms" millis;
    /// The time between pings of a WebSocket, and the timeout of the pong.
    ping: Duration = Duration::from_secs(20), "ping_ms" millis;
    /// The timeout for the header of a request, for its body, and for the first line of a client.
    header: Duration = Duration::from_secs(10), "header_ms" millis;
    /// The maximum number of rooms.
    rooms: usize = 256, "rooms" count;
    /// The maximum number of people who look on in a room.
    watchers: usize = 32, "watchers" count;
    /// The maximum number of ranked moves of a search.
    multi_pv: usize = 64, "multi_pv" count;
    /// How long a session with a name is kept without a connection.
    resume: Duration = Duration::from_secs(60), "resume_ms" millis;
    /// The maximum number of bytes of sent messages that are kept for a client that resumes.
    resume_bytes: usize = 1 << 20, "resume_bytes" count;
    /// The maximum number of bytes of messages, sent and unsent, of all sessions without a connection.
    /// With more, the session that lost its connection first is removed.
    detached_bytes: usize = 32 << 20, "detached_bytes" count;
}

fn count(number: u32) -> usize {
    number as usize
}

fn plain(number: u32) -> u32 {
    number
}

fn millis(number: u32) -> Duration {
    Duration::from_millis(number.into())
}

/// Returns the names of all limits.
fn names() -> String {
    let names: Vec<&str> = LIMITS.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// Why a limit was not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LimitError {
    /// The text is not `NAME=VALUE`.
    #[error("--limit {0}: expected NAME=VALUE")]
    Form(String),
    /// No limit has this name.
    #[error("--limit {0}: unknown limit; the limits are {known}", known = names())]
    Name(String),
    /// The value is not a whole number from 1 to 4294967295.
    #[error("--limit {0}={1}: expected a whole number from 1 to 4294967295")]
    Value(String, String),
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
