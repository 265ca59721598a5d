//! The fields of queries about a shelf of games, and of the replies to them.
//!
//! The doc comments of fields are the descriptions in the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::boards::BoardInfo;
use super::field_value::object;
use super::number::{Count, Id, Int, List, Positive, Text};
use super::parts::{MoveText, Outcome, Score};
use super::shapes::{SideName, TurnNumber};

/// The most bytes of a name in a query.
const MAX_NAME: usize = 256;
/// The most bytes of a header of a game.
const MAX_HEADER: usize = 4096;
/// The most bytes of a comment.
const MAX_COMMENT: usize = 32_768;

/// Which games count.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct GameFilter {
    /// A part of the name of a player.
    pub player: Option<Text<1, MAX_NAME>>,
    /// A part of the name of the opponent of `player`, or of any player.
    pub against: Option<Text<1, MAX_NAME>>,
    /// A part of the name of the first player.
    pub first: Option<Text<1, MAX_NAME>>,
    /// A part of the name of the second player.
    pub second: Option<Text<1, MAX_NAME>>,
    /// A part of the name of the event.
    pub event: Option<Text<1, MAX_NAME>>,
    /// Text in a comment of the game, or in a comment about a position that it reached.
    pub comment: Option<Text<1, MAX_NAME>>,
    /// The least number of moves.
    pub min_plies: Option<Count>,
    /// The greatest number of moves.
    pub max_plies: Option<Count>,
    /// The code or the name of the opening, in any language or as in the record.
    pub opening: Option<Text<1, MAX_NAME>>,
    /// The result of the game.
    pub result: Option<Outcome>,
    /// The year, or the first of several.
    pub year: Option<Int<1, 9999>>,
    /// The last year; without it only `year` counts.
    pub to_year: Option<Int<1, 9999>>,
    /// A part of the name of the file that the game comes from, without its folder.
    pub source: Option<Text<1, MAX_NAME>>,
}

/// Which of the games are listed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct GamePage {
    /// How many games are skipped. The latest game comes first.
    pub offset: Option<Count>,
    /// The most games that are listed.
    pub limit: Option<Int<0, 100>>,
}

/// What only `find` has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct FindFields {
    /// A part of a board, anywhere and in any orientation: rows from the top with `/` between. `x` is
    /// a stone of the first player, `o` one of the second, `.` an empty point, `?` any point.
    pub pattern: Option<Text<1, 1024>>,
    /// A drawing of a board, as other programs print it, in place of `fen`, `moves` and `sgf`: games that reached its position.
    pub drawing: Option<Text<1, MAX_COMMENT>>,
}

/// What only `read_game` has.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub struct ReadGameFields {
    /// The number of the game in the shelf, from a reply to `explore` or `find`.
    pub game: Positive,
}

/// What only `edit_games` has.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub struct EditGamesFields {
    /// The numbers of the games in the shelf.
    pub games: List<Positive, 1000>,
    /// Their new headers. An empty text removes a header.
    #[serde(default, deserialize_with = "object")]
    pub headers: Option<GameHeaders>,
}

/// Headers of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct GameHeaders {
    /// The name of the first player.
    pub first: Option<Text<0, MAX_HEADER>>,
    /// The name of the second player.
    pub second: Option<Text<0, MAX_HEADER>>,
    /// The event.
    pub event: Option<Text<0, MAX_HEADER>>,
    /// The round.
    pub round: Option<Text<0, MAX_HEADER>>,
    /// The date, in any usual form.
    pub date: Option<Text<0, MAX_HEADER>>,
    /// The result: `1-0`, `0-1`, `1/2-1/2`, `*`, or as SGF writes it.
    pub result: Option<Text<0, MAX_HEADER>>,
    /// The rules as a text. The board stays.
    pub rules: Option<Text<0, MAX_HEADER>>,
    /// The name of the opening.
    pub opening: Option<Text<0, MAX_HEADER>>,
}

impl GameHeaders {
    /// The names of all headers.
    pub const NAMES: [&str; 8] =
        ["first", "second", "event", "round", "date", "result", "rules", "opening"];

    /// Returns the headers that are given, with their names.
    pub fn given(&self) -> Vec<(&'static str, &str)> {
        let Self { first, second, event, round, date, result, rules, opening } = self;
        let all = [first, second, event, round, date, result, rules, opening];
        let given = Self::NAMES.into_iter().zip(all);
        given.filter_map(|(name, text)| Some((name, text.as_ref()?.as_str()))).collect()
    }
}

/// What only `delete_games` has.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub struct DeleteGamesFields {
    /// The numbers of the games in the shelf.
    pub games: List<Positive, 1000>,
}

/// What only `comment` has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct CommentFields {
    /// The number of the comment to change, from a reply to `explore`. Without it a comment is added.
    pub number: Option<Positive>,
    /// The comment. An empty text removes it.
    pub text: Option<Text<0, MAX_COMMENT>>,
    /// The label of the position. An empty text removes it.
    pub label: Option<Text<0, MAX_NAME>>,
    /// Who writes the comment.
    pub author: Option<Text<1, MAX_NAME>>,
}

/// What only `edit_tree` has. Without `remove`, `label` and `comment` the line to the position is added.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct EditTreeFields {
    /// The number of the tree, from a reply to `explore`.
    pub tree: Option<Positive>,
    /// Whether the last move is removed, with all moves after it.
    pub remove: Option<bool>,
    /// The text on the point of the last move. An empty text removes it.
    pub label: Option<Text<0, MAX_NAME>>,
    /// The comment of the position in the tree. An empty text removes it.
    pub comment: Option<Text<0, MAX_COMMENT>>,
}

/// What the client knows of the shelf that it changes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct KnownState {
    /// The number of the last change that the client has seen, from a reply to `explore`; 0 if there was none. If the shelf was
    /// changed since, nothing is changed.
    pub last_change: Option<Count>,
}

/// What only `undo` has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct UndoFields {
    /// The number of the change to take back. It must be the last one.
    pub change: Option<Positive>,
}

/// What only `changes` has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct ChangesFields {
    /// The most changes that are listed.
    pub limit: Option<Int<1, 1000>>,
}

/// The results of games for the side to move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameResults {
    /// The number of games.
    pub games: Count,
    /// The number of games won.
    pub wins: Count,
    /// The number of draws.
    pub draws: Count,
    /// The number of games lost.
    pub losses: Count,
    /// The date of the last game; null if unknown.
    pub last: Option<String>,
    /// The results by year; only in the output of `tengen shelf explore --by-year`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub years: Option<Vec<YearResults>>,
}

/// The results of the games of a year, for the side to move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct YearResults {
    /// The year; null for games without one.
    pub year: Option<Int<1, 9999>>,
    /// The number of games.
    pub games: Count,
    /// The number of games won.
    pub wins: Count,
    /// The number of draws.
    pub draws: Count,
    /// The number of games lost.
    pub losses: Count,
}

/// A move that was played, that a tree of variations has, or that has a value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ExploredMove {
    /// The move. It stands for its images under symmetry, too.
    #[serde(rename = "move")]
    pub mv: MoveText,
    /// The results of the games with it, for its player.
    #[serde(flatten)]
    pub results: GameResults,
    /// The stored value after the move, for its player; null if there is none.
    pub score: Option<Score>,
    /// The text on the point, or the label of the position after the move; null if there is none.
    pub label: Option<String>,
    /// Whether a tree of variations has the move.
    pub tree: bool,
}

/// A game of the shelf.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ShelfGame {
    /// The number of the game in the shelf, for `read_game`.
    pub game: Positive,
    /// The variant.
    pub variant: String,
    /// The board.
    pub board: BoardInfo,
    /// The name of the first player; null if unknown.
    pub first: Option<String>,
    /// The name of the second player; null if unknown.
    pub second: Option<String>,
    /// The event; null if unknown.
    pub event: Option<String>,
    /// The round; null if unknown.
    pub round: Option<String>,
    /// The date, such as `2020-05`; null if unknown.
    pub date: Option<String>,
    /// The result; null if unknown.
    pub result: Option<Outcome>,
    /// How it ended; null if unknown.
    pub ending: Option<String>,
    /// The code or the name of the opening; null if unknown.
    pub opening: Option<String>,
    /// The number of moves.
    pub plies: Count,
    /// What is remarkable, such as `illegal move`.
    pub marks: Vec<String>,
    /// Where the game comes from; only in the output of `tengen shelf find`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<GameSource>,
}

/// Where a game comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct GameSource {
    /// The file, as it was named at the import.
    pub file: String,
    /// The number of the game in it, from 1.
    pub number: Count,
}

/// Why no game of a position is listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum NotListed {
    /// More than 20,000 games reached it.
    TooMany,
    /// The time of the lookup was over. Another try may have the list.
    Time,
}

/// Games of the shelf, a page of them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct GameList {
    /// The number of all games; null if they could not be counted or sorted.
    pub found: Option<Count>,
    /// Why `found` is null: `too_many`, more than 20,000 games; `time`, the time was over. Else null.
    pub not_listed: Option<NotListed>,
    /// The games, the latest first.
    pub list: Vec<ShelfGame>,
}

impl GameList {
    /// Returns a list without games.
    pub fn not_listed(why: NotListed) -> Self {
        Self { not_listed: Some(why), ..Self::default() }
    }
}

/// What a person wrote about a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ShelfNote {
    /// The comment; null if there is only a label.
    pub text: Option<String>,
    /// The label; null if there is none.
    pub label: Option<String>,
    /// Who wrote it; null if unknown.
    pub author: Option<String>,
    /// When it was written, in universal time; null if unknown.
    pub at: Option<String>,
    /// The number of the comment, for `comment`; null in a tree or a database.
    pub number: Option<Positive>,
    /// The number of the tree of variations that has it, for `edit_tree`; null if it is in none.
    pub tree: Option<Positive>,
}

/// Another last move that leads to a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct OtherOrder {
    /// The move: one of the stones. It stands for its images under symmetry, too.
    #[serde(rename = "move")]
    pub mv: MoveText,
    /// The number of games in which it was the last move.
    pub games: Count,
    /// Whether it is the last move in a tree of variations.
    pub tree: bool,
}

/// What the shelf knows about a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Explored {
    /// The side to move.
    pub turn: SideName,
    /// The results of all games that reached the position.
    #[serde(flatten)]
    pub results: GameResults,
    /// The stored value for the side to move; null if there is none.
    pub score: Option<Score>,
    /// The depth of the stored value; null if unknown.
    pub depth: Option<Count>,
    /// The nodes of the stored value; null if unknown.
    pub nodes: Option<Count>,
    /// The engine of the stored value; null if unknown.
    pub engine: Option<String>,
    /// The label of a person; null if there is none.
    pub label: Option<String>,
    /// The comments of people on the position.
    pub comments: Vec<String>,
    /// The comments and labels of people, with who wrote them and where they are.
    #[serde(default)]
    pub notes: Vec<ShelfNote>,
    /// The other last moves that lead to the position, with games or trees that have them.
    #[serde(default)]
    pub other_orders: Vec<OtherOrder>,
    /// The number of the last change of the shelf; 0 if there is none.
    pub last_change: Count,
    /// The moves, the most played first.
    pub moves: Vec<ExploredMove>,
    /// The number of games on this board in the whole shelf.
    pub on_board: Count,
    /// The number of games in the shelf that do not count yet, because an import goes on.
    pub not_indexed: Count,
    /// The games that reached the position.
    #[serde(flatten)]
    pub games: GameList,
}

/// The answer to `explore`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ExploreReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The turn: the number of moves before the position.
    pub turn_number: TurnNumber,
    /// What the shelf knows.
    #[serde(flatten)]
    pub known: Explored,
}

/// The answer to `find`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct FindReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The games.
    #[serde(flatten)]
    pub games: GameList,
}

/// A change in the journal of the shelf.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ChangeInfo {
    /// The number of the change, for `undo`.
    pub number: Positive,
    /// When it was made, in universal time.
    pub at: String,
    /// What was done.
    pub what: String,
}

/// The answer to `edit_games`, `delete_games`, `comment`, `edit_tree`, `undo` and `redo`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ChangedReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// What was done.
    #[serde(flatten)]
    pub changed: Changed,
}

/// What a query did to the shelf.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Changed {
    /// The change, or the one that was taken back; null if nothing changed.
    pub change: Option<ChangeInfo>,
    /// The number of games, comments or trees that changed; null after `undo` and `redo`.
    pub count: Option<Count>,
    /// The number of a new comment; else null.
    pub number: Option<Positive>,
}

/// The answer to `changes`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ChangesReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The changes, the latest first.
    pub list: Vec<ChangeInfo>,
}
