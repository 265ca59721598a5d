//! Starts a run from the command line or a tournament file, or continues a run.

use std::path::Path;

use tengen_engine::backend::Catalog;

use super::before::{
    ask_engines, assign_cpus, check_hashes, check_head, check_proofs, head, order, read_args,
    read_openings,
};
use super::folder::{OPENINGS, RunFolder, changed, known_engines};
use super::play::{PreparedRun, play};
use super::{Console, Failure, Status, tune};
use crate::config::given::read_words;
use crate::config::{Config, Policy, Setting};
use crate::engine::prepare::KnownEngines;
use crate::journal::Journal;
use crate::openings::OpeningList;
use crate::tournament::schedule::Schedule;

/// Starts a new run.
pub(super) fn start(
    args: &[String],
    catalog: &dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let entries = read_args(args)?;
    let config = Config::read(&entries, catalog)?;
    let spec = config.spec(catalog)?;
    check_proofs(&config, &spec)?;
    let mut board = catalog.position(&spec);
    let openings = read_openings(&config, catalog, &mut *board)?;
    let prepared = ask_engines(&config, &spec, catalog, &KnownEngines::default(), console)?;
    let cpus = assign_cpus(&config, &prepared)?;

    let folder = RunFolder::create(config.out.as_deref())?;
    let text = match &openings {
        Some(list) => Some(list.to_text(&mut *board).map_err(Failure::refused)?),
        None => None,
    };
    if let Some(text) = &text {
        folder.write(OPENINGS, text.as_bytes())?;
    }
    folder.save_settings(&entries, &prepared, text.as_deref())?;
    let (mut journal, records) = Journal::open(&folder.0)?;
    if !records.is_empty() {
        return Err(changed(format!("{} holds a run already", folder.0.display())));
    }
    let head = head(&config, &spec, &prepared);
    journal.append(std::slice::from_ref(&head))?;
    if config.out.is_none() {
        console.print_note(&format!("the run is kept in {}", folder.0.display()));
    }
    note_openings(&config, openings.as_ref(), console);
    let order = order(&config, openings.as_ref(), &spec);
    play(
        PreparedRun {
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
        console,
    )
}

/// The settings that may change when a run is continued.
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

/// Continues a run.
pub(super) fn resume(
    args: &[String],
    catalog: &dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let (positional, words) = read_words(args)?;
    let [name] = positional.as_slice() else {
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
    let saved_entries = folder.settings()?;
    if tune::is_tuning(&saved_entries) {
        if words.iter().any(|entry| entry.key == "rounds") {
            return Err(Failure::refused("-rounds: a tuning keeps its number of steps"));
        }
        let entries: Vec<Setting> = saved_entries.into_iter().chain(words).collect();
        return tune::resume(folder, &entries, catalog, console);
    }
    let before = Config::read(&saved_entries, catalog)?;
    let entries: Vec<Setting> = saved_entries.into_iter().chain(words).collect();
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
    let prepared = ask_engines(&config, &spec, catalog, &known_engines(&config), console)?;
    check_hashes(&config, &prepared)?;
    let cpus = assign_cpus(&config, &prepared)?;
    let text = match &openings {
        Some(list) => Some(list.to_text(&mut *board).map_err(Failure::refused)?),
        None => None,
    };
    folder.save_settings(&entries, &prepared, text.as_deref())?;
    let order = order(&config, openings.as_ref(), &spec);
    play(
        PreparedRun { config, spec, prepared, folder, journal, records, openings: order, cpus },
        catalog,
        console,
    )
}

/// Notes repeated openings, and warns if games would repeat.
fn note_openings(config: &Config, list: Option<&OpeningList>, console: &mut dyn Console) {
    let Some(list) = list else {
        let is_timed = config.engines.iter().any(|engine| engine.time.is_timed());
        if !is_timed {
            console.print_note(
                "warning: without openings, engines with fixed nodes may repeat their games",
            );
        }
        return;
    };
    if list.repeated > 0 {
        let (repeated, all) = (list.repeated, list.openings.len());
        console
            .print_note(&format!("{repeated} of {all} openings are equal to others by symmetry"));
    }
    let games = Schedule::new(config).games();
    let pairs = games.map(|games| games.div_ceil(2)).filter(|_| config.sprt.is_none());
    let is_one_per_pair =
        config.openings.as_ref().is_some_and(|openings| openings.policy == Policy::Default);
    if let Some(pairs) =
        pairs.filter(|pairs| is_one_per_pair && *pairs > list.openings.len() as u64)
    {
        console.print_note(&format!(
            "warning: {pairs} pairs and {} openings: repeated games are no new evidence",
            list.openings.len()
        ));
    }
}
