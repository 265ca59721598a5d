//! Fields about variants, boards and records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::{MoveText, OpeningInfo, Outcome};
use crate::dialect::json::number::{Count, Id, Positive};
use crate::dialect::json::shapes::TurnNumber;

/// The board and its pictures, in a reply to `position`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Pictures {
    /// The board, if the game has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<BoardInfo>,
    /// The moves from the start position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<MoveText>>,
    /// The points of the line that ended the game; empty if no line ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winning_line: Option<Vec<String>>,
    /// The position as text, several lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The position as SVG.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub svg: Option<String>,
    /// The game as SGF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sgf: Option<String>,
}

/// A board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct BoardInfo {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Whether stones fall.
    pub gravity: bool,
    /// How many stones make a line, if the variant lets clients choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect: Option<i64>,
    /// Whether longer lines win too, if the variant lets clients choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overline: Option<bool>,
}

/// A variant of the server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct VariantInfo {
    /// The name of the variant.
    pub name: String,
    /// A human-readable line about the variant.
    pub summary: String,
    /// Other names of the variant.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The fields of `board` that the variant reads.
    #[serde(default)]
    pub board: Vec<String>,
    /// The sizes of the board; absent if no size can be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<SizeInfo>,
    /// The opening rules, on the usual board.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opening_rules: Vec<String>,
}

/// The sizes of a board, in cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SizeInfo {
    /// The default width.
    pub width: u32,
    /// The default height.
    pub height: u32,
    /// The minimum side length.
    pub min: u32,
    /// The maximum side length.
    pub max: u32,
}

/// A game of a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RecordReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The number of the game in the record, from 1.
    pub number: Positive,
    /// The number of games of the record.
    pub games: Positive,
    /// Whether more games follow.
    pub more: bool,
    /// The name of the format of the record, such as `sgf` or `moves`.
    pub format: String,
    /// The encoding of the record.
    pub encoding: String,
    /// The number of nodes of the game's tree, variations included.
    pub nodes: Count,
    /// The names of the players and what else the record says about the game.
    pub about: RecordAbout,
    /// The main line; null if it cannot be played.
    pub line: Option<RecordLine>,
    /// Why the main line cannot be played; null if it can.
    pub message: Option<String>,
}

/// What a record says about a game, in its own words.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(inline)]
pub struct RecordAbout {
    /// The first player.
    pub first: Option<String>,
    /// The second player.
    pub second: Option<String>,
    /// The result, such as `B+` if the first player won.
    pub result: Option<String>,
    /// Who won by that result; null if it does not say.
    pub outcome: Option<Outcome>,
    /// The event.
    pub event: Option<String>,
    /// The date.
    pub date: Option<String>,
    /// The name of the opening.
    pub opening: Option<String>,
}

/// The main line of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RecordLine {
    /// The variant.
    pub variant: String,
    /// The board.
    pub board: BoardInfo,
    /// The position before the first move; null if that is the usual one.
    pub fen: Option<String>,
    /// The moves.
    pub moves: Vec<MoveText>,
    /// The milliseconds of each move; null where the record does not say.
    pub times_ms: Vec<Option<u64>>,
    /// The comments, in the order of the game.
    pub comments: Vec<RecordComment>,
    /// The opening, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<OpeningInfo>,
}

/// A comment of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RecordComment {
    /// The turn: the number of moves before the comment.
    pub turn_number: TurnNumber,
    /// The text.
    pub text: String,
}

/// A part of a record in another format.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RecordPart {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The number of the part, from 1.
    pub part: Positive,
    /// Whether another part follows.
    pub more: bool,
    /// The text of the part; absent if the record is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes of the part in Base64, in place of `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}
