//! The queue of commands. While a search runs, a command runs immediately, waits for the search, or
//! stops the search.
//!
//! It does not depend on a dialect.

use tengen_engine::Instant;

use super::{Running, Session, WorkKind};
use crate::command::{Command, GameCommand};
use crate::options::Key;

/// An entry of the queue: a command and when it arrived, or the end of the input.
pub(super) enum Pending {
    Command(Box<Command>, Instant),
    EndOfInput,
}

/// When a command runs that arrives during a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Timing {
    /// Immediately, during the search.
    AtOnce,
    /// After the search. A search without limits is stopped.
    AfterSearch,
    /// After the search. A search without limits is stopped once another command waits.
    AfterAnswer,
    /// After the search. Every search is stopped.
    StopsSearch,
}

impl Session {
    pub(super) fn command(&mut self, command: Command, at: Instant) {
        if self.is_queue_blocked() {
            // `stop` and `isready` do not wait in the queue.
            match command {
                Command::Stop => return self.stop(),
                Command::Ready => return self.ready(),
                _ => {}
            }
        }
        self.queue.push_back(Pending::Command(Box::new(command), at));
        self.advance();
    }

    /// Returns whether new commands must wait for a perft or bench, or for a search that was not
    /// stopped.
    fn is_queue_blocked(&self) -> bool {
        let is_waiting = !self.queue.is_empty() && !self.awaits_answer();
        self.is_counting() || (self.running.is_some() && is_waiting)
    }

    /// Returns whether a queued command stops searches. Then the commands before it stop them too.
    fn has_stopping_command(&self) -> bool {
        let stops = |pending: &Pending| match pending {
            Pending::Command(command, _) => self.timing(command) == Timing::StopsSearch,
            Pending::EndOfInput => false,
        };
        self.queue.iter().any(stops)
    }

    /// Runs the queued commands until one must wait for the running search.
    pub(super) fn advance(&mut self) {
        while let Some(pending) = self.queue.pop_front() {
            if !self.make_room_for(&pending) {
                self.queue.push_front(pending);
                break;
            }
            match pending {
                Pending::Command(command, at) => self.act(*command, at),
                Pending::EndOfInput => self.quit(),
            }
        }
        self.limit_count();
    }

    /// Stops a running search that must end before `pending`. Returns whether `pending` can run
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
                return self.running.is_none() && self.pending_readies == 0;
            }
        };
        let stops_search = match timing {
            Timing::AtOnce => false,
            Timing::AfterAnswer => !is_bounded && !self.queue.is_empty(),
            Timing::AfterSearch => !is_bounded || self.has_stopping_command(),
            Timing::StopsSearch => true,
        };
        // A perft or bench is not stopped: it ends by itself, and the client wants the number.
        if stops_search && !self.is_counting() {
            self.stop_for_command();
        }
        // `quit` waits until every `isready` is answered. The backend must finish its work before
        // it is dropped anyway, so this costs no time.
        let is_quit = matches!(pending, Pending::Command(command, _) if **command == Command::Quit);
        let is_ready = self.pending_readies == 0 || !is_quit;
        (timing == Timing::AtOnce || self.running.is_none()) && is_ready
    }

    /// Returns whether a perft or a bench runs.
    pub(super) fn is_counting(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.kind != WorkKind::Search)
    }

    fn timing(&self, command: &Command) -> Timing {
        match command {
            Command::Stop | Command::Ponderhit => Timing::AtOnce,
            Command::Done => Timing::AfterAnswer,
            _ if self.dialect.is_sequential() => Timing::AfterSearch,
            Command::Go(_)
            | Command::GoAndPlay(_)
            | Command::Choose { .. }
            | Command::Perft(_)
            | Command::Bench { .. }
            | Command::NewGame
            | Command::Quit
            | Command::Game(
                GameCommand::Open { .. } | GameCommand::SetUp { .. } | GameCommand::Opening { .. },
            ) => Timing::StopsSearch,
            // A value that will be refused does not stop the search.
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
