//! Plays a prepared run: starts the workers, shows the progress, and prints the final tables.

use std::time::{Duration, Instant};

use tengen_engine::GameSpec;
use tengen_engine::backend::Catalog;
use tengen_records::columns::cut;
use tengen_runs::journal::PATIENCE;
use tengen_runs::{End, Error, Task, Transport, TransportKind, Watcher, drive, replace};

use super::before::{PreparedRun, names, rated, shown};
use super::folder::RunFolder;
use super::{Console, Context, Ended, Failure, Status, page, refusal, remote};
use crate::config::{Config, OutputFormat};
use crate::engine::process::affinity::{self, Assignment};
use crate::game::speed::clock_scale;
use crate::game::{GameRunner, GameView, Plan, RunRules, start_workers};
use crate::output::files::Files;
use crate::output::{Caption, lines, live, report, table, wrap};
use crate::record::{GameRecord, JournalRecord};
use crate::schedule::Schedule;
use crate::stats::ratings::Ratings;
use crate::tally::RunState;
use crate::tournament::coordinator::Coordinator;
use crate::watch::RunningGames;

/// The interval between two updates of the live view.
const PERIOD: Duration = Duration::from_millis(250);

/// Plays a run to its end.
pub(super) fn play(run: PreparedRun, context: &mut Context<'_>) -> Ended {
    let names = names(&run.prepared);
    let caption = caption(&run.config, &run.spec, &names);
    let games: Vec<&GameRecord> = run.records.iter().filter_map(JournalRecord::game).collect();
    let mut files = Files::open(&run.config.outputs, &run.folder.0, caption.clone(), &games)?;
    if let Some(cpus) = &run.cpus {
        warn_of_cpus(cpus, context);
        affinity::bind_thread(&cpus.unused);
    }
    page::serve_live(&run, context)?;
    let mut workers = start(&run, context)?;
    let order = run.order();
    let PreparedRun { config, spec, folder, mut journal, records, .. } = run;
    if config.transport.kind != TransportKind::Local {
        journal.wait_for_room(PATIENCE);
        files.wait_for_room(PATIENCE);
    }
    let board = context.catalog.position(&spec);
    let mut coordinator =
        Coordinator::new(config.clone(), &names, order, board, journal, files, &records);
    let (started_at, live) = (Instant::now(), Vec::new());
    let running = RunningGames::new(&folder.0);
    let console = &mut *context.console;
    let mut view = ProgressView { console, caption, config: &config, started_at, live, running };
    let end = drive(&mut coordinator, &mut *workers, &mut view);
    view.console.show(&[]);
    drop((view, workers));
    let end = end?;

    let state = coordinator.state();
    let ratings = rated(&state.tally, &config);
    coordinator.files().write_tables(&state.tally, &ratings)?;
    let width = context.console.width();
    let sections =
        table::sections(&state.tally, &ratings, state.test.as_ref(), &config, false, width);
    let name = shown(&folder.0);
    let more = format!("More: tengen arena report {} --details", name.display());
    let text = format!("\n{}\n{more}\n", report::text(&sections, width));
    context.print(&text)?;
    write_pages(&config, &folder, state, &ratings)?;
    let withdrawn = state.tally.withdrawn.keys();
    let options: String =
        withdrawn.map(|player| format!(" -readmit \"{}\"", names[*player])).collect();
    match options.as_str() {
        "" => note_resume(end, &folder, &config, context),
        _ => {
            let command = remote::resume_command(&name, &config, &options);
            context.note(&format!("after a repair: {command}"));
        }
    }
    let has_warnings = config.strict && state.tally.warnings() > 0;
    let is_left_out = state.tally.forfeits.values().any(|forfeit| forfeit.winner.is_none());
    match (end, state.tally.withdrawn.is_empty() && !is_left_out) {
        (End::Done, false) => Ok(Status::Failures),
        _ => Ok(Status::of(end, state.test.as_ref(), has_warnings)),
    }
}

/// Writes the report to the files of `-markdown` and `-html`.
fn write_pages(
    config: &Config,
    folder: &RunFolder,
    state: &RunState,
    ratings: &Ratings,
) -> Result<(), Failure> {
    let (test, width) = (state.test.as_ref(), usize::MAX);
    let sections = table::sections(&state.tally, ratings, test, config, false, width);
    let title = folder.title(config);
    if let Some(path) = &config.outputs.markdown {
        replace(path, report::markdown(&sections, &title).as_bytes())?;
    }
    if let Some(path) = &config.outputs.html {
        replace(path, report::html(&sections, &title).as_bytes())?;
    }
    Ok(())
}

/// Says how a run that ended early goes on.
pub(super) fn note_resume(
    end: End,
    folder: &RunFolder,
    config: &Config,
    context: &mut Context<'_>,
) {
    if end != End::Done {
        let command = remote::resume_command(&shown(&folder.0), config, "");
        context.note(&format!("resume with: {command}"));
    }
}

/// Starts the workers of a run. An interruption by the user ends the run.
pub(super) fn start(
    run: &PreparedRun,
    context: &mut Context<'_>,
) -> Result<Box<dyn Transport<Plan>>, Failure> {
    if run.config.transport.kind != TransportKind::Local {
        return remote::start(run, context);
    }
    if let Some(reference) = run.config.scale_nps {
        let scale = clock_scale(reference, context.catalog).map_err(Failure::refused)?;
        context.note(&format!("clocks are multiplied by {scale}, for the speed of this machine"));
    }
    let workers = start_workers(workers(run, context.catalog)?, run.config.wait)
        .map_err(|error| refusal!("no game can be played: {error}"))?;
    context.console.on_interrupt(workers.interrupter());
    Ok(Box::new(workers))
}

/// Returns the data of the run that all outputs show.
pub(super) fn caption(config: &Config, spec: &GameSpec, names: &[String]) -> Caption {
    Caption {
        names: names.to_vec(),
        times: config.engines.iter().map(|engine| engine.time.to_string()).collect(),
        variant: spec.variant.to_owned(),
        grid: spec.grid,
        event: config.event.clone().unwrap_or_else(|| "Tengen arena".to_owned()),
        site: config.site.clone().unwrap_or_default(),
    }
}

/// Creates a worker for each concurrent game, with its own engine folders.
fn workers(run: &PreparedRun, catalog: &'static dyn Catalog) -> Result<Vec<GameRunner>, Failure> {
    let PreparedRun { config, spec, prepared, folder, cpus, .. } = run;
    let mut workers = Vec::new();
    for number in 0..config.concurrency as usize {
        let mut players = Vec::new();
        for engine in prepared {
            let mut player = engine.config.clone();
            let own = folder.of_engine(&player.label(), number);
            std::fs::create_dir_all(&own).map_err(Error::at(&own))?;
            let launch = &mut player.launch;
            launch.cpus = cpus.as_ref().map_or_else(Vec::new, |cpus| cpus.games[number].clone());
            launch.stderr.get_or_insert_with(|| own.join("stderr.txt"));
            let log = config.log.as_ref().filter(|log| log.engine);
            if launch.log.is_none() {
                launch.log = log.map(|log| log.file.clone());
            }
            player.folder = Some(own.to_string_lossy().into_owned());
            players.push(player);
        }
        let rules = RunRules { spec: spec.clone(), players, config: config.clone() };
        workers.push(GameRunner::open(rules, catalog).map_err(Failure::refused)?);
    }
    Ok(workers)
}

/// Warns if games share cores or span NUMA nodes.
fn warn_of_cpus(cpus: &Assignment, context: &mut Context<'_>) {
    if cpus.shares_cores {
        context.note(
            "warning: there are more games than cores: some share a core and slow each other",
        );
    }
    if cpus.spans_nodes {
        context.note("warning: a game lies on several NUMA nodes, where memory is slower");
    }
}

/// Shows the progress of a run on a console.
struct ProgressView<'a> {
    console: &'a mut dyn Console,
    caption: Caption,
    config: &'a Config,
    started_at: Instant,
    /// The lines at the bottom of the terminal.
    live: Vec<String>,
    /// The games that pages show.
    running: RunningGames,
}

impl ProgressView<'_> {
    /// Prints lines above the live view. In a terminal they are wrapped to its width.
    fn print(&mut self, lines: &[String]) {
        self.console.show(&[]);
        let width = if self.console.is_live() { self.console.width() } else { usize::MAX };
        for line in lines.iter().flat_map(|line| wrap(line, width)) {
            // The journal has the game, so a closed output loses nothing.
            let _ = self.console.print(&format!("{line}\n"));
        }
        self.console.show(&self.live);
    }
}

impl Watcher<Coordinator> for ProgressView<'_> {
    fn started(&mut self, task: &Task<Plan>) {
        let format = self.config.outputs.lines.format;
        let all = Schedule(self.config).games();
        let players = task.work.fixture.players;
        let line = lines::started(format, task.id, all, players, &self.caption);
        if let Some(line) = line {
            self.print(&[line]);
        }
    }

    fn saved(&mut self, run: &Coordinator, record: &GameRecord) {
        let state = run.state();
        let format = self.config.outputs.lines.format;
        let mut line = lines::finished(record, &self.caption);
        if format == OutputFormat::Tengen {
            let progress = live::progress(state, self.started_at.elapsed());
            line.push_str(&format!("  [{progress}]"));
        }
        let mut out = vec![line];
        let every = u64::from(self.config.outputs.rating_interval);
        let is_due = every > 0 && state.tally.games().is_multiple_of(every);
        let is_match = self.caption.names.len() == 2;
        match format {
            OutputFormat::Tengen if is_due => {
                let width = self.console.width();
                out.extend(table::state(&state.tally, state.test.as_ref(), self.config, width));
            }
            OutputFormat::Tengen => {}
            // The other match runners print the score after each game, or at each interval.
            _ if is_match && (every == 0 || is_due) => {
                out.extend(lines::score(format, &state.tally, state.test.as_ref(), &self.caption));
            }
            _ => {}
        }
        self.print(&out);
    }

    fn note(&mut self, text: &str) {
        self.console.show(&[]);
        self.console.print_note(text);
        self.console.show(&self.live);
    }

    fn period(&self) -> Option<Duration> {
        Some(if self.console.is_live() { PERIOD } else { RunningGames::PERIOD })
    }

    fn tick(&mut self, run: &Coordinator, games: &[GameView]) {
        // Workers may show no game. Without one no file is written: an empty one would say that nothing is played.
        let is_local = self.config.transport.kind == TransportKind::Local;
        if is_local || !games.is_empty() || self.running.is_written() {
            self.running.show(games);
        }
        if !self.console.is_live() {
            return;
        }
        let state = run.state();
        let width = self.console.width();
        let elapsed = self.started_at.elapsed();
        let mut shown = vec![String::new()];
        if state.tally.games() > 0 {
            shown.extend(table::state(&state.tally, None, self.config, width));
            shown.push(String::new());
        }
        shown.extend(live::lines(state, games, &self.caption, elapsed, width));
        // The terminal must not wrap a line: a wrapped line would count as one when it is replaced.
        for line in &mut shown {
            line.truncate(cut(line, width).len());
        }
        if shown != self.live {
            self.console.show(&shown);
            self.live = shown;
        }
    }
}
