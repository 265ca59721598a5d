//! `arena spsa`: tunes an engine's numeric options by games against itself.

use tengen_engine::GameSpec;
use tengen_engine::backend::Catalog;
use tengen_runs::{Watcher, drive};

use super::before::{PreparedRun, ask_engines, read_args};
use super::folder::RunFolder;
use super::play::{note_resume, start as start_workers};
use super::{Console, Failure, Status, print};
use crate::config::{Config, Setting};
use crate::engine::prepare::Prepared;
use crate::output::Columns;
use crate::record::SpsaRecord;
use crate::stats::spsa::Parameter;
use crate::tournament::tune::{Tuner, option_list};

/// The file with the table of steps.
const TABLE: &str = "spsa.csv";

/// Starts a new tuning.
pub(super) fn start(
    args: &[String],
    catalog: &'static dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let entries = read_args(args)?;
    let config = Config::read_settings(&entries, catalog)?;
    config.check_tuning()?;
    play(PreparedRun::create(&entries, config, catalog, console, ask_engine)?, catalog, console)
}

/// Continues a tuning.
pub(super) fn resume(
    folder: RunFolder,
    entries: &[Setting],
    catalog: &'static dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let config = Config::read_settings(entries, catalog)?;
    config.check_tuning()?;
    play(
        PreparedRun::reopen(folder, entries, config, catalog, console, ask_engine)?,
        catalog,
        console,
    )
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
    let mut prepared = ask_engines(&config_of_both, spec, catalog, console)?;
    let own = &config.engines[0].options;
    // A continued tuning has saved the name with its sign.
    let name = prepared[0].config.label().trim_end_matches(" +").to_owned();
    for (engine, sign) in prepared.iter_mut().zip(["+", "-"]) {
        engine.config.options.clone_from(own);
        engine.config.name = Some(format!("{name} {sign}"));
    }
    Ok(prepared)
}

fn play(
    run: PreparedRun,
    catalog: &'static dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let spsa = run.config.check_tuning()?.clone();
    let mut workers = start_workers(&run, catalog, console)?;
    let order = run.order();
    let PreparedRun { config, spec, folder, journal, records, .. } = run;
    let board = catalog.position(&spec);
    let parameters = &spsa.parameters;
    let mut tuner = Tuner::new(spsa.clone(), &config, order, board, journal, &records);
    let mut show = ProgressView {
        console: &mut *console,
        parameters,
        steps: config.rounds(),
        every: u64::from(config.outputs.rating_interval.max(1)),
    };
    let end = drive(&mut tuner, &mut *workers, &mut show);
    drop(workers);
    let end = end?;

    folder.write(TABLE, table(parameters, &tuner).as_bytes())?;
    print(console, &summary(parameters, tuner.theta()))?;
    note_resume(end, &folder, console);
    Ok(Status::of(end, None, false))
}

/// Shows the progress of a tuning on a console.
struct ProgressView<'a> {
    console: &'a mut dyn Console,
    parameters: &'a [Parameter],
    steps: u64,
    every: u64,
}

impl Watcher<Tuner> for ProgressView<'_> {
    fn saved(&mut self, _: &Tuner, record: &SpsaRecord) {
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
    let mut table = Columns::new(&["parameter", "start", "now"], &[0]);
    for (known, value) in parameters.iter().zip(theta) {
        table.row(vec![known.name.clone(), known.start.to_string(), format!("{value:.4}")]);
    }
    let mut text = format!("\n{}\n", table.lines(usize::MAX).join("\n"));
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
