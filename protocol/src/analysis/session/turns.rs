//! The queries that are open, and how far each of their turns is.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tengen_engine::opening::{MoveRanking, SwapOpening};
use tengen_engine::{Limits, Move, Point, Position, Report};

use super::interface::TurnKey;
use crate::analysis::job::SearchResult;
use crate::analysis::review::{Finding, Judged};
use crate::analysis::solver::Scale;
use crate::analysis::subject::GameLine;
use crate::analysis::write::{Manner, Spent};
use crate::dialect::json::number::Id;
use crate::dialect::json::query::Values;
use crate::dialect::json::reply::EndedBy;

/// A query that has not got all of its replies.
pub(super) struct OpenQuery {
    pub(super) id: Id,
    pub(super) asked: Instant,
    pub(super) manner: Manner,
    pub(super) ask: Ask,
    pub(super) turns: Vec<TurnKey>,
}

/// What is asked of the turns.
pub(super) enum Ask {
    Analyze(Analyze),
    Solve(Solve),
    Review(Box<Review>),
    Swap(Swap),
}

pub(super) struct Analyze {
    pub(super) is_infinite: bool,
    /// How many moves the answer ranks.
    pub(super) multi_pv: usize,
    pub(super) values: Values,
    pub(super) includes_legal: bool,
    pub(super) includes_forbidden: bool,
    /// Between reports.
    pub(super) interval: Option<Duration>,
}

pub(super) struct Solve {
    pub(super) scale: Scale,
    pub(super) all: bool,
    pub(super) interval: Option<Duration>,
}

pub(super) struct Review {
    pub(super) moves: Vec<String>,
    /// By turn.
    pub(super) findings: Vec<Option<Finding>>,
    pub(super) judged: Vec<Judged>,
    pub(super) ended_by: Option<EndedBy>,
    /// The game, where its record was asked for.
    pub(super) game: Option<GameLine>,
}

/// A choice of sides in an opening.
pub(super) struct Swap {
    pub(super) opening: &'static dyn SwapOpening,
    /// The stones from which the search starts.
    pub(super) stones: Vec<Point>,
    /// What the search has found of each move.
    pub(super) ranking: Arc<Mutex<MoveRanking>>,
}

/// A turn that has not got its last line.
pub(super) struct Turn {
    pub(super) query: u64,
    pub(super) number: usize,
    pub(super) position: Box<dyn Position>,
    pub(super) limits: Limits,
    /// What the server's limit on time does to the search.
    pub(super) cap: TimeCap,
    pub(super) stage: Stage,
    /// Why it was told to end.
    pub(super) stopped: Option<EndedBy>,
    pub(super) spent: Spent,
    /// The lines that were found so far.
    pub(super) lines: Vec<Report<Move>>,
    pub(super) last_report: Option<Instant>,
    pub(super) has_news: bool,
    /// Whether the search plays below full strength.
    pub(super) is_level: bool,
    /// When the session stops the search.
    pub(super) ends_at: Option<Instant>,
}

/// What the server's limit on time does to a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TimeCap {
    /// Nothing: the search ends before.
    None,
    /// It took the place of the time that was asked for.
    InPlace,
    /// The session stops the search after so long. A search that has a time of its own would choose its
    /// move by the clock, and end before its nodes or depth.
    After(Duration),
}

/// How far a turn is.
pub(super) enum Stage {
    Waiting,
    Running,
    /// The search has ended, but the client has not ended it.
    Held(Box<SearchResult>),
}

impl OpenQuery {
    /// Returns whether its searches have no end of their own.
    pub(super) fn is_endless(&self) -> bool {
        matches!(&self.ask, Ask::Analyze(ask) if ask.is_infinite)
    }

    /// Returns the time between reports, where there are some.
    pub(super) fn interval(&self) -> Option<Duration> {
        match &self.ask {
            Ask::Analyze(ask) => ask.interval,
            Ask::Solve(ask) => ask.interval,
            Ask::Review(_) | Ask::Swap(_) => None,
        }
    }
}
