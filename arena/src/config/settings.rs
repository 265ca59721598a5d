//! The meaning of the settings: [`Config`], everything that a run is to be.

use std::path::PathBuf;
use std::time::Duration;

use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;
use tengen_engine::{Chosen, GameSpec};
use tengen_protocol::dialect::gomocup::rules;

use super::engine::{EngineConfig, check_names, share};
use super::given::{ConfigError, Entry, Place};
use super::test_keys;
use super::values::{
    choice, millis, path, refuse, refuse_value, size, small, switch, table, text, unknown_key,
    whole,
};
use crate::stats::sprt::Sprt;

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
pub enum Order {
    /// As in the file.
    #[default]
    Sequential,
    /// Shuffled by the seed.
    Random,
}

/// How openings are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
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

impl Style {
    const NAMES: [(&'static str, Self); 9] = [
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

    fn by_extension(path: &std::path::Path) -> Option<Self> {
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
    pub style: Style,
    /// In which order they are taken.
    pub order: Order,
    /// The first one, from 1.
    pub start: u64,
    /// Moves of a game that count as its opening; all without.
    pub plies: Option<u32>,
    /// When pairs get another one.
    pub policy: Policy,
    /// Whether they are turned and mirrored.
    pub transform: bool,
    /// For [`Style::Generate`]: the greatest score, either way, in the search's units.
    pub balance: u32,
    /// For [`Style::Generate`]: how many.
    pub count: u32,
    /// For [`Style::Generate`]: nodes for each search.
    pub nodes: u64,
    /// Where it was configured.
    pub place: Place,
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

/// Everything that a run is to be.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The players.
    pub engines: Vec<EngineConfig>,
    /// The game.
    pub game: GameChoice,
    /// How players are paired.
    pub tournament: TournamentKind,
    /// Players of a gauntlet that meet all others, or seeds of a bracket; 0 where none was given.
    pub seeds: u32,
    /// Pairs more for a tied encounter of a knockout.
    pub extra: u32,
    /// Rounds; `None` where the kind of tournament decides.
    pub rounds: Option<u64>,
    /// Games of an encounter.
    pub games: u32,
    /// Whether the first player of a pair stays the first player.
    pub no_swap: bool,
    /// Whether the second player of each encounter begins.
    pub reverse: bool,
    /// Between two games.
    pub wait: Duration,
    /// For PGN.
    pub event: Option<String>,
    /// For PGN.
    pub site: Option<String>,
    /// Where games begin.
    pub openings: Option<OpeningsConfig>,
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// A sequential test.
    pub sprt: Option<Sprt>,
    /// Games that are drawn by agreement of scores.
    pub draw: Option<DrawRule>,
    /// Games that are lost by scores.
    pub resign: Option<ResignRule>,
    /// Full moves after which a game is drawn.
    pub max_moves: Option<u32>,
    /// Stones on the board after which a game is drawn.
    pub draw_after: Option<u32>,
    /// Games that end by proof.
    pub proof: Option<ProofRule>,
    /// Whether a test may end solved games by proof.
    pub force_proof: bool,
    /// Whether an engine is stopped while the other thinks.
    pub suspend: bool,
    /// Whether a run may go on with other files.
    pub allow_changed: bool,
    /// Samples for the errors of ratings; the sandwich estimate where 0.
    pub bootstrap: u32,
    /// Games at a time.
    pub concurrency: u32,
    /// Whether more CPUs may be asked for than there are.
    pub force_concurrency: bool,
    /// The CPUs to which games are bound: a list such as `0-3,6`, or all where it is empty.
    pub affinity: Option<String>,
    /// Whether a tournament goes on after failures.
    pub recover: bool,
    /// Failures of one engine in a row that end the tournament.
    pub max_failures: u32,
    /// Whether warnings make the exit status 2.
    pub strict: bool,
    /// The time for the handshake.
    pub startup: Duration,
    /// The time for a new game.
    pub new_game: Duration,
    /// The time for `isready`.
    pub ping: Duration,
    /// Without a clock, the time without output and CPU time.
    pub stall: Duration,
    /// What is done with losses on time of which the machine is suspect.
    pub on_lag: OnLag,
    /// The run folder.
    pub out: Option<PathBuf>,
    /// Files beside the journal; `None` in place of a path that nobody named.
    pub outputs: GivenOutputs,
    /// Where every line of every engine is written down.
    pub log: Option<PathBuf>,
    /// Whether the log holds the lines of engines.
    pub log_engines: bool,
    /// What a frozen run holds beside its settings: `hashes`.
    pub hashes: Vec<(String, String)>,
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

impl Default for Config {
    fn default() -> Self {
        let ms = Duration::from_millis;
        Self {
            engines: Vec::new(),
            game: GameChoice::default(),
            tournament: TournamentKind::default(),
            seeds: 0,
            extra: 3,
            rounds: None,
            games: 2,
            no_swap: false,
            reverse: false,
            wait: Duration::ZERO,
            event: None,
            site: None,
            openings: None,
            seed: 1,
            sprt: None,
            draw: None,
            resign: None,
            max_moves: None,
            draw_after: None,
            proof: None,
            force_proof: false,
            suspend: false,
            allow_changed: false,
            bootstrap: 0,
            concurrency: 1,
            force_concurrency: false,
            affinity: None,
            recover: true,
            max_failures: 5,
            strict: false,
            startup: ms(10_000),
            new_game: ms(60_000),
            ping: ms(60_000),
            stall: ms(60_000),
            on_lag: OnLag::default(),
            out: None,
            outputs: GivenOutputs::default(),
            log: None,
            log_engines: true,
            hashes: Vec::new(),
        }
    }
}

impl Config {
    /// The rounds of a test that has no limit of its own: pairs.
    const ROUNDS_OF_A_TEST: u64 = 1_000_000;

    /// Gives the settings their meaning. A later setting of one name wins over an earlier one.
    pub fn read(entries: &[Entry], catalog: &dyn Catalog) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        let each: Vec<Entry> = entries
            .iter()
            .filter(|entry| entry.key == "each")
            .map(table)
            .collect::<Result<Vec<_>, _>>()?
            .concat();
        let mut variant = None;
        for entry in entries {
            match entry.key.as_str() {
                "each" => {}
                "engine" => config.engines.push(EngineConfig::read(&each, entry)?),
                "variant" | "rule" => variant = Some(entry),
                "boardsize" | "k" | "gravity" | "overline" => {}
                _ => config.set(entry)?,
            }
        }
        check_names(&config.engines)?;
        config.game = game(variant, entries, catalog)?;
        config.check(entries)?;
        Ok(config)
    }

    /// The game as the catalogue describes it.
    pub fn spec(&self, catalog: &dyn Catalog) -> Result<GameSpec, ConfigError> {
        let chosen: Chosen = self.game.options.iter().copied().collect();
        catalog
            .describe(&self.game.variant, &chosen)
            .map_err(|why| ConfigError::new(why.to_string()))
    }

    /// The rounds where none were given.
    pub fn rounds(&self) -> u64 {
        self.rounds.unwrap_or(match (self.sprt, self.tournament) {
            (Some(_), _) => Self::ROUNDS_OF_A_TEST,
            (None, TournamentKind::Swiss) => {
                let players = self.engines.len().max(2) as u64;
                u64::from(u64::BITS - (players - 1).leading_zeros())
            }
            (None, _) => 2,
        })
    }

    /// Pairs of an encounter; the last may have one game.
    pub fn pairs_an_encounter(&self) -> u32 {
        self.games.div_ceil(2)
    }

    /// The files in a run folder.
    pub fn outputs(&self, folder: &std::path::Path) -> Outputs {
        let file = |given: &GivenFile, name: &str| match given {
            GivenFile::Usual => Some(folder.join(name)),
            GivenFile::Off => None,
            GivenFile::At(path) => Some(path.clone()),
        };
        Outputs {
            pgn: file(&self.outputs.pgn, "games.pgn"),
            sgf: file(&self.outputs.sgf, "games.sgf"),
            jsonl: file(&self.outputs.jsonl, "games.jsonl"),
            csv: file(&self.outputs.csv, ""),
            format: self.outputs.format,
            rating_interval: self.outputs.rating_interval,
        }
    }

    fn set(&mut self, entry: &Entry) -> Result<(), ConfigError> {
        match entry.key.as_str() {
            "tournament" => {
                let named = [
                    ("roundrobin", TournamentKind::RoundRobin),
                    ("gauntlet", TournamentKind::Gauntlet),
                    ("swiss", TournamentKind::Swiss),
                    ("knockout", TournamentKind::Knockout),
                ];
                self.tournament = choice(entry, &named)?;
            }
            "seeds" => self.seeds = small(entry, 1, 100_000)?,
            "extra" => self.extra = small(entry, 0, 1000)?,
            "rounds" => self.rounds = Some(whole(entry, 1, 1_000_000_000)?),
            "games" => self.games = small(entry, 1, 1_000_000)?,
            "repeat" => {
                if switch(entry)? {
                    self.games = self.games.max(2);
                    self.no_swap = false;
                }
            }
            "noswap" => self.no_swap = switch(entry)?,
            "reverse" => self.reverse = switch(entry)?,
            "wait" => self.wait = millis(entry)?,
            "event" => self.event = Some(text(entry)?.to_owned()),
            "site" => self.site = Some(text(entry)?.to_owned()),
            "openings" => self.openings = Some(openings(entry)?),
            "srand" => self.seed = whole(entry, 0, u64::MAX)?,
            "sprt" => self.sprt = Some(sprt(entry)?),
            "draw" => self.draw = Some(draw(entry)?),
            "resign" => self.resign = Some(resign(entry)?),
            "maxmoves" => self.max_moves = Some(small(entry, 1, 100_000)?),
            "drawafter" => self.draw_after = Some(small(entry, 1, 100_000)?),
            "proof" => self.proof = Some(proof(entry)?),
            "force-proof" => self.force_proof = switch(entry)?,
            "suspend" => self.suspend = switch(entry)?,
            "allow-changed" => self.allow_changed = switch(entry)?,
            "bootstrap" => self.bootstrap = small(entry, 0, 1_000_000)?,
            "concurrency" => self.concurrency = small(entry, 1, 4096)?,
            "force-concurrency" => self.force_concurrency = switch(entry)?,
            "use-affinity" => self.affinity = affinity(entry)?,
            "recover" => self.recover = switch(entry)?,
            "max-failures" => self.max_failures = small(entry, 1, 1_000_000)?,
            "strict" => self.strict = switch(entry)?,
            "startup-ms" => self.startup = millis(entry)?,
            "ucinewgame-ms" => self.new_game = millis(entry)?,
            "ping-ms" => self.ping = millis(entry)?,
            "stall-ms" => self.stall = millis(entry)?,
            "on-lag" => {
                self.on_lag = choice(entry, &[("mark", OnLag::Mark), ("replay", OnLag::Replay)])?;
            }
            "out" => self.out = Some(path(entry)?),
            "pgnout" => self.outputs.pgn = file(entry)?,
            "sgfout" => self.outputs.sgf = file(entry)?,
            "jsonl" => self.outputs.jsonl = file(entry)?,
            "csv" => self.outputs.csv = file(entry)?,
            "output" => self.set_output(entry)?,
            "ratinginterval" => self.outputs.rating_interval = small(entry, 0, 1_000_000_000)?,
            "log" => self.set_log(entry)?,
            "hashes" => {
                for inner in table(entry)? {
                    self.hashes.push((inner.key.clone(), text(inner)?.to_owned()));
                }
            }
            other => return Err(refuse(entry, &format!("unknown option {}", quotable(other)))),
        }
        Ok(())
    }

    fn set_output(&mut self, entry: &Entry) -> Result<(), ConfigError> {
        for inner in table(entry)? {
            match inner.key.as_str() {
                "format" => {
                    let named = [
                        ("tengen", OutputFormat::Tengen),
                        ("fastchess", OutputFormat::Fastchess),
                        ("cutechess", OutputFormat::Cutechess),
                    ];
                    self.outputs.format = choice(inner, &named)?;
                }
                _ => return Err(unknown_key(inner, "output", &["format"])),
            }
        }
        Ok(())
    }

    fn set_log(&mut self, entry: &Entry) -> Result<(), ConfigError> {
        for inner in table(entry)? {
            match inner.key.as_str() {
                "file" => self.log = Some(path(inner)?),
                "engine" => self.log_engines = switch(inner)?,
                _ => return Err(unknown_key(inner, "log", &["file", "engine"])),
            }
        }
        match self.log {
            Some(_) => Ok(()),
            None => Err(refuse(entry, "file= is missing")),
        }
    }

    /// What does not go together.
    fn check(&self, entries: &[Entry]) -> Result<(), ConfigError> {
        let at = |key: &str| {
            let entry = entries.iter().rfind(|entry| entry.key == key);
            entry.map_or(Place::CommandLine, |entry| entry.place.clone())
        };
        let refuse =
            |key: &str, why: String| Err(ConfigError::at(&at(key), format!("{key}: {why}")));
        let players = self.engines.len();
        if players < 2 {
            return refuse("engine", format!("two engines or more are needed, found {players}"));
        }
        let wants_pairs = self.sprt.is_some()
            || matches!(self.tournament, TournamentKind::Swiss | TournamentKind::Knockout);
        if wants_pairs && (self.games % 2 == 1 || self.no_swap) {
            let why =
                "this tournament is played in pairs: an even number of games, colours exchanged";
            return refuse(if self.no_swap { "noswap" } else { "games" }, why.to_owned());
        }
        if self.sprt.is_some() {
            if players != 2 {
                return refuse("sprt", format!("a test compares two engines, found {players}"));
            }
            if self.tournament != TournamentKind::RoundRobin {
                return refuse("sprt", "a test is a round robin of two engines".to_owned());
            }
            if self.games != 2 {
                return refuse("games", "a test plays pairs: games=2, and more rounds".to_owned());
            }
        }
        match self.tournament {
            TournamentKind::Gauntlet if self.seeds as usize >= players => {
                return refuse(
                    "seeds",
                    format!("it must be below the number of engines, {players}"),
                );
            }
            TournamentKind::Knockout if self.rounds.is_some() => {
                return refuse("rounds", "a knockout has as many rounds as its bracket".to_owned());
            }
            TournamentKind::RoundRobin | TournamentKind::Swiss if self.seeds > 0 => {
                return refuse("seeds", "only a gauntlet and a knockout have seeds".to_owned());
            }
            _ => {}
        }
        Ok(())
    }
}

/// The game: a variant's name or Gomocup's number of a rule, and options of the board.
fn game(
    named: Option<&Entry>,
    entries: &[Entry],
    catalog: &dyn Catalog,
) -> Result<GameChoice, ConfigError> {
    let names = || {
        let names: Vec<&str> = catalog.variants().iter().map(|variant| variant.name).collect();
        names.join(", ")
    };
    let Some(named) = named else {
        return Err(ConfigError::new(format!("variant: it is missing; one of {}", names())));
    };
    let mut choice = GameChoice::default();
    if named.key == "rule" {
        let number = whole(named, 0, i64::MAX as u64)?;
        let rule = rules::RULES.iter().find(|rule| rule.number == number as i64);
        let rule = rule.ok_or_else(|| {
            let known: Vec<String> =
                rules::RULES.iter().map(|rule| rule.number.to_string()).collect();
            refuse_value(named, &number.to_string(), &format!("one of {}", known.join(", ")))
        })?;
        choice.variant = rule.variant.to_owned();
        if !rule.overline && catalog.variant(rule.variant).is_some_and(|v| v.reads("Overline")) {
            choice.options.push(("Overline", 0));
        }
    } else {
        let found = text(named)?;
        let variant = catalog.variant(found);
        let variant =
            variant.ok_or_else(|| refuse_value(named, found, &format!("one of {}", names())))?;
        choice.variant = variant.name.to_owned();
    }
    for entry in entries {
        let values: Vec<(&str, i64)> = match entry.key.as_str() {
            "boardsize" => {
                let found = text(entry)?;
                let (width, height) = size(found)
                    .ok_or_else(|| refuse_value(entry, found, "a board such as 15 or 7x6"))?;
                vec![("BoardWidth", width.into()), ("BoardHeight", height.into())]
            }
            "k" => vec![("ConnectK", small(entry, 1, 100)?.into())],
            "gravity" => vec![("Gravity", switch(entry)?.into())],
            "overline" => vec![("Overline", switch(entry)?.into())],
            _ => continue,
        };
        for (option, value) in values {
            set_option(&mut choice, entry, option, value, catalog)?;
        }
    }
    let chosen: Chosen = choice.options.iter().copied().collect();
    let described = catalog.describe(&choice.variant, &chosen);
    described.map_err(|why| ConfigError::at(&named.place, why.to_string()))?;
    Ok(choice)
}

fn set_option(
    choice: &mut GameChoice,
    entry: &Entry,
    option: &str,
    value: i64,
    catalog: &dyn Catalog,
) -> Result<(), ConfigError> {
    let known = catalog.options().into_iter().find(|known| known.name == option);
    let reads = catalog.variant(&choice.variant).is_some_and(|variant| variant.reads(option));
    let Some(known) = known.filter(|_| reads) else {
        return Err(refuse(entry, &format!("the variant {} has no such option", choice.variant)));
    };
    choice.options.retain(|(name, _)| *name != known.name);
    choice.options.push((known.name, value));
    Ok(())
}

fn openings(entry: &Entry) -> Result<OpeningsConfig, ConfigError> {
    const KEYS: [&str; 10] = [
        "file",
        "format",
        "order",
        "start",
        "plies",
        "policy",
        "transform",
        "balance",
        "count",
        "nodes",
    ];
    let mut file = None;
    let mut style = None;
    let mut config = OpeningsConfig {
        file: None,
        style: Style::Moves,
        order: Order::default(),
        start: 1,
        plies: None,
        policy: Policy::default(),
        transform: false,
        balance: 60,
        count: 100,
        nodes: 20_000,
        place: entry.place.clone(),
    };
    for inner in table(entry)? {
        match inner.key.as_str() {
            "file" => file = Some(path(inner)?),
            "format" => style = Some(choice(inner, &Style::NAMES)?),
            "order" => {
                let named = [("sequential", Order::Sequential), ("random", Order::Random)];
                config.order = choice(inner, &named)?;
            }
            "start" => config.start = whole(inner, 1, 1_000_000_000)?,
            "plies" => config.plies = Some(small(inner, 1, 10_000)?),
            "policy" => {
                let named = [
                    ("default", Policy::Default),
                    ("encounter", Policy::Encounter),
                    ("round", Policy::Round),
                ];
                config.policy = choice(inner, &named)?;
            }
            "transform" => config.transform = switch(inner)?,
            "balance" => config.balance = small(inner, 0, 2_000_000)?,
            "count" => config.count = small(inner, 1, 1_000_000)?,
            "nodes" => config.nodes = whole(inner, 1, 1_000_000_000_000)?,
            _ => return Err(unknown_key(inner, "openings", &KEYS)),
        }
    }
    let style = style.or_else(|| file.as_deref().and_then(Style::by_extension));
    config.style = style.ok_or_else(|| {
        let names: Vec<&str> = Style::NAMES.iter().map(|(name, _)| *name).collect();
        refuse(entry, &format!("format= is missing: one of {}", names.join(", ")))
    })?;
    config.file = file;
    match (config.style.has_file(), &config.file) {
        (true, None) => Err(refuse(entry, "file= is missing")),
        (false, Some(_)) => Err(refuse(entry, "this format reads no file")),
        _ => Ok(config),
    }
}

fn sprt(entry: &Entry) -> Result<Sprt, ConfigError> {
    let mut test = Sprt::default();
    for inner in table(entry)? {
        test_keys::set(&mut test, &inner.key, text(inner)?)
            .map_err(|why| ConfigError::at(&inner.place, why))?;
    }
    test_keys::check(&test).map_err(|why| ConfigError::at(&entry.place, why))?;
    Ok(test)
}

fn draw(entry: &Entry) -> Result<DrawRule, ConfigError> {
    let mut rule = DrawRule { move_number: 0, move_count: 8, score: 0 };
    for inner in table(entry)? {
        match inner.key.as_str() {
            "movenumber" => rule.move_number = small(inner, 0, 100_000)?,
            "movecount" => rule.move_count = small(inner, 1, 100_000)?,
            "score" => rule.score = small(inner, 0, 10_000_000)?,
            _ => return Err(unknown_key(inner, "draw", &["movenumber", "movecount", "score"])),
        }
    }
    Ok(rule)
}

fn resign(entry: &Entry) -> Result<ResignRule, ConfigError> {
    let mut rule = ResignRule { move_count: 3, score: 0, two_sided: true };
    for inner in table(entry)? {
        match inner.key.as_str() {
            "movecount" => rule.move_count = small(inner, 1, 100_000)?,
            "score" => rule.score = small(inner, 1, 10_000_000)?,
            "twosided" => rule.two_sided = switch(inner)?,
            _ => return Err(unknown_key(inner, "resign", &["movecount", "score", "twosided"])),
        }
    }
    if rule.score == 0 {
        return Err(refuse(entry, "score= is missing: a game is lost at so much below zero"));
    }
    Ok(rule)
}

fn proof(entry: &Entry) -> Result<ProofRule, ConfigError> {
    const KEYS: [&str; 6] = ["win", "draw", "nodes", "plies", "within", "proof-check"];
    let mut rule =
        ProofRule { win: true, draw: false, nodes: 20_000, plies: 8, within: None, check: 0.0 };
    for inner in table(entry)? {
        match inner.key.as_str() {
            "win" => rule.win = switch(inner)?,
            "draw" => rule.draw = switch(inner)?,
            "nodes" => rule.nodes = whole(inner, 1, 1_000_000_000_000)?,
            "plies" => rule.plies = small(inner, 0, 100_000)?,
            "within" => rule.within = Some(small(inner, 1, 100_000)?),
            "proof-check" => rule.check = share(inner)?,
            _ => return Err(unknown_key(inner, "proof", &KEYS)),
        }
    }
    Ok(rule)
}

/// Switched off, all CPUs, or a list.
fn affinity(entry: &Entry) -> Result<Option<String>, ConfigError> {
    let found = text(entry)?;
    match found.to_ascii_lowercase().as_str() {
        "off" | "false" => Ok(None),
        "on" | "true" | "all" => Ok(Some(String::new())),
        list if list.bytes().all(|b| b.is_ascii_digit() || b == b'-' || b == b',') => {
            Ok(Some(list.to_owned()))
        }
        _ => Err(refuse_value(entry, found, "on, off or a list of CPUs such as 0-3,6")),
    }
}

fn file(entry: &Entry) -> Result<GivenFile, ConfigError> {
    Ok(match text(entry)? {
        "off" => GivenFile::Off,
        "on" => GivenFile::Usual,
        _ => GivenFile::At(path(entry)?),
    })
}
