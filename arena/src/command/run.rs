//! The commands that need engines or a run folder, which are for Linux. Starts a run from the command
//! line or a tournament file, or continues a run.

mod before;
mod check;
mod folder;
mod openings;
mod page;
mod play;
mod rate;
mod remote;
mod report;
mod tune;

use std::path::Path;

use tengen_engine::text::quotable;

use self::before::{
    Ask, PreparedRun, ask_engines, check_options, check_outputs, read_args, text_of,
};
use self::folder::RunFolder;
use self::play::play;
use super::{COMMANDS, Console, Context, Ended, Failure, Status, refusal, refuse};
use crate::config::given::read_words;
use crate::config::option::OptionSpec;
use crate::config::{Config, Policy, Setting};
use crate::openings::OpeningList;
use crate::schedule::Schedule;

/// Runs the command `word`, the first of `args`.
pub(super) fn execute(word: &str, args: &[String], context: &mut Context<'_>) -> Ended {
    let rest = &args[1..];
    match word {
        "resume" => resume(rest, context),
        "check" => check::check(rest, context),
        "openings" => openings::openings(rest, context),
        "rate" => rate::rate(rest, context),
        "spsa" => tune::start(rest, context),
        "report" => report::report(rest, context),
        "show" => page::show(rest, context),
        _ if word.starts_with('-') || word.contains(['.', '/']) => start(args, context),
        _ => refuse!(
            "\"{}\": it must be an option such as -engine, a tournament file such as cup.toml, or one of {COMMANDS}",
            quotable(word)
        ),
    }
}

/// Starts a new run.
fn start(args: &[String], context: &mut Context<'_>) -> Ended {
    let entries = read_args(args)?;
    let config = Config::read(&entries, context.catalog)?;
    if let Some(name) = config.readmit.first() {
        let name = quotable(name);
        return refuse!("-readmit \"{name}\": only \"tengen arena resume\" takes it");
    }
    let run = PreparedRun::create(&entries, config, context, ask_engines)?;
    if run.config.out.is_none() {
        context.note(&format!("the run is kept in {}", run.folder.0.display()));
    }
    note_openings(&run.config, run.openings.as_ref(), context);
    play(run, context)
}

/// Continues a run.
fn resume(args: &[String], context: &mut Context<'_>) -> Ended {
    let (positional, words) = read_words(args)?;
    let [name] = positional.as_slice() else {
        return refuse!("resume: the folder of a run expected, then options");
    };
    check_options(&words, OptionSpec::RESUME, "resume can change only")?;
    let folder = RunFolder::open(Path::new(name))?;
    let saved = folder.settings()?;
    let changed: Vec<String> = words.iter().map(|entry| entry.key.clone()).collect();
    let is_changed = |option: &str| changed.iter().any(|key| key == option);
    let entries = remote::kept(&saved, &words).into_iter().chain(words).collect::<Vec<Setting>>();
    if !is_changed("transport") {
        remote::note_kept(&Config::read_settings(&entries, context.catalog)?, context);
    }
    if tune::is_tuning(&saved) {
        if is_changed("rounds") {
            return refuse!("-rounds: a tuning keeps its number of steps");
        }
        return tune::resume(folder, &entries, context);
    }
    let then = Config::read(&saved, context.catalog)?.rounds();
    let config = Config::read(&entries, context.catalog)?;
    let now = config.rounds();
    if now < then {
        return refuse!("-rounds {now}: the run has {then}; more are allowed");
    }
    check_outputs(&config, is_changed)?;
    play(reopen(folder, &entries, config, context, ask_engines)?, context)
}

/// Opens a run that is continued, and saves its changed settings.
fn reopen(
    folder: RunFolder,
    entries: &[Setting],
    config: Config,
    context: &mut Context<'_>,
    ask: Ask,
) -> Result<PreparedRun, Failure> {
    let run = PreparedRun::reopen(folder, entries, config, context, ask)?;
    let text = text_of(run.openings.as_ref(), &mut *context.catalog.position(&run.spec))?;
    run.folder.save_settings(entries, &run.prepared, text.as_deref(), run.started())?;
    Ok(run)
}

/// Notes repeated openings, and warns if games would repeat.
fn note_openings(config: &Config, list: Option<&OpeningList>, context: &mut Context<'_>) {
    let Some(list) = list else {
        if !config.engines.iter().any(|engine| engine.time.is_timed()) {
            context
                .note("warning: without openings, engines with fixed nodes may repeat their games");
        }
        return;
    };
    let (repeated, all) = (list.repeated, list.openings.len());
    if repeated > 0 {
        context.note(&format!("{repeated} of {all} openings are equal to others by symmetry"));
    }
    let pairs = Schedule(config).games().map_or(0, |games| games.div_ceil(2));
    let openings = config.openings.as_ref();
    let is_one_per_pair = openings.is_some_and(|openings| openings.policy == Policy::Default);
    if is_one_per_pair && config.sprt.is_none() && pairs > all as u64 {
        context.note(&format!(
            "warning: {pairs} pairs and {all} openings: repeated games give no information"
        ));
    }
}
