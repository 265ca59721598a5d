//! The queries and messages of rooms, in which two people play by links: `make_room`, `join_room`, `room_act`.
//! The server of the board answers them; sessions elsewhere refuse them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::field_value::object;
use super::number::{Count, Id, Int, Positive, Text};
use super::parts::MoveText;
use super::shapes::{BoardOptions, PlayerNumber};

/// A secret of a room: who has it takes a seat, or looks on.
pub type RoomSecret = Text<1, 64>;

/// What is played in a room.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct RoomTerms {
    /// The variant: a name from `query_version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The board, where it is not the usual one.
    #[serde(default, deserialize_with = "object", skip_serializing_if = "Option::is_none")]
    pub board: Option<BoardOptions>,
    /// The opening rule: a name from `query_version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The clock of the players.
    #[serde(default, deserialize_with = "object", skip_serializing_if = "Option::is_none")]
    pub clock: Option<RoomClock>,
    /// The player who begins: 1 made the room, 2 is the friend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins: Option<PlayerNumber>,
    /// Whether the first stone is white.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white_first: Option<bool>,
}

/// The clock of both players of a room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RoomClock {
    /// Milliseconds of each player: for the game, or with `per_move` for each move.
    pub base_ms: Int<100, 86_400_000>,
    /// What a player gets after each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inc_ms: Option<Int<0, 86_400_000>>,
    /// Whether each move has the whole time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_move: Option<bool>,
}

/// What only `make_room` has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
pub struct MakeRoomFields {
    /// The address of the board, for the link and its QR code. An address of the own machine is replaced by
    /// one that other machines reach, if there is one.
    pub page: Option<Text<1, 200>>,
}

/// What only `join_room` has.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub struct JoinRoomFields {
    /// A secret of the room.
    pub room: RoomSecret,
}

/// What only `room_act` has.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub struct RoomActFields {
    /// The secret of a player.
    pub room: RoomSecret,
    /// What the player does.
    #[serde(rename = "do")]
    pub verb: RoomVerb,
    /// The number of the game to which the act belongs, from 1.
    pub game: Option<Positive>,
    /// With `act`: how many acts the game has so far. An act with another number is refused, so that no act counts twice.
    pub number: Option<Count>,
    /// With `act`: a move, or an act of the opening.
    pub act: Option<Text<1, 16>>,
    /// With `ask` and `decline`: the wish.
    pub what: Option<Wish>,
}

/// What a player of a room does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum RoomVerb {
    /// Plays a move, or an act of the opening.
    Act,
    /// Has a wish, or agrees with that of the other player.
    Ask,
    /// Declines a wish of the other player, or takes back the own one.
    Decline,
    /// Resigns.
    Resign,
    /// Ends `join_room` of this session.
    Leave,
}

/// What needs the consent of both players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Wish {
    /// To take back the last act of the player who asks, with all acts after it.
    Undo,
    /// To end the game as a draw.
    Draw,
    /// To play again with colours changed, after the game.
    Rematch,
}

/// The answer to `make_room`: the secrets. The server keeps none of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RoomMade {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// The secret of player 1, who made the room.
    pub own: String,
    /// The secret of player 2.
    pub friend: String,
    /// The secret of people who look on.
    pub watch: String,
    /// The address of the board for the links; absent if the query has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// The QR code of the friend's link, row by row: `1` is dark. Absent if the query has no `page`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qr: Option<Vec<String>>,
}

/// The state of a room, after each change and as the answer to `room_act`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RoomReply {
    /// The `id` of the query that this message answers.
    pub id: Id,
    /// Whether more messages follow: true for `join_room`, until the room ends.
    pub more: bool,
    /// Whose secret the query has; null for people who look on.
    pub player: Option<PlayerNumber>,
    /// What is played. `begins` is the player who began this game.
    #[serde(flatten)]
    pub terms: RoomTerms,
    /// The number of the game, from 1.
    pub game: Positive,
    /// What the players did: moves, and acts of the opening.
    pub acts: Vec<String>,
    /// How many of `acts` are the opening.
    pub opening: Count,
    /// The stones, in the order of play.
    pub moves: Vec<MoveText>,
    /// The player who has the first side now.
    pub first: PlayerNumber,
    /// The player who acts next; null after the game.
    pub decides: Option<PlayerNumber>,
    /// The remaining milliseconds of players 1 and 2; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<[u64; 2]>,
    /// Whether the clock of the player who acts next runs: from the friend's first visit on.
    pub runs: bool,
    /// How the game ended; null if it is not over.
    pub result: Option<RoomResult>,
    /// The open wishes.
    pub asks: Vec<RoomAsk>,
    /// Whether players 1 and 2 are connected.
    pub here: [bool; 2],
    /// How many people look on.
    pub watchers: u32,
    /// Whether the room has ended: a day after the last act in it.
    pub ended: bool,
}

/// How a game in a room ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RoomResult {
    /// The player who won; null for a draw.
    pub winner: Option<PlayerNumber>,
    /// Why the game ended.
    pub why: RoomEnd,
}

/// Why a game in a room ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum RoomEnd {
    /// By the rules, on the board.
    Board,
    /// A player resigned.
    Resign,
    /// A player had no time left.
    Time,
    /// The players agreed on a draw.
    Agreed,
}

/// A wish of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RoomAsk {
    /// The player who asks.
    pub player: PlayerNumber,
    /// The wish.
    pub what: Wish,
}
