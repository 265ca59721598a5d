//! How a session ends: what still runs when the client has quit or its input has ended, and for how
//! long.
//!
//! At the end of the input a search with a limit is finished. A bare `go` ends by proof or after three
//! seconds; `go infinite` and `go ponder` are stopped after their first iteration.
//!
//! It reads no clock: an [`Effect::Timer`] asks for one, and [`Session::timer_ended`] reports it.

use std::time::Duration;

use super::queue::Pending;
use super::running::Running;
use super::{Effect, Session};
use crate::command::Command;
use crate::log::LINES;

/// How long a search without limits goes on after the end of the input.
const SEARCH_GRACE: Duration = Duration::from_secs(3);
/// How long a perft or a bench may still take after `quit`: clients kill after five seconds.
const COUNT_GRACE: Duration = Duration::from_secs(3);

/// The timer of a session that is to end. A session needs one at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Timer {
    /// The timer does not run.
    #[default]
    Unset,
    /// The timer runs.
    Set,
    /// The timer has ended: work that still runs is stopped.
    Ended,
}

impl Session {
    /// Handles the end of the input. Bounded work is finished; then the session quits.
    pub fn end_of_input(&mut self) {
        tracing::debug!(target: LINES, "end of input");
        if !self.over {
            self.queue.push_back(Pending::EndOfInput);
            self.advance();
        }
    }

    /// Handles the end of the time of [`Effect::Timer`].
    pub fn timer_ended(&mut self) {
        if self.timer == Timer::Set && !self.over {
            self.timer = Timer::Ended;
            self.advance();
        }
    }

    /// Limits a perft or bench to three seconds after `quit`.
    pub(super) fn limit_count(&mut self) {
        if self.is_counting() && self.is_quitting() {
            self.stop_when_ended(COUNT_GRACE);
        }
    }

    /// Limits a search that nothing but a stop would end, at the end of the input.
    pub(super) fn limit_search(&mut self) {
        let Some(running) = self.running.as_ref().filter(|running| !running.is_bounded()) else {
            return;
        };
        if running.is_stopped() {
            return;
        }
        if running.is_open_ended() {
            // Without an iteration the answer would be any legal move.
            return if running.has_result() {
                self.stop()
            } else {
                self.stop_when_ended(SEARCH_GRACE)
            };
        }
        if self.timer == Timer::Unset {
            let seconds = SEARCH_GRACE.as_secs();
            self.note(format!("end of input: this search ends with a proof, or in {seconds} s"));
        }
        self.stop_when_ended(SEARCH_GRACE);
    }

    /// Stops the running work once the timer has ended; sets the timer to `grace` where it is not
    /// set.
    fn stop_when_ended(&mut self, grace: Duration) {
        match self.timer {
            Timer::Unset => {
                self.timer = Timer::Set;
                self.effects.push(Effect::Timer(grace));
            }
            Timer::Set => {}
            Timer::Ended => self.stop(),
        }
    }

    fn is_quitting(&self) -> bool {
        let quits = |pending: &Pending| matches!(pending, Pending::Command(Command::Quit, _));
        self.queue.iter().any(quits)
    }
}

impl Running {
    /// Returns whether an answer from now on rests on a search.
    fn has_result(&self) -> bool {
        self.has_iteration || self.held.is_some()
    }
}
