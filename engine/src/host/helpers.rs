//! The helper threads of a search: threads of the standard library, or of a pool whose threads the
//! program starts. Web Workers on shared memory are such threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{Builder, Scope};

#[cfg(feature = "helper-pool")]
pub use pool::{provide_helpers, run_helper};

/// The stack size of a search thread in bytes. The search recurses deeply.
pub(super) const STACK: usize = 64 << 20;

/// Starts the helper threads of one search, which end with [`with_helpers`].
pub(crate) enum Helpers<'scope, 'env: 'scope> {
    Threads(&'scope Scope<'scope, 'env>),
    #[cfg(feature = "helper-pool")]
    Pool(&'scope rayon_core::Scope<'env>),
}

impl<'env> Helpers<'_, 'env> {
    /// Runs `help` on the helper thread `number`. If no thread can start, the search continues
    /// without this helper.
    pub(crate) fn start(&self, number: usize, help: impl FnOnce() + Send + 'env) {
        // A panic of a helper must not lose the answer of the main thread.
        let help = move || drop(catch_unwind(AssertUnwindSafe(help)));
        match self {
            Self::Threads(scope) => {
                let thread = Builder::new().name(format!("helper {number}")).stack_size(STACK);
                let _ = thread.spawn_scoped(scope, help);
            }
            #[cfg(feature = "helper-pool")]
            Self::Pool(scope) => scope.spawn(|_| help()),
        }
    }
}

/// Calls `search` with what starts its helper threads, and waits until they end.
pub(crate) fn with_helpers<'env>(search: impl for<'scope> FnOnce(Helpers<'scope, 'env>)) {
    #[cfg(feature = "helper-pool")]
    if let Some(pool) = pool::get() {
        return pool.in_place_scope(|scope| search(Helpers::Pool(scope)));
    }
    std::thread::scope(|scope| search(Helpers::Threads(scope)));
}

/// Returns how many helper threads the pool of the program has; `None` without a pool.
#[cfg(not(feature = "helper-pool"))]
pub fn pool_threads() -> Option<usize> {
    None
}

/// Returns how many helper threads the pool of the program has; `None` without a pool.
#[cfg(feature = "helper-pool")]
pub fn pool_threads() -> Option<usize> {
    pool::get().map(rayon_core::ThreadPool::current_num_threads)
}

#[cfg(feature = "helper-pool")]
mod pool {
    use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

    use rayon_core::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};

    static POOL: OnceLock<ThreadPool> = OnceLock::new();
    /// The threads of the pool that no thread of the program runs yet.
    static WAITING: Mutex<Vec<ThreadBuilder>> = Mutex::new(Vec::new());
    static ADDED: Condvar = Condvar::new();

    pub(super) fn get() -> Option<&'static ThreadPool> {
        POOL.get()
    }

    /// Makes a pool of `count` helper threads, once; with 0 there is none. As many threads of the program
    /// must call [`run_helper`]; otherwise a search does not end.
    pub fn provide_helpers(count: usize) {
        if count == 0 {
            return;
        }
        POOL.get_or_init(|| {
            let add = |thread| {
                WAITING.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
                ADDED.notify_one();
                Ok(())
            };
            let pool = ThreadPoolBuilder::new().num_threads(count).spawn_handler(add).build();
            pool.expect("a pool whose threads the program starts")
        });
    }

    /// Runs a helper thread of the pool on this thread, without an end. Waits for the pool.
    pub fn run_helper() {
        let waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = ADDED.wait_while(waiting, |threads| threads.is_empty());
        let thread = waiting.unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(thread) = thread {
            thread.run();
        }
    }
}

#[cfg(all(test, feature = "helper-pool"))]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn threads_of_the_program_help_one_search_after_another() {
        for _ in 0..2 {
            std::thread::spawn(run_helper);
        }
        provide_helpers(2);
        provide_helpers(5);
        assert_eq!(pool_threads(), Some(2));
        for _ in 0..3 {
            // All three run at once, or this does not end.
            let meeting = Barrier::new(3);
            with_helpers(|helpers| {
                for number in 1..3 {
                    helpers.start(number, || {
                        meeting.wait();
                    });
                }
                meeting.wait();
            });
        }
    }
}
