//! What is kept of a run: games with their moves and times, rounds, void games, steps of a tuning.
//!
//! Everything that is printed or exported follows from these records. It knows no file.

use serde::{Deserialize, Serialize};
pub use tengen_protocol::client::EngineScore;

use crate::stats::ratings::GameResult;

/// One record of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum JournalRecord {
    /// The first record: what is played.
    Head(RunHead),
    /// The pairings of a round.
    Round(RoundRecord),
    /// A finished game.
    Game(Box<GameRecord>),
    /// A game that does not count and is played again.
    Void(VoidRecord),
    /// A step of a tuning.
    Spsa(SpsaRecord),
    /// The run was left.
    Stop(StopRecord),
}

/// What is played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunHead {
    /// The version of this form.
    pub version: u32,
    /// The program that wrote it.
    pub program: String,
    /// The variant's name.
    pub variant: String,
    /// The rules in words.
    pub rules: String,
    /// Columns and rows, where the game has a grid.
    pub size: Option<(u32, u32)>,
    /// The names of the players.
    pub players: Vec<String>,
    /// The seed of the run.
    pub seed: u64,
    /// When it began, in UTC.
    pub started: String,
}

/// The pairings of a round.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RoundRecord {
    /// Its number, from 0.
    pub number: u64,
    /// The number of its first pair.
    pub first_pair: u64,
    /// Games of each encounter.
    pub games: u32,
    /// Who meets whom, the first player of each pair first.
    pub pairings: Vec<[usize; 2]>,
    /// Who rests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub byes: Vec<usize>,
    /// Ties of the round before that the better seed decided: who goes on, and who leaves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_seed: Vec<[usize; 2]>,
}

/// Who gets the points of a game, seen from who moved first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum GameScore {
    /// The first player won.
    #[serde(rename = "1-0")]
    First,
    /// The second player won.
    #[serde(rename = "0-1")]
    Second,
    /// Nobody won.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl GameScore {
    /// The score that is written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::First => "1-0",
            Self::Second => "0-1",
            Self::Draw => "1/2-1/2",
        }
    }

    /// The score in which this side wins: 0 for who moves first.
    pub const fn won_by(side: usize) -> Self {
        if side == 0 { Self::First } else { Self::Second }
    }

    /// Half points of a side: 0 for who moves first.
    pub const fn half_points(self, side: usize) -> u32 {
        match (self, side) {
            (Self::Draw, _) => 1,
            (Self::First, 0) | (Self::Second, 1) => 2,
            _ => 0,
        }
    }

    /// The result as the ratings count it.
    pub const fn result(self) -> GameResult {
        match self {
            Self::First => GameResult::Win,
            Self::Second => GameResult::Loss,
            Self::Draw => GameResult::Draw,
        }
    }
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndKind {
    /// A line was completed.
    Line,
    /// The board is full.
    FullBoard,
    /// The player to move has only forbidden points.
    NoMove,
    /// A move to a forbidden point.
    Forbidden,
    /// A move that is illegal or cannot be read.
    Illegal,
    /// A player ran out of time.
    Time,
    /// A process ended.
    Crash,
    /// A process said and did nothing.
    Stall,
    /// A process took more memory than it may.
    Memory,
    /// A process sent more than anybody reads.
    Flood,
    /// The scores agreed that the game was lost.
    Resign,
    /// The scores agreed that the game was drawn.
    DrawScores,
    /// The game was too long.
    Length,
    /// The end was proven.
    Proof,
}

impl EndKind {
    /// Every kind, in the order of tables.
    pub const ALL: [Self; 14] = [
        Self::Line,
        Self::FullBoard,
        Self::NoMove,
        Self::Forbidden,
        Self::Resign,
        Self::DrawScores,
        Self::Length,
        Self::Proof,
        Self::Time,
        Self::Illegal,
        Self::Crash,
        Self::Stall,
        Self::Memory,
        Self::Flood,
    ];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::FullBoard => "full board",
            Self::NoMove => "no move left",
            Self::Forbidden => "forbidden point",
            Self::Illegal => "illegal move",
            Self::Time => "time",
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::Memory => "memory",
            Self::Flood => "flood",
            Self::Resign => "resigned",
            Self::DrawScores => "drawn by scores",
            Self::Length => "too long",
            Self::Proof => "proof",
        }
    }

    /// What PGN's tag `Termination` says.
    pub const fn termination(self) -> &'static str {
        match self {
            Self::Line | Self::FullBoard | Self::NoMove => "normal",
            Self::Time => "time forfeit",
            Self::Forbidden | Self::Illegal => "rules infraction",
            Self::Crash | Self::Stall | Self::Memory | Self::Flood => "abandoned",
            Self::Resign | Self::DrawScores | Self::Length | Self::Proof => "adjudication",
        }
    }

    /// Whether the loser failed as a program, whatever its moves were worth.
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Crash | Self::Stall | Self::Memory | Self::Flood | Self::Illegal)
    }
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameEnd {
    /// Why.
    pub kind: EndKind,
    /// In words, with what an engine said or did.
    pub text: String,
}

/// A move by an engine: what it cost and what was said of it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MoveNote {
    /// The time that it took, in microseconds.
    #[serde(rename = "us")]
    pub micros: u64,
    /// The score for the player who moved: an [`EngineScore`] in text.
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// Depth.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The longest line looked at.
    #[serde(rename = "sd", default, skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<u32>,
    /// Nodes.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The engine's own time, in milliseconds.
    #[serde(rename = "ms", default, skip_serializing_if = "Option::is_none")]
    pub own_millis: Option<u64>,
    /// What was left of the clock after the move, in milliseconds.
    #[serde(rename = "left", default, skip_serializing_if = "Option::is_none")]
    pub left_millis: Option<i64>,
    /// Whether the opponent's move was the one it had pondered on.
    #[serde(rename = "hit", default, skip_serializing_if = "std::ops::Not::not")]
    pub ponder_hit: bool,
}

/// What one player's process took in a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Usage {
    /// CPU time while the opponent thought, in microseconds.
    #[serde(default)]
    pub waiting_cpu_micros: u64,
    /// The most memory seen, in bytes.
    #[serde(default)]
    pub peak_memory: u64,
    /// Whether the process was started for this game.
    #[serde(default)]
    pub started: bool,
    /// Whether that process took the place of an earlier one, which had failed or was not to be used
    /// again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restarted: bool,
    /// How far over its limit its slowest move was, in microseconds.
    #[serde(default)]
    pub overrun_micros: u64,
}

/// Something odd that an engine did, which does not end a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Warning {
    /// The player's number.
    pub player: usize,
    /// What, in a few words without figures, so that it can be counted.
    pub what: String,
    /// The line that it is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub line: String,
}

impl Warning {
    /// A score claims a win or a loss in so many plies, and its line has fewer. The protocols allow it: a
    /// book, a table or a proof knows an end without a line to it. `-strict` lets it pass.
    pub const SHORT_LINE: &str = "a win with a line that breaks off";
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// The number of the game.
    pub id: u64,
    /// How many times it was begun before.
    pub attempt: u32,
    /// The number of the round.
    pub round: u64,
    /// Who moved first, and who second.
    pub players: [usize; 2],
    /// The number of its opening in the list, from 0.
    pub opening: usize,
    /// The position before the first move, if it is not the starting position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Moves that belong to the opening.
    pub opening_plies: usize,
    /// All moves, the opening's too.
    pub moves: Vec<String>,
    /// What is known of each move behind the opening.
    pub notes: Vec<MoveNote>,
    /// Who got the points.
    pub score: GameScore,
    /// How it ended.
    pub end: GameEnd,
    /// When it began, in UTC.
    pub started: String,
    /// How long it took, in milliseconds.
    pub millis: u64,
    /// By player: who moved first, and who second.
    pub usage: [Usage; 2],
    /// What was odd.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Whether the machine was late when a player lost on time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspect: bool,
    /// The proof that ended the game, in words; or, where it was played on, what had been proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofNote>,
    /// How the players chose their sides in Swap2, a line for each decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub swap2: Vec<String>,
}

impl GameRecord {
    /// Returns a record with a result and nothing else: no moves, no times.
    pub fn of_result(id: u64, players: [usize; 2], score: GameScore, kind: EndKind) -> Self {
        Self {
            id,
            attempt: 0,
            round: 0,
            players,
            opening: 0,
            start: None,
            opening_plies: 0,
            moves: Vec::new(),
            notes: Vec::new(),
            score,
            end: GameEnd { kind, text: String::new() },
            started: String::new(),
            millis: 0,
            usage: [Usage::default(), Usage::default()],
            warnings: Vec::new(),
            suspect: false,
            proof: None,
            swap2: Vec::new(),
        }
    }

    /// The pair that the game belongs to.
    pub const fn pair(&self) -> u64 {
        self.id / 2
    }

    /// Who made the move of the first note: 0 for who moved first in the game.
    pub fn first_to_note(&self) -> usize {
        let black_moves = |fen: &String| fen.split_ascii_whitespace().nth(1) == Some("b");
        let begun = usize::from(self.start.as_ref().is_some_and(black_moves));
        (begun + self.opening_plies) % 2
    }

    /// The player who lost by a failure of its program, if one did: 0 for who moved first.
    pub fn failed_side(&self) -> Option<usize> {
        let loser = match self.score {
            GameScore::First => 1,
            GameScore::Second => 0,
            GameScore::Draw => return None,
        };
        self.end.kind.is_failure().then_some(loser)
    }
}

/// A proven end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProofNote {
    /// The ply at which it was found, moves of the opening included.
    pub ply: usize,
    /// The proven result.
    pub score: GameScore,
    /// The plies to the end, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// What found it.
    pub by: String,
    /// The tree that was checked: the winner's move, and in brackets each answer that does not lose
    /// at once with what follows it. `None` where the end was counted out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// Whether the game was played on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub played_on: bool,
}

/// A game that does not count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VoidRecord {
    /// The number of the game.
    pub id: u64,
    /// How many times it was begun before.
    pub attempt: u32,
    /// Why it does not count.
    pub why: String,
}

/// A step of a tuning.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SpsaRecord {
    /// Its number, from 1.
    pub step: u64,
    /// Wins less losses of the first engine.
    pub won_by: f64,
    /// The parameters behind the step.
    pub theta: Vec<f64>,
}

/// The run was interrupted and can continue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StopRecord {
    /// Why.
    pub why: String,
}
