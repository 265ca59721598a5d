//! The queue of what a client said, and how it meets a running search: beside it, after it, or as
//! its end.
//!
//! It knows no dialect, and not what the commands do.

use std::time::Instant;

use super::{Running, Session, Task};
use crate::command::{Command, Keep};
use crate::options::Key;

/// A line's command and when it came.
pub(super) enum Pending {
    Command(Command, Instant),
    EndOfInput,
}

/// How a command meets a running search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meeting {
    /// It is carried out beside it.
    Beside,
    /// It waits for the end, which it brings about only where nothing else would.
    Waits,
    /// It brings about the end, and waits for it.
    Ends,
}

impl Session {
    pub(super) fn command(&mut self, command: Command, at: Instant) {
        if self.is_waited_for() {
            // What waits for the end has not begun: these are not behind it.
            match command {
                Command::Stop => return self.stop(),
                Command::Ready => return self.ready(),
                _ => {}
            }
        }
        self.queue.push_back(Pending::Command(command, at));
        self.advance();
    }

    /// Whether something runs that goes on though commands wait for it.
    fn is_waited_for(&self) -> bool {
        let waits = !self.queue.is_empty() && !self.awaits_answer();
        self.is_counting() || (self.running.is_some() && waits)
    }

    pub(super) fn is_quitting(&self) -> bool {
        let quits = |pending: &Pending| matches!(pending, Pending::Command(Command::Quit, _));
        self.queue.iter().any(quits)
    }

    /// Whether something behind in the queue ends searches: then those before it do not wait
    /// either.
    fn is_hurried(&self) -> bool {
        let ends = |pending: &Pending| match pending {
            Pending::Command(command, _) => self.meeting(command) == Meeting::Ends,
            Pending::EndOfInput => false,
        };
        self.queue.iter().any(ends)
    }

    /// Carries out what waits in the queue, as far as a running search lets it.
    pub(super) fn advance(&mut self) {
        while let Some(pending) = self.queue.pop_front() {
            if !self.may_act(&pending) {
                self.queue.push_front(pending);
                return;
            }
            match pending {
                Pending::Command(command, at) => self.act(command, at),
                Pending::EndOfInput => self.quit(),
            }
        }
    }

    /// Whether `pending` can be carried out now. Where a search must end first, this stops it.
    fn may_act(&mut self, pending: &Pending) -> bool {
        if self.is_opening() {
            return false;
        }
        let is_bounded = self.running.as_ref().is_some_and(Running::is_bounded);
        let meeting = match pending {
            Pending::Command(command, _) => self.meeting(command),
            Pending::EndOfInput => Meeting::Waits,
        };
        let ends_it = match meeting {
            Meeting::Beside => false,
            Meeting::Waits => !is_bounded || self.is_hurried(),
            Meeting::Ends => true,
        };
        // A count is finished first: it ends by itself, and whoever asked wants the number.
        if ends_it && !self.is_counting() {
            self.make_way();
        }
        let leaves = matches!(pending, Pending::EndOfInput | Pending::Command(Command::Quit, _));
        // What an isready waits for must be done before the backend can be let go: to answer it
        // costs no time.
        let is_answered = self.unready == 0 || !leaves;
        (meeting == Meeting::Beside || self.running.is_none()) && is_answered
    }

    /// Whether a perft or a bench runs.
    pub(super) fn is_counting(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.task != Task::Search)
    }

    fn meeting(&self, command: &Command) -> Meeting {
        match command {
            Command::Go(_)
            | Command::Perft(_)
            | Command::Bench { .. }
            | Command::NewGame
            | Command::Quit
            | Command::Keep(Keep::Open { .. } | Keep::Stones { .. } | Keep::Swap(_)) => {
                Meeting::Ends
            }
            Command::SetOption { name, .. } => match self.options.key(name) {
                Some(Key::Hash | Key::ClearHash | Key::Variant | Key::Game(_)) => Meeting::Ends,
                _ => Meeting::Beside,
            },
            Command::Keep(Keep::Judge(_) | Keep::Forbidden | Keep::Capacity) => Meeting::Beside,
            Command::Keep(_) => Meeting::Waits,
            _ => Meeting::Beside,
        }
    }
}
