//! `arena spsa`: tunes an engine's numeric options by games against itself.

use tengen_engine::GameSpec;
use tengen_runs::{Watcher, drive};

use super::before::{PreparedRun, ask_engines, read_args};
use super::folder::RunFolder;
use super::play::{note_resume, start as start_workers};
use super::{Console, Context, Ended, Failure, Status, reopen};
use crate::config::{Config, Setting};
use crate::engine::prepare::Prepared;
use crate::output::Columns;
use crate::record::SpsaRecord;
use crate::stats::spsa::Parameter;
use crate::tournament::tune::{Tuner, option_list};

/// The file with the table of steps.
const TABLE: &str = "spsa.csv";

/// Starts a new tuning.
pub(super) fn start(args: &[String], context: &mut Context<'_>) -> Ended {
    let entries = read_args(args)?;
    let config = read(&entries, context)?;
    play(PreparedRun::create(&entries, config, context, ask_engine)?, context)
}

/// Continues a tuning.
pub(super) fn resume(folder: RunFolder, entries: &[Setting], context: &mut Context<'_>) -> Ended {
    let config = read(entries, context)?;
    play(reopen(folder, entries, config, context, ask_engine)?, context)
}

fn read(entries: &[Setting], context: &Context<'_>) -> Result<Config, Failure> {
    let config = Config::read_settings(entries, context.catalog)?;
    config.check_tuning()?;
    Ok(config)
}

/// Starts the engine with the least values of all parameters, and with the greatest. So it refuses
/// a bad value before the first game.
fn ask_engine(
    config: &Config,
    spec: &GameSpec,
    context: &mut Context<'_>,
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
    let mut prepared = ask_engines(&config_of_both, spec, context)?;
    let own = &config.engines[0].options;
    // A continued tuning has saved the name with its sign.
    let name = prepared[0].config.label().trim_end_matches(" +").to_owned();
    for (engine, sign) in prepared.iter_mut().zip(["+", "-"]) {
        engine.config.options.clone_from(own);
        engine.config.name = Some(format!("{name} {sign}"));
    }
    Ok(prepared)
}

fn play(run: PreparedRun, context: &mut Context<'_>) -> Ended {
    let spsa = run.config.check_tuning()?.clone();
    let mut workers = start_workers(&run, context)?;
    let order = run.order();
    let PreparedRun { config, spec, folder, journal, records, .. } = run;
    let board = context.catalog.position(&spec);
    let parameters = &spsa.parameters;
    let mut tuner = Tuner::new(spsa.clone(), &config, order, board, journal, &records);
    let (steps, every) = (config.rounds(), u64::from(config.outputs.rating_interval.max(1)));
    let mut show = ProgressView { console: &mut *context.console, parameters, steps, every };
    let end = drive(&mut tuner, &mut *workers, &mut show);
    drop(workers);
    let end = end?;

    folder.write(TABLE, table(parameters, &tuner).as_bytes())?;
    context.print(&summary(parameters, tuner.theta()))?;
    note_resume(end, &folder, &config, context);
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
        let values = self.parameters.iter().zip(&record.theta);
        let values: Vec<String> =
            values.map(|(known, value)| format!("{} {value:.3}", known.name)).collect();
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
