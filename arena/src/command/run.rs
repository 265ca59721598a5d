//! A run: from the command line or a tournament file, or on from where it was left.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use fastrand::Rng;
use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;
use tengen_engine::{Chosen, GameSpec};

use super::folder::{OPENINGS, RunFolder, changed, frozen, known};
use super::play::{Ready, play};
use super::{Failure, Host, Status};
use crate::config::given::{read_toml, read_words};
use crate::config::{Config, ConfigError, Entry, Policy};
use crate::journal::Journal;
use crate::openings::{OpeningList, OpeningOrder};
use crate::prepare::{self, Known, Prepared, prepare};
use crate::process::{Bell, GuardProgram, LagWatch, Seats};
use crate::record::{Head, Record};
use crate::schedule::Schedule;
use crate::session::Patience;

/// Streams of numbers of one seed, one for each use.
pub(super) mod streams {
    /// The order of openings.
    pub(crate) const OPENINGS: u64 = 1;
    /// Samples for the errors of ratings.
    pub(crate) const RATINGS: u64 = 2;
}

/// A generator for one use of a run's seed.
pub(super) fn stream(seed: u64, which: u64) -> Rng {
    // Seeds that differ by little must not give streams that differ by little.
    let mut mixed = Rng::with_seed(seed ^ which.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Rng::with_seed(mixed.u64(..))
}

/// Plays a run from its beginning.
pub(super) fn start(
    args: &[String],
    catalog: &dyn Catalog,
    host: &mut dyn Host,
) -> Result<Status, Failure> {
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
    refuse_unbuilt(&entries)?;
    let config = Config::read(&entries, catalog)?;
    let spec = config.spec(catalog)?;
    let mut board = catalog.position(&spec);

    let openings = match &config.openings {
        None => None,
        Some(openings) if openings.style.has_file() => {
            let list = OpeningList::read(openings, &mut *board);
            Some(list.map_err(|error| Failure::refused(error.to_string()))?)
        }
        Some(openings) => {
            let why = "openings: this format is not played yet; name a file of openings";
            return Err(ConfigError::at(&openings.place, why).into());
        }
    };
    let prepared = ask_engines(&config, &spec, catalog, &Known::default(), host)?;
    check_cpus(&config, &prepared)?;

    let folder = RunFolder::create(config.out.as_deref())?;
    let text = match &openings {
        Some(list) => Some(list.to_text(&mut *board).map_err(Failure::refused)?),
        None => None,
    };
    if let Some(text) = &text {
        folder.write(OPENINGS, text.as_bytes())?;
    }
    folder.freeze(&entries, &prepared, text.as_deref())?;
    let (mut journal, records) = Journal::open(&folder.0)?;
    if !records.is_empty() {
        return Err(changed(format!("{} holds a run already", folder.0.display())));
    }
    let head = head(&config, &spec, &prepared);
    journal.append(std::slice::from_ref(&head))?;
    if config.out.is_none() {
        host.tell(&format!("the run is kept in {}", folder.0.display()));
    }
    tell_openings(&config, openings.as_ref(), host);
    let order = order(&config, openings.as_ref(), &spec);
    play(
        Ready { config, spec, prepared, folder, journal, records: vec![head], openings: order },
        catalog,
        host,
    )
}

/// Refuses options that are read and have no effect yet.
fn refuse_unbuilt(entries: &[Entry]) -> Result<(), ConfigError> {
    const UNBUILT: [&str; 3] = ["proof", "force-proof", "use-affinity"];
    match entries.iter().find(|entry| UNBUILT.contains(&entry.key.as_str())) {
        None => Ok(()),
        Some(entry) => {
            let why = format!("{}: this version does not have this option yet", entry.key);
            Err(ConfigError::at(&entry.place, why))
        }
    }
}

/// What a run may be given anew when it goes on.
const CHANGEABLE: [&str; 15] = [
    "concurrency",
    "force-concurrency",
    "rounds",
    "allow-changed",
    "pgnout",
    "sgfout",
    "jsonl",
    "csv",
    "output",
    "ratinginterval",
    "log",
    "wait",
    "strict",
    "recover",
    "max-failures",
];

/// Goes on with a run.
pub(super) fn resume(
    args: &[String],
    catalog: &dyn Catalog,
    host: &mut dyn Host,
) -> Result<Status, Failure> {
    let (free, words) = read_words(args)?;
    let [name] = free.as_slice() else {
        return Err(Failure::refused(
            "resume: the folder of a run expected, and options behind it",
        ));
    };
    if let Some(entry) = words.iter().find(|entry| !CHANGEABLE.contains(&entry.key.as_str())) {
        let allowed = CHANGEABLE.join(", ");
        return Err(Failure::refused(format!(
            "-{}: a run that goes on may change only {allowed}",
            entry.key
        )));
    }
    let folder = RunFolder::open(Path::new(name))?;
    let frozen_entries = folder.settings()?;
    let before = Config::read(&frozen_entries, catalog)?;
    let entries: Vec<Entry> = frozen_entries.into_iter().chain(words).collect();
    let config = Config::read(&entries, catalog)?;
    if config.rounds() < before.rounds() {
        let (now, then) = (config.rounds(), before.rounds());
        return Err(Failure::refused(format!(
            "-rounds {now}: the run has {then}; more are allowed"
        )));
    }
    let spec = config.spec(catalog)?;
    let mut board = catalog.position(&spec);
    let openings = folder.openings(&config, &mut *board)?;
    let (journal, records) = Journal::open(&folder.0)?;
    check_head(&records, &spec)?;
    let prepared = ask_engines(&config, &spec, catalog, &known(&config), host)?;
    check_hashes(&config, &prepared)?;
    check_cpus(&config, &prepared)?;
    let text = match &openings {
        Some(list) => Some(list.to_text(&mut *board).map_err(Failure::refused)?),
        None => None,
    };
    folder.freeze(&entries, &prepared, text.as_deref())?;
    let order = order(&config, openings.as_ref(), &spec);
    play(Ready { config, spec, prepared, folder, journal, records, openings: order }, catalog, host)
}

/// Asks every engine what it is and what it can do.
pub(super) fn ask_engines(
    config: &Config,
    spec: &GameSpec,
    catalog: &dyn Catalog,
    known: &Known,
    host: &mut dyn Host,
) -> Result<Vec<Prepared>, Failure> {
    let usual = catalog.describe(spec.variant, &Chosen::new());
    let usual = usual.map_err(|why| Failure::refused(why.to_string()))?;
    let game = prepare::Game { spec: spec.clone(), usual };
    let patience =
        Patience { startup: config.startup, new_game: config.new_game, ping: config.ping };
    let broken =
        |error: std::io::Error| Failure::refused(format!("no engine can be started: {error}"));
    let bell = Bell::new().map_err(broken)?;
    let lag = Arc::new(LagWatch::start().map_err(broken)?);
    let mut seats = Seats::new(GuardProgram::default(), bell, lag);
    let prepared = prepare(&mut seats, &config.engines, &game, patience, known);
    seats.settle();
    let mut prepared = prepared?;
    for (number, engine) in prepared.iter_mut().enumerate() {
        // A run that goes on keeps its names, whatever engines call themselves now.
        if let Some(name) = frozen(config, &format!("name{}", number + 1)) {
            engine.player.setup.name = name.to_owned();
        }
        engine.notes.iter().for_each(|note| host.tell(note));
    }
    Ok(prepared)
}

/// The first record of a run.
fn head(config: &Config, spec: &GameSpec, prepared: &[Prepared]) -> Record {
    Record::Head(Head {
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

fn check_head(records: &[Record], spec: &GameSpec) -> Result<(), Failure> {
    match records.first() {
        Some(Record::Head(head)) if head.variant == spec.variant && head.rules == spec.rules => {
            Ok(())
        }
        Some(Record::Head(head)) => {
            let (then, now) = (&head.rules, &spec.rules);
            Err(changed(format!("the journal is of another game: {then}, and not {now}")))
        }
        _ => Err(changed("the journal does not begin with its head".to_owned())),
    }
}

/// Holds the programs against those with which the run began.
fn check_hashes(config: &Config, prepared: &[Prepared]) -> Result<(), Failure> {
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

/// The CPUs that one game takes: those of the engine with more threads; with pondering, of both.
pub(super) fn cpus_a_game(prepared: &[Prepared]) -> u32 {
    let mut threads: Vec<u32> = prepared.iter().map(|engine| engine.threads).collect();
    threads.sort_unstable_by(|one, other| other.cmp(one));
    let ponders = prepared.iter().any(|engine| engine.player.ponder);
    let most = threads.first().copied().unwrap_or(1);
    if ponders { most + threads.get(1).copied().unwrap_or(1) } else { most }
}

fn check_cpus(config: &Config, prepared: &[Prepared]) -> Result<(), Failure> {
    let a_game = cpus_a_game(prepared);
    let needed = a_game as usize * config.concurrency as usize;
    let there = std::thread::available_parallelism().map_or(1, usize::from);
    if needed <= there || config.force_concurrency {
        return Ok(());
    }
    Err(Failure::refused(format!(
        "concurrency {} with {a_game} CPUs a game needs {needed} CPUs, and there are {there}; -force-concurrency plays all the same",
        config.concurrency
    )))
}

/// Tells what a user should know of the openings.
fn tell_openings(config: &Config, list: Option<&OpeningList>, host: &mut dyn Host) {
    let Some(list) = list else {
        let is_random = config.engines.iter().any(|engine| engine.time.is_timed());
        if !is_random {
            host.tell("warning: without openings, engines with fixed nodes may repeat their games");
        }
        return;
    };
    if list.repeated > 0 {
        let (repeated, all) = (list.repeated, list.openings.len());
        host.tell(&format!("{repeated} of {all} openings are equal to others by symmetry"));
    }
    let games = Schedule::new(config).games();
    let pairs = games.map(|games| games.div_ceil(2)).filter(|_| config.sprt.is_none());
    let is_each =
        config.openings.as_ref().is_some_and(|openings| openings.policy == Policy::Default);
    if let Some(pairs) = pairs.filter(|pairs| is_each && *pairs > list.openings.len() as u64) {
        host.tell(&format!(
            "warning: {pairs} pairs and {} openings: repeated games are no new evidence",
            list.openings.len()
        ));
    }
}

fn order(config: &Config, list: Option<&OpeningList>, spec: &GameSpec) -> OpeningOrder {
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
