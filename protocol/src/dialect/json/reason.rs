//! The reason for the grade of a move, as a reply has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_engine::Point;

use super::number::Int;
use super::parts::MoveText;
use super::shapes::SideName;
use crate::judge::reason::{Hold, Key, KeyKind, Means, Reason, ReasonKind};

/// Why a move is bad; on request, also why it wins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ReasonInfo {
    /// What is wrong with the move; `wins` if it is good.
    pub kind: ReasonKind,
    /// The side that wins or threatens; of a forbidden, drawing or quiet move, its player.
    pub side: SideName,
    /// What the moves of the winner are; absent without a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Means>,
    /// A proven win of `side` to its end: in place of the move if `kind` is `misses_win`, else after it.
    pub line: Vec<MoveText>,
    /// The plies of the proven win, counted like `line`; absent if none is proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// The move of the line that decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyInfo>,
    /// The points of the threat, or the forbidden point.
    pub points: Vec<MoveText>,
    /// Points on which a stone in place of the move would have stopped the threat; of a win by fours, the points of `line`
    /// where a short search proves that no win by fours is left. Other points may stop it, too.
    pub stops: Vec<MoveText>,
    /// The rule that forbids the move, or the only point that stops a four.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The stones of the lines that make this point forbidden, with the point: fours, threes, or an overline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Vec<MoveText>>,
    /// A point on which the winner wins when the other columns are full, because the opponent then has to play below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<HoldInfo>,
    /// True if a draw is proven after the move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<bool>,
    /// How much the move lost, in per mille of the expected score.
    pub lost: Int<0, 1000>,
    /// The reason in words, in the language of the query.
    pub text: String,
}

/// The move that decides a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct KeyInfo {
    /// Why it decides.
    pub kind: KeyKind,
    /// The move.
    #[serde(rename = "move")]
    pub mv: MoveText,
    /// Where the winner wins at once, or makes an open four after the answer.
    pub threats: Vec<MoveText>,
    /// The rule that forbids the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The stones of the lines that make the answer forbidden, with the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Vec<MoveText>>,
}

/// A threat that zugzwang decides.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct HoldInfo {
    /// The point. Its row is odd or even.
    pub point: MoveText,
    /// The winner's next move if it makes the threat; absent if the threat is there already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_by: Option<MoveText>,
}

impl ReasonInfo {
    /// Creates the reply about `reason`, whose words are `text`.
    pub fn new(reason: &Reason, text: String) -> Self {
        let Reason { kind, side, by, line, plies, key, points, stops, rule, lines, .. } = reason;
        Self {
            kind: *kind,
            side: (*side).into(),
            by: *by,
            line: line.iter().cloned().map(MoveText).collect(),
            plies: *plies,
            key: key.as_ref().map(KeyInfo::from),
            points: written(points),
            stops: written(stops),
            rule: named(rule),
            lines: lines.iter().map(|line| written(line)).collect(),
            hold: reason.hold.map(HoldInfo::from),
            draw: reason.is_drawn.then_some(true),
            lost: Int::nearest(reason.lost),
            text,
        }
    }
}

impl From<&Key> for KeyInfo {
    fn from(Key { kind, point, threats, rule, lines }: &Key) -> Self {
        let mv = MoveText(point.to_string());
        let lines = lines.iter().map(|line| written(line)).collect();
        Self { kind: *kind, mv, threats: written(threats), rule: named(rule), lines }
    }
}

impl From<Hold> for HoldInfo {
    fn from(Hold { point, made_by }: Hold) -> Self {
        let text = |point: Point| MoveText(point.to_string());
        Self { point: text(point), made_by: made_by.map(text) }
    }
}

fn written(points: &[Point]) -> Vec<MoveText> {
    points.iter().map(|point| MoveText(point.to_string())).collect()
}

fn named(rule: &str) -> Option<String> {
    (!rule.is_empty()).then(|| rule.to_owned())
}
