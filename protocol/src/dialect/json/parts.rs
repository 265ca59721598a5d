//! The parts of replies: moves, scores, proofs, figures, ranked moves.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_engine::opening::OpeningName;
use tengen_engine::{
    Bound as EngineBound, Outcome as EngineOutcome, ProofSource, ProvenResult,
    Score as EngineScore, Side, Wdl as EngineWdl,
};

use crate::command::winner;
use crate::dialect::json::number::{Count, Int, Positive};
use crate::dialect::json::shapes::SideName;
use crate::dialect::uci::explanation;

/// A fraction in per mille.
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
    /// The score in hundredths. 2,000,000 is a win that is not proven.
    Cp(Int<-2_000_000, 2_000_000>),
    /// The number of plies to the proven win. The side to move plays the last one.
    WinIn(Count),
    /// The number of plies to the proven loss. The opponent plays the last one.
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

/// Converts an enum of the engine to that of the protocol with the same values.
macro_rules! same_values {
    ($from:ty => $to:ty { $($value:ident),+ }) => {
        impl From<$from> for $to {
            fn from(value: $from) -> Self {
                match value {
                    $(<$from>::$value => Self::$value),+
                }
            }
        }
    };
}

same_values!(Side => SideName { First, Second });
same_values!(EngineBound => Bound { Exact, Lower, Upper });
same_values!(tengen_engine::Grade => Grade { Fine, Doubtful, Mistake, Blunder });

/// The relation of a score to the true value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Bound {
    /// The score is the true value.
    Exact,
    /// The true value is at least the score.
    Lower,
    /// The true value is at most the score.
    Upper,
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

/// The result of a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Outcome {
    /// The first player has won.
    First,
    /// The second player has won.
    Second,
    /// A draw.
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
    /// The winner; null for a draw.
    pub winner: Option<SideName>,
    /// The number of plies to the end of the game; null if unknown.
    pub plies: Option<Count>,
    /// The source of the proof.
    pub grounds: Grounds,
    /// False if the best move is a guess, and the score is that of the guess; absent if the best move
    /// reaches the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_proven: Option<bool>,
    /// A human-readable sentence.
    pub text: String,
}

/// The source of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Grounds {
    /// The search visited every line that matters.
    Search,
    /// An opening book contains the score.
    Book,
    /// A solver found a forced win.
    Solver,
    /// A proof in a file: `plies` is the largest number that the opponent can reach.
    Proof,
}

impl From<&ProvenResult> for Proof {
    fn from(proven: &ProvenResult) -> Self {
        let grounds = match proven.source {
            ProofSource::Search => Grounds::Search,
            ProofSource::Book => Grounds::Book,
            ProofSource::Proof => Grounds::Proof,
            // Solvers of any kind.
            _ => Grounds::Solver,
        };
        Self {
            winner: proven.winner.map(SideName::from),
            plies: proven.plies.map(Count::nearest),
            grounds,
            move_proven: (!proven.is_of_move).then_some(false),
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

/// The reason why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EndedBy {
    /// The result is proven.
    Solved,
    /// The time of `time_ms` or `clock` was used.
    Time,
    /// The limit `nodes` was reached.
    Nodes,
    /// The limit `depth`, or the depth of the level, was reached.
    Depth,
    /// A win within `mate` plies was found.
    Mate,
    /// The server's limit was reached.
    Cap,
    /// The client sent `terminate`, or its input ended.
    Terminated,
    /// The server is shutting down.
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
    /// The rule: `double-three`, `double-four` or `overline`.
    pub why: String,
}

/// The cost of a search so far.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchFigures {
    /// The depth of the last iteration, in plies.
    pub depth: u32,
    /// The length of the longest line, in plies.
    pub seldepth: u32,
    /// The number of nodes over all threads.
    pub nodes: u64,
    /// The number of nodes per second.
    pub nps: u64,
    /// The time of the search, in milliseconds.
    pub time_ms: u64,
    /// The time in the queue, in milliseconds.
    pub queue_ms: u64,
    /// The used part of the table, in per mille.
    pub hashfull: u32,
    /// The number of hits of the book and of solvers.
    pub probe_hits: u64,
}

/// A ranked move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "line")]
pub struct RankedMove {
    /// The rank, from 1.
    pub rank: Positive,
    /// The move.
    #[serde(rename = "move")]
    pub mv: MoveText,
    /// The score for the side to move before the move.
    pub score: Score,
    /// The kind of bound of `score`.
    pub bound: Bound,
    /// The chances; null if the query did not request them.
    pub wdl: Option<Wdl>,
    /// The move and the expected line after it.
    pub pv: Vec<MoveText>,
}

/// The result of a search so far.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Findings {
    /// The side to move.
    pub turn: SideName,
    /// The result of the game; null if the game is not over.
    pub outcome: Option<Outcome>,
    /// The final value for the first player; only in explicit trees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome_value: Option<i32>,
    /// The move to play; null only if the game is over.
    pub best: Option<MoveText>,
    /// The expected reply; null if unknown.
    pub ponder: Option<MoveText>,
    /// The score for the side to move.
    pub score: Score,
    /// The kind of bound of `score`.
    pub bound: Bound,
    /// The chances; null if the query did not request them.
    pub wdl: Option<Wdl>,
    /// The cost of the search.
    #[serde(flatten)]
    pub figures: SearchFigures,
    /// The best line.
    pub pv: Vec<MoveText>,
    /// The ranked moves, best first.
    pub moves: Vec<RankedMove>,
}

/// The state of a position by the rules.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Extras {
    /// The legal moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<MoveText>>,
    /// The points on which the side to move may not play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbidden: Option<Vec<ForbiddenPoint>>,
    /// A score for each point, row by row from the top left; null where no move is legal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<Vec<Option<Score>>>>,
    /// The threats of the side to move, then those of its opponent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threats: Option<Vec<SideThreats>>,
    /// The opening of the game, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<OpeningInfo>,
}

/// The name of an opening.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "opening_name")]
pub struct OpeningInfo {
    /// The code, such as `D4`.
    pub code: String,
    /// The name in the script of its origin; null if there is none.
    pub native: Option<String>,
    /// The native name in Latin letters; null if there is none.
    pub romanised: Option<String>,
    /// The name in each language: `en`, `zh`, `ja`, `vi`, `ru`.
    pub names: BTreeMap<String, String>,
}

impl From<&OpeningName> for OpeningInfo {
    fn from(name: &OpeningName) -> Self {
        let owned = |text: &str| text.to_owned();
        Self {
            code: owned(name.code),
            native: name.native.map(owned),
            romanised: name.romanised.map(owned),
            names: name.names.iter().map(|(code, name)| (owned(code), owned(name))).collect(),
        }
    }
}

/// What a side threatens, if it were to move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "threats")]
pub struct SideThreats {
    /// The side.
    pub side: SideName,
    /// The moves that make threats, the strongest first.
    pub moves: Vec<ThreatMove>,
    /// Whether every four was searched to the end for a win by fours. If so, a four without `win_in`
    /// begins no win by fours.
    pub complete: bool,
    /// The threats in words, a line each: the side, the points of each kind, the wins by fours.
    pub text: Vec<String>,
}

/// A move that makes a threat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ThreatMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: MoveText,
    /// What the move makes, such as `open three`.
    pub kind: String,
    /// The number of plies to a win by fours that begins with the move, at most; null if none was
    /// found. Other wins are not searched for.
    pub win_in: Option<Count>,
    /// The moves of that win; empty without one.
    pub line: Vec<MoveText>,
}

/// The grade of a move, by the expected score that it loses.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Grade {
    /// Loses less than 10 % of the expected score.
    Fine,
    /// Loses 10 % or more.
    Doubtful,
    /// Loses 20 % or more.
    Mistake,
    /// Loses 40 % or more.
    Blunder,
}
