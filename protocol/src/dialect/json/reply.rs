//! The messages of the server and their fields. The writer, clients and the schema all use these
//! types.
//!
//! The doc comments of fields are the descriptions in the schema.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use super::boards::{
    BoardInfo, Pictures, RecordAbout, RecordComment, RecordLine, RecordPart, RecordReply, SizeInfo,
    VariantInfo,
};
use super::code::{Code, Problem};
use super::number::{Count, Id, Positive};
pub use super::parts::{
    Bound, EndedBy, Extras, Findings, ForbiddenPoint, Grade, Grounds, MoveText, OpeningInfo,
    Outcome, PerMille, Proof, RankedMove, Score, SearchFigures, SideThreats, SolverScore,
    ThreatMove, Wdl, outcome_value, sentence,
};
pub use super::reason::{KeyInfo, ReasonInfo};
use super::rooms::{RoomMade, RoomReply};
pub use super::shapes::PlayerNumber;
use super::shapes::{SideName, TurnNumber};
use super::shelf::{ChangedReply, ChangesReply, ExploreReply, FindReply};
use crate::judge::verdict::Verdict;

/// The last reply for a turn of `analyze`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Answer {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of moves before the position.
    pub turn_number: TurnNumber,
    /// The result of the search.
    #[serde(flatten)]
    pub found: Findings,
    /// The proven result; null if nothing is proven.
    pub proof: Option<Proof>,
    /// What is known about a win of the side to move.
    pub verdict: Verdict,
    /// The reason why the search ended.
    pub ended_by: EndedBy,
    /// The optional fields that the query requested.
    #[serde(flatten)]
    pub extras: Extras,
}

/// The last reply for a turn that was not searched.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct NoResults {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of moves before the position.
    pub turn_number: TurnNumber,
    /// Always true.
    pub no_results: bool,
    /// The reason why the turn ended.
    pub ended_by: EndedBy,
}

/// An intermediate result of a running search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Report {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of moves before the position.
    pub turn_number: TurnNumber,
    /// True while the search is paused for other sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// The proven result, if a search that is `infinite` has ended with it and waits for `terminate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// The result so far.
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
    /// The score as `tengen solve` prints it; null if it was not proven within the limits.
    pub solver_score: Option<SolverScore>,
}

/// The last reply for a turn of `solve`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Solution {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of moves before the position.
    pub turn_number: TurnNumber,
    /// The side to move.
    pub turn: SideName,
    /// The result of the game; null if the game is not over.
    pub outcome: Option<Outcome>,
    /// The proven score; null if it was not proven within the limits.
    pub score: Option<Score>,
    /// The score as `tengen solve` prints it; null if it was not proven within the limits.
    pub solver_score: Option<SolverScore>,
    /// The least and the greatest `solver_score` that is possible, if the search ended early; absent if nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[SolverScore; 2]>,
    /// The kind of bound of `score`; null without a score.
    pub bound: Option<Bound>,
    /// The chances; null if nothing is proven.
    pub wdl: Option<Wdl>,
    /// The cost of the search.
    #[serde(flatten)]
    pub figures: SearchFigures,
    /// The score of every legal move, if the query requested `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<SolvedMove>>,
    /// The proven result; null if nothing is proven.
    pub proof: Option<Proof>,
    /// The reason why the search ended.
    pub ended_by: EndedBy,
}

/// A graded move of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct JudgedMove {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn after the move.
    pub turn_number: TurnNumber,
    /// The number of the move, from 1.
    pub number: Positive,
    /// The side that played the move.
    pub side: SideName,
    /// The move.
    #[serde(rename = "move")]
    pub mv: MoveText,
    /// The mover's score before the move.
    pub before: Score,
    /// The mover's score after the move.
    pub after: Score,
    /// The grade of the move.
    pub grade: Grade,
    /// The best move instead, and the expected line after it.
    pub best: Vec<MoveText>,
    /// Why the move is bad; absent for a fine move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReasonInfo>,
}

/// The number of mistakes of each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Mistakes {
    /// The first player's mistakes and blunders.
    pub first: u32,
    /// The second player's mistakes and blunders.
    pub second: u32,
}

/// The last reply of a review.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct GameReview {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The number of graded moves.
    pub moves: u32,
    /// The mistakes of each side.
    pub mistakes: Mistakes,
    /// The first player's expected score in each turn, in per mille. A draw counts half.
    pub chances: Vec<PerMille>,
    /// The reason why the review ended before its last move; absent if it is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<EndedBy>,
    /// The record with comments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sgf: Option<String>,
    /// A plot of the chances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub svg: Option<String>,
    /// A report in HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

/// The state of a position by the rules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct PositionReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of moves.
    pub turn_number: TurnNumber,
    /// The variant.
    pub variant: String,
    /// The rules of the variant in a few words.
    pub rules: String,
    /// The position as a FEN.
    pub fen: String,
    /// The position's key: 16 hexadecimal digits.
    pub key: String,
    /// The side to move.
    pub turn: SideName,
    /// The result of the game; null if the game is not over.
    pub outcome: Option<Outcome>,
    /// The final value for the first player; only in explicit trees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome_value: Option<i32>,
    /// The optional fields that the query requested.
    #[serde(flatten)]
    pub extras: Extras,
    /// The board and its pictures, as far as the query requested them.
    #[serde(flatten)]
    pub pictures: Pictures,
}

/// The choice of a player in the opening swap2.
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

/// The last reply of a query `swap2`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SwapReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of stones on the board.
    pub turn_number: TurnNumber,
    /// The choice of the player to move.
    pub choice: SwapChoice,
    /// The stones to put, in order.
    pub moves: Vec<MoveText>,
    /// The cost of the search.
    #[serde(flatten)]
    pub figures: SearchFigures,
    /// The reason why the search ended.
    pub ended_by: EndedBy,
}

/// The last reply of a query `opening`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct OpeningReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of stones on the board.
    pub turn_number: TurnNumber,
    /// The opening rule.
    pub rule: String,
    /// What the players did, with the decision of the engine.
    pub acts: Vec<String>,
    /// The decision of the engine: the last ones of `acts`. Absent if it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Vec<String>>,
    /// The first move after the opening, if the decision found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// The stones on the board, in the order of play.
    pub moves: Vec<MoveText>,
    /// The player who has the first side now: 1 or 2.
    pub first: PlayerNumber,
    /// The next step; null if the opening is over.
    pub step: Option<OpeningStep>,
    /// The cost of the last search, with the nodes and the time of all.
    #[serde(flatten)]
    pub figures: Option<SearchFigures>,
    /// The reason why the last search ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<EndedBy>,
}

/// The next step of an opening.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "opening_step")]
pub struct OpeningStep {
    /// The player who decides.
    pub player: PlayerNumber,
    /// The side that this player has now.
    pub side: SideName,
    /// What the player does.
    pub kind: OpeningStepKind,
    /// The points that are allowed; empty at a swap and a declaration.
    pub points: Vec<String>,
    /// The side of the stone to place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stone: Option<SideName>,
    /// The other choice at a swap: `two` or `ten`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The largest number to declare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// The number of points to offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// The points offered so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<Vec<String>>,
    /// The step in words.
    pub text: String,
}

/// What a player does in a step of an opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum OpeningStepKind {
    /// Places a stone.
    Place,
    /// Takes the other side or keeps the own one, or makes the other choice.
    Swap,
    /// Declares how many fifth stones are offered.
    Declare,
    /// Offers a point for the next stone.
    Offer,
    /// Keeps one of the offered points.
    Keep,
}

/// The reply to `terminate` or `terminate_all`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Terminated {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// `terminate` or `terminate_all`.
    pub action: String,
    /// The query that ended; absent for `terminate_all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminate_id: Option<Id>,
    /// The turns that the query named; absent for all turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_numbers: Option<Vec<TurnNumber>>,
    /// The number of positions that ended.
    pub count: Count,
}

/// The reply to `clear_cache`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Cleared {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// `clear_cache`.
    pub action: String,
}

/// The limits of this server; null for no limit.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "limits")]
pub struct ServerLimits {
    /// The maximum time of a search, in milliseconds.
    pub time_ms: Option<u64>,
    /// The maximum number of queued positions of a session.
    pub queue: Option<u64>,
    /// The maximum length of a line, in bytes.
    pub line_bytes: u64,
    /// The maximum number of ranked moves.
    pub multi_pv: u64,
}

/// The reply to `query_version`: version, limits and variants.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Version {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The version of the program.
    pub version: String,
    /// The version of the protocol.
    pub protocol: Positive,
    /// The commit of the program; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<String>,
    /// The number of positions that are searched in parallel.
    pub workers: Positive,
    /// The maximum number of threads of a search.
    pub threads: Positive,
    /// The size of each worker's table, in MiB.
    pub hash_mib: Positive,
    /// The limits of this server.
    pub limits: ServerLimits,
    /// The variants of the server.
    pub variants: Vec<VariantInfo>,
    /// Whether `explore`, `find` and `read_game` are answered.
    #[serde(default)]
    pub shelf: bool,
    /// Whether the shelf can be changed: `edit_games`, `comment` and others.
    #[serde(default)]
    pub edit: bool,
    /// Whether `make_room` is answered.
    #[serde(default)]
    pub rooms: bool,
}

/// The reply to `hello`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct HelloReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The name of the session, for `resume`.
    pub session: String,
    /// Whether an earlier session was resumed.
    pub resumed: bool,
    /// The number of seconds that a session is kept after its connection is lost.
    pub resume_s: u64,
}

/// A warning: the query is answered, but a field was ignored or limited.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Warning {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The kind of warning.
    pub code: WarningCode,
    /// The field that the warning is about; null if it is about the whole query.
    pub field: Option<String>,
    /// A human-readable line.
    pub message: String,
}

/// The kinds of warnings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WarningCode {
    /// No field has this name.
    UnusedField,
    /// The value is above the server's limit. The limit is used instead.
    Clamped,
    /// The move is not legal.
    IllegalMove,
    /// The record does not name its rules; the default rules are assumed.
    AssumedRules,
    /// Moves of the record after the end of the game are left out.
    LeftOut,
    /// What was guessed about a record, or what a format does not hold.
    Record,
}

/// A notice about the whole server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Notice {
    /// The kind of notice.
    pub code: NoticeCode,
    /// The remaining milliseconds for running searches, while the server is shutting down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
}

/// The kinds of notices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum NoticeCode {
    /// The server is shutting down.
    ShuttingDown,
    /// The client has closed its output, and open queries are still answered.
    InputEnded,
}

/// A query is refused, or one turn of it failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ErrorReply {
    /// The `id` of the query; null if no `id` could be read.
    pub id: Option<Id>,
    /// The number of the line without a readable `id`, counted from 1 over all lines of the session;
    /// absent if the error has an `id` or is about no line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_line: Option<Positive>,
    /// The kind of error.
    pub code: Code,
    /// The wrong field; null if the error is not about one field.
    pub field: Option<String>,
    /// A human-readable line.
    pub message: String,
    /// The turn that failed; absent if the whole query is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_number: Option<TurnNumber>,
    /// The number of milliseconds after which to try again; absent if that does not help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl ErrorReply {
    /// Returns the error of a query, or of one turn when `turn_number` is `Some`.
    pub fn new(id: Option<Id>, problem: Problem, turn_number: Option<TurnNumber>) -> Self {
        let Problem { code, field, message, retry_after_ms } = problem;
        Self { id, input_line: None, code, field, message, turn_number, retry_after_ms }
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
    /// The last reply for a turn of `analyze`.
    Answer(Box<Answer>) = "answer",
    /// The last reply for a turn of `analyze` that was not searched.
    NoAnswer(NoResults) = "answer" if true,
    /// Progress of a search.
    Report(Box<Report>) = "report",
    /// The last reply for a turn of `solve`.
    Solution(Box<Solution>) = "solution",
    /// The last reply for a turn of `solve` that was not searched.
    NoSolution(NoResults) = "solution" if true,
    /// A graded move of a review.
    Move(Box<JudgedMove>) = "move",
    /// The last reply of a review.
    Game(Box<GameReview>) = "game",
    /// The last reply of a query `swap2`.
    Swap(Box<SwapReply>) = "swap",
    /// The last reply of a query `swap2` that was not searched.
    NoSwap(NoResults) = "swap" if true,
    /// The last reply of a query `opening`.
    Opening(Box<OpeningReply>) = "opening",
    /// The last reply of a query `opening` that was not searched to the end.
    NoOpening(NoResults) = "opening" if true,
    /// The answer to `position`.
    Position(Box<PositionReply>) = "position",
    /// A game of `read_record`.
    Record(Box<RecordReply>) = "record",
    /// A part of the file of `convert_record` or `read_game`.
    RecordPart(RecordPart) = "record_part",
    /// The answer to `explore`.
    Explore(Box<ExploreReply>) = "explore",
    /// The answer to `find`.
    Find(FindReply) = "find",
    /// The answer to a query that changes the shelf.
    Changed(Box<ChangedReply>) = "changed",
    /// The answer to `changes`.
    Changes(ChangesReply) = "changes",
    /// The answer to `make_room`.
    RoomMade(RoomMade) = "room_made",
    /// The state of a room.
    Room(Box<RoomReply>) = "room",
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
