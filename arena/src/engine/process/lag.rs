//! Detects scheduling delays of the machine: a thread measures the delay of its own wake-ups.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The interval between two wake-ups.
const PERIOD: Duration = Duration::from_millis(10);

/// The maximum delay that is not recorded.
const LATE: Duration = Duration::from_millis(20);

/// The recorded delays, each from due time to wake-up, in the order of time.
#[derive(Clone, Debug, Default)]
struct Delays(Arc<Mutex<Vec<(Instant, Instant)>>>);

/// Records delays of the machine until it is dropped.
#[derive(Debug)]
pub(super) struct LagWatch {
    delays: Delays,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LagWatch {
    /// Starts the thread.
    pub(super) fn start() -> std::io::Result<Self> {
        let delays = Delays::default();
        let (stop, stopped) = channel();
        let recorded = delays.clone();
        let watch = move || {
            loop {
                let before = Instant::now();
                if stopped.recv_timeout(PERIOD) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                recorded.record(before, Instant::now());
            }
        };
        let thread = thread::Builder::new().name("lag".to_owned()).spawn(watch)?;
        Ok(Self { delays, stop: Some(stop), thread: Some(thread) })
    }

    /// Returns whether the machine was late between `from` and `to`.
    pub(super) fn was_late(&self, from: Instant, to: Instant) -> bool {
        self.delays.overlap(from, to)
    }
}

impl Drop for LagWatch {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Delays {
    /// Records a wake-up at `now` that was due [`PERIOD`] after `before`.
    fn record(&self, before: Instant, now: Instant) {
        let due = before + PERIOD;
        if now.saturating_duration_since(due) > LATE {
            self.0.lock().push((due, now));
        }
    }

    fn overlap(&self, from: Instant, to: Instant) -> bool {
        let delays = self.0.lock();
        delays.iter().rev().any(|(begin, end)| *begin <= to && *end >= from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_wake_up_is_a_delay_from_when_it_was_due() {
        let delays = Delays::default();
        let now = Instant::now();
        let ms = Duration::from_millis;
        delays.record(now, now + ms(30));
        assert!(!delays.overlap(now, now + ms(100)));
        delays.record(now + ms(100), now + ms(131));
        assert!(delays.overlap(now, now + ms(115)));
        assert!(delays.overlap(now + ms(131), now + ms(200)));
        assert!(
            !delays.overlap(now, now + ms(109)) && !delays.overlap(now + ms(132), now + ms(200))
        );
    }
}
