//! The journal records of a run: games with moves and times, rounds, void games, steps of a tuning.
//!
//! Everything that is printed or exported is made from these records. This module does not depend
//! on a file.

use std::ops::{Not, Range};
#[cfg(any(target_os = "linux", test))]
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
pub use tengen_protocol::client::EngineScore;
use tengen_runs::journal::Journaled;

/// One record of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum JournalRecord {
    /// The first record: the game and the players.
    Head(RunHead),
    /// The pairings of a round.
    Round(Round),
    /// A finished game.
    Game(Box<GameRecord>),
    /// A game that does not count and is played again.
    Void {
        /// The number of the game.
        id: u64,
        /// The number of earlier attempts.
        attempt: u32,
        /// Why the game does not count.
        why: String,
    },
    /// A game that is not played.
    Forfeit(Forfeit),
    /// A player leaves the tournament after its failures.
    Withdrawn {
        /// The number of the player.
        player: usize,
        /// Why the player was withdrawn.
        why: String,
    },
    /// A withdrawn player plays again.
    Readmitted {
        /// The number of the player.
        player: usize,
    },
    /// A step of a tuning.
    Spsa(SpsaRecord),
}

impl Journaled for JournalRecord {
    const UNIT: &'static str = "game";
    const HOLDER: &'static str = "another arena plays";

    fn result_of(&self) -> Option<u64> {
        self.game().map(|game| game.id)
    }
}

impl JournalRecord {
    /// Returns the finished game; `None` if the record is of another kind.
    pub fn game(&self) -> Option<&GameRecord> {
        match self {
            Self::Game(game) => Some(game),
            _ => None,
        }
    }
}

/// The game and the players of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunHead {
    /// The version of the record format.
    pub version: u32,
    /// The program that wrote the journal.
    pub program: String,
    /// The variant's name.
    pub variant: String,
    /// The rules as text.
    pub rules: String,
    /// Columns and rows; `None` if the game has no grid.
    pub size: Option<(u32, u32)>,
    /// The names of the players.
    pub players: Vec<String>,
    /// The seed of the run.
    pub seed: u64,
    /// The start of the run, in UTC.
    pub started: String,
}

impl RunHead {
    /// The version of the record format that this program writes and reads.
    pub const VERSION: u32 = 1;

    /// Returns the head of a journal; `None` if it does not begin with one.
    pub fn of(records: &[JournalRecord]) -> Option<&Self> {
        match records.first() {
            Some(JournalRecord::Head(head)) => Some(head),
            _ => None,
        }
    }
}

/// A round: encounters that can be played at the same time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Round {
    /// The number, from 0. An extra round of a knockout has its own number.
    pub number: u64,
    /// The number of the first pair in the run.
    pub first_pair: u64,
    /// The number of games of each encounter.
    pub games: u32,
    /// The players of each encounter. The first one moves first in the first game of each pair.
    pub pairings: Vec<[usize; 2]>,
    /// The players without an encounter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub byes: Vec<usize>,
    /// Ties of the previous round that the better seed decided, as winner and loser.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_seed: Vec<[usize; 2]>,
}

impl Round {
    /// Returns the numbers of the pairs of an encounter; the last pair may have one game.
    pub fn pairs(&self, encounter: usize) -> Range<u64> {
        let pairs = u64::from(self.games.div_ceil(2));
        let first = self.first_pair + encounter as u64 * pairs;
        first..first + pairs
    }
}

/// The result of a game. The first player is the one who moved first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum GameScore {
    /// The first player won.
    #[serde(rename = "1-0")]
    First,
    /// Nobody won.
    #[default]
    #[serde(rename = "1/2-1/2")]
    Draw,
    /// The second player won.
    #[serde(rename = "0-1")]
    Second,
}

impl GameScore {
    /// Returns the result as `1-0`, `0-1` or `1/2-1/2`.
    pub const fn text(self) -> &'static str {
        match self {
            Self::First => "1-0",
            Self::Second => "0-1",
            Self::Draw => "1/2-1/2",
        }
    }

    /// Returns the result with this [text](Self::text); `None` if there is none.
    pub fn of_text(text: &str) -> Option<Self> {
        [Self::First, Self::Second, Self::Draw].into_iter().find(|score| score.text() == text)
    }

    /// Returns the win of a side: 0 is the side that moves first.
    pub const fn won_by(side: usize) -> Self {
        if side == 0 { Self::First } else { Self::Second }
    }

    /// Returns the half points of a side: 0 is the side that moves first.
    pub fn half_points(self, side: usize) -> u32 {
        self.winner().map_or(1, |winner| if winner == side { 2 } else { 0 })
    }

    /// Returns the side that won: 0 is the side that moves first. `None` if nobody won.
    pub const fn winner(self) -> Option<usize> {
        match self {
            Self::First => Some(0),
            Self::Draw => None,
            Self::Second => Some(1),
        }
    }
}

/// The kind of the end of a game.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum EndKind {
    /// A line was completed.
    #[default]
    Line,
    /// The board is full.
    FullBoard,
    /// The player to move has only forbidden points left.
    NoMove,
    /// A player moved to a forbidden point.
    Forbidden,
    /// A move was illegal or could not be read.
    Illegal,
    /// A player ran out of time.
    Time,
    /// The process of an engine ended.
    Crash,
    /// An engine did not respond, or refused a command.
    Stall,
    /// The processes of an engine exceeded their memory limit.
    Memory,
    /// An engine wrote more than the limit of output.
    Flood,
    /// A player resigned: by scores, or its engine did.
    Resign,
    /// The game was drawn by scores.
    DrawScores,
    /// The game reached its greatest length.
    Length,
    /// The result was proven.
    Proof,
}

impl EndKind {
    /// All kinds with their names, in the order of tables.
    pub const ALL: [(Self, &str); 14] = [
        (Self::Line, "line"),
        (Self::FullBoard, "full board"),
        (Self::NoMove, "no move left"),
        (Self::Forbidden, "forbidden point"),
        (Self::Resign, "resigned"),
        (Self::DrawScores, "drawn by scores"),
        (Self::Length, "too long"),
        (Self::Proof, "proof"),
        (Self::Time, "time"),
        (Self::Illegal, "illegal move"),
        (Self::Crash, "crash"),
        (Self::Stall, "stall"),
        (Self::Memory, "memory"),
        (Self::Flood, "flood"),
    ];

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Returns the value of the PGN tag `Termination`.
    pub const fn termination(self) -> &'static str {
        match self {
            Self::Line | Self::FullBoard | Self::NoMove => "normal",
            Self::Time => "time forfeit",
            Self::Forbidden | Self::Illegal => "rules infraction",
            Self::Crash | Self::Stall | Self::Memory | Self::Flood => "abandoned",
            Self::Resign | Self::DrawScores | Self::Length | Self::Proof => "adjudication",
        }
    }

    /// Returns whether the loser failed as a program.
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Crash | Self::Stall | Self::Memory | Self::Flood | Self::Illegal)
    }
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct GameEnd {
    /// The kind of the end.
    pub kind: EndKind,
    /// A description, with what the engine wrote or did.
    pub text: String,
}

/// The time of a move by an engine, and what the engine said about the move.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MoveNote {
    /// The time of the move, in microseconds.
    #[serde(rename = "us")]
    pub micros: u64,
    /// What the engine said.
    #[serde(flatten)]
    pub said: Said,
    /// The time that the engine reported, in milliseconds.
    #[serde(rename = "ms", default, skip_serializing_if = "Option::is_none")]
    pub own_millis: Option<u64>,
    /// The remaining time after the move, in milliseconds; `None` without a clock.
    #[serde(rename = "left", default, skip_serializing_if = "Option::is_none")]
    pub left_millis: Option<i64>,
    /// Whether the engine had pondered on the opponent's move.
    #[serde(rename = "hit", default, skip_serializing_if = "Not::not")]
    pub ponder_hit: bool,
}

/// What an engine said about its move.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Said {
    /// The score for the player who moved: an [`EngineScore`] as text.
    #[serde(rename = "s", skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// The depth, in plies.
    #[serde(rename = "d", skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The selective depth, in plies.
    #[serde(rename = "sd", skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<u32>,
    /// The number of nodes.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// The resources that the process of an engine used in a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// The CPU time while the opponent thought, in microseconds.
    pub waiting_cpu_micros: u64,
    /// The peak memory, in bytes.
    pub peak_memory: u64,
    /// Whether the process was started for this game.
    pub started: bool,
    /// Whether the process replaced an earlier one that had failed or was restarted.
    #[serde(skip_serializing_if = "Not::not")]
    pub restarted: bool,
    /// The greatest time by which a move exceeded its limit, in microseconds.
    pub overrun_micros: u64,
    /// The SHA-256 of the program, if the engine has another identity.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub program: String,
}

/// A mistake of an engine that does not end a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Warning {
    /// The number of the player.
    pub player: usize,
    /// The kind of mistake, in a few words without numbers, so that equal kinds can be counted.
    pub what: String,
    /// The line of the engine; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub line: String,
}

impl Warning {
    /// A warning of old journals, which is not counted: the engine claims a win or a loss, and its
    /// line is shorter than the distance. Books, tables and proofs know results without a line to
    /// the end.
    pub const SHORT_LINE: &str = "a win with a line that breaks off";
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct GameRecord {
    /// The number of the game.
    pub id: u64,
    /// The number of earlier attempts.
    pub attempt: u32,
    /// The number of the round.
    pub round: u64,
    /// The players: who moved first, and who second.
    pub players: [usize; 2],
    /// The number of the opening in its list, from 0.
    pub opening: usize,
    /// The position before the first move, as a FEN; `None` for the starting position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The number of moves that belong to the opening.
    pub opening_plies: usize,
    /// All moves, including the opening.
    pub moves: Vec<String>,
    /// A note for each move after the opening.
    pub notes: Vec<MoveNote>,
    /// The result.
    pub score: GameScore,
    /// How the game ended.
    pub end: GameEnd,
    /// The start of the game, in UTC.
    pub started: String,
    /// The duration of the game, in milliseconds.
    pub millis: u64,
    /// By side: the resources of its engine.
    pub usage: [Usage; 2],
    /// The warnings about the engines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Whether a player lost on time while the machine itself was late.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub suspect: bool,
    /// The proof that ended the game, or that was found before the game was played on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofNote>,
    /// The opening as it was played.
    #[serde(flatten)]
    pub opened: OpeningRecord,
    /// The host and the slot that played the game; empty for this process.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub worker: String,
    /// The factor by which the clocks were scaled to the speed of the machine; `None` if they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_scale: Option<f64>,
    /// Whether the game ended after the decision of a sequential test and belongs to a later pair.
    /// Such a game is not counted. The journal writes this as `counted`, false.
    #[serde(rename = "counted", with = "inverse", default, skip_serializing_if = "Not::not")]
    pub is_late: bool,
}

/// Writes a switch as its opposite.
mod inverse {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(is_on: &bool, to: S) -> Result<S::Ok, S::Error> {
        (!is_on).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        bool::deserialize(from).map(|is_on| !is_on)
    }
}

impl GameRecord {
    /// Creates a record with a result, without moves and times.
    pub fn of_result(id: u64, players: [usize; 2], score: GameScore, kind: EndKind) -> Self {
        let end = GameEnd { kind, text: String::new() };
        Self { id, players, score, end, ..Self::default() }
    }

    /// Returns the number of the pair that the game belongs to.
    pub const fn pair(&self) -> u64 {
        self.id / 2
    }

    /// Returns the side of the first note: 0 is the side that moved first in the game.
    pub fn first_to_note(&self) -> usize {
        let black_moves = |fen: &String| fen.split_ascii_whitespace().nth(1) == Some("b");
        let start_side = usize::from(self.start.as_ref().is_some_and(black_moves));
        (start_side + self.opening_plies) % 2
    }

    /// Returns the side that lost by a failure of its engine: 0 is the side that moved first.
    /// `None` if there was no failure.
    pub fn failed_side(&self) -> Option<usize> {
        self.score.winner().filter(|_| self.end.kind.is_failure()).map(|winner| 1 - winner)
    }
}

/// The opening of a game as it was played.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OpeningRecord {
    /// The name of the opening; `None` if it has none.
    #[serde(rename = "opening_name", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The opening rule; `None` without one.
    #[serde(rename = "opening_rule", skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The acts of the players in the opening, such as `h8` or `swap`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acts: Vec<String>,
    /// The decisions of the players in the opening in words, one text each.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "swap2")]
    pub course: Vec<String>,
}

/// A proven result of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProofNote {
    /// The ply at which the proof was found, including the opening.
    pub ply: usize,
    /// The proven result.
    pub score: GameScore,
    /// The number of plies to the end, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// The name of the method that found the proof.
    pub by: String,
    /// The checked tree: the winner's move and, in brackets, each answer that does not lose
    /// immediately with its tree. `None` if the result was checked by minimax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// Whether the game was played on after the proof.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub played_on: bool,
}

/// A game that is not played, because a player was withdrawn or neither engine could play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Forfeit {
    /// The number of the game.
    pub id: u64,
    /// The numbers of the players. The first one would have moved first.
    pub players: [usize; 2],
    /// The player who gets the points; `None` if neither could play.
    pub winner: Option<usize>,
}

/// A step of a tuning.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SpsaRecord {
    /// The number of the step, from 1.
    pub step: u64,
    /// Wins minus losses of the first player.
    pub won_by: f64,
    /// The parameters after the step.
    pub theta: Vec<f64>,
}

/// Writes a time in UTC, to the second; `None` if the clock shows no year from 1970 to 9999.
#[cfg(any(target_os = "linux", test))]
pub(crate) fn utc(time: SystemTime) -> Option<String> {
    /// The first second of the year 10000.
    const END: u64 = 253_402_300_800;
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    (since.as_secs() < END).then(|| humantime::format_rfc3339_seconds(time).to_string())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_outside_the_calendar_has_no_date() {
        let second = Duration::from_secs(1);
        assert_eq!(utc(UNIX_EPOCH).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(utc(UNIX_EPOCH - second), None);
        assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(253_402_300_800)), None);
    }
}
