//! [`Lookup`]: what a session wants to know that takes longer than a line may: a question to the shelf, or
//! a record. It runs on a thread of its own and sends its lines while the client reads them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::dialect::json::{Code, Problem};
use crate::explorer::{Explorer, LookupLimit, LookupQuery, LookupResult, LookupSignal};

/// How many bytes of lines are sent together.
const CHUNK_BYTES: usize = 64 << 10;

/// Reads a record and sends the lines of the reply.
pub type ReadRecord = Box<dyn FnOnce(&mut LineSender<'_>) -> Result<(), Problem> + Send>;

/// What a session wants to know.
pub enum Lookup {
    /// A question to a shelf.
    Shelf(&'static dyn Explorer, Box<LookupQuery>),
    /// A record.
    Record(ReadRecord),
}

/// News of a lookup that runs.
#[derive(Debug)]
pub enum LookupNews {
    /// Lines for the client.
    Lines(Vec<String>),
    /// The lookup has ended.
    Ended(Result<LookupResult, Problem>),
}

impl Lookup {
    /// Answers, and passes the lines and the end to `update`, on this thread.
    pub fn run(self, signal: &Arc<LookupSignal>, update: &dyn Fn(LookupNews)) {
        // A lookup that fails must not take its thread's place for ever.
        let done = catch_unwind(AssertUnwindSafe(|| match self {
            Self::Shelf(explorer, query) => {
                explorer.look_up(&query, &LookupLimit::start(Arc::clone(signal)))
            }
            Self::Record(read) => {
                let mut sender = LineSender { signal, update, lines: Vec::new(), bytes: 0 };
                read(&mut sender).and_then(|()| sender.flush()).map(|()| LookupResult::Sent)
            }
        }));
        let failed = || Problem::new(Code::Internal, "the query failed");
        update(LookupNews::Ended(done.unwrap_or_else(|_| Err(failed()))));
    }
}

/// Sends the lines of a lookup. It waits until the client has taken those before.
pub struct LineSender<'a> {
    signal: &'a LookupSignal,
    update: &'a dyn Fn(LookupNews),
    lines: Vec<String>,
    bytes: usize,
}

impl LineSender<'_> {
    /// Sends a line. Returns an error if the client has terminated it.
    pub fn line(&mut self, line: String) -> Result<(), Problem> {
        self.bytes += line.len();
        self.lines.push(line);
        if self.bytes < CHUNK_BYTES { self.check() } else { self.flush() }
    }

    /// Returns an error if the client has terminated it.
    pub fn check(&self) -> Result<(), Problem> {
        match self.signal.is_cancelled() {
            true => Err(Problem::new(Code::Interrupted, "the query was terminated")),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<(), Problem> {
        self.signal.wait_to_send();
        self.check()?;
        self.bytes = 0;
        (self.update)(LookupNews::Lines(std::mem::take(&mut self.lines)));
        Ok(())
    }
}
