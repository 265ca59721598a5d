//! A run: from the command line or a tournament file, or on from where it was left.

use std::path::Path;

use tengen_engine::backend::Catalog;

use super::before::{
    ask_engines, check_hashes, check_head, check_proofs, cpus_of_games, head, order, read_args,
    read_openings,
};
use super::folder::{OPENINGS, RunFolder, changed, known};
use super::play::{Ready, play};
use super::{Console, Failure, Status, tune};
use crate::config::given::read_words;
use crate::config::{Config, Policy, Setting};
use crate::journal::Journal;
use crate::openings::OpeningList;
use crate::prepare::Known;
use crate::schedule::Schedule;

/// Plays a run from its beginning.
pub(super) fn start(
    args: &[String],
    catalog: &dyn Catalog,
    host: &mut dyn Console,
) -> Result<Status, Failure> {
    let entries = read_args(args)?;
    let config = Config::read(&entries, catalog)?;
    let spec = config.spec(catalog)?;
    check_proofs(&config, &spec)?;
    let mut board = catalog.position(&spec);
    let openings = read_openings(&config, catalog, &mut *board)?;
    let prepared = ask_engines(&config, &spec, catalog, &Known::default(), host)?;
    let cpus = cpus_of_games(&config, &prepared)?;

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
        Ready {
            config,
            spec,
            prepared,
            folder,
            journal,
            records: vec![head],
            openings: order,
            cpus,
        },
        catalog,
        host,
    )
}

/// The settings that may change when a run continues.
const CHANGEABLE: [&str; 16] = [
    "concurrency",
    "force-concurrency",
    "use-affinity",
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
    host: &mut dyn Console,
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
    if tune::is_tuning(&frozen_entries) {
        if words.iter().any(|entry| entry.key == "rounds") {
            return Err(Failure::refused("-rounds: a tuning keeps its number of steps"));
        }
        let entries: Vec<Setting> = frozen_entries.into_iter().chain(words).collect();
        return tune::resume(folder, &entries, catalog, host);
    }
    let before = Config::read(&frozen_entries, catalog)?;
    let entries: Vec<Setting> = frozen_entries.into_iter().chain(words).collect();
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
    let cpus = cpus_of_games(&config, &prepared)?;
    let text = match &openings {
        Some(list) => Some(list.to_text(&mut *board).map_err(Failure::refused)?),
        None => None,
    };
    folder.freeze(&entries, &prepared, text.as_deref())?;
    let order = order(&config, openings.as_ref(), &spec);
    play(
        Ready { config, spec, prepared, folder, journal, records, openings: order, cpus },
        catalog,
        host,
    )
}

/// Tells what a user should know of the openings.
fn tell_openings(config: &Config, list: Option<&OpeningList>, host: &mut dyn Console) {
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
