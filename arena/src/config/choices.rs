//! Parts of the configuration: tournaments, openings, adjudication, tuning, outputs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use smart_default::SmartDefault;
use tengen_records::Format;

use super::given::SettingSource;
use crate::stats::spsa::{Parameter, StepSchedule};

/// How players are paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TournamentKind {
    /// Every player meets every other player.
    #[default]
    RoundRobin,
    /// The seeded players meet all others.
    Gauntlet,
    /// In each round, players of nearly equal points meet.
    Swiss,
    /// The loser of an encounter leaves.
    Knockout,
}

/// How many pairs of games share an opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Each pair has its own.
    #[default]
    Default,
    /// The pairs of an encounter share one.
    Encounter,
    /// The pairs of a round share one.
    Round,
}

/// The order in which openings are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OpeningSequence {
    /// The order of the file.
    #[default]
    Sequential,
    /// A random order that depends on the seed of the run.
    Random,
}

/// The format or the source of openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpeningFormat {
    /// `8,-3, 6,-4`: from the centre, rows downwards.
    Offset,
    /// `b7d6e6`: rows from the top.
    Pos,
    /// `d1 d2` or `44152`.
    Moves,
    /// One FEN a line.
    Fen,
    /// One FEN a line, followed by EPD operations.
    Epd,
    /// Games in PGN.
    Pgn,
    /// Games in SGF.
    Sgf,
    /// Random moves, accepted if a search finds the position level.
    Generate,
    /// The Swap2 opening: the players place the stones and choose their sides.
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

    /// Returns whether openings of this format are read from a file.
    pub const fn has_file(self) -> bool {
        !matches!(self, Self::Generate | Self::Swap2)
    }

    pub(super) fn by_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let named = Self::NAMES.iter().find(|(name, _)| *name == extension);
        let named = named.map(|(_, style)| *style).filter(|style| style.has_file());
        named.or_else(|| match Format::MOVES.extensions().contains(&extension.as_str()) {
            true => Some(Self::Moves),
            false => Format::is_extension(&extension).then_some(Self::Sgf),
        })
    }
}

/// The setting `openings`.
#[derive(Clone, PartialEq, Debug, SmartDefault)]
pub struct OpeningsConfig {
    /// The file; `None` for [`OpeningFormat::Generate`] and [`OpeningFormat::Swap2`].
    pub file: Option<PathBuf>,
    /// The format.
    #[default(OpeningFormat::Moves)]
    pub style: OpeningFormat,
    /// The order of use.
    pub order: OpeningSequence,
    /// The number of the first opening to use, from 1.
    #[default(1)]
    pub start: u64,
    /// The maximum number of moves to take from a game; all if `None`. For
    /// [`OpeningFormat::Generate`]: the number of moves.
    pub plies: Option<u32>,
    /// How many pairs share an opening.
    pub policy: Policy,
    /// Whether later passes through the list turn and mirror the openings.
    pub transform: bool,
    /// For [`OpeningFormat::Generate`]: the greatest absolute score, in the units of the search.
    #[default(60)]
    pub balance: u32,
    /// For [`OpeningFormat::Generate`]: the number of openings.
    #[default(100)]
    pub count: u32,
    /// For [`OpeningFormat::Generate`]: the nodes of each search.
    #[default(20_000)]
    pub nodes: u64,
    /// Where the setting was given.
    pub place: SettingSource,
}

/// The setting `draw`: ends games as draws by scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// The number of full moves before the rule applies.
    pub move_number: u32,
    /// The number of consecutive moves of each side.
    pub move_count: u32,
    /// The maximum absolute score, in centipawns.
    pub score: u32,
}

/// The setting `resign`: ends games as lost by scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResignRule {
    /// The number of consecutive moves.
    pub move_count: u32,
    /// The loser's scores are at most this much below zero, in centipawns.
    pub score: u32,
    /// Whether the scores of the winner must agree.
    pub two_sided: bool,
}

/// The setting `proof`: ends games by proof.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProofRule {
    /// Whether proven wins end games.
    pub win: bool,
    /// Whether proven draws end games.
    pub draw: bool,
    /// The nodes of one search for a proof.
    pub nodes: u64,
    /// The number of moves by engines before a proof may end a game.
    pub plies: u32,
    /// The maximum length of a proof, in plies; `None` for the default of the game.
    pub within: Option<u32>,
    /// The share of proven games that are played on, from 0 to 1.
    pub check: f64,
}

/// The setting `spsa`: a tuning.
#[derive(Clone, PartialEq, Debug, SmartDefault)]
pub struct SpsaConfig {
    /// The parameters to tune.
    pub parameters: Vec<Parameter>,
    /// The exponent of the decay of the learning rate.
    #[default(0.602)]
    pub alpha: f64,
    /// The exponent of the decay of the perturbations.
    #[default(0.101)]
    pub gamma: f64,
    /// The stability constant A, as a share of all steps.
    #[default(0.1)]
    pub stability: f64,
    /// Where the setting was given.
    pub place: SettingSource,
}

impl SpsaConfig {
    /// Returns the schedule over `steps` steps.
    pub fn schedule(&self, steps: u64) -> StepSchedule {
        let Self { alpha, gamma, stability, .. } = *self;
        StepSchedule { steps, alpha, gamma, stability: stability * steps as f64 }
    }
}

/// What to do with a loss on time while the machine itself was late.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnLag {
    /// Mark the game as suspect.
    #[default]
    Mark,
    /// Play the game again.
    Replay,
}

/// The format of the lines that are printed during a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OutputFormat {
    /// The arena's own lines.
    #[default]
    Tengen,
    /// The lines of fastchess.
    Fastchess,
    /// The lines of Cute Chess.
    Cutechess,
}

/// The timeouts of an engine, beside its clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SmartDefault)]
pub struct Timeouts {
    /// The timeout of the handshake.
    #[default(Duration::from_secs(10))]
    pub startup: Duration,
    /// The timeout of a new game.
    #[default(Duration::from_secs(60))]
    pub new_game: Duration,
    /// The timeout of `isready`.
    #[default(Duration::from_secs(60))]
    pub ping: Duration,
}

/// The game of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameChoice {
    /// The variant's name.
    pub variant: String,
    /// The options of the game that were given, by their names in the catalogue.
    pub options: Vec<(&'static str, i64)>,
}

/// The setting of one output file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum OutputFile {
    /// The default path in the run folder.
    #[default]
    Default,
    /// The file is not written.
    Off,
    /// This path.
    At(PathBuf),
}

impl OutputFile {
    /// Returns the path of the file, by default `name` in `folder`; `None` if the file is off.
    pub fn path(&self, folder: &Path, name: &str) -> Option<PathBuf> {
        match self {
            Self::Default => Some(folder.join(name)),
            Self::Off => None,
            Self::At(path) => Some(path.clone()),
        }
    }
}

/// The settings of the output files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OutputConfig {
    /// Games in PGN.
    pub pgn: OutputFile,
    /// Games in SGF.
    pub sgf: OutputFile,
    /// Games as JSON objects, one a line.
    pub jsonl: OutputFile,
    /// The folder of the tables in CSV.
    pub csv: OutputFile,
    /// The report in Markdown, written at the end; `None` for no report.
    pub markdown: Option<PathBuf>,
    /// The report in HTML, written at the end; `None` for no report.
    pub html: Option<PathBuf>,
    /// The format of printed lines.
    pub format: OutputFormat,
    /// The number of games between two tables of standings; 0 for no tables.
    pub rating_interval: u32,
}

impl OutputConfig {
    /// The files of the tables in CSV.
    const TABLES: [&str; 3] = ["games.csv", "players.csv", "encounters.csv"];

    /// Returns the files that the user named, each with the name of its option.
    pub fn named(&self) -> Vec<(&'static str, PathBuf)> {
        let at = |file: &OutputFile| match file {
            OutputFile::At(path) => Some(path.clone()),
            _ => None,
        };
        let mut named: Vec<(&'static str, PathBuf)> = Vec::new();
        for (option, path) in [
            ("pgnout", at(&self.pgn)),
            ("sgfout", at(&self.sgf)),
            ("jsonl", at(&self.jsonl)),
            ("markdown", self.markdown.clone()),
            ("html", self.html.clone()),
        ] {
            named.extend(path.map(|path| (option, path)));
        }
        if let Some(folder) = at(&self.csv) {
            named.extend(Self::TABLES.map(|name| ("csv", folder.join(name))));
        }
        named
    }
}
