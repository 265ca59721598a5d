//! [`Config`]: the table of all options of a run, and their checks together.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tengen_engine::GameSpec;
use tengen_engine::backend::Catalog;

use super::choices::{GameChoice, OnLag, OpeningFormat, Timeouts, TournamentKind};
use super::engine::{EngineConfig, check_names};
use super::game::game;
use super::option::{OptionSpec, Options, Row, options};
use super::setting::{ConfigError, HASHES, Setting, SettingSource};
use super::tables::{
    DrawRule, LogConfig, OpeningsConfig, OutputConfig, ProofRule, ResignRule, SpsaConfig,
    TestConfig,
};
use super::values::{Value, parsed, switch, table, text, whole};
use crate::stats::ratings::Advantage;
use tengen_runs::{TransportSettings, contract};

options! {
    /// The configuration of a run.
    pub struct Config("option") {
        "Engines:" {
            "-engine KEYS" / "engines" [""]: "a player, with the keys below" => engines: Vec<EngineConfig>;
            "-each KEYS" [""]: "keys of all engines" => each: Vec<Setting>;
        }
        // These are read together, by the catalogue: see `game`.
        "The game:" {
            "-variant NAME" CHECK OPENINGS: "the game; needed unless -rule is given" by |_options, _entry| {};
            "-rule 0|1|4|8|9" CHECK OPENINGS: "Gomocup's number of the game" by |_options, _entry| {};
            "-boardsize N|WxH" ["the game's"] TASK CHECK OPENINGS: "the board" by |_options, _entry| {};
            "-k N" ["the game's"] TASK CHECK OPENINGS: "stones in a row that win" by |_options, _entry| {};
            "-gravity on|off" ["the game's"] TASK CHECK OPENINGS: "stones fall" by |_options, _entry| {};
            "-overline on|off" ["the game's"] TASK CHECK OPENINGS: "a longer row wins too" by |_options, _entry| {};
        }
        "The tournament:" {
            "-tournament KIND": "roundrobin, gauntlet, swiss or knockout" => tournament: TournamentKind;
            "-seeds N" ["1; all"]: "players of a gauntlet who meet all others; seeds of a knockout"
                => seeds: u32, 1..=100_000;
            "-extra N": "extra pairs for a tie of a knockout; then the better seed advances"
                => extra: u32 = 3, 0..=1000;
            "-rounds N" ["2"] RESUME: "rounds; swiss: enough for one winner; -sprt: 1000000"
                => rounds: Option<u64>, 1..=1_000_000_000;
            "-games N": "games of an encounter" => games: u32 = 2, 1..=1_000_000;
            "-repeat [on|off]" ["on"]: "plays each opening twice with colours exchanged" by |config, entry| {
                // Cute Chess also takes the number of games with one opening.
                if text(entry)? == "2" || switch(entry)? {
                    config.games = config.games.max(2);
                    config.no_swap = false;
                }
            };
            "-noswap": "never exchanges colours" => no_swap: bool;
            "-reverse": "the second engine of a pairing moves first" => reverse: bool;
            "-openings KEYS" ["empty board"] OPENINGS: "a list, or generated openings"
                => openings: Option<OpeningsConfig>;
            "-opening-rule NAME" ["free"]: "swap2, rif, taraguchi10 and others: the players choose"
                => opening_rule: Option<String>;
            "-srand N" / "seed" OPENINGS RATE: "the seed of all random numbers" => seed: u64 = 1;
            "-sprt KEYS" [""]: "a sequential test" => sprt: Option<TestConfig>;
            "-spsa KEYS" [""]: "a tuning, in the file of \"tengen arena spsa\"" => spsa: Option<SpsaConfig>;
            "-resign KEYS" ["off"] TASK: "games that the scores call lost" => resign: Option<ResignRule>;
            "-draw KEYS" ["off"] TASK: "games that the scores call drawn" => draw: Option<DrawRule>;
            "-maxmoves N" ["no limit"] TASK: "full moves after which a game is drawn" by |config, entry| {
                // As in other match runners, 0 is no limit.
                config.max_moves = Some(whole(entry, 0..=100_000)?).filter(|most| *most > 0);
            };
            "-drawafter N" ["no limit"] TASK: "stones at which a game is drawn" => draw_after: Option<u32>, 1..=100_000;
            "-proof KEYS" ["off"] TASK: "games whose result is proven" => proof: Option<ProofRule>;
            "-force-proof": "allows -proof in a test of a solved game" => force_proof: bool;
        }
        "Playing:" {
            "-concurrency N" RESUME: "games at a time" => concurrency: u32 = 1, 1..=4096;
            "-force-concurrency" RESUME: "allows more games than CPUs" => force_concurrency: bool;
            "-use-affinity [CPUS]" ["off"] RESUME: "binds each game to its own CPUs"
                by |config, entry| config.affinity = affinity(entry)?;
            "-recover on|off" RESUME: "off: the first failure ends the run" => recover: bool = true;
            "-max-failures N" RESUME: "withdraws an engine after N failures in a row; 0: never"
                => max_failures: u32 = 5, 0..=1_000_000;
            "-strict" RESUME: "status 2 after a warning" => strict: bool;
            "-suspend" TASK: "stops an engine while the other one thinks" => suspend: bool;
            "-scale-nps NPS" ["off"] TASK: "scales clocks by the speed of each machine: for NPS nodes a second of the bench, as given"
                => scale_nps: Option<u64>, 1..=1_000_000_000_000;
            "-startup-ms N" TASK CHECK: "timeout of the handshake" in timeouts.startup;
            "-ucinewgame-ms N" TASK CHECK: "timeout of a new game" in timeouts.new_game;
            "-ping-ms N" TASK CHECK: "timeout of isready" in timeouts.ping;
            "-stall-ms N" TASK: "without a clock: neither output nor CPU time"
                => stall: Duration = Duration::from_secs(60);
            "-on-lag mark|replay": "losses on time while the machine was late" => on_lag: OnLag;
            "-wait MS" RESUME: "a pause between games" => wait: Duration;
        }
        "Workers in other processes:" {
            "-transport local|pipe|nats" RESUME: "this process, child processes, or a server of NATS"
                in transport.kind;
            "-pipe COMMAND" ["this program"] RESUME: "a command that runs \"tengen work\"; can be repeated"
                in transport.pipes;
            "-nats URL" RESUME: "the server, or several with commas between them" in transport.nats;
            "-nats-creds FILE" RESUME: "the credentials for the server" in transport.access.credentials;
            "-tls-ca FILE" ["the system's"] RESUME: "the authorities that the server may have, in PEM"
                in transport.access.tls_ca;
            "-tls-client FILE" RESUME: "the certificate of this user and its key, in PEM"
                in transport.access.tls_client;
            "-run-name NAME" ["of the folder"] RESUME: "the name of the run, which begins the ids of its tasks"
                by |config, entry| config.transport.name = Some(run_name(entry)?);
            "-ahead N" ["4"] RESUME: "tasks that are queued for each slot of a worker (NATS)"
                in transport.ahead, 1..=1_000_000;
            "-ack-wait-ms N" ["30000"] RESUME: "silence of a worker before its task goes to another one (NATS)"
                in transport.ack_wait_ms, 100..=86_400_000;
            "-task-ms N" ["600000"] RESUME: "the longest time of a pair of games" in transport.task_ms, 1..=86_400_000;
            "-allow-dead" RESUME UNSAVED: "goes on without tasks that end their workers" in transport.allow_dead;
            "-repeat-share N" ["1"] RESUME: "of 100 results, how many a second worker repeats" in transport.repeat, 0..=100;
        }
        "What is written:" {
            "-out FOLDER" ["arena-1, .."] UNSAVED OPENINGS: "the run folder" => out: Option<PathBuf>;
            "-pgnout FILE|off" / "pgn" ["games.pgn"] RESUME: "games in PGN" in outputs.pgn;
            "-sgfout FILE|off" / "sgf" ["games.sgf"] RESUME: "games in SGF" in outputs.sgf;
            "-jsonl FILE|off" ["games.jsonl"] RESUME: "games in JSON, one a line" in outputs.jsonl;
            "-csv FOLDER|off" ["run folder"] RESUME: "tables in CSV" in outputs.csv;
            "-markdown FILE" RESUME: "the report, written at the end" in outputs.markdown;
            "-html FILE" RESUME: "the report, written at the end" in outputs.html;
            "-page ADDRESS" RESUME UNSAVED: "shows the run to browsers, such as 127.0.0.1:7880"
                by |config, entry| config.page = Some(address(entry)?);
            "-force" RESUME UNSAVED OPENINGS: "replaces files that these options name" => force: bool;
            "-output KEYS" [""] RESUME: "lines as other programs print them" in outputs.lines;
            "-ratinginterval N" RESUME: "games between two tables" in outputs.rating_interval, 0..=1_000_000_000;
            "-log KEYS" ["off"] RESUME: "a log of all lines to and from the engines" => log: Option<LogConfig>;
            "-event NAME": "a tag of PGN and SGF, and the title of reports" => event: Option<String>;
            "-site NAME": "a tag of PGN and SGF" => site: Option<String>;
            "-bootstrap N" RESUME RATE: "samples for the errors of ratings" => bootstrap: u32, 0..=1_000_000;
            "-advantage off|fit|N" RESUME RATE: "the advantage of the first move in ratings, in Elo"
                => advantage: Advantage;
        }
        "In a run that is continued:" {
            "-readmit NAME" RESUME UNSAVED: "a withdrawn engine plays again, with its forfeited games"
                => readmit: Vec<String>;
            "-allow-changed" RESUME: "accepts a changed engine or list of openings" => allow_changed: bool;
        }
        fields {
            /// The game.
            game: GameChoice;
            /// The number of full moves after which a game is drawn; no limit if `None`.
            max_moves: Option<u32>;
            /// The CPUs to which games are bound: a list such as `0-3,6`, or empty for all; unbound if
            /// `None`.
            affinity: Option<String>;
            /// The timeouts of engines.
            timeouts: Timeouts;
            /// The output files beside the journal.
            outputs: OutputConfig;
            /// The address of the page of the run; `None` without a page.
            page: Option<SocketAddr>;
            /// The workers.
            transport: TransportSettings;
            /// The saved table `hashes` of a run that is continued.
            hashes: Vec<(String, String)>;
        }
    }
}

/// Reads a list of CPUs; empty for all, `None` for `off`.
fn affinity(entry: &Setting) -> Result<Option<String>, ConfigError> {
    parsed(entry, "on, off or a list of CPUs such as 0-3,6", |found| {
        match found.to_ascii_lowercase().as_str() {
            "off" | "false" => Some(None),
            "on" | "true" | "all" => Some(Some(String::new())),
            list => list
                .bytes()
                .all(|b| b.is_ascii_digit() || b == b'-' || b == b',')
                .then(|| Some(list.to_owned())),
        }
    })
}

fn address(entry: &Setting) -> Result<SocketAddr, ConfigError> {
    parsed(entry, "an address and a port, such as 127.0.0.1:7880", |text| text.parse().ok())
}

fn run_name(entry: &Setting) -> Result<String, ConfigError> {
    let allowed = format!("1 to {} of A-Z a-z 0-9 _ -", contract::MAX_RUN);
    let is_good = |name: &str| contract::is_id(name) && name.len() <= contract::MAX_RUN;
    parsed(entry, &allowed, |name| is_good(name).then(|| name.to_owned()))
}

impl Value for Vec<EngineConfig> {
    type Within = ();

    fn set(&mut self, entry: &Setting, _: Option<()>) -> Result<(), ConfigError> {
        self.push(EngineConfig::read(&[], entry)?);
        Ok(())
    }

    fn keys(&self) -> Vec<&'static OptionSpec> {
        EngineConfig::specs()
    }
}

/// The keys of all engines are kept until each engine is read.
impl Value for Vec<Setting> {
    type Within = ();

    fn set(&mut self, entry: &Setting, _: Option<()>) -> Result<(), ConfigError> {
        self.extend_from_slice(table(entry)?);
        Ok(())
    }

    fn keys(&self) -> Vec<&'static OptionSpec> {
        EngineConfig::specs()
    }
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
        for each in entries.iter().filter(|entry| entry.key == "each") {
            config.set_option(each)?;
        }
        let is_other = |entry: &&Setting| entry.key != "each";
        for entry in entries.iter().filter(is_other) {
            match entry.key.as_str() {
                "engine" => config.engines.push(EngineConfig::read(&config.each, entry)?),
                HASHES => {
                    for inner in table(entry)? {
                        config.hashes.push((inner.key.clone(), text(inner)?.to_owned()));
                    }
                }
                _ => config.set_option(entry)?,
            }
        }
        check_names(&config.engines)?;
        let variant =
            entries.iter().rfind(|entry| matches!(entry.key.as_str(), "variant" | "rule"));
        config.game = game(variant, entries, catalog)?;
        Ok(config)
    }

    /// Returns the description of the game.
    pub fn spec(&self, catalog: &dyn Catalog) -> Result<GameSpec, ConfigError> {
        self.game.describe(catalog).map_err(ConfigError::new)
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

    /// Checks the settings of a tuning together, and returns the setting `spsa`.
    pub fn check_tuning(&self) -> Result<&SpsaConfig, ConfigError> {
        let missing = "spsa: the parameters are missing: spsa = { parameters = [..] }";
        let spsa = self.spsa.as_ref().ok_or_else(|| ConfigError::new(missing))?;
        let refuse = |why: String| Err(ConfigError::at(&spsa.place, format!("spsa: {why}")));
        let players = self.engines.len();
        if players != 1 {
            return refuse(format!("a tuning plays one engine against itself, found {players}"));
        }
        if self.sprt.is_some() {
            return refuse("spsa cannot be combined with -sprt".to_owned());
        }
        if self.page.is_some() {
            return refuse("a tuning has no page: leave out -page".to_owned());
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
        let is_test = self.sprt.is_some();
        let has_rounds =
            matches!(self.tournament, TournamentKind::Swiss | TournamentKind::Knockout);
        if (is_test || has_rounds) && (self.games % 2 == 1 || self.no_swap) {
            let why =
                "this tournament is played in pairs: an even number of games, colours exchanged";
            return refuse(if self.no_swap { "noswap" } else { "games" }, why.to_owned());
        }
        if is_test && players != 2 {
            return refuse("sprt", format!("a test compares two engines, found {players}"));
        }
        if is_test && self.tournament != TournamentKind::RoundRobin {
            return refuse("sprt", "a test is a round robin of two engines".to_owned());
        }
        if is_test && self.games != 2 {
            return refuse("games", "a test plays pairs: games=2, and more rounds".to_owned());
        }
        if self.scale_nps.is_some() && !self.engines.iter().any(|engine| engine.time.is_timed()) {
            return refuse("scale-nps", "no engine has a clock: tc=, st= or turn=".to_owned());
        }
        match self.tournament {
            TournamentKind::Gauntlet if self.seeds as usize >= players => {
                refuse("seeds", format!("it must be below the number of engines, {players}"))
            }
            TournamentKind::Knockout if self.rounds.is_some_and(|rounds| rounds > 1) => {
                let why = "a knockout has as many rounds as its bracket; leave it out, and write -games N for longer encounters";
                refuse("rounds", why.to_owned())
            }
            TournamentKind::RoundRobin | TournamentKind::Swiss if self.seeds > 0 => {
                refuse("seeds", "only a gauntlet and a knockout have seeds".to_owned())
            }
            _ => Ok(()),
        }
    }
}
