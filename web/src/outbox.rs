//! [`Outbox`]: the unsent lines of a session, and the sent lines that a client may need again when
//! it resumes.
//!
//! Of the unsent reports, only the newest of each turn is kept. The outbox does not depend on a
//! connection: the connection takes the lines one by one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;
use tengen_protocol::pool::TurnKey;
use tengen_protocol::queries::numbered;
use tokio::sync::Notify;

/// With more unsent bytes, only the newest report of each turn is kept.
pub(crate) const COALESCE_ABOVE: usize = 64 << 10;

/// An empty outbox keeps memory for at most this number of lines.
const MIN_CAPACITY: usize = 16;

/// Why a connection is closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Close {
    /// The session is over.
    Done,
    /// Another connection has taken over the session.
    Replaced,
    /// The server is shutting down.
    GoingAway,
}

/// The unsent and the kept lines of a session.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    inner: Mutex<Inner>,
    notify: Notify,
    /// The unsent bytes of all outboxes.
    total: Arc<AtomicUsize>,
}

#[derive(Debug, Default)]
struct Inner {
    unsent: VecDeque<Unsent>,
    /// The size of `unsent`.
    bytes: usize,
    /// The number of the last message; `None` while messages are not numbered.
    seq: Option<u64>,
    /// The sent messages with their numbers, for a client that resumes.
    sent: VecDeque<(u64, Line)>,
    /// The size of `sent`.
    sent_bytes: usize,
    /// The limit of `sent_bytes + bytes`.
    max_kept_bytes: usize,
    close: Option<Close>,
    /// The connection that takes the lines.
    connection: u64,
}

/// A line without spare capacity: a `String` that was written in parts has up to twice the memory.
type Line = Box<str>;

#[derive(Debug)]
enum Unsent {
    Line(Line),
    Report(TurnKey, Line),
    /// A line that already has its number.
    Resent(Line),
    /// The following messages are numbered.
    Number,
}

impl Unsent {
    fn size(&self) -> usize {
        match self {
            Self::Line(line) | Self::Report(_, line) | Self::Resent(line) => size(line),
            Self::Number => OVERHEAD,
        }
    }
}

/// The memory of a message in addition to its text: an entry of a list and an allocation, in bytes.
const OVERHEAD: usize = size_of::<Unsent>() + 2 * size_of::<usize>();

/// Returns the memory of a message, in bytes.
fn size(line: &str) -> usize {
    line.len() + OVERHEAD
}

/// What a connection must do next.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Next {
    Send(String),
    Close(Close),
}

impl Outbox {
    /// Returns an empty outbox that keeps up to `max_kept_bytes` of messages. `total` counts the
    /// unsent bytes of all outboxes.
    pub(crate) fn with_history(max_kept_bytes: usize, total: &Arc<AtomicUsize>) -> Self {
        let inner = Inner { max_kept_bytes, ..Inner::default() };
        Self { inner: Mutex::new(inner), notify: Notify::new(), total: Arc::clone(total) }
    }

    /// Adds a line.
    pub(crate) fn line(&self, line: String) {
        self.push(Unsent::Line(line.into()));
    }

    /// Adds a report. If many bytes are unsent, it replaces an unsent report of the same turn.
    pub(crate) fn report(&self, turn: TurnKey, line: String) {
        let line = Line::from(line);
        let mut inner = self.inner.lock();
        if inner.bytes > COALESCE_ABOVE {
            let old = inner.unsent.iter_mut().find_map(|unsent| match unsent {
                Unsent::Report(known, old) if *known == turn => Some(old),
                _ => None,
            });
            if let Some(old) = old {
                let (before, after) = (old.len(), line.len());
                *old = line;
                self.total.fetch_add(after, Relaxed);
                self.total.fetch_sub(before, Relaxed);
                inner.bytes = inner.bytes - before + after;
                return;
            }
        }
        drop(inner);
        self.push(Unsent::Report(turn, line));
    }

    /// Numbers the following messages from 1.
    pub(crate) fn number(&self) {
        self.push(Unsent::Number);
    }

    fn push(&self, unsent: Unsent) {
        let mut inner = self.inner.lock();
        self.total.fetch_add(unsent.size(), Relaxed);
        inner.bytes += unsent.size();
        inner.unsent.push_back(unsent);
        inner.drop_oldest();
        drop(inner);
        self.notify.notify_one();
    }

    /// Returns how many bytes are unsent.
    pub(crate) fn bytes(&self) -> usize {
        self.inner.lock().bytes
    }

    /// Returns how many bytes of messages it holds, sent and unsent.
    pub(crate) fn held(&self) -> usize {
        let inner = self.inner.lock();
        inner.bytes + inner.sent_bytes
    }

    /// Closes the connection after all unsent lines, for the reason `close`.
    pub(crate) fn close(&self, close: Close) {
        self.inner.lock().close.get_or_insert(close);
        self.notify.notify_one();
    }

    /// Registers a new connection, which replaces the one before. Returns its number.
    pub(crate) fn attach(&self) -> u64 {
        let mut inner = self.inner.lock();
        inner.connection += 1;
        inner.close = None;
        let connection = inner.connection;
        drop(inner);
        self.notify.notify_waiters();
        connection
    }

    /// Returns whether all messages after number `last_seq` are still kept.
    pub(crate) fn has_all_after(&self, last_seq: u64) -> bool {
        let inner = self.inner.lock();
        let newest = inner.seq.unwrap_or_default();
        let oldest = inner.sent.front().map_or(newest + 1, |(seq, _)| *seq);
        (oldest..=newest + 1).contains(&(last_seq + 1))
    }

    /// Queues the sent messages after number `last_seq` again, before all unsent lines.
    pub(crate) fn resend_after(&self, last_seq: u64) {
        let mut inner = self.inner.lock();
        let before = inner.bytes;
        // Drops messages that were queued again for an earlier connection.
        while let Some(Unsent::Resent(_)) = inner.unsent.front() {
            let dropped = inner.unsent.pop_front();
            inner.bytes -= dropped.map_or(0, |unsent| unsent.size());
        }
        let missed = inner.sent.iter().filter(|(seq, _)| *seq > last_seq);
        let missed: Vec<Line> = missed.map(|(_, line)| line.clone()).collect();
        for line in missed.into_iter().rev() {
            inner.bytes += size(&line);
            inner.unsent.push_front(Unsent::Resent(line));
        }
        self.total.fetch_add(inner.bytes, Relaxed);
        self.total.fetch_sub(before, Relaxed);
        drop(inner);
        self.notify.notify_one();
    }

    /// Returns whether the connection with this number is the newest one.
    pub(crate) fn is_current(&self, connection: u64) -> bool {
        self.inner.lock().connection == connection
    }

    fn take(&self, connection: u64) -> Option<Next> {
        let mut inner = self.inner.lock();
        let before = inner.bytes;
        let next = inner.next(connection);
        self.total.fetch_sub(before - inner.bytes, Relaxed);
        next
    }

    /// Waits for the next action of the connection with this number. Dropping the future loses
    /// nothing.
    pub(crate) async fn next(&self, connection: u64) -> Next {
        loop {
            let notified = self.notify.notified();
            tokio::pin!(notified);
            notified.as_mut().enable();
            if let Some(next) = self.take(connection) {
                return next;
            }
            notified.await;
        }
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        let bytes = self.inner.lock().bytes;
        self.total.fetch_sub(bytes, Relaxed);
    }
}

impl Inner {
    fn next(&mut self, connection: u64) -> Option<Next> {
        if connection != self.connection {
            return Some(Next::Close(Close::Replaced));
        }
        while let Some(unsent) = self.unsent.pop_front() {
            self.bytes -= unsent.size();
            let line = match unsent {
                Unsent::Number => {
                    self.seq.get_or_insert(0);
                    continue;
                }
                Unsent::Resent(line) => return Some(Next::Send(line.into())),
                Unsent::Line(line) | Unsent::Report(_, line) => line,
            };
            let Some(seq) = &mut self.seq else { return Some(Next::Send(line.into())) };
            *seq += 1;
            let line = numbered(&line, *seq);
            self.sent_bytes += size(&line);
            self.sent.push_back((*seq, line.as_str().into()));
            self.drop_oldest();
            return Some(Next::Send(line));
        }
        if self.unsent.capacity() > MIN_CAPACITY {
            self.unsent.shrink_to(MIN_CAPACITY);
        }
        self.close.map(Next::Close)
    }

    /// Drops the oldest sent messages while kept and unsent messages are above the limit.
    fn drop_oldest(&mut self) {
        while self.sent_bytes + self.bytes > self.max_kept_bytes
            && let Some((_, old)) = self.sent.pop_front()
        {
            self.sent_bytes -= size(&old);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(outbox: &Outbox, connection: u64) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(Next::Send(line)) = outbox.take(connection) {
            lines.push(line);
        }
        lines
    }

    #[test]
    fn sent_messages_are_resent_to_a_client_that_resumes() {
        let outbox = Outbox::with_history(1000, &Arc::default());
        let first = outbox.attach();
        outbox.line("{\"a\":1}".to_owned());
        outbox.number();
        outbox.line("{\"a\":2}".to_owned());
        outbox.line("{\"a\":3}".to_owned());
        let sent = taken(&outbox, first);
        assert_eq!(sent, ["{\"a\":1}", "{\"a\":2,\"seq\":1}", "{\"a\":3,\"seq\":2}"]);
        outbox.line("{\"a\":4}".to_owned());
        let second = outbox.attach();
        assert_eq!(outbox.take(first), Some(Next::Close(Close::Replaced)));
        assert!(outbox.has_all_after(1));
        outbox.resend_after(1);
        assert_eq!(taken(&outbox, second), ["{\"a\":3,\"seq\":2}", "{\"a\":4,\"seq\":3}"]);
        assert!(!outbox.has_all_after(4), "no such message");
        assert!(outbox.has_all_after(3));
        outbox.resend_after(3);
        assert_eq!(outbox.bytes(), 0);
    }

    #[test]
    fn a_connection_lost_before_its_first_read_doubles_no_message() {
        let outbox = Outbox::with_history(1000, &Arc::default());
        let first = outbox.attach();
        outbox.number();
        for number in 1..=3 {
            outbox.line(format!("{{\"a\":{number}}}"));
        }
        assert_eq!(taken(&outbox, first).len(), 3);
        outbox.line("{\"a\":4}".to_owned());
        let mut last = first;
        for after in [0, 1, 1] {
            last = outbox.attach();
            outbox.resend_after(after);
        }
        let sent = taken(&outbox, last);
        assert_eq!(sent.len(), 3, "{sent:?}");
        assert!(sent.iter().zip(2..).all(|(line, seq)| line.ends_with(&format!("{seq}}}"))));
        assert_eq!((outbox.bytes(), outbox.total.load(Relaxed)), (0, 0));
    }

    #[test]
    fn unsent_messages_count_as_kept() {
        const MAX_KEPT: usize = 1000;
        let outbox = Outbox::with_history(MAX_KEPT, &Arc::default());
        let connection = outbox.attach();
        outbox.number();
        for _ in 0..100 {
            outbox.line("{\"a\":1}".to_owned());
            taken(&outbox, connection);
        }
        let held = |inner: &Inner| inner.sent_bytes + inner.bytes;
        let full = held(&outbox.inner.lock());
        assert!(full <= MAX_KEPT && full > MAX_KEPT - 2 * OVERHEAD - 20, "{full}");
        for _ in 0..5 {
            outbox.line("{\"a\":1}".to_owned());
            assert!(held(&outbox.inner.lock()) <= MAX_KEPT);
        }
        assert!(outbox.has_all_after(100) && !outbox.has_all_after(50));
    }

    #[test]
    fn a_dropped_message_cannot_be_resent() {
        let outbox = Outbox::with_history(3 * (OVERHEAD + 20), &Arc::default());
        let connection = outbox.attach();
        outbox.number();
        for _ in 0..10 {
            outbox.line("{\"a\":1}".to_owned());
        }
        assert_eq!(taken(&outbox, connection).len(), 10);
        assert!(!outbox.has_all_after(5));
        assert!(outbox.has_all_after(9));
    }
}
