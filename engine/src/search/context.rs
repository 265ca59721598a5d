//! [`Context`]: the node counter of one search thread, which ends the search at its limits.

use std::sync::Arc;

use crate::clock::{self, Instant, now, since};
use crate::game::window::Window;
use crate::search::control::Signal;
use crate::search::report::SearchCounts;
use crate::search::time::Timer;
use crate::sync::atomic::{AtomicU64, Ordering};

use crate::search::busy::Busy;
use crate::search::shared_root::SharedRoot;

/// The reason for interrupting the search of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Interrupt {
    /// The search must end because of a stop or a limit.
    Stopped,
    /// The quota of nodes is used up. The search will continue later.
    Paused,
    /// Another thread has settled the node, or a node above it.
    SettledElsewhere,
}

/// A thread reads the clock and publishes its nodes after this many nodes.
const POLL_INTERVAL: u64 = 1024;

/// The node counter of one search thread. It interrupts the search at its limits and after a stop.
#[derive(Debug)]
pub struct Context {
    signal: Arc<Signal>,
    timer: Timer,
    /// The published nodes of all threads.
    published: Arc<AtomicU64>,
    nodes: u64,
    /// The part of `nodes` that is in `published`.
    reported: u64,
    next_poll: u64,
    interval: u64,
    limit: u64,
    /// The node limit divided by the number of threads.
    own_limit: u64,
    /// The search pauses when `nodes` reaches this number.
    quota_end: u64,
    probe_hits: u64,
    /// The proven bounds of the root, shared by all threads.
    shared_root: Arc<SharedRoot>,
    /// The positions that the threads are searching; `None` with one thread.
    busy: Option<Arc<Busy>>,
    /// The window in which this thread searches the root; `None` outside a proof.
    root_window: Option<Window>,
    started: Instant,
    counts: SearchCounts,
}

impl Context {
    /// Creates a context without limits, for searches that end by their depth.
    pub fn unlimited() -> Self {
        let signal = Arc::<Signal>::default();
        let timer = Timer::unlimited(Arc::clone(&signal));
        Self::new(signal, timer, Arc::default(), None, 1)
    }

    /// Creates a context that ends its search after this many `nodes`.
    pub fn limited(nodes: u64) -> Self {
        let signal = Arc::<Signal>::default();
        let timer = Timer::unlimited(Arc::clone(&signal));
        Self::new(signal, timer, Arc::default(), Some(nodes), 1)
    }

    /// Creates a context that ends its search at `limit` nodes, over all `threads` that share
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
            quota_end: u64::MAX,
            probe_hits: 0,
            shared_root: Arc::default(),
            busy: None,
            root_window: None,
            started: now(),
            counts: SearchCounts::default(),
        };
        context.plan_poll();
        context
    }

    /// Creates a context with the stop and the time of this search, and its own count of at most
    /// `nodes` nodes.
    pub(crate) fn aside(&self, nodes: u64) -> Self {
        Self::new(self.signal.clone(), self.timer.clone(), Arc::default(), Some(nodes), 1)
    }

    /// Enters and counts a node. An interrupt means that the node is not counted and not searched.
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

    /// Sets the number of nodes before [`enter`](Self::enter) returns [`Interrupt::Paused`].
    pub(crate) fn set_quota(&mut self, nodes: u64) {
        self.quota_end = self.nodes.saturating_add(nodes);
        self.plan_poll();
    }

    /// Sets the data that the threads of one search share.
    pub(crate) fn join(self, shared_root: Arc<SharedRoot>, busy: Option<Arc<Busy>>) -> Self {
        Self { shared_root, busy, ..self }
    }

    /// Returns the positions that the threads are searching; `None` with one thread.
    #[inline]
    pub(crate) fn busy(&self) -> Option<&Busy> {
        self.busy.as_deref()
    }

    /// Returns the proven bounds of the root, shared by all threads.
    pub(crate) fn shared_root(&self) -> &SharedRoot {
        &self.shared_root
    }

    /// Sets the window in which this thread searches the root. [`enter`](Self::enter) interrupts
    /// the search if another thread settles this window.
    pub(crate) fn set_root_window(&mut self, window: Option<Window>) {
        self.root_window = window;
    }

    /// Returns whether the search must end: after a stop or at a limit.
    pub(crate) fn is_over(&self) -> bool {
        self.signal.is_stopped() || self.nodes() >= self.limit || self.timer.is_over()
    }

    /// Returns the nodes entered by this thread, plus the published nodes of the other threads.
    pub fn nodes(&self) -> u64 {
        self.published.load(Ordering::Relaxed) + (self.nodes - self.reported)
    }

    /// Returns the nodes entered by this thread.
    pub fn own_nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the node limit divided by the number of threads; `u64::MAX` without a limit. A
    /// thread may enter more nodes if the others enter fewer.
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
        self.counts.table_hits += 1;
    }

    /// Counts a cut-off by a move. `searched_before` moves of the node were searched before it.
    #[inline]
    pub(crate) fn count_cut_off(&mut self, searched_before: usize) {
        self.counts.cut_offs += 1;
        self.counts.first_cut_offs += u64::from(searched_before == 0);
    }

    /// Starts the clock of the search.
    pub(crate) fn start(&mut self) {
        self.started = now();
    }

    /// Returns the counts, with the time since the start.
    pub(crate) fn counts(&self) -> SearchCounts {
        SearchCounts { time: since(self.started), ..self.counts }
    }

    #[cold]
    fn poll(&mut self) -> Result<(), Interrupt> {
        self.publish();
        clock::poll();
        if self.is_over() {
            return Err(Interrupt::Stopped);
        }
        if self.nodes >= self.quota_end {
            return Err(Interrupt::Paused);
        }
        if self.root_window.is_some_and(|window| self.shared_root.settles(window)) {
            return Err(Interrupt::SettledElsewhere);
        }
        self.plan_poll();
        Ok(())
    }

    /// Adds the new nodes of this thread to the published nodes.
    pub(crate) fn publish(&mut self) {
        let unpublished = self.nodes - self.reported;
        self.published.fetch_add(unpublished, Ordering::Relaxed);
        self.reported = self.nodes;
    }

    fn plan_poll(&mut self) {
        let to_limit = self.limit.saturating_sub(self.nodes());
        let to_quota_end = self.quota_end.saturating_sub(self.nodes);
        self.next_poll = self.nodes + to_limit.min(to_quota_end).min(self.interval);
    }
}

/// Returns after how many nodes a thread publishes its nodes. One thread meets the limit exactly.
/// Several threads know only the published nodes of each other, so they publish more often if the
/// limit is small.
fn interval(limit: Option<u64>, threads: usize) -> u64 {
    match limit {
        Some(limit) if threads > 1 => (limit / (16 * threads as u64)).clamp(1, POLL_INTERVAL),
        _ => POLL_INTERVAL,
    }
}
