//! The queries of a client, with the types, ranges and meanings of their fields. The reader and
//! the schema use these types.
//!
//! The doc comments of fields are the descriptions in the schema.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use tengen_engine::Style;

use super::code::Problem;
use super::field_value::{Object, object};
use super::number::{Count, Id, Int, List, Positive, Text};
use super::rooms::{JoinRoomFields, MakeRoomFields, RoomActFields, RoomSecret, RoomTerms};
pub use super::shapes::{
    AnalyzeTurns, BoardOptions, FilterRule, Interval, MoveFilter, Moves, RecordFormat, TurnNumber,
};
use super::shelf::{
    ChangesFields, CommentFields, DeleteGamesFields, EditGamesFields, EditTreeFields, FindFields,
    GameFilter, GamePage, KnownState, ReadGameFields, UndoFields,
};
pub use crate::judge::language::Language;

/// A number of plies in a game.
pub type Plies = Int<1, 676>;
/// A number of ranked moves.
pub type MoveCount = Int<1, 676>;
/// A level of strength, from 0 to 10, full strength.
pub type Level = Int<0, 10>;
/// An Elo rating to play at.
pub type Elo = Int<1000, 2420>;
/// The random seed of a level.
pub type LevelSeed = Int<0, 2_147_483_647>;
/// The priority of a query in its session: higher ones are searched first.
pub type Priority = Int<-1000, 1000>;

/// The maximum length of a record in a query, in bytes. Sessions have shorter lines; the files of a
/// batch have none.
const MAX_RECORD: usize = 1 << 30;

/// What every query has.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub struct QueryHead {
    /// The name of the query. Every reply repeats it.
    pub id: Id,
    /// The version of the protocol that the client speaks.
    pub protocol: Option<Positive>,
}

/// Which game and which positions of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct Subject {
    /// The variant: a name from `query_version`.
    pub variant: Option<String>,
    /// The board, where it is not the usual one.
    #[serde(default, deserialize_with = "object")]
    pub board: Option<BoardOptions>,
    /// The position before the first move.
    pub fen: Option<Text<0, 4096>>,
    /// The moves from there.
    pub moves: Option<Moves>,
    /// A game record in place of `fen` and `moves`: its main line counts.
    pub sgf: Option<Text<0, MAX_RECORD>>,
    /// How moves are written in replies.
    pub notation: Option<Notation>,
}

/// How moves are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Notation {
    /// Coordinates, such as `d3`.
    #[default]
    Plain,
    /// A drop, such as `P@d3`.
    Drop,
    /// The number of the column, such as `4`, where stones fall.
    Column,
}

impl Notation {
    /// Returns the engine's style for the notation.
    pub const fn style(self) -> Style {
        match self {
            Self::Plain => Style::Plain,
            Self::Drop => Style::Drop,
            Self::Column => Style::Column,
        }
    }
}

/// How much a search may cost, and what it may use.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct Effort {
    /// Milliseconds from the start of the search.
    pub time_ms: Option<Int<1, 86_400_000>>,
    /// Nodes over all threads.
    pub nodes: Option<Positive>,
    /// Search threads; the server has a greatest number.
    pub threads: Option<Int<1, 512>>,
    /// Whether replies have chances.
    pub wdl: Option<bool>,
    /// Whether the opening book may answer.
    pub book: Option<bool>,
    /// Whether the table is emptied first.
    pub fresh: Option<bool>,
    /// Higher ones are searched first, within the session.
    pub priority: Option<Priority>,
}

/// Which turns are searched, and what is told meanwhile.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct Turns {
    /// The turns to search: the last one without a list.
    pub analyze_turns: Option<AnalyzeTurns>,
    /// A priority for each of `analyze_turns`.
    pub priorities: Option<List<Priority, 1000>>,
    /// Milliseconds between reports; 0 for none.
    pub report_every_ms: Option<Interval>,
}

/// How strong to play.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct StrengthFields {
    /// How strong to play: 10 is full strength.
    pub level: Option<Level>,
    /// How strong to play, as a rating.
    pub elo: Option<Elo>,
    /// Levels make other choices with another seed.
    pub level_seed: Option<LevelSeed>,
}

/// What only `analyze` has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct AnalyzeFields {
    /// Plies to search.
    pub depth: Option<Int<1, 1000>>,
    /// A win within so many plies ends the search.
    pub mate: Option<Plies>,
    /// Only `terminate` ends the search, or the server's limit.
    pub infinite: Option<bool>,
    /// A game clock in place of `time_ms`: the engine takes from it what suits the move.
    #[serde(default, deserialize_with = "object")]
    pub clock: Option<GameClock>,
    /// How many moves are ranked.
    pub multi_pv: Option<MoveCount>,
    /// Only these moves are searched.
    pub allow_moves: Option<Box<MoveFilter>>,
    /// These moves are not searched.
    pub avoid_moves: Option<Box<MoveFilter>>,
    /// Whether the answer has a value for every point.
    pub values: Option<Values>,
    /// Whether the answer has the legal moves.
    pub include_legal: Option<bool>,
    /// Whether the answer has the forbidden points.
    pub include_forbidden: Option<bool>,
}

/// The clocks of a game, in milliseconds.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct GameClock {
    /// The remaining time of the side to move.
    pub left_ms: Int<0, 86_400_000>,
    /// What each side gets after each move.
    pub inc_ms: Option<Int<0, 86_400_000>>,
    /// What the opponent has left.
    pub opponent_left_ms: Option<Int<0, 86_400_000>>,
    /// The moves until the next time control, this one included.
    pub moves_to_go: Option<Int<1, 1_000>>,
}

/// Which values an answer has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Values {
    /// No values.
    #[default]
    None,
    /// The static evaluation after each legal move.
    Static,
    /// The score of each legal move by the search.
    Search,
}

/// What only `position` has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct PositionFields {
    /// Whether the reply has a value for every point.
    pub values: Option<StaticValues>,
    /// Whether the reply has the legal moves.
    pub include_legal: Option<bool>,
    /// Whether the reply has the forbidden points.
    pub include_forbidden: Option<bool>,
    /// Whether the reply has the threats of both sides; not for sessions over a network.
    pub include_threats: Option<bool>,
    /// The language of the threats in words.
    pub language: Option<Language>,
    /// Whether the reply has the board: its size and the options of the variant.
    pub include_board: Option<bool>,
    /// Whether the reply has the moves.
    pub include_moves: Option<bool>,
    /// Whether the reply has the line of stones that ended the game.
    pub include_winning_line: Option<bool>,
    /// Whether the reply has a drawing in text.
    pub include_text: Option<bool>,
    /// Whether the reply has a drawing in SVG.
    pub include_svg: Option<bool>,
    /// Whether the reply has the game as SGF.
    pub include_sgf: Option<bool>,
}

/// Which values a position has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum StaticValues {
    /// No values.
    #[default]
    None,
    /// The static evaluation after each legal move.
    Static,
}

/// What only `opening` has.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub struct OpeningFields {
    /// The opening rule: a name from `query_version`.
    pub rule: String,
    /// What the players did so far: points, `swap`, `stay`, `two`, `ten` and numbers.
    pub acts: Option<Moves>,
    /// Whether the engine decides for the player whose turn it is.
    pub decide: Option<bool>,
}

/// What only `solve` has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct SolveFields {
    /// How much is proven.
    pub mode: Option<SolveMode>,
    /// Whether every move is scored.
    pub all: Option<bool>,
}

/// How much of a value is proven.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SolveMode {
    /// The winner and the number of plies.
    #[default]
    Score,
    /// The winner only.
    Outcome,
}

/// What only `review` has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct ReviewFields {
    /// Plies to search.
    pub depth: Option<Int<1, 1000>>,
    /// How many moves are ranked.
    pub multi_pv: Option<MoveCount>,
    /// Whether `game` has the record with comments.
    pub include_sgf: Option<bool>,
    /// Whether better lines are variations of that record. Otherwise they stand in comments.
    pub include_variations: Option<bool>,
    /// The language of the comments.
    pub language: Option<Language>,
    /// Whether good moves have a reason, too: a win, or that nothing is proven.
    pub include_reasons: Option<bool>,
    /// Whether `game` has a plot of the chances.
    pub include_svg: Option<bool>,
    /// Whether `game` has a report to print.
    pub include_report: Option<bool>,
}

/// The file of a record, whole or in parts.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct RecordFile {
    /// The file as text.
    pub text: Option<String>,
    /// The bytes of the file in Base64, in place of `text`.
    pub base64: Option<String>,
    /// The number of this part of the file, from 1. All parts have the `id` of the query.
    pub part: Option<Positive>,
    /// Whether another part follows. Only the last part is answered.
    pub more: Option<bool>,
    /// The name of the file: its extension decides the format if the content is not clear.
    pub name: Option<String>,
    /// The encoding of the file, in place of the one that it names.
    pub encoding: Option<String>,
    /// Only the game with this number, from 1.
    pub game: Option<Positive>,
}

/// The game of records that do not name it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct RecordRules {
    /// The variant: a name from `query_version`.
    pub variant: Option<String>,
    /// The board, if it is neither the usual one nor named by the record.
    #[serde(default, deserialize_with = "object")]
    pub board: Option<BoardOptions>,
}

/// What only `convert_record` has.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub struct ConvertFields {
    /// The format to write.
    pub to: RecordFormat,
    /// The encoding to write.
    pub to_encoding: Option<String>,
}

/// What only `terminate` has.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub struct TerminateFields {
    /// The query to end.
    pub terminate_id: Id,
    /// Only these turns of it.
    pub turn_numbers: Option<List<TurnNumber, 1000>>,
}

/// What only `terminate_all` has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct TerminateAllFields {
    /// Only these turns.
    pub turn_numbers: Option<List<TurnNumber, 1000>>,
}

/// What only `hello` has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct HelloFields {
    /// The server's token, where it wants one.
    pub token: Option<String>,
    /// The session to resume.
    pub resume: Option<String>,
    /// The last message of it that came through.
    pub last_seq: Option<Count>,
    /// A secret of a room, in place of the token. The session may then only play there, and ask about the rules.
    pub room: Option<RoomSecret>,
}

/// Declares the queries. Each is made of groups of fields; the first group is what every query has.
macro_rules! queries {
    ($($(#[$doc:meta])* $name:ident($type:ident) = $text:literal {
        $($(#[$group:meta])* $field:ident: $fields:ty,)*
    })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, PartialEq, Eq, Debug, JsonSchema)]
            #[schemars(inline)]
            pub struct $type {
                /// What every query has.
                #[schemars(flatten)]
                pub head: QueryHead,
                $($(#[$group])* #[schemars(flatten)] pub $field: $fields,)*
            }
        )*

        /// A query of a client.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum Query {
            $($(#[$doc])* $name($type),)*
        }

        impl Query {
            /// The names of all actions. The first one is the default.
            pub const ACTIONS: &[&str] = &[$($text),*];

            /// Reads the query of `action`; `None` if there is no such action.
            pub(super) fn read(
                action: &str,
                object: &mut Object<'_>,
            ) -> Option<Result<Self, Problem>> {
                let mut read = || {
                    Ok(match action {
                        $($text => Some(Self::$name($type {
                            head: object.read()?,
                            $($field: object.read()?,)*
                        })),)*
                        _ => None,
                    })
                };
                read().transpose()
            }

            /// Returns the name of the action.
            pub const fn action(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => $text,)*
                }
            }

            /// Returns the fields that every query has.
            pub fn head(&self) -> &QueryHead {
                match self {
                    $(Self::$name(query) => &query.head,)*
                }
            }

            /// Returns the schema of each action's fields.
            pub(super) fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
                vec![$(($text, generator.subschema_for::<$type>())),*]
            }
        }
    };
}

queries! {
    /// Asks for a search of one or more turns.
    Analyze(Analyze) = "analyze" {
        /// The game and its moves.
        subject: Subject,
        /// What the search may cost.
        effort: Effort,
        /// The turns.
        turns: Turns,
        /// How strong to play.
        strength: StrengthFields,
        /// What only this action has.
        own: AnalyzeFields,
    }
    /// Asks for the proven score of one or more turns.
    Solve(Solve) = "solve" {
        /// The game and its moves.
        subject: Subject,
        /// What the search may cost.
        effort: Effort,
        /// The turns.
        turns: Turns,
        /// What only this action has.
        own: SolveFields,
    }
    /// Asks for a judgement of every move of a game.
    Review(Review) = "review" {
        /// The game and its moves.
        subject: Subject,
        /// What the search of each position may cost.
        effort: Effort,
        /// What only this action has.
        own: ReviewFields,
    }
    /// Asks what the rules say of a position.
    Position(PositionQuery) = "position" {
        /// The game and its moves.
        subject: Subject,
        /// What only this action has.
        own: PositionFields,
    }
    /// Asks for the stones or the choice of a player in the opening swap2.
    Swap2(Swap2) = "swap2" {
        /// The game and its stones.
        subject: Subject,
        /// What the search may cost.
        effort: Effort,
        /// How strong to play.
        strength: StrengthFields,
    }
    /// Follows an opening rule: asks for the next step, and for the engine's decision.
    Opening(OpeningQuery) = "opening" {
        /// The game.
        rules: RecordRules,
        /// What the searches of a decision may cost.
        effort: Effort,
        /// How strong to play.
        strength: StrengthFields,
        /// What only this action has.
        own: OpeningFields,
    }
    /// Asks for the games of a record.
    ReadRecord(ReadRecord) = "read_record" {
        /// The file.
        file: RecordFile,
        /// The game.
        rules: RecordRules,
    }
    /// Asks for a record in another format.
    ConvertRecord(ConvertRecord) = "convert_record" {
        /// The file.
        file: RecordFile,
        /// The game.
        rules: RecordRules,
        /// What only this action has.
        own: ConvertFields,
    }
    /// Asks what was played in a position.
    Explore(ExploreQuery) = "explore" {
        /// The game and its moves.
        subject: Subject,
        /// The games that count.
        filter: GameFilter,
        /// The games that are listed.
        page: GamePage,
    }
    /// Asks for games.
    Find(FindQuery) = "find" {
        /// The position that they reached.
        subject: Subject,
        /// The games that count.
        filter: GameFilter,
        /// The games that are listed.
        page: GamePage,
        /// What only this action has.
        own: FindFields,
    }
    /// Asks for a whole game.
    ReadGame(ReadGame) = "read_game" {
        /// Which.
        own: ReadGameFields,
    }
    /// Asks for other headers of games of the shelf.
    EditGames(EditGames) = "edit_games" {
        /// Which, and the headers.
        own: EditGamesFields,
        /// What the client knows.
        known: KnownState,
    }
    /// Removes games from the shelf.
    DeleteGames(DeleteGames) = "delete_games" {
        /// Which.
        own: DeleteGamesFields,
        /// What the client knows.
        known: KnownState,
    }
    /// Adds, changes or removes a comment about a position in the shelf.
    Comment(CommentQuery) = "comment" {
        /// The position.
        subject: Subject,
        /// The comment.
        own: CommentFields,
        /// What the client knows.
        known: KnownState,
    }
    /// Changes trees of variations at a position in the shelf.
    EditTree(EditTree) = "edit_tree" {
        /// The position.
        subject: Subject,
        /// The change.
        own: EditTreeFields,
        /// What the client knows.
        known: KnownState,
    }
    /// Takes the last change of the shelf back.
    Undo(Undo) = "undo" {
        /// Which.
        own: UndoFields,
    }
    /// Makes the change of the shelf again that was taken back last.
    Redo(Redo) = "redo" {}
    /// Asks for the last changes of the shelf.
    Changes(ChangesQuery) = "changes" {
        /// How many.
        own: ChangesFields,
    }
    /// Makes a room, in which two people play by links.
    MakeRoom(MakeRoom) = "make_room" {
        /// What is played.
        terms: RoomTerms,
        /// What only this action has.
        own: MakeRoomFields,
    }
    /// Asks for the state of a room, now and after each change.
    JoinRoom(JoinRoom) = "join_room" {
        /// Which.
        own: JoinRoomFields,
    }
    /// Does something in a room.
    RoomAct(RoomAct) = "room_act" {
        /// What.
        own: RoomActFields,
    }
    /// Ends a query.
    Terminate(Terminate) = "terminate" {
        /// Which.
        own: TerminateFields,
    }
    /// Ends every query of the session.
    TerminateAll(TerminateAll) = "terminate_all" {
        /// Which turns.
        own: TerminateAllFields,
    }
    /// Empties the tables.
    ClearCache(ClearCache) = "clear_cache" {}
    /// Asks for version, limits and variants.
    QueryVersion(QueryVersion) = "query_version" {}
    /// Shows a token, or resumes a session.
    Hello(Hello) = "hello" {
        /// Token and session.
        own: HelloFields,
    }
}
