//! `arena spsa`: the tuning of an engine's numeric options by games against itself.

use std::sync::Arc;

use tengen_engine::GameSpec;
use tengen_engine::backend::Catalog;

use super::before::{self, ask_engines, cpus_of_games, order, read_args, read_openings, shown};
use super::folder::{OPENINGS, RunFolder, changed};
use super::play::workers;
use super::{Console, Failure, Status, printed};
use crate::config::{Config, Setting, SpsaConfig};
use crate::journal::Journal;
use crate::openings::OpeningList;
use crate::prepare::{Known, Prepared};
use crate::process::{GuardProgram, LagWatch, Local};
use crate::record::{JournalRecord, SpsaRecord};
use crate::stats::spsa::{Parameter, StepSchedule};
use crate::transport::TransportEvent;
use crate::tune::{Plans, TuneError, Tuner, TuningEnd, TuningWatcher, option_list};

/// The steps as a table.
const TABLE: &str = "spsa.csv";

impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Self {
        match error {
            TuneError::Journal(error) => error.into(),
            TuneError::Broken(message) => Self { status: Status::Failures, message },
        }
    }
}

/// Begins a tuning.
pub(super) fn start(
    args: &[String],
    catalog: &dyn Catalog,
    host: &mut dyn Console,
) -> Result<Status, Failure> {
    let entries = read_args(args)?;
    let config = Config::read_settings(&entries, catalog)?;
    config.check_tuning()?;
    let spec = config.spec(catalog)?;
    let mut board = catalog.position(&spec);
    let openings = read_openings(&config, catalog, &mut *board)?;
    let prepared = ask(&config, &spec, catalog, host)?;
    cpus_of_games(&config, &prepared)?;
    let folder = RunFolder::create(config.out.as_deref())?;
    let text = match &openings {
        Some(list) => Some(list.to_text(&mut *board).map_err(Failure::refused)?),
        None => None,
    };
    if let Some(text) = &text {
        folder.write(OPENINGS, text.as_bytes())?;
    }
    folder.freeze(&entries, &prepared[..1], text.as_deref())?;
    let (mut journal, records) = Journal::open(&folder.0)?;
    if !records.is_empty() {
        return Err(changed(format!("{} holds a run already", folder.0.display())));
    }
    let head = before::head(&config, &spec, &prepared[..1]);
    journal.append(std::slice::from_ref(&head))?;
    play(
        Tuning { config, spec, prepared, folder, journal, records: vec![head], openings },
        catalog,
        host,
    )
}

/// Goes on with a tuning.
pub(super) fn resume(
    folder: RunFolder,
    entries: &[Setting],
    catalog: &dyn Catalog,
    host: &mut dyn Console,
) -> Result<Status, Failure> {
    let config = Config::read_settings(entries, catalog)?;
    config.check_tuning()?;
    let spec = config.spec(catalog)?;
    let mut board = catalog.position(&spec);
    let openings = folder.openings(&config, &mut *board)?;
    let (journal, records) = Journal::open(&folder.0)?;
    before::check_head(&records, &spec)?;
    let prepared = ask(&config, &spec, catalog, host)?;
    before::check_hashes(&config, &prepared[..1])?;
    cpus_of_games(&config, &prepared)?;
    play(Tuning { config, spec, prepared, folder, journal, records, openings }, catalog, host)
}

/// Asks the engine twice: with the least values of all parameters, and with the greatest. So a value
/// that it would refuse is found before the first game.
fn ask(
    config: &Config,
    spec: &GameSpec,
    catalog: &dyn Catalog,
    host: &mut dyn Console,
) -> Result<Vec<Prepared>, Failure> {
    let spsa = config.check_tuning()?;
    let parameters = &spsa.parameters;
    let ends: [fn(&Parameter) -> f64; 2] = [|known| known.min, |known| known.max];
    let mut both = config.clone();
    both.engines = Vec::new();
    for end in ends {
        let mut engine = config.engines[0].clone();
        let values: Vec<f64> = parameters.iter().map(end).collect();
        engine.options.extend(option_list(parameters, &values));
        both.engines.push(engine);
    }
    let mut prepared = ask_engines(&both, spec, catalog, &Known::default(), host)?;
    let own = &config.engines[0].options;
    // A tuning that continues remembers the name with its sign.
    let name = prepared[0].player.setup.name.trim_end_matches(" +").to_owned();
    for (engine, sign) in prepared.iter_mut().zip(["+", "-"]) {
        engine.player.setup.options.clone_from(own);
        engine.player.setup.name = format!("{name} {sign}");
    }
    Ok(prepared)
}

/// A tuning that is ready.
struct Tuning {
    config: Config,
    spec: GameSpec,
    prepared: Vec<Prepared>,
    folder: RunFolder,
    journal: Journal,
    records: Vec<JournalRecord>,
    openings: Option<OpeningList>,
}

fn play(tuning: Tuning, catalog: &dyn Catalog, host: &mut dyn Console) -> Result<Status, Failure> {
    let Tuning { config, spec, prepared, folder, journal, records, openings } = tuning;
    let spsa = config.check_tuning()?.clone();
    let broken =
        |error: std::io::Error| Failure::refused(format!("no game can be played: {error}"));
    let lag = Arc::new(LagWatch::start().map_err(broken)?);
    let cpus = cpus_of_games(&config, &prepared)?;
    let workers = workers(&config, &spec, &prepared, &folder, catalog, cpus.as_ref())?;
    let mut local =
        Local::start(workers, &GuardProgram::default(), &lag, config.wait).map_err(broken)?;
    let reports = local.reports();
    host.on_interrupt(Box::new(move || {
        let _ = reports.send(TransportEvent::Interrupted);
    }));
    let steps = config.rounds();
    let order = order(&config, openings.as_ref(), &spec);
    let board = catalog.position(&spec);
    let mut tuner = Tuner::new(plans(&config, &spsa, steps), order, board, journal, &records);
    let every = u64::from(config.outputs.rating_interval.max(1));
    let mut show = Show { host: &mut *host, parameters: &spsa.parameters, steps, every };
    let ending = tuner.run(&mut local, &mut show);
    drop(local);
    let ending = ending?;

    folder.write(TABLE, table(&spsa.parameters, &tuner).as_bytes())?;
    printed(host, &summary(&spsa.parameters, tuner.theta()))?;
    Ok(match ending {
        TuningEnd::Done => Status::Done,
        TuningEnd::Interrupted | TuningEnd::Failures => {
            let name = shown(&folder.0);
            host.tell(&format!("go on with: tengen arena resume {}", name.display()));
            if ending == TuningEnd::Failures { Status::Failures } else { Status::Interrupted }
        }
    })
}

fn plans(config: &Config, spsa: &SpsaConfig, steps: u64) -> Plans {
    let schedule = StepSchedule {
        steps,
        alpha: spsa.alpha,
        gamma: spsa.gamma,
        stability: spsa.stability * steps as f64,
    };
    let parameters = spsa.parameters.clone();
    Plans { parameters, schedule, seed: config.seed, max_failures: config.max_failures }
}

/// Shows how a tuning goes.
struct Show<'a> {
    host: &'a mut dyn Console,
    parameters: &'a [Parameter],
    steps: u64,
    every: u64,
}

impl TuningWatcher for Show<'_> {
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
        // The journal has the step; a reader who left has read enough.
        let _ = self.host.print(&line);
    }

    fn note(&mut self, text: &str) {
        self.host.tell(text);
    }
}

/// All steps, in the order of their numbers.
fn table(parameters: &[Parameter], tuner: &Tuner) -> String {
    let names = parameters.iter().map(|known| format!(",{}", known.name.replace([',', '"'], "_")));
    let mut text = format!("step,won_by{}\n", names.collect::<String>());
    for record in tuner.made().values() {
        let values: String = record.theta.iter().map(|value| format!(",{value}")).collect();
        text.push_str(&format!("{},{}{values}\n", record.step, record.won_by));
    }
    text
}

/// The parameters before and after, and the keys that give them to an engine.
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

/// Returns whether a folder holds a tuning.
pub(super) fn is_tuning(entries: &[Setting]) -> bool {
    entries.iter().any(|entry| entry.key == "spsa")
}
