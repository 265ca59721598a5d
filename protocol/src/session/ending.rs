//! The end of a session: how long work may continue after `quit` or the end of the input.
//!
//! At the end of the input a search with a limit is finished. A bare `go` ends by proof or after three
//! seconds; `go infinite` and `go ponder` are stopped after their first iteration.
//!
//! It reads no clock: [`Effect::Timer`] sets a timer, and [`Session::timer_ended`] handles its end.

use std::time::Duration;

use super::queue::Pending;
use super::{Effect, Session};
use crate::command::Command;
use crate::log::LINES;

/// How long a search without limits may continue after the end of the input, and a perft or a bench
/// after `quit`. Clients kill an engine after five seconds.
const GRACE: Duration = Duration::from_secs(3);

/// The state of the timer that limits work at the end of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Timer {
    /// The timer was not set.
    #[default]
    Unset,
    /// The timer runs.
    Set,
    /// The timer has ended. Work that still runs is stopped.
    Ended,
}

impl Session {
    /// Handles the end of the input. The session finishes bounded work and then quits.
    pub fn end_of_input(&mut self) {
        tracing::debug!(target: LINES, "end of input");
        if !self.over {
            self.queue.push_back(Pending::EndOfInput);
            self.advance();
        }
    }

    /// Handles the end of the timer that [`Effect::Timer`] set.
    pub fn timer_ended(&mut self) {
        if self.timer == Timer::Set && !self.over {
            self.timer = Timer::Ended;
            self.advance();
        }
    }

    /// Limits a perft or bench to [`GRACE`] after `quit`.
    pub(super) fn limit_count(&mut self) {
        if self.is_counting() && self.is_quitting() {
            self.stop_when_ended();
        }
    }

    /// Limits a search without limits at the end of the input.
    pub(super) fn limit_search(&mut self) {
        let Some(running) = self.running.as_ref().filter(|running| !running.is_bounded()) else {
            return;
        };
        if running.is_stopped() {
            return;
        }
        if running.is_open_ended() {
            // Without an iteration the answer would be any legal move.
            let has_result = running.has_iteration || running.held.is_some();
            return if has_result { self.stop() } else { self.stop_when_ended() };
        }
        if self.timer == Timer::Unset {
            let seconds = GRACE.as_secs();
            self.note(format!("end of input: this search ends with a proof, or in {seconds} s"));
        }
        self.stop_when_ended();
    }

    /// Stops the running work when the timer has ended. Sets the timer to [`GRACE`] if it is not set.
    fn stop_when_ended(&mut self) {
        match self.timer {
            Timer::Unset => {
                self.timer = Timer::Set;
                self.effects.push(Effect::Timer(GRACE));
            }
            Timer::Set => {}
            Timer::Ended => self.stop(),
        }
    }

    fn is_quitting(&self) -> bool {
        self.queue.iter().any(
            |pending| matches!(pending, Pending::Command(command, _) if **command == Command::Quit),
        )
    }
}
