//! [`Outbox`]: what waits for a client, and what was sent to one that may come back.
//!
//! Of the reports that wait, only the newest of each turn is kept. It knows no connection: the connection
//! takes line by line.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tengen_protocol::analysis::session::{TurnKey, numbered};
use tokio::sync::Notify;

/// While more bytes wait, only the newest report of each turn is kept.
pub(crate) const COALESCES: usize = 64 << 10;

/// For so many messages an outbox keeps its room when it is empty.
const SMALL: usize = 16;

/// Why a connection is to be closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Close {
    /// The session is over.
    Done,
    /// Another connection has taken the session over.
    Replaced,
    /// The server goes down.
    GoingAway,
}

/// Lines for a client.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    inner: Mutex<Inner>,
    notify: Notify,
    /// The bytes that wait in all outboxes.
    total: Arc<AtomicUsize>,
}

#[derive(Debug, Default)]
struct Inner {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    /// The number of the last message, where messages are numbered.
    seq: Option<u64>,
    /// What was sent, for a client that resumes.
    sent: VecDeque<(u64, Kept)>,
    sent_bytes: usize,
    /// How many bytes are kept of what was sent and what waits.
    kept: usize,
    close: Option<Close>,
    /// The connection that takes the lines.
    connection: u64,
}

/// A line in as much memory as it needs: a text that was written piece by piece has up to twice as much.
type Kept = Box<str>;

#[derive(Debug)]
enum Waiting {
    Line(Kept),
    Report(TurnKey, Kept),
    /// A line that was numbered before.
    Again(Kept),
    /// Messages are numbered from here on.
    Number,
}

impl Waiting {
    fn size(&self) -> usize {
        match self {
            Self::Line(line) | Self::Report(_, line) | Self::Again(line) => size(line),
            Self::Number => OVERHEAD,
        }
    }
}

/// What a message takes beside its text: its place in a list and its allocation.
const OVERHEAD: usize = size_of::<Waiting>() + 2 * size_of::<usize>();

/// Returns how much memory a message takes.
fn size(line: &str) -> usize {
    line.len() + OVERHEAD
}

/// What a connection is to do next.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Next {
    Send(String),
    Close(Close),
}

impl Outbox {
    /// Returns an empty outbox that keeps so many bytes of messages; `total` counts the bytes
    /// that wait in all outboxes.
    pub(crate) fn keeping(kept: usize, total: &Arc<AtomicUsize>) -> Self {
        let inner = Inner { kept, ..Inner::default() };
        Self { inner: Mutex::new(inner), notify: Notify::new(), total: Arc::clone(total) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn line(&self, line: String) {
        self.push(Waiting::Line(line.into()));
    }

    pub(crate) fn report(&self, turn: TurnKey, line: String) {
        let line = Kept::from(line);
        let mut inner = self.lock();
        if inner.bytes > COALESCES {
            let old = inner.waiting.iter_mut().find_map(|waiting| match waiting {
                Waiting::Report(known, old) if *known == turn => Some(old),
                _ => None,
            });
            if let Some(old) = old {
                let (before, after) = (old.len(), line.len());
                *old = line;
                inner.bytes = inner.bytes - before + after;
                self.total.fetch_add(after, Relaxed);
                self.total.fetch_sub(before, Relaxed);
                return;
            }
        }
        drop(inner);
        self.push(Waiting::Report(turn, line));
    }

    /// Numbers the messages from here on.
    pub(crate) fn number(&self) {
        self.push(Waiting::Number);
    }

    fn push(&self, waiting: Waiting) {
        let mut inner = self.lock();
        self.total.fetch_add(waiting.size(), Relaxed);
        inner.bytes += waiting.size();
        inner.waiting.push_back(waiting);
        inner.forget_oldest();
        drop(inner);
        self.notify.notify_one();
    }

    /// Returns how many bytes wait.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Closes the connection once everything before is sent.
    pub(crate) fn close(&self, why: Close) {
        self.lock().close.get_or_insert(why);
        self.notify.notify_one();
    }

    /// Lets a connection take the lines in place of the one before, and returns its number.
    pub(crate) fn attach(&self) -> u64 {
        let mut inner = self.lock();
        inner.connection += 1;
        inner.close = None;
        let connection = inner.connection;
        drop(inner);
        self.notify.notify_waiters();
        connection
    }

    /// Returns whether everything after the message of this number is still there.
    pub(crate) fn keeps_after(&self, last_seq: u64) -> bool {
        let inner = self.lock();
        let newest = inner.seq.unwrap_or_default();
        let oldest = inner.sent.front().map_or(newest + 1, |(seq, _)| *seq);
        (oldest..=newest + 1).contains(&(last_seq + 1))
    }

    /// Puts what was sent after the message of this number before everything that waits.
    pub(crate) fn send_again(&self, last_seq: u64) {
        let mut inner = self.lock();
        let before = inner.bytes;
        // A connection that was lost at once has not taken what it was to get again.
        while let Some(Waiting::Again(_)) = inner.waiting.front() {
            let taken = inner.waiting.pop_front();
            inner.bytes -= taken.map_or(0, |waiting| waiting.size());
        }
        let missed = inner.sent.iter().filter(|(seq, _)| *seq > last_seq);
        let again: Vec<Kept> = missed.map(|(_, line)| line.clone()).collect();
        for line in again.into_iter().rev() {
            inner.bytes += size(&line);
            inner.waiting.push_front(Waiting::Again(line));
        }
        self.total.fetch_add(inner.bytes, Relaxed);
        self.total.fetch_sub(before, Relaxed);
        drop(inner);
        self.notify.notify_one();
    }

    /// Returns whether the connection of this number is the last one.
    pub(crate) fn is_current(&self, connection: u64) -> bool {
        self.lock().connection == connection
    }

    fn take(&self, connection: u64) -> Option<Next> {
        let mut inner = self.lock();
        let before = inner.bytes;
        let next = inner.next(connection);
        self.total.fetch_sub(before - inner.bytes, Relaxed);
        next
    }

    /// Waits for what the connection of this number is to do next. Dropping the future loses nothing.
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
        let bytes = self.lock().bytes;
        self.total.fetch_sub(bytes, Relaxed);
    }
}

impl Inner {
    fn next(&mut self, connection: u64) -> Option<Next> {
        if connection != self.connection {
            return Some(Next::Close(Close::Replaced));
        }
        while let Some(waiting) = self.waiting.pop_front() {
            self.bytes -= waiting.size();
            let line = match waiting {
                Waiting::Number => {
                    self.seq.get_or_insert(0);
                    continue;
                }
                Waiting::Again(line) => return Some(Next::Send(line.into())),
                Waiting::Line(line) | Waiting::Report(_, line) => line,
            };
            let Some(seq) = &mut self.seq else { return Some(Next::Send(line.into())) };
            *seq += 1;
            let line = numbered(&line, *seq);
            self.sent_bytes += size(&line);
            self.sent.push_back((*seq, line.as_str().into()));
            self.forget_oldest();
            return Some(Next::Send(line));
        }
        if self.waiting.capacity() > SMALL {
            self.waiting.shrink_to(SMALL);
        }
        self.close.map(Next::Close)
    }

    /// Forgets messages that were sent, while they and those that wait take too much.
    fn forget_oldest(&mut self) {
        while self.sent_bytes + self.bytes > self.kept
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
    fn what_was_sent_is_sent_again_to_a_client_that_comes_back() {
        let outbox = Outbox::keeping(1000, &Arc::default());
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
        assert!(outbox.keeps_after(1));
        outbox.send_again(1);
        assert_eq!(taken(&outbox, second), ["{\"a\":3,\"seq\":2}", "{\"a\":4,\"seq\":3}"]);
        assert!(!outbox.keeps_after(4), "no such message");
        assert!(outbox.keeps_after(3));
        outbox.send_again(3);
        assert_eq!(outbox.bytes(), 0);
    }

    #[test]
    fn a_connection_that_is_lost_before_it_took_anything_doubles_nothing() {
        let outbox = Outbox::keeping(1000, &Arc::default());
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
            outbox.send_again(after);
        }
        let sent = taken(&outbox, last);
        assert_eq!(sent.len(), 3, "{sent:?}");
        assert!(sent.iter().zip(2..).all(|(line, seq)| line.ends_with(&format!("{seq}}}"))));
        assert_eq!((outbox.bytes(), outbox.total.load(Relaxed)), (0, 0));
    }

    #[test]
    fn what_waits_counts_as_kept() {
        const KEPT: usize = 1000;
        let outbox = Outbox::keeping(KEPT, &Arc::default());
        let connection = outbox.attach();
        outbox.number();
        for _ in 0..100 {
            outbox.line("{\"a\":1}".to_owned());
            taken(&outbox, connection);
        }
        let held = |inner: &Inner| inner.sent_bytes + inner.bytes;
        let full = held(&outbox.lock());
        assert!(full <= KEPT && full > KEPT - 2 * OVERHEAD - 20, "{full}");
        for _ in 0..5 {
            outbox.line("{\"a\":1}".to_owned());
            assert!(held(&outbox.lock()) <= KEPT);
        }
        assert!(outbox.keeps_after(100) && !outbox.keeps_after(50));
    }

    #[test]
    fn what_is_no_longer_kept_cannot_be_sent_again() {
        let outbox = Outbox::keeping(3 * (OVERHEAD + 20), &Arc::default());
        let connection = outbox.attach();
        outbox.number();
        for _ in 0..10 {
            outbox.line("{\"a\":1}".to_owned());
        }
        assert_eq!(taken(&outbox, connection).len(), 10);
        assert!(!outbox.keeps_after(5));
        assert!(outbox.keeps_after(9));
    }
}
