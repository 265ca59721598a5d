//! The commands that need engines or a run folder, which are for Linux. Starts a run from the command
//! line or a tournament file, or continues a run.

mod before;
mod check;
mod folder;
mod openings;
mod play;
mod rate;
mod remote;
mod report;
mod tune;

use std::path::Path;

use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;

use self::before::{PreparedRun, ask_engines, check_options, check_outputs, read_args, text_of};
use self::folder::RunFolder;
use self::play::play;
use super::{Console, Failure, Status, print, unknown};
use crate::config::given::read_words;
use crate::config::option::OptionSpec;
use crate::config::{Config, Policy, Setting};
use crate::openings::OpeningList;
use crate::schedule::Schedule;

/// Runs the command `word`, the first of `args`.
pub(super) fn execute(
    word: &str,
    args: &[String],
    catalog: &'static dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let rest = &args[1..];
    match word {
        "resume" => resume(rest, catalog, console),
        "check" => check::check(rest, catalog, console),
        "openings" => openings::openings(rest, catalog, console),
        "rate" => rate::rate(rest, catalog, console),
        "spsa" => tune::start(rest, catalog, console),
        "report" => report::report(rest, catalog, console),
        _ if word.starts_with('-') || word.contains(['.', '/']) => start(args, catalog, console),
        _ => Err(unknown(word)),
    }
}

/// Starts a new run.
fn start(
    args: &[String],
    catalog: &'static dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let entries = read_args(args)?;
    let config = Config::read(&entries, catalog)?;
    if let Some(name) = config.readmit.first() {
        return Err(Failure::refused(format!(
            "-readmit \"{}\": only \"tengen arena resume\" takes it",
            quotable(name)
        )));
    }
    let run = PreparedRun::create(&entries, config, catalog, console, ask_engines)?;
    if run.config.out.is_none() {
        console.print_note(&format!("the run is kept in {}", run.folder.0.display()));
    }
    note_openings(&run.config, run.openings.as_ref(), console);
    play(run, catalog, console)
}

/// Continues a run.
fn resume(
    args: &[String],
    catalog: &'static dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let (positional, words) = read_words(args)?;
    let [name] = positional.as_slice() else {
        return Err(Failure::refused("resume: the folder of a run expected, then options"));
    };
    check_options(&words, OptionSpec::RESUME, "resume can change only")?;
    let folder = RunFolder::open(Path::new(name))?;
    let saved_entries = folder.settings()?;
    if tune::is_tuning(&saved_entries) {
        if words.iter().any(|entry| entry.key == "rounds") {
            return Err(Failure::refused("-rounds: a tuning keeps its number of steps"));
        }
        let entries: Vec<Setting> = saved_entries.into_iter().chain(words).collect();
        return tune::resume(folder, &entries, catalog, console);
    }
    let changed: Vec<String> = words.iter().map(|entry| entry.key.clone()).collect();
    let before = Config::read(&saved_entries, catalog)?;
    let entries: Vec<Setting> = saved_entries.into_iter().chain(words).collect();
    let config = Config::read(&entries, catalog)?;
    if config.rounds() < before.rounds() {
        let (now, then) = (config.rounds(), before.rounds());
        return Err(Failure::refused(format!(
            "-rounds {now}: the run has {then}; more are allowed"
        )));
    }
    check_outputs(&config, |option| changed.iter().any(|key| key == option))?;
    let run = PreparedRun::reopen(folder, &entries, config, catalog, console, ask_engines)?;
    let text = text_of(run.openings.as_ref(), &mut *catalog.position(&run.spec))?;
    run.folder.save_settings(&entries, &run.prepared, text.as_deref(), run.started())?;
    play(run, catalog, console)
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
    let games = Schedule(config).games();
    let pairs = games.map(|games| games.div_ceil(2)).filter(|_| config.sprt.is_none());
    let is_one_per_pair =
        config.openings.as_ref().is_some_and(|openings| openings.policy == Policy::Default);
    if let Some(pairs) =
        pairs.filter(|pairs| is_one_per_pair && *pairs > list.openings.len() as u64)
    {
        console.print_note(&format!(
            "warning: {pairs} pairs and {} openings: repeated games give no information",
            list.openings.len()
        ));
    }
}
