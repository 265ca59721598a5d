//! The context of one search thread: it counts nodes and stops at the limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::control::Signal;
use crate::report::SearchCounts;
use crate::time::{Timer, now, since};
use crate::window::Window;

use crate::smp::{Busy, SharedRoot};

/// Why a search leaves a node without a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Interrupt {
    /// The search must end: by a stop or a limit.
    Stopped,
    /// The nodes that the search was granted are used up. It will come back.
    Paused,
    /// Another thread has settled what is asked of the node, or of a node above it.
    SettledElsewhere,
}

/// The clock is read, and helpers' nodes are added up, every this many nodes.
const POLL_INTERVAL: u64 = 1024;

/// Counts nodes and says when to stop. Each search thread owns one.
#[derive(Debug)]
pub struct Context {
    signal: Arc<Signal>,
    timer: Timer,
    /// Nodes of all threads that have been published so far.
    published: Arc<AtomicU64>,
    nodes: u64,
    /// How many of `nodes` are in `published`.
    reported: u64,
    next_poll: u64,
    interval: u64,
    limit: u64,
    /// The part of the limit that one thread has.
    own_limit: u64,
    /// The own nodes at which the search pauses.
    pause: u64,
    probe_hits: u64,
    /// The bounds of the root that all threads have proven.
    shared_root: Arc<SharedRoot>,
    /// The nodes that all threads are at; `None` with one thread.
    busy: Option<Arc<Busy>>,
    /// The window that this thread asks of the root.
    asked: Option<Window>,
    started: Instant,
    tally: SearchCounts,
}

impl Context {
    /// Creates a context that never stops: for searches that only their depth ends.
    pub fn unlimited() -> Self {
        let signal = Arc::<Signal>::default();
        let timer = Timer::unlimited(Arc::clone(&signal));
        Self::new(signal, timer, Arc::default(), None, 1)
    }

    /// Creates a context that ends its search after so many nodes.
    pub fn limited(nodes: u64) -> Self {
        let signal = Arc::<Signal>::default();
        let timer = Timer::unlimited(Arc::clone(&signal));
        Self::new(signal, timer, Arc::default(), Some(nodes), 1)
    }

    /// Returns a context that ends its search at `limit` nodes over all `threads` that share
    /// `published`.
    pub(crate) fn new(
        signal: Arc<Signal>,
        timer: Timer,
        published: Arc<AtomicU64>,
        limit: Option<u64>,
        threads: usize,
    ) -> Self {
        let mut context = Self {
            signal,
            timer,
            published,
            nodes: 0,
            reported: 0,
            next_poll: 0,
            interval: interval(limit, threads),
            limit: limit.unwrap_or(u64::MAX),
            own_limit: limit.map_or(u64::MAX, |limit| limit / threads as u64),
            pause: u64::MAX,
            probe_hits: 0,
            shared_root: Arc::default(),
            busy: None,
            asked: None,
            started: now(),
            tally: SearchCounts::default(),
        };
        context.plan_poll();
        context
    }

    /// Enters a node. On an interrupt the node is not counted.
    #[inline]
    pub fn enter(&mut self) -> Result<(), Interrupt> {
        if self.signal.is_stopped() {
            return Err(Interrupt::Stopped);
        }
        if self.nodes >= self.next_poll {
            self.poll()?;
        }
        self.nodes += 1;
        Ok(())
    }

    /// Lets the search enter so many more nodes before [`enter`](Self::enter) says to pause.
    pub(crate) fn grant(&mut self, nodes: u64) {
        self.pause = self.nodes.saturating_add(nodes);
        self.plan_poll();
    }

    /// Joins the threads that have the same `shared_root` and `busy`.
    pub(crate) fn join(self, shared_root: Arc<SharedRoot>, busy: Option<Arc<Busy>>) -> Self {
        Self { shared_root, busy, ..self }
    }

    /// Returns which nodes all threads are at; `None` with one thread.
    #[inline]
    pub(crate) fn busy(&self) -> Option<&Busy> {
        self.busy.as_deref()
    }

    /// Returns what all threads have proven of the root.
    pub(crate) fn shared_root(&self) -> &SharedRoot {
        &self.shared_root
    }

    /// Lets [`enter`](Self::enter) also interrupt when another thread has settled `window` at the
    /// root.
    pub(crate) fn ask(&mut self, window: Option<Window>) {
        self.asked = window;
    }

    /// Returns whether the search must end for good.
    pub(crate) fn is_over(&self) -> bool {
        self.signal.is_stopped() || self.nodes() >= self.limit || self.timer.is_over()
    }

    /// Returns the nodes entered over all threads, as far as the others have published theirs.
    pub fn nodes(&self) -> u64 {
        self.published.load(Ordering::Relaxed) + (self.nodes - self.reported)
    }

    /// Returns the nodes entered by this thread.
    pub fn own_nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the part of the node limit that this thread has; `u64::MAX` without a limit. A thread
    /// enters more if the others enter fewer.
    pub(crate) fn own_limit(&self) -> u64 {
        self.own_limit
    }

    pub(crate) fn timer(&self) -> &Timer {
        &self.timer
    }

    pub(crate) fn probe_hits(&self) -> u64 {
        self.probe_hits
    }

    pub(crate) fn count_probe_hit(&mut self) {
        self.probe_hits += 1;
    }

    #[inline]
    pub(crate) fn count_table_hit(&mut self) {
        self.tally.table_hits += 1;
    }

    /// Counts a cut-off by a move, after so many others.
    #[inline]
    pub(crate) fn count_cut_off(&mut self, searched_before: usize) {
        self.tally.cut_offs += 1;
        self.tally.first_cut_offs += u64::from(searched_before == 0);
    }

    /// Starts the clock of the search.
    pub(crate) fn start(&mut self) {
        self.started = now();
    }

    /// Returns what was counted, and the time since the start.
    pub(crate) fn tally(&self) -> SearchCounts {
        SearchCounts { time: since(self.started), ..self.tally }
    }

    #[cold]
    fn poll(&mut self) -> Result<(), Interrupt> {
        self.publish();
        if self.is_over() {
            return Err(Interrupt::Stopped);
        }
        if self.nodes >= self.pause {
            return Err(Interrupt::Paused);
        }
        if self.asked.is_some_and(|window| self.shared_root.settles(window)) {
            return Err(Interrupt::SettledElsewhere);
        }
        self.plan_poll();
        Ok(())
    }

    /// Publishes the number of nodes of this thread to the other threads.
    pub(crate) fn publish(&mut self) {
        let unpublished = self.nodes - self.reported;
        self.published.fetch_add(unpublished, Ordering::Relaxed);
        self.reported = self.nodes;
    }

    fn plan_poll(&mut self) {
        let to_limit = self.limit.saturating_sub(self.nodes());
        let to_pause = self.pause.saturating_sub(self.nodes);
        self.next_poll = self.nodes + to_limit.min(to_pause).min(self.interval);
    }
}

/// Returns how often a thread publishes its nodes. With one thread the limit is met to the node.
/// Several threads know only what was published, so they publish more often when the limit is
/// small.
fn interval(limit: Option<u64>, threads: usize) -> u64 {
    match limit {
        Some(limit) if threads > 1 => (limit / (16 * threads as u64)).clamp(1, POLL_INTERVAL),
        _ => POLL_INTERVAL,
    }
}
