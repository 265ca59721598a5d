//! What every node reports to: the node count, the stop and the limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::control::Signal;
use crate::report::Tally;
use crate::time::{Timer, now, since};
use crate::window::Window;

use crate::smp::{Busy, SharedRoot};

/// The search was told to end, as a whole or below a node that another thread has settled; the
/// result in progress is void.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

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
    /// The own nodes at which the search pauses.
    pause: u64,
    probe_hits: u64,
    /// What all threads have proven of the root.
    front: Arc<SharedRoot>,
    /// Where all threads are; `None` for one alone.
    crowd: Option<Arc<Busy>>,
    /// What this one asks of the root.
    asked: Option<Window>,
    started: Instant,
    tally: Tally,
}

impl Context {
    /// Counts nodes and never stops: for searches that only their depth ends.
    pub fn unlimited() -> Self {
        let signal = Arc::<Signal>::default();
        let timer = Timer::unlimited(Arc::clone(&signal));
        Self::new(signal, timer, Arc::default(), None, 1)
    }

    /// Ends its search after so many nodes.
    pub fn limited(nodes: u64) -> Self {
        let signal = Arc::<Signal>::default();
        let timer = Timer::unlimited(Arc::clone(&signal));
        Self::new(signal, timer, Arc::default(), Some(nodes), 1)
    }

    /// A context that ends its search at `limit` nodes over all `threads` that share `published`.
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
            pause: u64::MAX,
            probe_hits: 0,
            front: Arc::default(),
            crowd: None,
            asked: None,
            started: now(),
            tally: Tally::default(),
        };
        context.plan_poll();
        context
    }

    /// Enters a node. `Err` when the search must end instead; the node is then not counted.
    #[inline]
    pub fn enter(&mut self) -> Result<(), Stopped> {
        if self.signal.is_stopped() {
            return Err(Stopped);
        }
        if self.nodes >= self.next_poll {
            self.poll()?;
        }
        self.nodes += 1;
        Ok(())
    }

    /// From here on, so many more nodes are entered before [`enter`](Self::enter) says to stop.
    pub(crate) fn grant(&mut self, nodes: u64) {
        self.pause = self.nodes.saturating_add(nodes);
        self.plan_poll();
    }

    /// Searches together with all who have the same `front` and `crowd`.
    pub(crate) fn join(self, front: Arc<SharedRoot>, crowd: Option<Arc<Busy>>) -> Self {
        Self { front, crowd, ..self }
    }

    /// Where all threads are; `None` for one alone.
    #[inline]
    pub(crate) fn crowd(&self) -> Option<&Busy> {
        self.crowd.as_deref()
    }

    /// What all threads have proven of the root.
    pub(crate) fn front(&self) -> &SharedRoot {
        &self.front
    }

    /// From here on [`enter`](Self::enter) also says to stop when another thread has settled
    /// `window`.
    pub(crate) fn ask(&mut self, window: Option<Window>) {
        self.asked = window;
    }

    /// Whether the search must pause after the nodes that it was granted.
    pub(crate) fn is_paused(&self) -> bool {
        self.nodes >= self.pause
    }

    /// Whether the search must end for good.
    pub(crate) fn is_over(&self) -> bool {
        self.signal.is_stopped() || self.nodes() >= self.limit || self.timer.is_over()
    }

    /// Nodes entered over all threads, as far as the others have told.
    pub fn nodes(&self) -> u64 {
        self.published.load(Ordering::Relaxed) + (self.nodes - self.reported)
    }

    /// Nodes entered by this thread.
    pub fn own_nodes(&self) -> u64 {
        self.nodes
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

    /// A move cut a node off, after so many others.
    #[inline]
    pub(crate) fn count_cut_off(&mut self, searched_before: usize) {
        self.tally.cut_offs += 1;
        self.tally.first_cut_offs += u64::from(searched_before == 0);
    }

    /// The search begins.
    pub(crate) fn start(&mut self) {
        self.started = now();
    }

    /// What was counted, and the time since the start.
    pub(crate) fn tally(&self) -> Tally {
        Tally { time: since(self.started), ..self.tally }
    }

    #[cold]
    fn poll(&mut self) -> Result<(), Stopped> {
        self.publish();
        let is_answered = self.asked.is_some_and(|window| self.front.settles(window));
        if is_answered || self.is_paused() || self.is_over() {
            return Err(Stopped);
        }
        self.plan_poll();
        Ok(())
    }

    /// Tells the other threads how many nodes this one has entered.
    pub(crate) fn publish(&mut self) {
        let news = self.nodes - self.reported;
        self.published.fetch_add(news, Ordering::Relaxed);
        self.reported = self.nodes;
    }

    fn plan_poll(&mut self) {
        let to_limit = self.limit.saturating_sub(self.nodes());
        let to_pause = self.pause.saturating_sub(self.nodes);
        self.next_poll = self.nodes + to_limit.min(to_pause).min(self.interval);
    }
}

/// One thread meets its limit to the node. Several know of each other only what was published, so
/// the smaller the limit, the more often they tell.
fn interval(limit: Option<u64>, threads: usize) -> u64 {
    match limit {
        Some(limit) if threads > 1 => (limit / (16 * threads as u64)).clamp(1, POLL_INTERVAL),
        _ => POLL_INTERVAL,
    }
}
