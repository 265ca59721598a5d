//! The messages of the server and their fields. The writer, clients and the schema all use these
//! types.
//!
//! The doc comments of fields are the descriptions in the schema.

mod parts;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::parts::{
    Bound, EndedBy, Extras, Findings, ForbiddenPoint, Grade, Grounds, MoveText, Outcome, PerMille,
    Proof, RankedMove, Score, SearchFigures, SolverScore, Wdl, outcome_value, sentence,
};
use super::code::{Code, Problem};
use super::number::{Count, Id, Positive};
use super::shapes::{SideName, TurnNumber};

/// Ends a turn of `analyze`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Answer {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of moves before the position.
    pub turn_number: TurnNumber,
    /// What was found.
    #[serde(flatten)]
    pub found: Findings,
    /// What is proven.
    pub proof: Option<Proof>,
    /// What ended the search.
    pub ended_by: EndedBy,
    /// What was asked for beside.
    #[serde(flatten)]
    pub extras: Extras,
}

/// Ends a turn of which nothing was searched before its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct NoResults {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of moves before the position.
    pub turn_number: TurnNumber,
    /// Always true.
    pub no_results: bool,
    /// What ended the turn.
    pub ended_by: EndedBy,
}

/// A search goes on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Report {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of moves before the position.
    pub turn_number: TurnNumber,
    /// Whether the search has given way to other sessions for now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// What was found so far.
    #[serde(flatten)]
    pub found: Findings,
}

/// The proven score of a move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SolvedMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: MoveText,
    /// As `tengen solve` prints it; null where it was not proven within the limits.
    pub solver_score: Option<SolverScore>,
}

/// Ends a turn of `solve`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Solution {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of moves before the position.
    pub turn_number: TurnNumber,
    /// The side to move.
    pub turn: SideName,
    /// How the game ended; null while it goes on.
    pub outcome: Option<Outcome>,
    /// The proven score; null where it was not proven within the limits.
    pub score: Option<Score>,
    /// The score as `tengen solve` prints it.
    pub solver_score: Option<SolverScore>,
    /// What the score says; null where there is none.
    pub bound: Option<Bound>,
    /// Chances; null where nothing is proven.
    pub wdl: Option<Wdl>,
    /// What the search cost.
    #[serde(flatten)]
    pub figures: SearchFigures,
    /// Every move with its score, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<SolvedMove>>,
    /// What is proven.
    pub proof: Option<Proof>,
    /// What ended the search.
    pub ended_by: EndedBy,
}

/// A move of a game, judged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct JudgedMove {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn after the move.
    pub turn_number: TurnNumber,
    /// The number of the move, from 1.
    pub number: Positive,
    /// Who played it.
    pub side: SideName,
    /// The move.
    #[serde(rename = "move")]
    pub mv: MoveText,
    /// The mover's score before it.
    pub before: Score,
    /// The mover's score after it.
    pub after: Score,
    /// How good it was.
    pub grade: Grade,
    /// What would have been best, and what is expected after it.
    pub best: Vec<MoveText>,
}

/// How many mistakes each side made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Mistakes {
    /// The first player's mistakes and blunders.
    pub first: u32,
    /// The second player's.
    pub second: u32,
}

/// Ends a review.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct GameReview {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// How many moves were judged.
    pub moves: u32,
    /// The mistakes of each side.
    pub mistakes: Mistakes,
    /// What the first player could expect in each turn, in per mille, a draw counting half.
    pub chances: Vec<PerMille>,
    /// What ended the review before its last move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<EndedBy>,
    /// The record with comments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sgf: Option<String>,
}

/// What the rules say of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct PositionReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of moves.
    pub turn_number: TurnNumber,
    /// The variant.
    pub variant: String,
    /// Its rules in a few words.
    pub rules: String,
    /// The position in text.
    pub fen: String,
    /// The position's key: 16 hexadecimal digits.
    pub key: String,
    /// The side to move.
    pub turn: SideName,
    /// How the game ended; null while it goes on.
    pub outcome: Option<Outcome>,
    /// The value of its end for the first player, in games that end with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome_value: Option<i32>,
    /// What was asked for beside.
    #[serde(flatten)]
    pub extras: Extras,
}

/// What a player does in the opening swap2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SwapChoice {
    /// Puts the first three stones.
    Three,
    /// Puts two more stones and leaves the choice to the opponent.
    Two,
    /// Takes the second player's side, and plays the next stone.
    Stay,
    /// Takes the first player's side.
    Swap,
}

/// Ends a query of `swap2`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SwapReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of stones on the board.
    pub turn_number: TurnNumber,
    /// What to do.
    pub choice: SwapChoice,
    /// The stones to put, in order.
    pub moves: Vec<MoveText>,
    /// What the search cost.
    #[serde(flatten)]
    pub figures: SearchFigures,
    /// What ended the search.
    pub ended_by: EndedBy,
}

/// The query of `terminate`, and how many positions it ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Terminated {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// `terminate` or `terminate_all`.
    pub action: String,
    /// The query that was ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminate_id: Option<Id>,
    /// The turns that were named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_numbers: Option<Vec<TurnNumber>>,
    /// How many positions ended.
    pub count: Count,
}

/// The tables are empty.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Cleared {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// `clear_cache`.
    pub action: String,
}

/// What this server allows; null where it sets no limit.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "limits")]
pub struct ServerLimits {
    /// Milliseconds of a search.
    pub time_ms: Option<u64>,
    /// Positions in the queue of a session.
    pub queue: Option<u64>,
    /// Bytes of a line.
    pub line_bytes: u64,
    /// Moves ranked.
    pub multi_pv: u64,
}

/// A variant that can be asked about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct VariantInfo {
    /// Its name.
    pub name: String,
    /// One line for people.
    pub summary: String,
    /// Other names.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The fields of `board` that it reads.
    #[serde(default)]
    pub board: Vec<String>,
    /// The sizes of its board; absent where no size can be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<SizeInfo>,
}

/// The sizes of a board, in cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SizeInfo {
    /// The usual width.
    pub width: u32,
    /// The usual height.
    pub height: u32,
    /// The shortest side that may be chosen.
    pub min: u32,
    /// The longest side that may be chosen.
    pub max: u32,
}

/// Version, limits and variants.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Version {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The version of the program.
    pub version: String,
    /// The version of the protocol.
    pub protocol: Positive,
    /// The commit that the program was built from, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<String>,
    /// How many positions are searched at once.
    pub workers: Positive,
    /// The most threads of a search.
    pub threads: Positive,
    /// MiB of each worker's table.
    pub hash_mib: Positive,
    /// What is allowed.
    pub limits: ServerLimits,
    /// What can be asked about.
    pub variants: Vec<VariantInfo>,
}

/// A session has a name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct HelloReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The session's name, to resume it.
    pub session: String,
    /// Whether an earlier session goes on.
    pub resumed: bool,
    /// For how many seconds a session is kept after its connection is lost.
    pub resume_s: u64,
}

/// The query goes on, but not all of it is done as it was asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Warning {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The kind.
    pub code: WarningCode,
    /// The field.
    pub field: Option<String>,
    /// One line for people.
    pub message: String,
}

/// The kinds of warnings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WarningCode {
    /// No field has this name.
    UnusedField,
    /// The value is above the server's limit, which is taken instead.
    Clamped,
    /// The move is not legal.
    IllegalMove,
    /// The record leaves its rules open: usual ones were taken.
    AssumedRules,
}

/// Something that happens to the whole server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Notice {
    /// The kind.
    pub code: NoticeCode,
    /// How long running searches may still take, in milliseconds.
    pub deadline_ms: u64,
}

/// The kinds of notices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum NoticeCode {
    /// The server is going down.
    ShuttingDown,
}

/// A query is refused, or one turn of it failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ErrorReply {
    /// The query; null where none could be read.
    pub id: Option<Id>,
    /// The kind.
    pub code: Code,
    /// The field that is at fault.
    pub field: Option<String>,
    /// One line for people.
    pub message: String,
    /// The turn that failed; absent where the whole query is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_number: Option<TurnNumber>,
    /// When to try again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl ErrorReply {
    /// Returns the error of a query, or of one turn when `turn_number` is `Some`.
    pub fn new(id: Option<Id>, problem: Problem, turn_number: Option<TurnNumber>) -> Self {
        let Problem { code, field, message, retry_after_ms } = problem;
        Self { id, code, field, message, turn_number, retry_after_ms }
    }
}

/// Declares the list of all messages.
macro_rules! replies {
    ($($(#[$doc:meta])* $name:ident($type:ty) = $text:literal $(if $no_results:literal)?,)*) => {
        /// A message of the server.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize)]
        #[serde(tag = "type")]
        pub enum Reply {
            $($(#[$doc])* #[serde(rename = $text)] $name($type),)*
        }

        impl Reply {
            /// Returns the schema of each message's fields.
            pub(super) fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
                vec![$(($text, generator.subschema_for::<$type>())),*]
            }

            /// Reads a message; `None` if this version does not know its type.
            pub fn read(line: &str) -> serde_json::Result<Option<Self>> {
                let value: Value = serde_json::from_str(line)?;
                let name = value.get("type").and_then(Value::as_str).unwrap_or_default();
                let no_results = value.get("no_results").is_some();
                $(if name == $text && no_results == (false $(|| $no_results)?) {
                    return serde_json::from_value(value).map(|it| Some(Self::$name(it)));
                })*
                Ok(None)
            }
        }
    };
}

replies! {
    /// Ends a turn of `analyze`.
    Answer(Box<Answer>) = "answer",
    /// Ends a turn of `analyze` that was not searched.
    NoAnswer(NoResults) = "answer" if true,
    /// Progress of a search.
    Report(Box<Report>) = "report",
    /// Ends a turn of `solve`.
    Solution(Box<Solution>) = "solution",
    /// Ends a turn of `solve` that was not searched.
    NoSolution(NoResults) = "solution" if true,
    /// A judged move of a review.
    Move(Box<JudgedMove>) = "move",
    /// Ends a review.
    Game(Box<GameReview>) = "game",
    /// Ends a query of `swap2`.
    Swap(Box<SwapReply>) = "swap",
    /// Ends a query of `swap2` that was not searched.
    NoSwap(NoResults) = "swap" if true,
    /// The answer to `position`.
    Position(Box<PositionReply>) = "position",
    /// The answer to `terminate`.
    Terminate(Terminated) = "terminate",
    /// The answer to `terminate_all`.
    TerminateAll(Terminated) = "terminate_all",
    /// The answer to `clear_cache`.
    ClearCache(Cleared) = "clear_cache",
    /// The answer to `query_version`.
    Version(Box<Version>) = "version",
    /// The answer to `hello`.
    Hello(HelloReply) = "hello",
    /// A warning about a query that is still answered.
    Warning(Warning) = "warning",
    /// A notice about the whole server.
    Notice(Notice) = "notice",
    /// A refused query, or a failed turn.
    Error(ErrorReply) = "error",
}
