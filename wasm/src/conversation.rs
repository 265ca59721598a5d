//! [`Conversation`]: a session of queries, its pool of one worker, and the function that gets its
//! lines.
//!
//! All but the helpers of a search runs on one thread. The pool wants a callback that any thread may call. This callback holds
//! a number, and the thread keeps its conversations by number.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tengen_engine::{Catalog, Chosen, Instant, pool_threads, run_posted_jobs};
use tengen_games::CATALOG;
use tengen_protocol::pool::driver::{Clients, Driver};
use tengen_protocol::pool::queue::SessionId;
use tengen_protocol::pool::{Effect, PoolSession, PoolSettings, SearchEvent};
use tengen_protocol::queries::{QuerySession, Service, SessionIdentity, SessionLimits, numbered};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// A function of the page that gets the lines of an engine.
    #[wasm_bindgen(typescript_type = "(line: string) => void")]
    pub type LineReceiver;

    /// Calls the function. `context` is its `this`.
    #[wasm_bindgen(method, catch)]
    fn call(this: &LineReceiver, context: &JsValue, line: &str) -> Result<(), JsValue>;
}

/// How many characters of a line that is too long are passed on.
const SHOWN_OF_LONG_LINE: usize = 100;
/// Longer than any time between two reports.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

thread_local! {
    /// The conversations of this thread, by number.
    static CONVERSATIONS: RefCell<BTreeMap<u32, Rc<Shared>>> = const { RefCell::new(BTreeMap::new()) };
    static LAST_NUMBER: Cell<u32> = const { Cell::new(0) };
    /// Whether searches run on this thread.
    static IS_SEARCHING: Cell<bool> = const { Cell::new(false) };
    /// Whether the page's function runs.
    static IS_SENDING: Cell<bool> = const { Cell::new(false) };
}

/// The error of an engine whose last call did not return, because it failed.
pub(crate) struct Failed;

/// A session of queries whose searches run on this thread.
pub(crate) struct Conversation {
    number: u32,
    shared: Rc<Shared>,
}

struct Shared {
    driver: RefCell<Driver>,
    session: SessionId,
    /// The number of the last message; `None` while messages are not numbered.
    seq: Cell<Option<u64>>,
    send: LineReceiver,
}

/// Collects the lines of one call of the driver. They are sent after the call, because the receiver
/// may call the engine again.
#[derive(Default)]
struct Written {
    lines: Vec<String>,
    /// Whether messages are numbered from here on: the index of the first one.
    numbered_from: Option<usize>,
    /// The instant for which the driver acts; `None` for the current one.
    at: Option<Instant>,
}

impl Clients for Written {
    fn now(&self) -> Instant {
        self.at.unwrap_or_else(Instant::now)
    }

    fn effect(&mut self, _: SessionId, _: &dyn PoolSession, effect: Effect) {
        match effect {
            Effect::Line(line) | Effect::Report(_, line) | Effect::Last(_, line) => {
                self.lines.push(line);
            }
            Effect::Number => self.numbered_from = Some(self.lines.len()),
            // The driver carries out the other effects. A conversation ends with its worker.
            _ => {}
        }
    }
}

impl Conversation {
    /// Creates a conversation that calls `send` with each line, with a table of `table_mib` MiB.
    pub(crate) fn new(send: LineReceiver, table_mib: u32) -> Self {
        let number = LAST_NUMBER.get() + 1;
        LAST_NUMBER.set(number);
        let hash_mib = usize::try_from(table_mib).unwrap_or_default();
        let events = Arc::new(move |event: SearchEvent| {
            let shared = CONVERSATIONS.with_borrow(|all| all.get(&number).cloned());
            // Without a conversation, its engine is gone.
            if let Some(shared) = shared {
                shared.event(event);
            }
        });
        let mut driver = Driver::new(PoolSettings::new(&CATALOG, 1, hash_mib), events);
        let explorer = Err("the engine in the page has no shelf");
        let threads = 1 + pool_threads().unwrap_or_default();
        let service = Service { threads, hash_mib, explorer, ..Service::new(&CATALOG) };
        let identity = SessionIdentity { session: "worker".to_owned(), kept: Duration::ZERO };
        let session = driver.join(Box::new(QuerySession::new(service, identity)), Instant::now());
        let driver = RefCell::new(driver);
        let shared = Rc::new(Shared { driver, session, seq: Cell::new(None), send });
        CONVERSATIONS.with_borrow_mut(|all| all.insert(number, shared.clone()));
        Self { number, shared }
    }

    /// Reads a line, and returns after the searches that it asks for. Called by the function that
    /// gets a report, it returns at once, and the new searches follow.
    pub(crate) fn line(&self, text: &str) -> Result<(), Failed> {
        let is_interrupted = IS_SEARCHING.get() && !IS_SENDING.get();
        if is_interrupted || self.shared.driver.try_borrow().is_err() {
            return Err(Failed);
        }
        let (session, now) = (self.shared.session, Instant::now());
        self.shared.drive(|driver, written| {
            if text.len() <= SessionLimits::LOCAL.line_bytes {
                return driver.line(session, text, now, None, written);
            }
            let beginning: String = text.chars().take(SHOWN_OF_LONG_LINE).collect();
            driver.act(session, written, |session| session.overlong_line(&beginning, now));
        });
        if !IS_SEARCHING.replace(true) {
            run_posted_jobs();
            IS_SEARCHING.set(false);
            self.shared.send_pending_reports();
        }
        Ok(())
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        CONVERSATIONS.with_borrow_mut(|all| all.remove(&self.number));
    }
}

impl Shared {
    fn event(&self, event: SearchEvent) {
        self.drive(|driver, written| driver.event(event, written));
    }

    /// Calls `act` with the driver, and sends what was written.
    fn drive(&self, act: impl FnOnce(&mut Driver, &mut Written)) {
        let mut written = Written::default();
        act(&mut self.driver.borrow_mut(), &mut written);
        self.send_all(written);
    }

    /// Wakes the session if that is due. Does nothing inside of a call of the driver.
    fn wake(&self) {
        let now = Instant::now();
        let next = self.driver.try_borrow().ok().and_then(|driver| driver.next_wake(now));
        if next.is_some_and(|at| at <= now) {
            self.drive(|driver, written| driver.wake(written));
        }
    }

    /// Sends the reports that wait for their time. Called when all searches are over: nothing reads
    /// the clock then, so a search without an end would keep its last report until it is terminated.
    fn send_pending_reports(&self) {
        let now = Instant::now();
        if self.driver.borrow().next_wake(now).is_none() {
            return;
        }
        let mut written = Written { at: Some(now + DAY), ..Written::default() };
        self.driver.borrow_mut().wake(&mut written);
        self.send_all(written);
    }

    fn send_all(&self, written: Written) {
        for (index, line) in written.lines.into_iter().enumerate() {
            if written.numbered_from == Some(index) {
                self.seq.set(Some(0));
            }
            match self.seq.get() {
                None => self.send(&line),
                Some(seq) => {
                    self.seq.set(Some(seq + 1));
                    self.send(&numbered(&line, seq + 1));
                }
            }
        }
    }

    fn send(&self, line: &str) {
        let was_sending = IS_SENDING.replace(true);
        // An exception of the page's function is the page's: the conversation goes on.
        let _ = self.send.call(&JsValue::NULL, line);
        IS_SENDING.set(was_sending);
    }
}

/// Sends the reports that are due, in the middle of a search.
#[cfg_attr(
    not(target_family = "wasm"),
    allow(dead_code, reason = "only an installed clock calls it")
)]
pub(crate) fn wake_all() {
    let all: Vec<_> = CONVERSATIONS.with_borrow(|all| all.values().cloned().collect());
    for shared in all {
        shared.wake();
    }
}

/// Returns whether `line` is a query that searches a game whose book can be provided and is not
/// there.
pub(crate) fn asks_for_book(line: &str) -> bool {
    let Ok(query) = serde_json::from_str::<Map<String, Value>>(line) else { return false };
    let text = |field| query.get(field).and_then(Value::as_str);
    if !matches!(text("action"), None | Some("analyze" | "solve" | "review")) {
        return false;
    }
    if query.get("book") == Some(&Value::Bool(false)) {
        return false;
    }
    let first = CATALOG.variants().first().map_or("", |variant| variant.name);
    let spec = CATALOG.describe(text("variant").unwrap_or(first), &Chosen::new());
    spec.is_ok_and(|spec| spec.has_book && !spec.has_own_book)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_that_search_four_in_a_row_ask_for_its_book() {
        for (line, asks) in [
            (r#"{"id":"a","moves":"4455"}"#, true),
            (r#"{"id":"a","variant":"Connect4","action":"solve"}"#, true),
            (r#"{"id":"a","variant":"cfour","action":"show"}"#, false),
            (r#"{"id":"a","variant":"cfour","book":false}"#, false),
            (r#"{"id":"a","variant":"gomoku"}"#, false),
            (r#"{"id":"a","variant":"nothing"}"#, false),
            ("{", false),
            ("[]", false),
        ] {
            // The tests of the workspace build the games with the book.
            let is_absent = tengen_games::cfour::book::CLASSIC.book().is_none();
            assert_eq!(asks_for_book(line), asks && is_absent, "{line}");
        }
    }
}
