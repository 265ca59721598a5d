//! What runs and tunings need before their first game: settings, openings, engines, CPUs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use fastrand::Rng;
use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;
use tengen_engine::{Chosen, GameSpec, Position, cores};

use super::folder::{changed, frozen};
use super::{Console, Failure};
use crate::config::given::{read_toml, read_words};
use crate::config::{Config, ConfigError, OpeningFormat, Setting};
use crate::openings::{OpeningList, OpeningOrder, generate};
use crate::prepare::{self, Known, Prepared, prepare};
use crate::process::affinity::{self, Assignment};
use crate::process::{AbortFlag, GuardProgram, LagWatch, ProcessHost};
use crate::record::{JournalRecord, RunHead};
use crate::session::Timeouts;

/// Streams of numbers of one seed, one for each use.
pub(super) mod streams {
    /// The order of openings.
    pub(crate) const OPENINGS: u64 = 1;
    /// Samples for the errors of ratings.
    pub(crate) const RATINGS: u64 = 2;
    /// Openings that are made.
    pub(crate) const GENERATE: u64 = 3;
    /// Proven games that are played on.
    pub(crate) const PROOFS: u64 = 4;
}

/// A generator for one use of a run's seed.
pub(super) fn stream(seed: u64, which: u64) -> Rng {
    // Seeds that differ by little must not give streams that differ by little.
    let mut mixed = Rng::with_seed(seed ^ which.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Rng::with_seed(mixed.u64(..))
}

/// Reads the settings of a command line: those of a tournament file come first.
pub(super) fn read_args(args: &[String]) -> Result<Vec<Setting>, Failure> {
    let (files, words) = read_words(args)?;
    let mut entries = match files.as_slice() {
        [] => Vec::new(),
        [file] => {
            let path = Path::new(file);
            let text = fs::read_to_string(path).map_err(|error| {
                Failure::refused(format!("{}: cannot be read: {error}", path.display()))
            })?;
            read_toml(path, &text)?
        }
        [_, second, ..] => {
            let found = quotable(second);
            return Err(Failure::refused(format!("\"{found}\": one tournament file is enough")));
        }
    };
    entries.extend(words);
    Ok(entries)
}

/// Reads or makes the openings that a run names.
pub(super) fn read_openings(
    config: &Config,
    catalog: &dyn Catalog,
    board: &mut dyn Position,
) -> Result<Option<OpeningList>, Failure> {
    let Some(openings) = &config.openings else { return Ok(None) };
    let refuse = |why: String| ConfigError::at(&openings.place, format!("openings: {why}"));
    let list = match openings.style {
        // The players make it.
        OpeningFormat::Swap2 => return Ok(None),
        OpeningFormat::Generate => {
            let mut random = stream(config.seed, streams::GENERATE);
            let spec = board.spec().clone();
            generate(openings, catalog, &spec, &mut random).map_err(refuse)?
        }
        _ => OpeningList::read(openings, board)
            .map_err(|error| Failure::refused(error.to_string()))?,
    };
    Ok(Some(list))
}

/// Asks every engine what it is and what it can do.
pub(super) fn ask_engines(
    config: &Config,
    spec: &GameSpec,
    catalog: &dyn Catalog,
    known: &Known,
    host: &mut dyn Console,
) -> Result<Vec<Prepared>, Failure> {
    let usual = catalog.describe(spec.variant, &Chosen::new());
    let usual = usual.map_err(|why| Failure::refused(why.to_string()))?;
    let game = prepare::RunGame { spec: spec.clone(), usual };
    let timeouts =
        Timeouts { startup: config.startup, new_game: config.new_game, ping: config.ping };
    let broken =
        |error: std::io::Error| Failure::refused(format!("no engine can be started: {error}"));
    let abort = AbortFlag::new().map_err(broken)?;
    let lag = Arc::new(LagWatch::start().map_err(broken)?);
    let mut seats = ProcessHost::new(GuardProgram::default(), abort, lag);
    let prepared = prepare(&mut seats, &config.engines, &game, timeouts, known);
    seats.settle();
    let mut prepared = prepared?;
    for (number, engine) in prepared.iter_mut().enumerate() {
        // A run that continues keeps its names, whatever engines call themselves now.
        if let Some(name) = frozen(config, &format!("name{}", number + 1)) {
            engine.player.setup.name = name.to_owned();
        }
        engine.notes.iter().for_each(|note| host.tell(note));
    }
    Ok(prepared)
}

/// Refuses proofs where they would end the games of a test before the engines differ.
pub(super) fn check_proofs(config: &Config, spec: &GameSpec) -> Result<(), Failure> {
    let is_risky = config.proof.is_some() && config.sprt.is_some() && spec.is_exact;
    if !is_risky || config.force_proof {
        return Ok(());
    }
    Err(Failure::refused(format!(
        "proof: {} is solved, so that a test would count wins that an engine might miss; -force-proof does it all the same",
        spec.variant
    )))
}

/// The first record of a run.
pub(super) fn head(config: &Config, spec: &GameSpec, prepared: &[Prepared]) -> JournalRecord {
    JournalRecord::Head(RunHead {
        version: 1,
        program: tengen_protocol::PRODUCT.to_owned(),
        variant: spec.variant.to_owned(),
        rules: spec.rules.clone(),
        size: spec.size(),
        players: prepared.iter().map(|engine| engine.player.setup.name.clone()).collect(),
        seed: config.seed,
        started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
    })
}

pub(super) fn check_head(records: &[JournalRecord], spec: &GameSpec) -> Result<(), Failure> {
    match records.first() {
        Some(JournalRecord::Head(head))
            if head.variant == spec.variant && head.rules == spec.rules =>
        {
            Ok(())
        }
        Some(JournalRecord::Head(head)) => {
            let (then, now) = (&head.rules, &spec.rules);
            Err(changed(format!("the journal is of another game: {then}, and not {now}")))
        }
        _ => Err(changed("the journal does not begin with its head".to_owned())),
    }
}

/// Compares the programs with the programs with which the run began.
pub(super) fn check_hashes(config: &Config, prepared: &[Prepared]) -> Result<(), Failure> {
    if config.allow_changed {
        return Ok(());
    }
    for (number, engine) in prepared.iter().enumerate() {
        if frozen(config, &format!("engine{}", number + 1)) != Some(engine.sha256.as_str()) {
            let (name, cmd) = (&engine.player.setup.name, engine.player.setup.launch.cmd.display());
            return Err(changed(format!(
                "the program of {name}, {cmd}, has changed since the run began; -allow-changed goes on with it"
            )));
        }
    }
    Ok(())
}

/// The number of CPUs that one game takes: the threads of the larger engine; with pondering, of
/// both.
pub(super) fn cpus_a_game(prepared: &[Prepared]) -> u32 {
    let mut threads: Vec<u32> = prepared.iter().map(|engine| engine.player.threads).collect();
    threads.sort_unstable_by(|one, other| other.cmp(one));
    let ponders = prepared.iter().any(|engine| engine.player.ponder);
    let most = threads.first().copied().unwrap_or(1);
    if ponders { most + threads.get(1).copied().unwrap_or(1) } else { most }
}

/// Returns the CPUs of each game where games are bound to CPUs, and refuses more games at a time than
/// the machine can play.
pub(super) fn cpus_of_games(
    config: &Config,
    prepared: &[Prepared],
) -> Result<Option<Assignment>, Failure> {
    let a_game = cpus_a_game(prepared) as usize;
    let games = config.concurrency as usize;
    let assignment = match &config.affinity {
        Some(list) => {
            let refuse = |why: String| Failure::refused(format!("use-affinity: {why}"));
            let cpus = affinity::allowed(list).map_err(refuse)?;
            Some(affinity::assign(&cpus, games, a_game).map_err(refuse)?)
        }
        None => None,
    };
    let needed = a_game * games;
    // The quota of a control group may be below the CPUs that can be named.
    let there = cores();
    if needed <= there || config.force_concurrency {
        return Ok(assignment);
    }
    Err(Failure::refused(format!(
        "concurrency {games} with {a_game} CPUs a game needs {needed} CPUs, and there are {there}; -force-concurrency plays all the same"
    )))
}

pub(super) fn order(config: &Config, list: Option<&OpeningList>, spec: &GameSpec) -> OpeningOrder {
    match (list, &config.openings) {
        (Some(list), Some(openings)) => {
            let mut random = stream(config.seed, streams::OPENINGS);
            OpeningOrder::new(list, openings, spec, &mut random)
        }
        _ => OpeningOrder::none(),
    }
}

/// A path as it is shown: from here, where it lies here.
pub(super) fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).map_or_else(|_| path.to_owned(), Path::to_owned)
}
