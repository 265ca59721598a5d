//! [`Instant`], the only clock of the engine: the clock of the standard library, or one that the
//! program installs where the standard library has none.

use std::time::Duration;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use installed::poll;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use installed::{Instant, install};
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

/// Returns the current instant.
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Returns the time since `at`.
pub(crate) fn since(at: Instant) -> Duration {
    at.elapsed()
}

/// Called every few thousand nodes of a search. Only an installed clock has something to do.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) fn poll() {}

/// The clock of WebAssembly in a browser: a function of the program.
#[cfg(any(test, all(target_family = "wasm", target_os = "unknown")))]
#[cfg_attr(test, allow(unreachable_pub))]
mod installed {
    use std::ops::Add;
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<Clock> = OnceLock::new();

    #[derive(Debug)]
    struct Clock {
        source: fn() -> Duration,
        on_poll: fn(),
    }

    /// Installs the clock. `source` returns the time since a fixed instant, and never less than
    /// before. `on_poll` is called every few milliseconds of a search, in which nothing else of the
    /// thread runs: the program can do what is due. A second clock is ignored. Call this before
    /// anything else of the engine.
    pub fn install(source: fn() -> Duration, on_poll: fn()) {
        let _ = CLOCK.set(Clock { source, on_poll });
    }

    /// Tells the program that a search has gone on for some time.
    pub(crate) fn poll() {
        if let Some(clock) = CLOCK.get() {
            (clock.on_poll)();
        }
    }

    /// An instant of the installed clock. It has the methods of [`std::time::Instant`] that the
    /// engine uses.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// Returns the current instant.
        ///
        /// # Panics
        ///
        /// Panics if no clock is installed.
        pub fn now() -> Self {
            let clock = CLOCK.get().expect("a clock: call tengen_engine::clock::install first");
            Self((clock.source)())
        }

        /// Returns the time since this instant.
        pub fn elapsed(self) -> Duration {
            Self::now().saturating_duration_since(self)
        }

        /// Returns the time from `earlier` to this instant; zero if `earlier` is later.
        pub fn saturating_duration_since(self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        /// Returns the instant after the time `after`; `None` if it is too late to be represented.
        pub fn checked_add(self, after: Duration) -> Option<Self> {
            self.0.checked_add(after).map(Self)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, after: Duration) -> Self {
            Self(self.0 + after)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::installed::{Instant, install, poll};

    thread_local! {
        static SECONDS: Cell<u64> = const { Cell::new(5) };
        static POLLS: Cell<u64> = const { Cell::new(0) };
    }

    fn source() -> Duration {
        Duration::from_secs(SECONDS.get())
    }

    #[test]
    fn an_installed_clock_gives_the_instants() {
        poll();
        install(source, || POLLS.set(POLLS.get() + 1));
        install(|| Duration::MAX, || ());
        poll();
        assert_eq!(POLLS.get(), 1);
        let start = Instant::now();
        SECONDS.set(7);
        assert_eq!(start.elapsed(), Duration::from_secs(2), "the first clock stays");
        let end = start + Duration::from_secs(2);
        assert_eq!(end, Instant::now());
        assert_eq!(end.saturating_duration_since(start), Duration::from_secs(2));
        assert_eq!(start.saturating_duration_since(end), Duration::ZERO);
        assert_eq!(start.checked_add(Duration::from_secs(2)), Some(end));
        assert_eq!(start.checked_add(Duration::MAX), None);
        assert!(start < end);
    }
}
