//! The metrics of the server, for Prometheus.
// CITE: https://prometheus.io/docs/instrumenting/exposition_formats/

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use tengen_protocol::dialect::json::Code;
use tengen_protocol::dialect::json::reply::Reply;
use tokio::runtime::Handle;

/// The transport of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    WebSocket,
    Http,
    Tcp,
}

const KINDS: [(Kind, &str); 3] =
    [(Kind::WebSocket, "websocket"), (Kind::Http, "http"), (Kind::Tcp, "tcp")];

/// The counters of the server.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    sessions: [AtomicU64; 3],
    waits: AtomicU64,
    wait_micros: AtomicU64,
    searches: AtomicU64,
    search_micros: AtomicU64,
    nodes: AtomicU64,
    errors: Mutex<BTreeMap<String, u64>>,
    closed: Mutex<BTreeMap<String, u64>>,
}

/// What the server has now.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Gauges {
    /// How many connections there are, with and without a session.
    pub(crate) connections: usize,
    /// How many positions are in the pool's queue.
    pub(crate) waiting: usize,
    /// How many search threads run.
    pub(crate) threads: usize,
    /// How many bytes are unsent.
    pub(crate) backlog: usize,
}

impl Metrics {
    pub(crate) fn opened(&self, kind: Kind) {
        self.sessions[kind as usize].fetch_add(1, Relaxed);
    }

    pub(crate) fn closed(&self, kind: Kind) {
        self.sessions[kind as usize].fetch_sub(1, Relaxed);
    }

    /// Counts a connection that was closed for this reason.
    pub(crate) fn closed_for(&self, reason: &'static str) {
        *self.closed.lock().entry(reason.to_owned()).or_default() += 1;
    }

    /// Counts a message that was sent, if it is an error.
    pub(crate) fn sent(&self, line: &str) {
        // Most lines are no errors, and are not read again.
        if line.starts_with("{\"type\":\"error\"")
            && let Ok(Some(Reply::Error(error))) = Reply::read(line)
        {
            self.refused(error.code);
        }
    }

    /// Counts an error with this code.
    pub(crate) fn refused(&self, code: Code) {
        *self.errors.lock().entry(code.to_string()).or_default() += 1;
    }

    /// Counts a position that waited this time for its search.
    pub(crate) fn waited(&self, time: Duration) {
        self.waits.fetch_add(1, Relaxed);
        self.wait_micros.fetch_add(micros(time), Relaxed);
    }

    pub(crate) fn searched(&self, time: Duration, nodes: u64) {
        self.searches.fetch_add(1, Relaxed);
        self.search_micros.fetch_add(micros(time), Relaxed);
        self.nodes.fetch_add(nodes, Relaxed);
    }

    /// Returns all metrics as text, with the gauges of `now`.
    pub(crate) fn text(&self, now: Gauges) -> String {
        let Gauges { connections, waiting, threads, backlog } = now;
        let tasks = Handle::try_current().map_or(0, |handle| handle.metrics().num_alive_tasks());
        let mut out = String::new();
        let mut family = |name: &str, kind: &str, lines: &[(String, String)]| {
            let _ = writeln!(out, "# TYPE {name} {kind}");
            for (labels, value) in lines {
                let _ = writeln!(out, "{name}{labels} {value}");
            }
        };
        let plain = |value: String| vec![(String::new(), value)];
        let sessions: Vec<(String, String)> = KINDS
            .iter()
            .map(|(kind, name)| {
                let count = self.sessions[*kind as usize].load(Relaxed);
                (format!("{{kind=\"{name}\"}}"), count.to_string())
            })
            .collect();
        family("tengen_sessions", "gauge", &sessions);
        family("tengen_connections", "gauge", &plain(connections.to_string()));
        family("tengen_queue_positions", "gauge", &plain(waiting.to_string()));
        family("tengen_permits_in_use", "gauge", &plain(threads.to_string()));
        for (name, micros, count) in [
            ("tengen_search_seconds", &self.search_micros, &self.searches),
            ("tengen_wait_seconds", &self.wait_micros, &self.waits),
        ] {
            let seconds = micros.load(Relaxed) as f64 / 1e6;
            let count = count.load(Relaxed);
            let sums = [("_sum", seconds.to_string()), ("_count", count.to_string())];
            family(name, "summary", &sums.map(|(part, value)| (part.to_owned(), value)));
        }
        family("tengen_nodes_total", "counter", &plain(self.nodes.load(Relaxed).to_string()));
        family("tengen_errors_total", "counter", &labelled("code", &self.errors.lock()));
        family("tengen_closed_total", "counter", &labelled("why", &self.closed.lock()));
        family("tengen_backlog_bytes", "gauge", &plain(backlog.to_string()));
        family("tengen_tasks", "gauge", &plain(tasks.to_string()));
        out
    }
}

/// Returns a line for each value of `label`.
fn labelled(label: &str, counts: &BTreeMap<String, u64>) -> Vec<(String, String)> {
    let line =
        |(value, count): (&String, &u64)| (format!("{{{label}=\"{value}\"}}"), count.to_string());
    counts.iter().map(line).collect()
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
