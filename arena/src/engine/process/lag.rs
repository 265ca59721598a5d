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

/// The recorded delays, and the wake-up that is awaited.
#[derive(Clone, Debug, Default)]
struct Delays(Arc<Mutex<Recorded>>);

#[derive(Debug, Default)]
struct Recorded {
    /// Each from due time to wake-up, in the order of time.
    delays: Vec<(Instant, Instant)>,
    /// When the next wake-up is due; `None` if none is awaited.
    due: Option<Instant>,
}

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
                recorded.await_wake_up(before);
                if stopped.recv_timeout(PERIOD) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                recorded.record(before, Instant::now());
            }
        };
        let thread = thread::Builder::new().name("lag".to_owned()).spawn(watch)?;
        Ok(Self { delays, stop: Some(stop), thread: Some(thread) })
    }

    /// Returns by how much the machine was late between `from` and `to`.
    pub(super) fn lag(&self, from: Instant, to: Instant) -> Duration {
        self.delays.between(from, to, Instant::now())
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
    /// Notes that a wake-up is due [`PERIOD`] after `before`.
    fn await_wake_up(&self, before: Instant) {
        self.0.lock().due = Some(before + PERIOD);
    }

    /// Records a wake-up at `now` that was due [`PERIOD`] after `before`.
    fn record(&self, before: Instant, now: Instant) {
        let mut recorded = self.0.lock();
        recorded.due = None;
        recorded.delays.extend(late(before + PERIOD, now));
    }

    /// Returns the sum of the delays, as far as they lie between `from` and `to`. After a pause of the machine the
    /// thread that asks may be the first one to run, so the wake-up that is awaited at `now` counts, too.
    fn between(&self, from: Instant, to: Instant, now: Instant) -> Duration {
        let recorded = self.0.lock();
        let awaited = recorded.due.and_then(|due| late(due, now));
        let all = awaited.iter().chain(recorded.delays.iter().rev());
        let recent = all.take_while(|(_, end)| *end >= from);
        recent.map(|(due, end)| to.min(*end).saturating_duration_since(from.max(*due))).sum()
    }
}

/// Returns the delay of a wake-up, from when it was due, if it is recorded.
fn late(due: Instant, now: Instant) -> Option<(Instant, Instant)> {
    (now.saturating_duration_since(due) > LATE).then_some((due, now))
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
        let between = |from, to| delays.between(from, to, now);
        assert_eq!(between(now, now + ms(100)), ms(0));
        delays.record(now + ms(100), now + ms(131));
        assert_eq!(between(now, now + ms(115)), ms(5));
        assert_eq!(between(now + ms(121), now + ms(200)), ms(10));
        assert_eq!(between(now, now + ms(109)), ms(0));
        assert_eq!(between(now + ms(132), now + ms(200)), ms(0));
        delays.record(now + ms(140), now + ms(190));
        assert_eq!(between(now, now + ms(200)), ms(21 + 40));
    }

    #[test]
    fn a_wake_up_that_has_not_come_is_a_delay_too() {
        let delays = Delays::default();
        let now = Instant::now();
        let ms = Duration::from_millis;
        delays.await_wake_up(now);
        assert_eq!(delays.between(now, now + ms(90), now + ms(30)), ms(0));
        assert_eq!(delays.between(now, now + ms(90), now + ms(90)), ms(80));
        delays.record(now, now + ms(90));
        delays.await_wake_up(now + ms(90));
        assert_eq!(delays.between(now, now + ms(90), now + ms(91)), ms(80));
    }
}
