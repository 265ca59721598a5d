//! The kinds of things that can be chosen for a run: tournaments, openings, ends of games, outputs.

use std::path::PathBuf;

use super::given::SettingSource;
use crate::stats::spsa::Parameter;

/// How players are paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TournamentKind {
    /// Everybody against everybody.
    #[default]
    RoundRobin,
    /// Some against all others.
    Gauntlet,
    /// Players with equal points, for a number of rounds.
    Swiss,
    /// Who loses an encounter leaves.
    Knockout,
}

/// When pairs get another opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Each pair.
    #[default]
    Default,
    /// Each encounter: its pairs share one.
    Encounter,
    /// Each round: its encounters share one.
    Round,
}

/// In which order openings are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OpeningSequence {
    /// As in the file.
    #[default]
    Sequential,
    /// Shuffled by the seed.
    Random,
}

/// How openings are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpeningFormat {
    /// `8,-3, 6,-4`: from the centre, rows downwards.
    Offset,
    /// `b7d6e6`: rows from the top.
    Pos,
    /// `d1 d2` or `44152`.
    Moves,
    /// Positions.
    Fen,
    /// Positions with operations behind them.
    Epd,
    /// Games.
    Pgn,
    /// Games of stones.
    Sgf,
    /// Made by the search.
    Generate,
    /// Chosen by the players.
    Swap2,
}

impl OpeningFormat {
    pub(super) const NAMES: [(&'static str, Self); 9] = [
        ("offset", Self::Offset),
        ("pos", Self::Pos),
        ("moves", Self::Moves),
        ("fen", Self::Fen),
        ("epd", Self::Epd),
        ("pgn", Self::Pgn),
        ("sgf", Self::Sgf),
        ("generate", Self::Generate),
        ("swap2", Self::Swap2),
    ];

    /// Whether a file is read.
    pub const fn has_file(self) -> bool {
        !matches!(self, Self::Generate | Self::Swap2)
    }

    pub(super) fn by_extension(path: &std::path::Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let named = Self::NAMES.iter().find(|(name, _)| *name == extension);
        named.map(|(_, style)| *style).filter(|style| style.has_file())
    }
}

/// Where openings come from.
#[derive(Clone, PartialEq, Debug)]
pub struct OpeningsConfig {
    /// The file.
    pub file: Option<PathBuf>,
    /// How it is written.
    pub style: OpeningFormat,
    /// In which order they are taken.
    pub order: OpeningSequence,
    /// The first one, from 1.
    pub start: u64,
    /// Moves of a game that count as its opening; all without.
    pub plies: Option<u32>,
    /// When pairs get another one.
    pub policy: Policy,
    /// Whether they are turned and mirrored.
    pub transform: bool,
    /// For [`OpeningFormat::Generate`]: the greatest score, either way, in the search's units.
    pub balance: u32,
    /// For [`OpeningFormat::Generate`]: how many.
    pub count: u32,
    /// For [`OpeningFormat::Generate`]: nodes for each search.
    pub nodes: u64,
    /// Where it was configured.
    pub place: SettingSource,
}

/// Ends games as draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// Full moves before the rule holds.
    pub move_number: u32,
    /// Moves of each side in a row.
    pub move_count: u32,
    /// The greatest score, either way.
    pub score: u32,
}

/// Ends games as lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResignRule {
    /// Moves in a row.
    pub move_count: u32,
    /// The score below zero.
    pub score: u32,
    /// Whether the other side has to agree.
    pub two_sided: bool,
}

/// Ends games by proof.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProofRule {
    /// Proven wins end games.
    pub win: bool,
    /// Proven draws end games.
    pub draw: bool,
    /// The nodes of one search for a proof.
    pub nodes: u64,
    /// Moves by engines before a proof may end a game.
    pub plies: u32,
    /// The longest proof that ends a game, in plies; the usual length where `None`.
    pub within: Option<u32>,
    /// The share of proven games that is played on.
    pub check: f64,
}

/// A tuning by SPSA.
#[derive(Clone, PartialEq, Debug)]
pub struct SpsaConfig {
    /// What is tuned.
    pub parameters: Vec<Parameter>,
    /// How fast learning slows down.
    pub alpha: f64,
    /// How fast perturbations shrink.
    pub gamma: f64,
    /// The share of all steps before learning slows down.
    pub stability: f64,
    /// Where it was configured.
    pub place: SettingSource,
}

/// What is done with a loss on time while the machine itself was late.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnLag {
    /// It is marked.
    #[default]
    Mark,
    /// It is played again.
    Replay,
}

/// What is printed while games are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OutputFormat {
    /// Our own words.
    #[default]
    Tengen,
    /// The lines of fastchess.
    Fastchess,
    /// The lines of Cute Chess.
    Cutechess,
}

/// Files beside the journal. `None` where a file is off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outputs {
    /// Games in PGN.
    pub pgn: Option<PathBuf>,
    /// Games in SGF.
    pub sgf: Option<PathBuf>,
    /// A JSON object a game.
    pub jsonl: Option<PathBuf>,
    /// The folder of the tables in CSV.
    pub csv: Option<PathBuf>,
    /// What is printed.
    pub format: OutputFormat,
    /// Games between two tables of standings; none where 0.
    pub rating_interval: u32,
}

/// The game that is played.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameChoice {
    /// The variant's name.
    pub variant: String,
    /// The catalogue's options that were named, by the catalogue's names.
    pub options: Vec<(&'static str, i64)>,
}

/// A file that was named, switched off, or neither.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum GivenFile {
    /// Its usual place in the run folder.
    #[default]
    Usual,
    /// Not written.
    Off,
    /// Written here.
    At(PathBuf),
}

/// The files that were asked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GivenOutputs {
    /// Games in PGN.
    pub pgn: GivenFile,
    /// Games in SGF.
    pub sgf: GivenFile,
    /// A JSON object a game.
    pub jsonl: GivenFile,
    /// The folder of the tables.
    pub csv: GivenFile,
    /// What is printed.
    pub format: OutputFormat,
    /// Games between two tables.
    pub rating_interval: u32,
}
