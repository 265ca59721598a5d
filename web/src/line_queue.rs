//! [`LineQueue`]: a fair queue of the lines of all connections. All lines are handled on one thread,
//! and some take milliseconds.
//!
//! Each connection, and the address of its client, is charged the processor time of its lines. The one
//! with the smallest charge goes next, and nobody is passed over for ever (`pool/queue.rs`). After a line that took long, other tasks run first. While connections wait for
//! their turn, their lines get at most half of the time of the thread.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tengen_protocol::pool::queue::{Owner, Queue, Rank, SessionId, Started, TaskId};
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::sleep;

/// The processor time of work after which other tasks run first.
const LONG: Duration = Duration::from_micros(100);

/// The maximum charge of a line. With it, a client that sent one costly line waits for about one
/// costly line of each other client. Without it, the client would wait until each of them has used
/// as much time.
const MAX_CHARGE: Duration = Duration::from_micros(500);

/// The rank of each line. All ranks are equal, because a connection has at most one waiting line.
const RANK: Rank = Rank { priority: 0, turn: 0, threads: 1, is_infinite: false };

/// The connections that wait until a line of theirs is handled.
pub(crate) struct LineQueue(Mutex<Queue<oneshot::Sender<Turn>>>);

/// The share of one connection.
pub(crate) struct Share {
    queue: Arc<LineQueue>,
    id: SessionId,
}

/// The permission to handle a line. Ends when it is dropped.
struct Turn {
    queue: Arc<LineQueue>,
    task: TaskId,
    granted: Instant,
    /// The processor time that the connection is charged.
    cost: Duration,
}

impl LineQueue {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Queue::new(1))))
    }

    /// Returns the share of a new connection of a client at `address`.
    pub(crate) fn join(self: &Arc<Self>, address: IpAddr) -> Share {
        let id = self.0.lock().join(Owner::of(address), Instant::now());
        Share { id, queue: Arc::clone(self) }
    }

    /// Returns whether connections wait for their turn.
    fn is_contended(&self) -> bool {
        self.0.lock().waiting() > 0
    }

    /// Grants the next turn, unless one is granted already.
    fn grant(self: &Arc<Self>) {
        let mut next = self.start();
        while let Some((waiting, turn)) = next {
            let Err(mut unused) = waiting.send(turn) else { return };
            // The connection is gone.
            unused.finish();
            next = self.start();
        }
    }

    fn start(self: &Arc<Self>) -> Option<(oneshot::Sender<Turn>, Turn)> {
        let granted = Instant::now();
        let Started { task, work, .. } = self.0.lock().start(granted)?;
        let turn = Turn { queue: Arc::clone(self), task, granted, cost: Duration::ZERO };
        Some((work, turn))
    }
}

impl Share {
    /// Waits for a turn, and does `work`.
    pub(crate) async fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let mut turn = self.turn().await;
        let begin = processor_time();
        let done = work();
        let cost = processor_time().saturating_sub(begin);
        if let Some(turn) = &mut turn {
            turn.cost = cost.min(MAX_CHARGE);
        }
        match self.queue.is_contended() {
            // A request takes several rounds of the event loop. All of them fit into this pause.
            true if cost > LONG => sleep(cost).await,
            _ => yield_after(cost).await,
        }
        done
    }

    /// Waits for a turn, then for `work`, which is charged to the connection.
    pub(crate) async fn charge<T>(&self, work: impl Future<Output = T>) -> T {
        self.run(|| ()).await;
        let begin = processor_time();
        let done = work.await;
        let cost = processor_time().saturating_sub(begin);
        self.queue.0.lock().charge_more(self.id, cost.min(MAX_CHARGE));
        yield_after(cost).await;
        done
    }

    /// Returns a turn; always `Some` while the server runs.
    async fn turn(&self) -> Option<Turn> {
        let (sender, turn) = oneshot::channel();
        {
            let mut queue = self.queue.0.lock();
            let arrival = queue.arrival();
            queue.push(self.id, arrival, RANK, Instant::now(), sender);
        }
        self.queue.grant();
        turn.await.ok()
    }
}

/// Returns the processor time of this thread. A wait for a processor is not the client's doing.
#[cfg(unix)]
pub(crate) fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let used = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(used).unwrap_or_default()
}

/// Returns the time on a clock that only goes forward.
#[cfg(not(unix))]
pub(crate) fn processor_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// Lets other tasks run first after work that took this long.
pub(crate) async fn yield_after(cost: Duration) {
    if cost > LONG {
        yield_now().await;
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.queue.0.lock().leave(self.id);
    }
}

impl Turn {
    fn finish(&mut self) {
        self.queue.0.lock().finish(self.task, self.granted + self.cost);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.finish();
        self.queue.grant();
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    const NEAR: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    /// Works for more than [`LONG`].
    fn work() {
        let begin = Instant::now();
        while begin.elapsed() < 3 * LONG {
            std::hint::spin_loop();
        }
    }

    #[tokio::test]
    async fn a_modest_connection_waits_for_few_lines_of_a_flood() {
        let (queue, handled) = (LineQueue::new(), Arc::new(AtomicUsize::new(0)));
        for _ in 0..16 {
            let (share, handled) = (queue.join(NEAR), Arc::clone(&handled));
            tokio::spawn(async move {
                loop {
                    share.run(work).await;
                    handled.fetch_add(1, Relaxed);
                }
            });
        }
        let modest = queue.join(NEAR);
        for _ in 0..20 {
            while handled.load(Relaxed) < 20 {
                yield_now().await;
            }
            handled.store(0, Relaxed);
            modest.run(|| ()).await;
            let before = handled.load(Relaxed);
            assert!(before <= 4, "{before} lines of the flood came first");
        }
    }

    #[tokio::test]
    async fn a_connection_that_is_gone_holds_up_nobody() {
        let queue = LineQueue::new();
        let (first, second, third) = (queue.join(NEAR), queue.join(NEAR), queue.join(NEAR));
        let held = first.turn().await;
        let gone = tokio::spawn(async move { second.run(|| ()).await });
        let waits = tokio::spawn(async move { third.run(|| 3).await });
        yield_now().await;
        gone.abort();
        assert!(gone.await.is_err());
        drop(held);
        assert_eq!(waits.await.unwrap(), 3);
        assert_eq!(first.run(|| 1).await, 1);
    }
}
