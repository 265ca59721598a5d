//! The work that runs in a backend, and when its answer may be sent.
//!
//! It does not depend on a dialect or a queue.

use tengen_engine::opening::MoveRanking;
use tengen_engine::{Answer, Control, Instant, Limits, Move, Position, Report, Style};

use super::{Purpose, Ticket};

/// The kind of work.
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
    /// The purpose of a search.
    pub(super) purpose: Purpose,
    /// The reported moves of a search for a decision in an opening; else empty.
    pub(super) ranking: MoveRanking,
    /// The position in which the work began.
    pub(super) root: Box<dyn Position>,
    /// How moves of the reply are written.
    pub(super) style: Style,
    /// Stops the work; `None` when the answer was known without a search.
    pub(super) control: Option<Control>,
    /// The answer, while it is known and not sent yet.
    pub(super) held: Option<Answer<Move>>,
    /// Whether the search reported an iteration.
    pub(super) has_iteration: bool,
    pub(super) span: tracing::Span,
    limits: Limits,
    is_stopped: bool,
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
            is_stopped: false,
        }
    }

    /// Handles a report of the search.
    pub(super) fn note(&mut self, report: &Report<Move>) {
        self.has_iteration |= report.depth > 0;
        if matches!(self.purpose, Purpose::Choose(..)) {
            self.ranking.note(report);
        }
    }

    /// Returns whether the work ends without another command of the client.
    pub(super) fn is_bounded(&self) -> bool {
        self.kind != WorkKind::Search || self.limits.is_bounded()
    }

    /// Returns whether the answer waits for `stop` or `ponderhit`.
    pub(super) fn is_open_ended(&self) -> bool {
        self.limits.is_open_ended()
    }

    /// Returns whether the work was stopped.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Stops the work, and no longer withholds the answer.
    pub(super) fn stop(&mut self) {
        if let Some(control) = &self.control {
            control.stop();
        }
        self.is_stopped = true;
    }

    /// Handles a `ponderhit` that arrived at `at`.
    pub(super) fn ponderhit(&mut self, at: Instant) {
        if !self.limits.ponder {
            return;
        }
        self.limits.ponder = false;
        if let Some(control) = &self.control {
            control.ponderhit(at);
        }
    }

    /// Takes the answer; `None` until it is known and not withheld.
    pub(super) fn due(&mut self) -> Option<Answer<Move>> {
        self.held.take_if(|_| self.is_stopped || !self.limits.is_open_ended())
    }
}
