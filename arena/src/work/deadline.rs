//! [`DeadlineHost`]: a host whose games end at a given time, by the loss of the engine to move.

use std::time::{Duration, Instant};

use tengen_runs::TaskSignal;

use crate::config::Launch;
use crate::engine::host::{Dismissal, EngineHost, HostEvent};
use crate::engine::process::ProcessHost;
use crate::record::EndKind;

/// How often a waiting game looks whether it is cancelled.
const LOOK: Duration = Duration::from_millis(200);

/// A host with a deadline for all its games together.
pub(super) struct DeadlineHost<'a> {
    host: &'a mut ProcessHost,
    deadline: Instant,
    /// What the record says about the loss.
    pub(super) text: String,
    /// The seat whose engine was spoken to last: the engine to move.
    asked: usize,
    /// The seat whose engine has lost by the deadline; `None` before.
    pub(super) loser: Option<usize>,
    signal: &'a TaskSignal,
}

impl<'a> DeadlineHost<'a> {
    pub(super) fn new(host: &'a mut ProcessHost, max_ms: u64, signal: &'a TaskSignal) -> Self {
        let deadline = host.now() + Duration::from_millis(max_ms);
        let text = format!("the task took longer than {max_ms} ms");
        Self { host, deadline, text, asked: 0, loser: None, signal }
    }
}

impl EngineHost for DeadlineHost<'_> {
    fn now(&self) -> Instant {
        self.host.now()
    }

    fn start(&mut self, seat: usize, launch: &Launch) -> Result<(), String> {
        self.asked = seat;
        self.host.start(seat, launch)
    }

    fn send(&mut self, seat: usize, line: &str) {
        self.asked = seat;
        self.host.send(seat, line);
    }

    fn next(&mut self, until: Instant) -> HostEvent {
        loop {
            if self.signal.is_cancelled() {
                return HostEvent::Abort;
            }
            let look = self.now() + LOOK;
            match self.host.next(until.min(self.deadline).min(look)) {
                HostEvent::Timeout if self.now() >= self.deadline => {
                    self.loser.get_or_insert(self.asked);
                    let (seat, text) = (self.asked, self.text.clone());
                    return HostEvent::Failed { seat, kind: EndKind::Stall, text };
                }
                HostEvent::Timeout if self.now() < until => {}
                event => {
                    // A line of an engine is a sign of progress.
                    if matches!(event, HostEvent::Line { .. }) {
                        self.signal.step();
                    }
                    return event;
                }
            }
        }
    }

    fn failure(&self, seat: usize) -> Option<(EndKind, String)> {
        self.host.failure(seat)
    }

    fn dismiss(&mut self, seat: usize, how: Dismissal) {
        self.host.dismiss(seat, how);
    }

    fn suspend(&mut self, seat: usize, stops: bool) {
        self.host.suspend(seat, stops);
    }

    fn cpu_time(&mut self, seat: usize) -> Duration {
        self.host.cpu_time(seat)
    }

    fn peak_memory(&mut self, seat: usize) -> u64 {
        self.host.peak_memory(seat)
    }

    fn lag(&self, from: Instant, to: Instant) -> Duration {
        self.host.lag(from, to)
    }

    fn unfinished(&self, seat: usize) -> String {
        self.host.unfinished(seat)
    }

    fn words(&mut self, seat: usize) -> String {
        self.host.words(seat)
    }
}
