//! The queue of commands. While a search runs, a command is carried out at once, after the search,
//! or after it has stopped the search.
//!
//! It knows no dialect, and not what the commands do.

use std::time::Instant;

use super::{Running, Session, WorkKind};
use crate::command::{Command, GameCommand};
use crate::options::Key;

/// A line's command and when it came.
pub(super) enum Pending {
    Command(Command, Instant),
    EndOfInput,
}

/// When a command is carried out while a search runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Timing {
    /// At once, while the search goes on.
    AtOnce,
    /// After the search. A search that nothing else would end is stopped.
    AfterSearch,
    /// After the search, which it stops.
    StopsSearch,
}

impl Session {
    pub(super) fn command(&mut self, command: Command, at: Instant) {
        if self.is_waited_for() {
            // `stop` and `isready` overtake commands that wait for a running search or count.
            match command {
                Command::Stop => return self.stop(),
                Command::Ready => return self.ready(),
                _ => {}
            }
        }
        self.queue.push_back(Pending::Command(command, at));
        self.advance();
    }

    /// Returns whether commands wait for a search or count that goes on.
    fn is_waited_for(&self) -> bool {
        let waits = !self.queue.is_empty() && !self.awaits_answer();
        self.is_counting() || (self.running.is_some() && waits)
    }

    /// Returns whether a command in the queue stops searches: then the commands before it stop them
    /// too.
    fn has_stopping_command(&self) -> bool {
        let ends = |pending: &Pending| match pending {
            Pending::Command(command, _) => self.timing(command) == Timing::StopsSearch,
            Pending::EndOfInput => false,
        };
        self.queue.iter().any(ends)
    }

    /// Carries out what waits in the queue, as far as a running search lets it.
    pub(super) fn advance(&mut self) {
        while let Some(pending) = self.queue.pop_front() {
            if !self.make_room_for(&pending) {
                self.queue.push_front(pending);
                break;
            }
            match pending {
                Pending::Command(command, at) => self.act(command, at),
                Pending::EndOfInput => self.quit(),
            }
        }
        self.limit_count();
    }

    /// Stops a running search that must end before `pending`. Whether `pending` can be carried out
    /// now.
    fn make_room_for(&mut self, pending: &Pending) -> bool {
        if self.awaits_table() {
            return false;
        }
        let is_bounded = self.running.as_ref().is_some_and(Running::is_bounded);
        let timing = match pending {
            Pending::Command(command, _) => self.timing(command),
            Pending::EndOfInput => {
                self.limit_search();
                return self.running.is_none() && self.unready == 0;
            }
        };
        let ends_it = match timing {
            Timing::AtOnce => false,
            Timing::AfterSearch => !is_bounded || self.has_stopping_command(),
            Timing::StopsSearch => true,
        };
        // A count is finished first: it ends by itself, and the client wants the number.
        if ends_it && !self.is_counting() {
            self.stop_for_command();
        }
        let leaves = matches!(pending, Pending::Command(Command::Quit, _));
        // What an isready waits for must be done before the backend can be let go: to answer it
        // costs no time.
        let is_answered = self.unready == 0 || !leaves;
        (timing == Timing::AtOnce || self.running.is_none()) && is_answered
    }

    /// Returns whether a perft or a bench runs.
    pub(super) fn is_counting(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.kind != WorkKind::Search)
    }

    fn timing(&self, command: &Command) -> Timing {
        match command {
            Command::Go(_)
            | Command::Perft(_)
            | Command::Bench { .. }
            | Command::NewGame
            | Command::Quit
            | Command::Game(
                GameCommand::Open { .. } | GameCommand::SetUp { .. } | GameCommand::Swap(_),
            ) => Timing::StopsSearch,
            // A value that will be refused ends no search.
            Command::SetOption { name, value } => match self.options.read(name, value.as_deref()) {
                Ok((Key::Hash | Key::ClearHash | Key::EvalFile, _)) => Timing::StopsSearch,
                Ok((Key::Variant | Key::Game(_), _)) => Timing::StopsSearch,
                _ => Timing::AtOnce,
            },
            Command::Game(
                GameCommand::Evaluate(_) | GameCommand::Forbidden | GameCommand::Capacity,
            ) => Timing::AtOnce,
            Command::Game(_) => Timing::AfterSearch,
            _ => Timing::AtOnce,
        }
    }
}
