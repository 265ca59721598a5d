//! The meaning of the settings: [`Config`], everything that a run is to be.

use std::path::PathBuf;
use std::time::Duration;

use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;
use tengen_engine::{Chosen, GameSpec};

use super::choices::{
    DrawRule, GameChoice, GivenFile, GivenOutputs, OnLag, OpeningsConfig, OutputFormat, Outputs,
    ProofRule, ResignRule, SpsaConfig, TournamentKind,
};
use super::engine::{EngineConfig, check_names};
use super::game::game;
use super::given::{ConfigError, Setting, SettingSource};
use super::tables::{affinity, draw, file, openings, proof, resign, sprt, spsa};
use super::values::{choice, millis, path, refuse, small, switch, table, text, unknown_key, whole};
use crate::stats::sprt::Sprt;

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
    /// A tuning.
    pub spsa: Option<SpsaConfig>,
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
    /// Whether a run may continue with other files.
    pub allow_changed: bool,
    /// Samples for the errors of ratings; the sandwich estimate where 0.
    pub bootstrap: u32,
    /// Games at a time.
    pub concurrency: u32,
    /// Whether more CPUs may be asked for than there are.
    pub force_concurrency: bool,
    /// The CPUs to which games are bound: a list such as `0-3,6`, or all if it is empty.
    pub affinity: Option<String>,
    /// Whether a tournament continues after failures.
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
    /// Files beside the journal; `None` stands for a path that was not given.
    pub outputs: GivenOutputs,
    /// Where every line of every engine is written down.
    pub log: Option<PathBuf>,
    /// Whether the log holds the lines of engines.
    pub log_engines: bool,
    /// What a frozen run holds beside its settings: `hashes`.
    pub hashes: Vec<(String, String)>,
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
            spsa: None,
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

    /// Gives the settings of a tournament their meaning. A later setting of one name wins over an
    /// earlier one.
    pub fn read(entries: &[Setting], catalog: &dyn Catalog) -> Result<Self, ConfigError> {
        let config = Self::read_settings(entries, catalog)?;
        config.check(entries)?;
        Ok(config)
    }

    /// Gives settings their meaning, whether they make a tournament or not.
    pub fn read_settings(entries: &[Setting], catalog: &dyn Catalog) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        let each: Vec<Setting> = entries
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

    fn set(&mut self, entry: &Setting) -> Result<(), ConfigError> {
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
            "spsa" => self.spsa = Some(spsa(entry)?),
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

    fn set_output(&mut self, entry: &Setting) -> Result<(), ConfigError> {
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

    fn set_log(&mut self, entry: &Setting) -> Result<(), ConfigError> {
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

    /// What does not go together in a tuning.
    pub fn check_tuning(&self) -> Result<&SpsaConfig, ConfigError> {
        let Some(spsa) = &self.spsa else {
            return Err(ConfigError::new(
                "spsa: the parameters are missing: spsa = { parameters = [..] }",
            ));
        };
        let refuse = |why: String| Err(ConfigError::at(&spsa.place, format!("spsa: {why}")));
        let players = self.engines.len();
        if players != 1 {
            return refuse(format!("a tuning plays one engine against itself, found {players}"));
        }
        if self.sprt.is_some() {
            return refuse("a tuning is no test: leave out sprt".to_owned());
        }
        if self.rounds.is_none() {
            return refuse("rounds is missing: the number of steps".to_owned());
        }
        Ok(spsa)
    }

    /// What does not go together.
    fn check(&self, entries: &[Setting]) -> Result<(), ConfigError> {
        let at = |key: &str| {
            let entry = entries.iter().rfind(|entry| entry.key == key);
            entry.map_or(SettingSource::CommandLine, |entry| entry.place.clone())
        };
        let refuse =
            |key: &str, why: String| Err(ConfigError::at(&at(key), format!("{key}: {why}")));
        if self.spsa.is_some() {
            return refuse("spsa", "only \"tengen arena spsa\" tunes".to_owned());
        }
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
