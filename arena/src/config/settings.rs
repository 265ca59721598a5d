//! [`Config`]: interprets the settings of a run.

use std::path::PathBuf;
use std::time::Duration;

use smart_default::SmartDefault;
use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;
use tengen_engine::{Chosen, GameSpec};

use super::choices::OpeningFormat;
use super::choices::{
    DrawRule, GameChoice, OnLag, OpeningsConfig, OutputConfig, OutputFormat, ProofRule, ResignRule,
    SpsaConfig, Timeouts, TournamentKind,
};
use super::engine::{EngineConfig, check_names};
use super::game::game;
use super::given::{ConfigError, Setting, SettingSource};
use super::tables::{affinity, draw, file, openings, proof, resign, sprt, spsa};
use super::values::{
    choice, millis, path, refuse, refuse_value, switch, table, text, texts, unknown_key, whole,
    whole_u32,
};
use crate::stats::sprt::Sprt;
use tengen_runs::{TransportKind, TransportSettings, contract};

/// The configuration of a run.
#[derive(Clone, PartialEq, Debug, SmartDefault)]
pub struct Config {
    /// The engines, in the order of the players' numbers.
    pub engines: Vec<EngineConfig>,
    /// The game.
    pub game: GameChoice,
    /// How players are paired.
    pub tournament: TournamentKind,
    /// The number of seeded players of a gauntlet or a knockout; 0 if not given.
    pub seeds: u32,
    /// The greatest number of extra pairs for a tied encounter of a knockout.
    #[default(3)]
    pub extra: u32,
    /// The number of rounds; if `None`, the default of the tournament.
    pub rounds: Option<u64>,
    /// The number of games of an encounter.
    #[default(2)]
    pub games: u32,
    /// Whether sides are not exchanged between the two games of a pair.
    pub no_swap: bool,
    /// Whether the second player of each encounter moves first in its first game.
    pub reverse: bool,
    /// The pause between two games.
    pub wait: Duration,
    /// The event in PGN and SGF.
    pub event: Option<String>,
    /// The site in PGN and SGF.
    pub site: Option<String>,
    /// The openings; if `None`, every game begins at the starting position.
    pub openings: Option<OpeningsConfig>,
    /// The opening rule; if `None`, the players have no choices before the game.
    pub opening_rule: Option<String>,
    /// The seed of all random choices.
    #[default(1)]
    pub seed: u64,
    /// The sequential test; `None` if the run is not a test.
    pub sprt: Option<Sprt>,
    /// The tuning; `None` if the run is not a tuning.
    pub spsa: Option<SpsaConfig>,
    /// Ends games as draws by scores.
    pub draw: Option<DrawRule>,
    /// Ends games as lost by scores.
    pub resign: Option<ResignRule>,
    /// The number of full moves after which a game is drawn; no limit if `None`.
    pub max_moves: Option<u32>,
    /// The number of stones on the board at which a game is drawn; no limit if `None`.
    pub draw_after: Option<u32>,
    /// Ends games by proof.
    pub proof: Option<ProofRule>,
    /// Whether a sequential test of a solved game may end games by proof.
    pub force_proof: bool,
    /// Whether the processes of an engine are stopped while the opponent thinks.
    pub suspend: bool,
    /// Whether a run may continue after its engines or openings have changed.
    pub allow_changed: bool,
    /// The number of bootstrap samples for the errors of ratings; 0 for the sandwich estimate.
    pub bootstrap: u32,
    /// The number of concurrent games.
    #[default(1)]
    pub concurrency: u32,
    /// Whether concurrent games may need more CPUs than the machine has.
    pub force_concurrency: bool,
    /// The CPUs to which games are bound: a list such as `0-3,6`, or empty for all; unbound if
    /// `None`.
    pub affinity: Option<String>,
    /// Whether a tournament continues after a failure.
    #[default(true)]
    pub recover: bool,
    /// The number of consecutive failures after which an engine is withdrawn; never if 0.
    #[default(5)]
    pub max_failures: u32,
    /// The names of withdrawn engines that play again when a run is continued.
    pub readmit: Vec<String>,
    /// Whether warnings make the exit status 2.
    pub strict: bool,
    /// The timeouts of engines.
    pub timeouts: Timeouts,
    /// Without a clock, the timeout of an engine that neither writes nor uses CPU time.
    #[default(Duration::from_millis(60_000))]
    pub stall: Duration,
    /// What to do with a loss on time while the machine itself was late.
    pub on_lag: OnLag,
    /// The run folder, or the output file of `arena openings`.
    pub out: Option<PathBuf>,
    /// The output files beside the journal.
    pub outputs: OutputConfig,
    /// Whether output files that the user names may replace others.
    pub force: bool,
    /// The log of all lines of all engines.
    pub log: Option<PathBuf>,
    /// Whether the log holds the lines of engines.
    #[default(true)]
    pub log_engines: bool,
    /// The workers.
    pub transport: TransportSettings,
    /// The saved table `hashes` of a run that is continued.
    pub hashes: Vec<(String, String)>,
}

impl Config {
    /// The default number of rounds of a sequential test. Each round is one pair.
    const DEFAULT_TEST_ROUNDS: u64 = 1_000_000;

    /// Interprets the settings of a tournament and checks them together. A later setting replaces
    /// an earlier one of its name.
    pub fn read(entries: &[Setting], catalog: &dyn Catalog) -> Result<Self, ConfigError> {
        let config = Self::read_settings(entries, catalog)?;
        config.check(entries)?;
        Ok(config)
    }

    /// Interprets settings without the checks of a tournament.
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

    /// Returns the description of the game.
    pub fn spec(&self, catalog: &dyn Catalog) -> Result<GameSpec, ConfigError> {
        let chosen: Chosen = self.game.options.iter().copied().collect();
        catalog
            .describe(&self.game.variant, &chosen)
            .map_err(|why| ConfigError::new(why.to_string()))
    }

    /// Returns the number of rounds, or the default of the tournament.
    pub fn rounds(&self) -> u64 {
        self.rounds.unwrap_or(match (self.sprt, self.tournament) {
            (Some(_), _) => Self::DEFAULT_TEST_ROUNDS,
            (None, TournamentKind::Swiss) => {
                let players = self.engines.len().max(2) as u64;
                u64::from(u64::BITS - (players - 1).leading_zeros())
            }
            (None, _) => 2,
        })
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
                // Cute Chess's name.
                self.tournament = match text(entry)? {
                    "round-robin" => TournamentKind::RoundRobin,
                    _ => choice(entry, &named)?,
                };
            }
            "seeds" => self.seeds = whole_u32(entry, 1, 100_000)?,
            "extra" => self.extra = whole_u32(entry, 0, 1000)?,
            "rounds" => self.rounds = Some(whole(entry, 1, 1_000_000_000)?),
            "games" => self.games = whole_u32(entry, 1, 1_000_000)?,
            "repeat" => {
                // Cute Chess also takes the number of games with one opening.
                if text(entry)? == "2" || switch(entry)? {
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
            "opening-rule" => self.opening_rule = Some(text(entry)?.to_owned()),
            "srand" => self.seed = whole(entry, 0, u64::MAX)?,
            "sprt" => self.sprt = Some(sprt(entry)?),
            "spsa" => self.spsa = Some(spsa(entry)?),
            "draw" => self.draw = Some(draw(entry)?),
            "resign" => self.resign = Some(resign(entry)?),
            "maxmoves" => {
                // As in other match runners, 0 is no limit.
                self.max_moves = Some(whole_u32(entry, 0, 100_000)?).filter(|most| *most > 0);
            }
            "drawafter" => self.draw_after = Some(whole_u32(entry, 1, 100_000)?),
            "proof" => self.proof = Some(proof(entry)?),
            "force-proof" => self.force_proof = switch(entry)?,
            "suspend" => self.suspend = switch(entry)?,
            "allow-changed" => self.allow_changed = switch(entry)?,
            "bootstrap" => self.bootstrap = whole_u32(entry, 0, 1_000_000)?,
            "concurrency" => self.concurrency = whole_u32(entry, 1, 4096)?,
            "force-concurrency" => self.force_concurrency = switch(entry)?,
            "use-affinity" => self.affinity = affinity(entry)?,
            "recover" => self.recover = switch(entry)?,
            "max-failures" => self.max_failures = whole_u32(entry, 0, 1_000_000)?,
            "readmit" => self.readmit.push(text(entry)?.to_owned()),
            "strict" => self.strict = switch(entry)?,
            "startup-ms" => self.timeouts.startup = millis(entry)?,
            "ucinewgame-ms" => self.timeouts.new_game = millis(entry)?,
            "ping-ms" => self.timeouts.ping = millis(entry)?,
            "stall-ms" => self.stall = millis(entry)?,
            "on-lag" => {
                self.on_lag = choice(entry, &[("mark", OnLag::Mark), ("replay", OnLag::Replay)])?;
            }
            "out" => self.out = Some(path(entry)?),
            "pgnout" => self.outputs.pgn = file(entry)?,
            "sgfout" => self.outputs.sgf = file(entry)?,
            "jsonl" => self.outputs.jsonl = file(entry)?,
            "csv" => self.outputs.csv = file(entry)?,
            "markdown" => self.outputs.markdown = Some(path(entry)?),
            "html" => self.outputs.html = Some(path(entry)?),
            "force" => self.force = switch(entry)?,
            "output" => self.set_output(entry)?,
            "ratinginterval" => self.outputs.rating_interval = whole_u32(entry, 0, 1_000_000_000)?,
            "log" => self.set_log(entry)?,
            "transport" => self.transport.kind = choice(entry, &TransportKind::NAMES)?,
            "pipe" => self.transport.pipes.extend(texts(entry)?),
            "nats" => self.transport.nats = Some(text(entry)?.to_owned()),
            "nats-creds" => self.transport.credentials = Some(path(entry)?),
            "run-name" => {
                let name = text(entry)?;
                if !contract::is_id(name) || name.len() > contract::MAX_RUN {
                    let allowed = format!("1 to {} of A-Z a-z 0-9 _ -", contract::MAX_RUN);
                    return Err(refuse_value(entry, name, &allowed));
                }
                self.transport.name = Some(name.to_owned());
            }
            "ahead" => self.transport.ahead = Some(whole_u32(entry, 1, 1_000_000)?),
            "ack-wait-ms" => self.transport.ack_wait_ms = Some(whole(entry, 100, 86_400_000)?),
            "allow-dead" => self.transport.allow_dead = switch(entry)?,
            "task-ms" => self.transport.task_ms = Some(whole(entry, 1, 86_400_000)?),
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
                _ => return Err(unknown_key(inner, "output", "format")),
            }
        }
        Ok(())
    }

    fn set_log(&mut self, entry: &Setting) -> Result<(), ConfigError> {
        for inner in table(entry)? {
            match inner.key.as_str() {
                "file" => self.log = Some(path(inner)?),
                "engine" => self.log_engines = switch(inner)?,
                _ => return Err(unknown_key(inner, "log", "file, engine")),
            }
        }
        match self.log {
            Some(_) => Ok(()),
            None => Err(refuse(entry, "file= is missing")),
        }
    }

    /// Checks the settings of a tuning together, and returns the setting `spsa`.
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
            return refuse("spsa cannot be combined with -sprt".to_owned());
        }
        if self.rounds.is_none() {
            return refuse("rounds is missing: the number of steps".to_owned());
        }
        Ok(spsa)
    }

    /// Returns the name of the opening rule, with the setting that names it; `None` without one.
    pub fn named_opening_rule(&self) -> Option<(&'static str, &str)> {
        let by_format = || {
            let format = self.openings.as_ref().map(|openings| openings.style);
            (format == Some(OpeningFormat::Swap2)).then_some(("openings", "swap2"))
        };
        let own = self.opening_rule.as_deref().map(|name| ("opening-rule", name));
        own.or_else(by_format)
    }

    /// Checks the settings of a tournament together.
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
        self.transport.check("-").map_err(|why| ConfigError::new(&why))?;
        let players = self.engines.len();
        if players < 2 {
            return refuse("engine", format!("two engines or more are needed, found {players}"));
        }
        if self.opening_rule.is_some() && self.openings.is_some() {
            let why = "the players place the first stones, so -openings cannot be used";
            return refuse("opening-rule", why.to_owned());
        }
        let needs_pairs = self.sprt.is_some()
            || matches!(self.tournament, TournamentKind::Swiss | TournamentKind::Knockout);
        if needs_pairs && (self.games % 2 == 1 || self.no_swap) {
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
            TournamentKind::Knockout if self.rounds.is_some_and(|rounds| rounds > 1) => {
                let why = "a knockout has as many rounds as its bracket; leave it out, and write -games N for longer encounters";
                return refuse("rounds", why.to_owned());
            }
            TournamentKind::RoundRobin | TournamentKind::Swiss if self.seeds > 0 => {
                return refuse("seeds", "only a gauntlet and a knockout have seeds".to_owned());
            }
            _ => {}
        }
        Ok(())
    }
}
