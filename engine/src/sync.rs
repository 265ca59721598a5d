//! The atomics, channels and threads of the standard library. In a model of all interleavings (cfg `loom`) they are those of loom.

#[cfg(loom)]
pub(crate) use loom::{sync::atomic, thread};
#[cfg(not(loom))]
pub(crate) use std::{sync::atomic, sync::mpsc, thread};

/// A channel for models. That of loom does not end with its sender.
#[cfg(loom)]
pub(crate) mod mpsc {
    use std::collections::VecDeque;
    use std::sync::mpsc::{RecvError, SendError};

    use loom::sync::{Arc, Condvar, Mutex};

    struct Queue<T> {
        waiting: VecDeque<T>,
        has_ended: bool,
    }

    struct Shared<T> {
        queue: Mutex<Queue<T>>,
        changed: Condvar,
    }

    /// The sender.
    pub(crate) struct Sender<T>(Arc<Shared<T>>);

    /// The receiver.
    pub(crate) struct Receiver<T>(Arc<Shared<T>>);

    pub(crate) fn channel<T>() -> (Sender<T>, Receiver<T>) {
        let queue = Mutex::new(Queue { waiting: VecDeque::new(), has_ended: false });
        let shared = Arc::new(Shared { queue, changed: Condvar::new() });
        (Sender(Arc::clone(&shared)), Receiver(shared))
    }

    impl<T> Sender<T> {
        pub(crate) fn send(&self, value: T) -> Result<(), SendError<T>> {
            self.0.queue.lock().unwrap().waiting.push_back(value);
            self.0.changed.notify_one();
            Ok(())
        }
    }

    impl<T> Drop for Sender<T> {
        fn drop(&mut self) {
            self.0.queue.lock().unwrap().has_ended = true;
            self.0.changed.notify_one();
        }
    }

    impl<T> Receiver<T> {
        pub(crate) fn recv(&self) -> Result<T, RecvError> {
            let mut queue = self.0.queue.lock().unwrap();
            loop {
                if let Some(value) = queue.waiting.pop_front() {
                    return Ok(value);
                }
                if queue.has_ended {
                    return Err(RecvError);
                }
                queue = self.0.changed.wait(queue).unwrap();
            }
        }
    }
}

/// Runs a model in all interleavings of its threads, or in those with at most this many preemptions, and prints how many they are.
#[cfg(all(test, loom))]
pub(crate) fn check_all(preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let count = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let counted = std::sync::Arc::clone(&count);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    builder.check(move || {
        counted.fetch_add(1, atomic::Ordering::Relaxed);
        model();
    });
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    println!("{name}: {} interleavings", count.load(atomic::Ordering::Relaxed));
}
