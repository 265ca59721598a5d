//! [`TaskLimit`]: ends the games of a task at a given time, by the loss of the engine to move.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tengen_runs::TaskSignal;

use crate::engine::host::HostEvent;
use crate::record::EndKind;

/// How often a waiting game looks whether it is cancelled.
const LOOK: Duration = Duration::from_millis(200);

/// A deadline for all games of a task together.
pub struct TaskLimit {
    deadline: Instant,
    /// What the record says about the loss.
    pub(super) text: String,
    /// The seat whose engine was spoken to last: the engine to move.
    pub(super) asked: usize,
    /// The seat whose engine has lost by the deadline; `None` before.
    pub(super) loser: Option<usize>,
    signal: Arc<TaskSignal>,
}

impl TaskLimit {
    /// Creates the limit of a task that begins now.
    pub fn new(max_ms: u64, signal: &Arc<TaskSignal>) -> Self {
        let deadline = Instant::now() + Duration::from_millis(max_ms);
        let text = format!("the task took longer than {max_ms} ms");
        Self { deadline, text, asked: 0, loser: None, signal: Arc::clone(signal) }
    }

    /// Waits for an event by `next`, at most until `until`.
    pub(super) fn next(
        &mut self,
        until: Instant,
        mut next: impl FnMut(Instant) -> HostEvent,
    ) -> HostEvent {
        loop {
            if self.signal.is_cancelled() {
                return HostEvent::Abort;
            }
            let look = Instant::now() + LOOK;
            match next(until.min(self.deadline).min(look)) {
                HostEvent::Timeout if Instant::now() >= self.deadline => {
                    self.loser.get_or_insert(self.asked);
                    let (seat, text) = (self.asked, self.text.clone());
                    return HostEvent::Failed { seat, kind: EndKind::Stall, text };
                }
                HostEvent::Timeout if Instant::now() < until => {}
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
}
