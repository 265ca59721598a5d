//! The parts of replies: moves, scores, proofs, figures, ranked moves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_engine::{
    Bound as EngineBound, Outcome as EngineOutcome, ProofSource, ProvenResult,
    Score as EngineScore, Side, Wdl as EngineWdl,
};

use crate::command::winner;
use crate::dialect::json::number::{Count, Int, Positive};
use crate::dialect::json::shapes::SideName;
use crate::dialect::uci::explanation;

/// A share in per mille.
pub type PerMille = Int<0, 1000>;
/// A score as `tengen solve` prints it.
pub type SolverScore = Int<-676, 676>;

/// A move in text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "move")]
pub struct MoveText(pub String);

/// A score for the side to move: exactly one of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "score")]
pub enum Score {
    /// Hundredths. 2,000,000 is won as far as seen, not proven.
    Cp(Int<-2_000_000, 2_000_000>),
    /// Won with the last of so many plies.
    WinIn(Count),
    /// Lost with the last of so many plies.
    LossIn(Count),
}

impl From<EngineScore> for Score {
    fn from(score: EngineScore) -> Self {
        match score.plies() {
            Some(plies) if score.is_win() => Self::WinIn(Count::nearest(plies)),
            Some(plies) => Self::LossIn(Count::nearest(plies)),
            None => Self::Cp(Int::nearest(score.raw())),
        }
    }
}

/// What a score says of the true value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Bound {
    /// The value itself.
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

impl From<EngineBound> for Bound {
    fn from(bound: EngineBound) -> Self {
        match bound {
            EngineBound::Exact => Self::Exact,
            EngineBound::Lower => Self::Lower,
            EngineBound::Upper => Self::Upper,
        }
    }
}

/// Chances of the side to move to win, draw and lose, in per mille.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "wdl")]
pub struct Wdl(pub [PerMille; 3]);

impl From<EngineWdl> for Wdl {
    fn from(EngineWdl { win, draw, loss }: EngineWdl) -> Self {
        Self([win, draw, loss].map(PerMille::nearest))
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Outcome {
    /// The first player has won.
    First,
    /// The second player has won.
    Second,
    /// Nobody has.
    Draw,
}

impl From<EngineOutcome> for Outcome {
    fn from(outcome: EngineOutcome) -> Self {
        match winner(outcome) {
            Some(Side::First) => Self::First,
            Some(Side::Second) => Self::Second,
            None => Self::Draw,
        }
    }
}

/// Returns the value of a finished game for the first player; `None` for a game without such a
/// value.
pub fn outcome_value(outcome: Option<EngineOutcome>) -> Option<i32> {
    match outcome {
        Some(EngineOutcome::Value(score)) => Some(score.raw()),
        _ => None,
    }
}

/// A proven result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "proof")]
pub struct Proof {
    /// Who wins; nobody where it is a draw.
    pub winner: Option<SideName>,
    /// After how many plies, as far as that is known.
    pub plies: Option<Count>,
    /// What the proof rests on.
    pub grounds: Grounds,
    /// A sentence for people.
    pub text: String,
}

/// What a proof rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Grounds {
    /// Every line was searched as far as it matters.
    Search,
    /// An opening book has the score.
    Book,
    /// A solver found a forced win.
    Solver,
}

impl From<&ProvenResult> for Proof {
    fn from(proven: &ProvenResult) -> Self {
        let grounds = match proven.source {
            ProofSource::Search => Grounds::Search,
            ProofSource::Book => Grounds::Book,
            // Solvers of any kind.
            _ => Grounds::Solver,
        };
        Self {
            winner: proven.winner.map(SideName::from),
            plies: proven.plies.map(Count::nearest),
            grounds,
            text: sentence(proven),
        }
    }
}

/// Returns a proven result as a sentence.
pub fn sentence(proven: &ProvenResult) -> String {
    let words = explanation(proven);
    let (first, rest) = words.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
}

/// What ended a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EndedBy {
    /// The result is proven.
    Solved,
    /// `time_ms` or `clock`.
    Time,
    /// `nodes`.
    Nodes,
    /// `depth`, or the depth of the level.
    Depth,
    /// A win within `mate` plies was found.
    Mate,
    /// The server's limit.
    Cap,
    /// `terminate`, or the end of the input.
    Terminated,
    /// The server is going down.
    Drain,
    /// The game is over: nothing was searched.
    Over,
}

/// A point on which the side to move may not play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ForbiddenPoint {
    /// The point.
    #[serde(rename = "move")]
    pub mv: MoveText,
    /// The rule: `double three`, `double four` or `overline`.
    pub why: String,
}

/// What a search has cost so far.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchFigures {
    /// Plies of the last iteration.
    pub depth: u32,
    /// Plies of the longest line.
    pub seldepth: u32,
    /// Nodes over all threads.
    pub nodes: u64,
    /// Nodes a second.
    pub nps: u64,
    /// Milliseconds of search.
    pub time_ms: u64,
    /// Milliseconds in the queue.
    pub queue_ms: u64,
    /// How full the table is, in per mille.
    pub hashfull: u32,
    /// Hits of the book and of solvers.
    pub probe_hits: u64,
}

/// A move that was ranked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "line")]
pub struct RankedMove {
    /// From 1.
    pub rank: Positive,
    /// The move.
    #[serde(rename = "move")]
    pub mv: MoveText,
    /// For the side to move before it.
    pub score: Score,
    /// What the score says.
    pub bound: Bound,
    /// Chances.
    pub wdl: Option<Wdl>,
    /// The move and what is expected after it.
    pub pv: Vec<MoveText>,
}

/// What a search has found so far.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Findings {
    /// The side to move.
    pub turn: SideName,
    /// How the game ended; null while it goes on.
    pub outcome: Option<Outcome>,
    /// The value of its end for the first player, in games that end with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome_value: Option<i32>,
    /// The move to play; null only where the game is over.
    pub best: Option<MoveText>,
    /// The reply expected.
    pub ponder: Option<MoveText>,
    /// For the side to move.
    pub score: Score,
    /// What the score says.
    pub bound: Bound,
    /// Chances.
    pub wdl: Option<Wdl>,
    /// What it cost.
    #[serde(flatten)]
    pub figures: SearchFigures,
    /// The best line.
    pub pv: Vec<MoveText>,
    /// The moves ranked, best first.
    pub moves: Vec<RankedMove>,
}

/// What the rules say of a position.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Extras {
    /// The legal moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<MoveText>>,
    /// The points on which the side to move may not play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbidden: Option<Vec<ForbiddenPoint>>,
    /// A score for each point, row by row from the top left; null where no legal move is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<Vec<Option<Score>>>>,
}

/// How good a move was.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Grade {
    /// Nothing to say.
    Fine,
    /// It gave away a tenth of the game.
    Doubtful,
    /// It gave away a fifth.
    Mistake,
    /// It gave away two fifths.
    Blunder,
}

impl From<tengen_engine::Grade> for Grade {
    fn from(grade: tengen_engine::Grade) -> Self {
        match grade {
            tengen_engine::Grade::Fine => Self::Fine,
            tengen_engine::Grade::Doubtful => Self::Doubtful,
            tengen_engine::Grade::Mistake => Self::Mistake,
            tengen_engine::Grade::Blunder => Self::Blunder,
        }
    }
}
