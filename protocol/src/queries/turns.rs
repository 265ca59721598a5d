//! Open queries, and the state of each of their turns.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tengen_engine::backend::Settings;
use tengen_engine::opening::{Chooser, MoveRanking};
use tengen_engine::{Instant, Limits, Move, Position, Report};
use tengen_records::Record;

use crate::dialect::json::number::Id;
use crate::dialect::json::query::Values;
use crate::dialect::json::reply::EndedBy;
use crate::judge::comments::Annotator;
use crate::judge::language::Language;
use crate::judge::review::GameJudge;
use crate::pool::TurnKey;
use crate::pool::job::SearchResult;
use crate::pool::queue::Rank;
use crate::queries::subject::GameLine;
use crate::queries::write::{ReplyFormat, Searched, Solve, Spent};

/// A query that has not got all of its replies.
pub(super) struct OpenQuery {
    pub(super) id: Id,
    /// When the query arrived.
    pub(super) received: Instant,
    pub(super) format: ReplyFormat,
    pub(super) kind: QueryKind,
    pub(super) turns: Vec<TurnKey>,
}

/// The action of a query, with its fields.
pub(super) enum QueryKind {
    Analyze(Analyze),
    Solve(Solve),
    Review(Box<Review>),
    Opening(Box<Opening>),
}

pub(super) struct Analyze {
    /// How many ranked moves the answer has.
    pub(super) multi_pv: usize,
    pub(super) values: Values,
    pub(super) includes_legal: bool,
    pub(super) includes_forbidden: bool,
}

pub(super) struct Review {
    pub(super) judge: GameJudge,
    pub(super) ended_by: Option<EndedBy>,
    /// The language of reasons.
    pub(super) language: Language,
    /// Whether the reply includes the plot.
    pub(super) includes_svg: bool,
    /// The last position, the record of the game and the limits of the searches, if the reply includes a report.
    pub(super) report: Option<(Box<dyn Position>, Option<Record>, Limits)>,
    /// The game, if the reply includes its record, and how it is annotated.
    pub(super) game: Option<(GameLine, Annotator)>,
}

/// A decision in an opening.
pub(super) struct Opening {
    /// Whether the query is `swap2`, and not `opening`.
    pub(super) is_swap2: bool,
    pub(super) chooser: Chooser,
    /// The ranked moves of the current search.
    pub(super) ranking: Arc<Mutex<MoveRanking>>,
    /// The limits of all searches together.
    pub(super) limits: Limits,
    /// What all searches share.
    pub(super) settings: Settings,
    pub(super) rank: Rank,
}

/// A turn that has not got its last line.
pub(super) struct Turn {
    pub(super) query: u64,
    pub(super) number: usize,
    pub(super) position: Box<dyn Position>,
    pub(super) limits: Limits,
    /// The effect of the server's time limit on the search.
    pub(super) cap: TimeCap,
    pub(super) stage: Stage,
    /// Why the turn was ended early; `None` if it was not.
    pub(super) stopped: Option<EndedBy>,
    pub(super) spent: Spent,
    /// The current lines of the search.
    pub(super) lines: Vec<Report<Move>>,
    pub(super) last_report: Option<Instant>,
    pub(super) has_unsent_report: bool,
    /// Whether the search plays below full strength.
    pub(super) is_weakened: bool,
    /// Whether only `terminate` or the server's limit ends the search.
    pub(super) is_infinite: bool,
    /// The time between reports; `None` for no reports.
    pub(super) interval: Option<Duration>,
    /// When the session stops the search; `None` for never.
    pub(super) deadline: Option<Instant>,
}

impl Turn {
    /// Returns the position with what its replies repeat.
    pub(super) fn searched<'a>(&'a self, id: &'a Id, format: ReplyFormat) -> Searched<'a> {
        let Self { number, spent, .. } = *self;
        Searched { id, number, position: &*self.position, format, spent }
    }
}

/// The effect of the server's time limit on a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TimeCap {
    /// None: the search ends earlier.
    None,
    /// The limit replaced a longer time of the query.
    Clamped,
    /// The session stops the search after this time. The query has no time. With one, the search
    /// would manage its time, and could end before it reaches its nodes or depth.
    StopAfter(Duration),
}

/// The state of a turn.
pub(super) enum Stage {
    Waiting,
    Running,
    /// An infinite search has ended. Its answer waits until the query is terminated.
    Withheld(Box<SearchResult>),
}
