//! [`Conversation`]: the session of a client, of queries or of commands. The first line of a TCP client
//! decides which.

use std::time::{Duration, Instant};

use tengen_engine::backend::OpenError;
use tengen_protocol::dialect::{Speech, by_first_line};
use tengen_protocol::pool::UpdateKind;
use tengen_protocol::pool::commands::CommandClient;
use tengen_protocol::queries::{Effect, QuerySession, Room, Service, TurnKey};

/// The session of a client, of queries or of commands.
pub(crate) enum Conversation {
    Queries(Box<QuerySession>),
    Commands(Box<CommandClient>),
}

impl Conversation {
    /// Returns a session of commands if `line`, the first line of a client, is in a dialect of
    /// commands. Returns `None` for queries, and for a blank line or a comment.
    pub(crate) fn of_commands(line: &str, service: Service) -> Option<Result<Self, OpenError>> {
        let kind = by_first_line(line)?;
        match kind.speech {
            Speech::Queries => None,
            Speech::Commands(_) => {
                Some(CommandClient::new(service).map(|client| Self::Commands(Box::new(client))))
            }
        }
    }

    pub(crate) fn line(&mut self, line: &str, now: Instant, room: Room) {
        match self {
            Self::Queries(session) => session.line(line, now, room),
            Self::Commands(client) => client.line(line, now),
        }
    }

    pub(crate) fn overlong_line(&mut self, beginning: &str, now: Instant) {
        match self {
            Self::Queries(session) => session.overlong_line(),
            Self::Commands(client) => client.overlong_line(beginning, now),
        }
    }

    pub(crate) fn end_of_input(&mut self, now: Instant) {
        match self {
            Self::Queries(session) => session.end_of_input(false),
            Self::Commands(client) => client.end_of_input(now),
        }
    }

    /// Makes a session of queries quit after its last open query.
    pub(crate) fn leave_when_done(&mut self) {
        if let Self::Queries(session) = self {
            session.leave_when_done();
        }
    }

    pub(crate) fn effects(&mut self) -> Vec<Effect> {
        match self {
            Self::Queries(session) => session.effects(),
            Self::Commands(client) => client.effects(),
        }
    }

    pub(crate) fn next_wake(&self) -> Option<Instant> {
        match self {
            Self::Queries(session) => session.next_wake(),
            Self::Commands(client) => client.next_wake(),
        }
    }

    pub(crate) fn wake(&mut self, now: Instant) {
        match self {
            Self::Queries(session) => session.wake(now),
            Self::Commands(client) => client.wake(now),
        }
    }

    /// Handles news about a search.
    pub(crate) fn update(&mut self, turn: TurnKey, kind: UpdateKind, now: Instant) {
        match self {
            Self::Queries(session) => kind.hand_to(session, turn, now),
            Self::Commands(client) => match kind {
                UpdateKind::Started(_) => client.started(turn, now),
                // Commands get reports unchanged, as `Forwarded`.
                UpdateKind::Reported(_) => {}
                UpdateKind::Noted(text) => client.noted(turn, text, now),
                UpdateKind::Forwarded(report) => client.reported(turn, report, now),
                UpdateKind::Paused(result) => client.paused(turn, &result),
                UpdateKind::Finished(result) => client.finished(turn, *result, now),
            },
        }
    }

    /// Handles the end of clearing the tables.
    pub(crate) fn cleared(&mut self) {
        if let Self::Queries(session) = self {
            session.cleared();
        }
    }

    pub(crate) fn drain(&mut self, grace: Duration, now: Instant) {
        match self {
            Self::Queries(session) => session.drain(grace),
            Self::Commands(client) => client.drain(now),
        }
    }

    pub(crate) fn end_drain(&mut self, now: Instant) {
        match self {
            Self::Queries(session) => session.end_drain(),
            Self::Commands(client) => client.end_drain(now),
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        match self {
            Self::Queries(session) => session.is_over(),
            Self::Commands(client) => client.is_over(),
        }
    }

    pub(crate) fn is_busy(&self) -> bool {
        match self {
            Self::Queries(session) => session.is_busy(),
            Self::Commands(client) => client.is_busy(),
        }
    }

    /// Returns the session of queries; `None` for commands.
    pub(crate) fn queries(&mut self) -> Option<&mut QuerySession> {
        match self {
            Self::Queries(session) => Some(session),
            Self::Commands(_) => None,
        }
    }
}
