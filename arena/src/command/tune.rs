//! `arena spsa`: tunes an engine's numeric options by games against itself.

use std::sync::Arc;

use tengen_engine::GameSpec;
use tengen_engine::backend::Catalog;

use super::before::{self, ask_engines, assign_cpus, order, read_args, read_openings, shown};
use super::folder::{OPENINGS, RunFolder, changed};
use super::play::workers;
use super::{Console, Failure, Status, print};
use crate::config::{Config, Setting, SpsaConfig};
use crate::engine::prepare::{KnownEngines, Prepared};
use crate::engine::process::{GuardProgram, LagWatch, LocalWorkers};
use crate::journal::Journal;
use crate::openings::OpeningList;
use crate::stats::spsa::{Parameter, StepSchedule};
use crate::tournament::record::{JournalRecord, SpsaRecord};
use crate::tournament::tune::{
    TuneError, Tuner, TuningConfig, TuningEnd, TuningWatcher, option_list,
};
use crate::transport::TransportEvent;

/// The file with the table of steps.
const TABLE: &str = "spsa.csv";

impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Self {
        match error {
            TuneError::Journal(error) => error.into(),
            TuneError::Broken(message) => Self { status: Status::Failures, message },
        }
    }
}

/// Starts a new tuning.
pub(super) fn start(
    args: &[String],
    catalog: &dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let entries = read_args(args)?;
    let config = Config::read_settings(&entries, catalog)?;
    config.check_tuning()?;
    let spec = config.spec(catalog)?;
    let mut board = catalog.position(&spec);
    let openings = read_openings(&config, catalog, &mut *board)?;
    let prepared = ask_engine(&config, &spec, catalog, console)?;
    assign_cpus(&config, &prepared)?;
    let folder = RunFolder::create(config.out.as_deref())?;
    let text = match &openings {
        Some(list) => Some(list.to_text(&mut *board).map_err(Failure::refused)?),
        None => None,
    };
    if let Some(text) = &text {
        folder.write(OPENINGS, text.as_bytes())?;
    }
    folder.save_settings(&entries, &prepared[..1], text.as_deref())?;
    let (mut journal, records) = Journal::open(&folder.0)?;
    if !records.is_empty() {
        return Err(changed(format!("{} holds a run already", folder.0.display())));
    }
    let head = before::head(&config, &spec, &prepared[..1]);
    journal.append(std::slice::from_ref(&head))?;
    play(
        Tuning { config, spec, prepared, folder, journal, records: vec![head], openings },
        catalog,
        console,
    )
}

/// Continues a tuning.
pub(super) fn resume(
    folder: RunFolder,
    entries: &[Setting],
    catalog: &dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let config = Config::read_settings(entries, catalog)?;
    config.check_tuning()?;
    let spec = config.spec(catalog)?;
    let mut board = catalog.position(&spec);
    let openings = folder.openings(&config, &mut *board)?;
    let (journal, records) = Journal::open(&folder.0)?;
    before::check_head(&records, &spec)?;
    let prepared = ask_engine(&config, &spec, catalog, console)?;
    before::check_hashes(&config, &prepared[..1])?;
    assign_cpus(&config, &prepared)?;
    play(Tuning { config, spec, prepared, folder, journal, records, openings }, catalog, console)
}

/// Starts the engine with the least values of all parameters, and with the greatest. So it refuses
/// a bad value before the first game.
fn ask_engine(
    config: &Config,
    spec: &GameSpec,
    catalog: &dyn Catalog,
    console: &mut dyn Console,
) -> Result<Vec<Prepared>, Failure> {
    let spsa = config.check_tuning()?;
    let parameters = &spsa.parameters;
    let bounds: [fn(&Parameter) -> f64; 2] = [|known| known.min, |known| known.max];
    let mut config_of_both = config.clone();
    config_of_both.engines = Vec::new();
    for bound in bounds {
        let mut engine = config.engines[0].clone();
        let values: Vec<f64> = parameters.iter().map(bound).collect();
        engine.options.extend(option_list(parameters, &values));
        config_of_both.engines.push(engine);
    }
    let mut prepared =
        ask_engines(&config_of_both, spec, catalog, &KnownEngines::default(), console)?;
    let own = &config.engines[0].options;
    // A continued tuning has saved the name with its sign.
    let name = prepared[0].player.setup.name.trim_end_matches(" +").to_owned();
    for (engine, sign) in prepared.iter_mut().zip(["+", "-"]) {
        engine.player.setup.options.clone_from(own);
        engine.player.setup.name = format!("{name} {sign}");
    }
    Ok(prepared)
}

/// A prepared tuning.
struct Tuning {
    config: Config,
    spec: GameSpec,
    prepared: Vec<Prepared>,
    folder: RunFolder,
    journal: Journal,
    records: Vec<JournalRecord>,
    openings: Option<OpeningList>,
}

fn play(
    tuning: Tuning,
    catalog: &dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let Tuning { config, spec, prepared, folder, journal, records, openings } = tuning;
    let spsa = config.check_tuning()?.clone();
    let broken =
        |error: std::io::Error| Failure::refused(format!("no game can be played: {error}"));
    let lag = Arc::new(LagWatch::start().map_err(broken)?);
    let cpus = assign_cpus(&config, &prepared)?;
    let workers = workers(&config, &spec, &prepared, &folder, catalog, cpus.as_ref())?;
    let mut local = LocalWorkers::start(workers, &GuardProgram::default(), &lag, config.wait)
        .map_err(broken)?;
    let event_sender = local.event_sender();
    console.on_interrupt(Box::new(move || {
        let _ = event_sender.send(TransportEvent::Interrupted);
    }));
    let steps = config.rounds();
    let order = order(&config, openings.as_ref(), &spec);
    let board = catalog.position(&spec);
    let mut tuner =
        Tuner::new(tuning_config(&config, &spsa, steps), order, board, journal, &records);
    let every = u64::from(config.outputs.rating_interval.max(1));
    let mut show =
        ProgressView { console: &mut *console, parameters: &spsa.parameters, steps, every };
    let ending = tuner.run(&mut local, &mut show);
    drop(local);
    let ending = ending?;

    folder.write(TABLE, table(&spsa.parameters, &tuner).as_bytes())?;
    print(console, &summary(&spsa.parameters, tuner.theta()))?;
    Ok(match ending {
        TuningEnd::Done => Status::Done,
        TuningEnd::Interrupted | TuningEnd::Failures => {
            let name = shown(&folder.0);
            console.print_note(&format!("go on with: tengen arena resume {}", name.display()));
            if ending == TuningEnd::Failures { Status::Failures } else { Status::Interrupted }
        }
    })
}

/// Returns the settings of the tuning for the tuner.
fn tuning_config(config: &Config, spsa: &SpsaConfig, steps: u64) -> TuningConfig {
    let schedule = StepSchedule {
        steps,
        alpha: spsa.alpha,
        gamma: spsa.gamma,
        stability: spsa.stability * steps as f64,
    };
    let parameters = spsa.parameters.clone();
    TuningConfig { parameters, schedule, seed: config.seed, max_failures: config.max_failures }
}

/// Shows the progress of a tuning on a console.
struct ProgressView<'a> {
    console: &'a mut dyn Console,
    parameters: &'a [Parameter],
    steps: u64,
    every: u64,
}

impl TuningWatcher for ProgressView<'_> {
    fn stepped(&mut self, record: &SpsaRecord) {
        if !record.step.is_multiple_of(self.every) {
            return;
        }
        let values: Vec<String> = self
            .parameters
            .iter()
            .zip(&record.theta)
            .map(|(known, value)| format!("{} {value:.3}", known.name))
            .collect();
        let line = format!("Step {} of {}: {}\n", record.step, self.steps, values.join(", "));
        // The journal has the step, so a closed output loses nothing.
        let _ = self.console.print(&line);
    }

    fn note(&mut self, text: &str) {
        self.console.print_note(text);
    }
}

/// Returns the CSV table of all steps, by number.
fn table(parameters: &[Parameter], tuner: &Tuner) -> String {
    let names = parameters.iter().map(|known| format!(",{}", known.name.replace([',', '"'], "_")));
    let mut text = format!("step,won_by{}\n", names.collect::<String>());
    for record in tuner.finished_steps().values() {
        let values: String = record.theta.iter().map(|value| format!(",{value}")).collect();
        text.push_str(&format!("{},{}{values}\n", record.step, record.won_by));
    }
    text
}

/// Returns the first and last values of the parameters, and the engine keys that set them.
fn summary(parameters: &[Parameter], theta: &[f64]) -> String {
    let longest = parameters.iter().map(|known| known.name.len()).max().unwrap_or(0).max(9);
    let mut text = format!("\n{:<longest$}  {:>10}  {:>12}\n", "parameter", "start", "now");
    for (known, value) in parameters.iter().zip(theta) {
        text.push_str(&format!("{:<longest$}  {:>10}  {value:>12.4}\n", known.name, known.start));
    }
    let keys = parameters.iter().zip(theta).map(|(known, value)| {
        let key = format!("option.{}={}", known.name, known.rounded(*value));
        if key.contains(' ') { format!("\"{key}\"") } else { key }
    });
    text.push_str(&format!("\n{}\n", keys.collect::<Vec<_>>().join(" ")));
    text
}

/// Returns whether these settings belong to a tuning.
pub(super) fn is_tuning(entries: &[Setting]) -> bool {
    entries.iter().any(|entry| entry.key == "spsa")
}
