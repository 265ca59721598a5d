//! What runs in a backend for the client, and when its answer is due.
//!
//! It knows no dialect and no queue.

use std::time::Instant;

use tengen_engine::opening::MoveRanking;
use tengen_engine::{Answer, Control, Limits, Move, Position, Report, Score, Style};

use super::managed_game::MoveSearch;
use super::{Purpose, Ticket};

/// The kind of work that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WorkKind {
    Search,
    Perft,
    Bench,
}

/// Work in progress, or a finished search whose answer is withheld (`infinite`, `ponder`).
pub(super) struct Running {
    pub(super) ticket: Ticket,
    pub(super) kind: WorkKind,
    /// What it is for, if it is a search.
    pub(super) purpose: Purpose,
    /// What was reported of each move, where the purpose asks for it.
    pub(super) ranking: MoveRanking,
    /// The position at its start.
    pub(super) root: Box<dyn Position>,
    /// How its moves are written.
    pub(super) style: Style,
    /// `None` when there was nothing to start.
    pub(super) control: Option<Control>,
    /// The answer, from when it is known until it is due.
    pub(super) held: Option<Answer<Move>>,
    /// Whether an iteration was reported.
    pub(super) has_iteration: bool,
    pub(super) span: tracing::Span,
    limits: Limits,
    stopped: bool,
}

impl Running {
    pub(super) fn new(
        ticket: Ticket,
        kind: WorkKind,
        limits: Limits,
        root: Box<dyn Position>,
        style: Style,
    ) -> Self {
        Self {
            ticket,
            kind,
            purpose: Purpose::Client,
            ranking: MoveRanking::default(),
            root,
            style,
            control: None,
            held: None,
            has_iteration: false,
            span: tracing::debug_span!("search", id = ticket.0, ?kind),
            limits,
            stopped: false,
        }
    }

    /// Follows a report; remembers it where the purpose asks for it.
    pub(super) fn note(&mut self, report: &Report<Move>) {
        self.has_iteration |= report.depth > 0;
        if matches!(self.purpose, Purpose::ManagedGame(MoveSearch::Choose(_))) {
            self.ranking.note(report);
        }
    }

    /// Returns whether it ends without another word from the client.
    pub(super) fn is_bounded(&self) -> bool {
        self.kind != WorkKind::Search || self.limits.is_bounded()
    }

    /// Returns whether its answer waits for a stop or a ponderhit.
    pub(super) fn is_open_ended(&self) -> bool {
        self.limits.is_open_ended()
    }

    /// Returns whether it was asked to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Asks it to end, and no longer withholds its answer.
    pub(super) fn stop(&mut self) {
        if let Some(control) = &self.control {
            control.stop();
        }
        self.stopped = true;
    }

    /// The opponent played the expected move at `at`.
    pub(super) fn ponderhit(&mut self, at: Instant) {
        if !self.limits.ponder {
            return;
        }
        self.limits.ponder = false;
        if let Some(control) = &self.control {
            control.ponderhit(at);
        }
    }

    /// Returns the answer, once it is known and the client may have it.
    pub(super) fn due(&mut self) -> Option<Answer<Move>> {
        let withheld = self.limits.is_open_ended() && !self.stopped;
        if withheld { None } else { self.held.take() }
    }
}

/// Returns the answer where no search: a bad position, or a game that is over with
/// `score`.
pub(super) fn answer_without_search(score: Score) -> Answer<Move> {
    Answer::blank(score, None)
}
