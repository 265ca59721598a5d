//! The fields of queries about a shelf of games, and of the replies to them.
//!
//! The doc comments of fields are the descriptions in the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::boards::BoardInfo;
use super::number::{Count, Id, Int, Positive, Text};
use super::parts::{MoveText, Outcome, Score};
use super::shapes::{SideName, TurnNumber};

/// The most bytes of a name in a query.
const MAX_NAME: usize = 256;

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
}

/// What only `read_game` has.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub struct ReadGameFields {
    /// The number of the game in the shelf, from a reply to `explore` or `find`.
    pub game: Positive,
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
