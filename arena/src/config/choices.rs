//! Values of options: choices by name, timeouts, output files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use smart_default::SmartDefault;
use tengen_engine::{Catalog, Chosen, GameSpec};
use tengen_records::Format;

use super::option::choices;
use super::setting::{ConfigError, Setting};
use super::values::{Value, choice, text};

choices! {
    /// How players are paired.
    enum TournamentKind {
        /// Every player meets every other player.
        RoundRobin = "roundrobin" / "round-robin",
        /// The seeded players meet all others.
        Gauntlet = "gauntlet",
        /// In each round, players of nearly equal points meet.
        Swiss = "swiss",
        /// The loser of an encounter leaves.
        Knockout = "knockout",
    }

    /// How many pairs of games share an opening.
    enum Policy {
        /// Each pair has its own.
        Default = "default",
        /// The pairs of an encounter share one.
        Encounter = "encounter",
        /// The pairs of a round share one.
        Round = "round",
    }

    /// The order in which openings are used.
    enum OpeningSequence {
        /// The order of the file.
        Sequential = "sequential",
        /// A random order that depends on the seed of the run.
        Random = "random",
    }

    /// The format or the source of openings.
    enum OpeningFormat {
        /// `8,-3, 6,-4`: from the centre, rows downwards.
        Offset = "offset",
        /// `b7d6e6`: rows from the top.
        Pos = "pos",
        /// `d1 d2` or `44152`.
        Moves = "moves",
        /// One FEN a line.
        Fen = "fen",
        /// One FEN a line, followed by EPD operations.
        Epd = "epd",
        /// Games in PGN.
        Pgn = "pgn",
        /// Games in SGF.
        Sgf = "sgf",
        /// Random moves, accepted if a search finds the position level.
        Generate = "generate",
        /// The Swap2 opening: the players place the stones and choose their sides.
        Swap2 = "swap2",
    }

    /// What to do with a loss on time while the machine itself was late.
    enum OnLag {
        /// Mark the game as suspect.
        Mark = "mark",
        /// Play the game again.
        Replay = "replay",
    }

    /// The format of the lines that are printed during a run.
    enum OutputFormat {
        /// The arena's own lines.
        Tengen = "tengen",
        /// The lines of fastchess.
        Fastchess = "fastchess",
        /// The lines of Cute Chess.
        Cutechess = "cutechess",
    }

    /// The dialect of an engine.
    enum Proto {
        /// The arena tries all dialects.
        Auto = "auto",
        /// UCI.
        Uci = "uci",
        /// UGI.
        Ugi = "ugi",
        /// Gomocup.
        Gomocup = "gomocup",
        /// GTP.
        Gtp = "gtp",
    }

    /// When the process of an engine is started again.
    enum Restart {
        /// After a failure.
        Auto = "auto",
        /// Before each game.
        Always = "on",
        /// Only after the process has ended.
        Never = "off",
    }
}

impl OpeningFormat {
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

impl GameChoice {
    /// Returns the description of the game. The error says why there is none.
    pub fn describe(&self, catalog: &dyn Catalog) -> Result<GameSpec, String> {
        let chosen: Chosen = self.options.iter().copied().collect();
        catalog.describe(&self.variant, &chosen).map_err(|why| why.to_string())
    }
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
    /// The end of this file, which may have games of others.
    Append(PathBuf),
}

impl OutputFile {
    /// Returns the path of the file, by default `name` in `folder`; `None` if the file is off.
    pub fn path(&self, folder: &Path, name: &str) -> Option<PathBuf> {
        match self {
            Self::Default => Some(folder.join(name)),
            Self::Off => None,
            Self::At(path) | Self::Append(path) => Some(path.clone()),
        }
    }
}
