//! Plays a run that is ready: starts the workers, shows the progress, and reports the end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tengen_engine::GameSpec;
use tengen_engine::backend::Catalog;

use super::before::{shown, streams};
use super::folder::RunFolder;
use super::{Console, Failure, Status, printed};
use crate::config::{Config, OpeningFormat, OutputFormat, ProofRule};
use crate::coordinator::{Coordinator, RunEnd, State, Watcher};
use crate::game::{Adjudge, ChooseSides, GameView, Plan, Player, RunRules};
use crate::journal::Journal;
use crate::openings::OpeningOrder;
use crate::output::files::Files;
use crate::output::{Caption, lines, live, table, wrap};
use crate::prepare::Prepared;
use crate::process::affinity::{self, Assignment};
use crate::process::{GuardProgram, LagWatch, Local, WorkerSetup};
use crate::prover::ProofFinder;
use crate::record::{GameRecord, JournalRecord};
use crate::swap_choice::SwapChoice;
use crate::transport::TransportEvent;

/// A run that is ready to be played.
pub(super) struct Ready {
    pub(super) config: Config,
    pub(super) spec: GameSpec,
    pub(super) prepared: Vec<Prepared>,
    pub(super) folder: RunFolder,
    pub(super) journal: Journal,
    pub(super) records: Vec<JournalRecord>,
    pub(super) openings: OpeningOrder,
    /// The CPUs of the games, where they are bound to CPUs.
    pub(super) cpus: Option<Assignment>,
}

/// How often the view of running games is drawn.
const PERIOD: Duration = Duration::from_millis(250);

/// Plays a run to its end.
pub(super) fn play(
    ready: Ready,
    catalog: &dyn Catalog,
    host: &mut dyn Console,
) -> Result<Status, Failure> {
    let Ready { config, spec, prepared, folder, journal, records, openings, cpus } = ready;
    let names: Vec<String> =
        prepared.iter().map(|engine| engine.player.setup.name.clone()).collect();
    let caption = caption(&config, &spec, &prepared);
    let games: Vec<&GameRecord> = records
        .iter()
        .filter_map(|record| match record {
            JournalRecord::Game(game) => Some(&**game),
            _ => None,
        })
        .collect();
    let files = Files::open(&config.outputs(&folder.0), caption.clone(), &games)
        .map_err(|error| Failure { status: Status::Write, message: error.to_string() })?;
    let broken =
        |error: std::io::Error| Failure::refused(format!("no game can be played: {error}"));
    let lag = Arc::new(LagWatch::start().map_err(broken)?);
    let workers = workers(&config, &spec, &prepared, &folder, catalog, cpus.as_ref())?;
    if let Some(cpus) = &cpus {
        tell_cpus(cpus, host);
        affinity::keep_to(&cpus.left);
    }
    let mut local =
        Local::start(workers, &GuardProgram::default(), &lag, config.wait).map_err(broken)?;
    let reports = local.reports();
    host.on_interrupt(Box::new(move || {
        let _ = reports.send(TransportEvent::Interrupted);
    }));

    let board = catalog.position(&spec);
    let mut coordinator =
        Coordinator::new(&config, &names, openings, board, journal, files, &records);
    let mut view = Show {
        host: &mut *host,
        caption,
        config: &config,
        began: Instant::now(),
        live: Vec::new(),
    };
    let ending = coordinator.run(&mut local, &mut view);
    view.clear();
    drop(local);
    let ending = ending?;

    let state = coordinator.state();
    let seed = config.seed ^ streams::RATINGS;
    let ratings = table::ratings(&state.tally, config.bootstrap as usize, seed);
    coordinator
        .files()
        .write_tables(&state.tally, &ratings)
        .map_err(|error| Failure { status: Status::Write, message: error.to_string() })?;
    let mut text = table::whole(&state.tally, &ratings, state.test.as_ref(), host.width());
    if let Some(ranking) = coordinator.ranking() {
        let places: Vec<String> = ranking
            .iter()
            .enumerate()
            .map(|(at, player)| format!("{}. {}", at + 1, names[*player]))
            .collect();
        text.push_str(&format!("\nFinal order: {}\n", places.join(", ")));
    }
    for [on, out] in coordinator.decided_by_seed() {
        let [on, out] = [&names[on], &names[out]];
        text.push_str(&format!("{on} and {out} were tied: the better seed, {on}, went on.\n"));
    }
    printed(host, &text)?;
    if matches!(ending, RunEnd::Interrupted | RunEnd::Failures) {
        let name = shown(&folder.0);
        host.tell(&format!("go on with: tengen arena resume {}", name.display()));
    }
    let warns = config.strict && state.tally.faults() > 0;
    Ok(Status::of(ending, warns))
}

/// What the outputs say of the run.
pub(super) fn caption(config: &Config, spec: &GameSpec, prepared: &[Prepared]) -> Caption {
    Caption {
        names: prepared.iter().map(|engine| engine.player.setup.name.clone()).collect(),
        times: prepared.iter().map(|engine| engine.player.time.to_string()).collect(),
        variant: spec.variant.to_owned(),
        grid: spec.grid,
        event: config.event.clone().unwrap_or_else(|| "Tengen arena".to_owned()),
        site: config.site.clone().unwrap_or_default(),
    }
}

/// A worker for each game at a time, with folders of its own.
pub(super) fn workers(
    config: &Config,
    spec: &GameSpec,
    prepared: &[Prepared],
    folder: &RunFolder,
    catalog: &dyn Catalog,
    cpus: Option<&Assignment>,
) -> Result<Vec<WorkerSetup>, Failure> {
    let mut workers = Vec::new();
    for number in 0..config.concurrency as usize {
        let mut players: Vec<Player> = Vec::new();
        for engine in prepared {
            let mut player = engine.player.clone();
            let own = folder.of_engine(&player.setup.name, number);
            std::fs::create_dir_all(&own).map_err(|error| Failure {
                status: Status::Write,
                message: format!("{}: {error}", own.display()),
            })?;
            let launch = &mut player.setup.launch;
            launch.cpus = cpus.map_or_else(Vec::new, |cpus| cpus.games[number].clone());
            launch.stderr.get_or_insert_with(|| own.join("stderr.txt"));
            if launch.log.is_none() && config.log_engines {
                launch.log.clone_from(&config.log);
            }
            player.setup.folder = Some(own.to_string_lossy().into_owned());
            players.push(player);
        }
        let rules = RunRules::new(spec.clone(), players, config);
        let proofs = match config.proof {
            None => None,
            Some(rule) => Some(prover(catalog, spec, rule, config.seed)?),
        };
        workers.push(WorkerSetup {
            rules,
            board: catalog.position(spec),
            proofs,
            swap2: swap2(config, spec, catalog)?,
        });
    }
    Ok(workers)
}

/// Opens the search that decides in Swap2, where games begin so.
fn swap2(
    config: &Config,
    spec: &GameSpec,
    catalog: &dyn Catalog,
) -> Result<Option<Box<dyn ChooseSides + Send>>, Failure> {
    if !config.openings.as_ref().is_some_and(|known| known.style == OpeningFormat::Swap2) {
        return Ok(None);
    }
    match SwapChoice::open(catalog, spec) {
        Some(Ok(choice)) => Ok(Some(Box::new(choice))),
        Some(Err(error)) => Err(Failure::refused(format!("openings: {error}"))),
        None => {
            let variant = spec.variant;
            Err(Failure::refused(format!("openings: {variant} is not played with swap2")))
        }
    }
}

/// Opens the search that ends games by proof.
fn prover(
    catalog: &dyn Catalog,
    spec: &GameSpec,
    rule: ProofRule,
    seed: u64,
) -> Result<Box<dyn Adjudge + Send>, Failure> {
    let opened = ProofFinder::open(catalog, spec, rule, seed ^ streams::PROOFS);
    let prover = opened.map_err(|error| Failure::refused(format!("proof: {error}")))?;
    Ok(Box::new(prover))
}

/// Tells what a user should know of the CPUs of the games.
fn tell_cpus(cpus: &Assignment, host: &mut dyn Console) {
    if cpus.shares_cores {
        host.tell(
            "warning: there are more games than cores: some share a core and slow each other",
        );
    }
    if cpus.spans_nodes {
        host.tell("warning: a game lies on several NUMA nodes, where memory is slower");
    }
}

/// Shows how a run goes.
struct Show<'a> {
    host: &'a mut dyn Console,
    caption: Caption,
    config: &'a Config,
    began: Instant,
    /// What is shown at the bottom of a terminal.
    live: Vec<String>,
}

impl Show<'_> {
    fn clear(&mut self) {
        self.host.show(&[]);
    }

    /// Prints lines above what is shown at the bottom. In a terminal they are wrapped to its width.
    fn print(&mut self, lines: &[String]) {
        self.host.show(&[]);
        let width = if self.host.is_live() { self.host.width() } else { usize::MAX };
        for line in lines.iter().flat_map(|line| wrap(line, width)) {
            // The journal has the game; a reader who left has read enough.
            let _ = self.host.print(&format!("{line}\n"));
        }
        self.host.show(&self.live);
    }
}

impl Watcher for Show<'_> {
    fn started(&mut self, plan: &Plan) {
        let format = self.config.outputs.format;
        let all = crate::schedule::Schedule::new(self.config).games();
        let line =
            lines::started(format, plan.fixture.id, all, plan.fixture.players, &self.caption);
        if let Some(line) = line {
            self.print(&[line]);
        }
    }

    fn finished(&mut self, record: &GameRecord, state: &State) {
        let format = self.config.outputs.format;
        let mut out = vec![lines::finished(record, &self.caption)];
        let every = u64::from(self.config.outputs.rating_interval);
        let is_due = every > 0 && state.tally.games().is_multiple_of(every);
        let is_match = self.caption.names.len() == 2;
        match format {
            OutputFormat::Tengen if is_due => {
                let ratings = table::ratings(&state.tally, 0, 0);
                out.extend(table::standings(&state.tally, &ratings, self.host.width()));
                let width = self.host.width();
                out.extend(state.test.iter().flat_map(|test| table::test(test, width)));
            }
            OutputFormat::Tengen => {}
            // Those tools print the score of a match behind each game, or at each interval.
            _ if is_match && (every == 0 || is_due) => {
                out.extend(lines::score(format, &state.tally, state.test.as_ref(), &self.caption));
            }
            _ => {}
        }
        self.print(&out);
    }

    fn note(&mut self, text: &str) {
        self.host.show(&[]);
        self.host.tell(text);
        self.host.show(&self.live);
    }

    fn period(&self) -> Option<Duration> {
        self.host.is_live().then_some(PERIOD)
    }

    fn tick(&mut self, state: &State, games: &[GameView]) {
        let width = self.host.width();
        let gone = self.began.elapsed();
        let mut shown = vec![String::new()];
        if state.tally.games() > 0 {
            let ratings = table::ratings(&state.tally, 0, 0);
            shown.extend(table::standings(&state.tally, &ratings, width));
            shown.push(String::new());
        }
        shown.extend(live::lines(state, games, &self.caption, gone, width));
        // A line that the terminal breaks would not be counted when the lines are replaced.
        for line in &mut shown {
            *line = line.chars().take(width).collect();
        }
        if shown != self.live {
            self.host.show(&shown);
            self.live = shown;
        }
    }
}
