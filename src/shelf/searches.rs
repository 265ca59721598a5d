//! Searches of positions whose values a shelf keeps: what `analyze` and `grow` have in common.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use tengen_engine::backend::{Catalog, Settings};
use tengen_engine::{Bound, Client, GameSpec, Limits, Move, Point, Query, Report, Score};
use tengen_games::CATALOG;
use tengen_runs::{
    Control, End, Error, Outcome, Refusal, Run, Task, Threads, Watcher, Work, Worker, drive,
};
use tengen_shelf::{Analysis, PositionAsked};

use crate::exit_status::{NO_THREAD, Unfinished};
use crate::interrupt::on_interrupt;
use crate::progress::Progress;

/// The search of a position.
#[derive(Clone)]
pub(super) struct Search {
    position: PositionAsked,
    nodes: u64,
}

/// What a search found.
pub(super) struct Searched {
    pub(super) analysis: Analysis,
    /// The ranked lines, the best first, with their scores.
    pub(super) lines: Vec<(Vec<Point>, Score)>,
}

impl Work for Search {
    type Result = Searched;
    type View = ();
}

/// The positions to search, and what keeps their values.
pub(super) trait Positions {
    /// Returns the next position; `None` if there is none now.
    fn next(&mut self) -> Option<PositionAsked>;

    fn keep(
        &mut self,
        position: &PositionAsked,
        found: &Searched,
    ) -> Result<(), tengen_shelf::Error>;

    /// Shows that a search has ended, the last one of `started`.
    fn show(&self, started: u64, progress: &mut Progress);
}

/// A run that searches positions.
pub(super) struct Searches<P> {
    pub(super) positions: P,
    /// The number of searches that were started.
    pub(super) started: u64,
    nodes: u64,
    retries: Vec<Task<Search>>,
    failed: Vec<String>,
}

impl<P: Positions> Searches<P> {
    /// Prepares searches of `nodes` nodes.
    pub(super) fn new(positions: P, nodes: u64) -> Self {
        Self { positions, started: 0, nodes, retries: Vec::new(), failed: Vec::new() }
    }

    /// Searches on threads until no position is left. `count` is their number, if it is known.
    pub(super) fn run(
        &mut self,
        spec: &GameSpec,
        settings: Settings,
        workers: usize,
        count: Option<u64>,
    ) -> anyhow::Result<End> {
        let mut threads = start(spec, settings, workers)?;
        Ok(drive(self, &mut threads, &mut Progress::new(count))?)
    }

    /// Returns an error if a search failed, or if the run was interrupted.
    pub(super) fn check(&self, end: &End) -> anyhow::Result<()> {
        if let Some(why) = self.failed.first() {
            anyhow::bail!("{} positions could not be searched: {why}", self.failed.len());
        }
        match end {
            End::Interrupted => {
                Err(Unfinished::Interrupted("the same command continues".to_owned()).into())
            }
            _ => Ok(()),
        }
    }
}

impl<P: Positions> Run for Searches<P> {
    type Work = Search;
    type Record = ();
    const TASKS: &'static str = "searches";

    fn next(
        &mut self,
        _: usize,
        control: &mut Control<'_, Self>,
    ) -> Result<Option<Task<Search>>, Error> {
        if control.is_ending() {
            return Ok(None);
        }
        if let Some(task) = self.retries.pop() {
            return Ok(Some(task));
        }
        let Some(position) = self.positions.next() else { return Ok(None) };
        self.started += 1;
        let work = Search { position, nodes: self.nodes };
        Ok(Some(Task { id: self.started, attempt: 0, work }))
    }

    fn handle(
        &mut self,
        task: Task<Search>,
        outcome: Outcome<Searched>,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        match outcome {
            Outcome::Finished(found) => {
                let kept = self.positions.keep(&task.work.position, &found);
                kept.map_err(|why| Error::Broken(why.to_string()))?;
                control.watcher.saved(self, &());
            }
            Outcome::Failed(why) => match task.next_attempt() {
                Some(task) => self.retries.push(task),
                None => self.failed.push(why),
            },
            Outcome::Aborted => {}
        }
        Ok(())
    }

    // Threads of this program never send a damaged result, and there is no journal.
    fn refused(&mut self, _: Refusal) -> Result<(), Error> {
        Ok(())
    }

    fn stopped(&mut self, _: &str) -> Result<(), Error> {
        Ok(())
    }
}

impl<P: Positions> Watcher<Searches<P>> for Progress {
    fn note(&mut self, text: &str) {
        self.print_error(&format!("tengen: {text}"));
    }

    fn saved(&mut self, run: &Searches<P>, _: &()) {
        run.positions.show(run.started, self);
    }
}

/// Starts threads that search positions of a game.
fn start(spec: &GameSpec, settings: Settings, workers: usize) -> anyhow::Result<Threads<Search>> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    let work = |_| {
        let (spec, is_stopped) = (spec.clone(), Arc::clone(&is_stopped));
        move |worker: Worker<Search>| search_all(&worker, &spec, &settings, &is_stopped)
    };
    let stop = {
        let is_stopped = Arc::clone(&is_stopped);
        move || is_stopped.store(true, Ordering::Relaxed)
    };
    let threads = Threads::start("analyze", (0..workers).map(work), stop).context(NO_THREAD)?;
    on_interrupt(threads.interrupter())?;
    Ok(threads)
}

/// Sets up a position.
pub(super) fn set_up(
    position: &mut dyn tengen_engine::Position,
    asked: &PositionAsked,
) -> Result<(), String> {
    position.reset();
    if let Some(start) = asked.start() {
        position.place(start).map_err(|why| why.to_string())?;
    }
    for point in asked.moves() {
        let mv = asked.board().notation.move_to(point);
        position.play(mv).map_err(|why| why.to_string())?;
    }
    Ok(())
}

/// Searches positions until there are none.
fn search_all(
    worker: &Worker<Search>,
    spec: &GameSpec,
    settings: &Settings,
    is_stopped: &Arc<AtomicBool>,
) {
    let mut client = Client::of(&CATALOG, spec, settings);
    while let Some(task) = worker.next() {
        worker.started(&task);
        let found = match &mut client {
            Ok(client) => search(client, &task.work, is_stopped),
            Err(why) => Err(why.to_string()),
        };
        let outcome = match found {
            Ok(_) if is_stopped.load(Ordering::Relaxed) => Outcome::Aborted,
            Ok(analysis) => Outcome::Finished(analysis),
            Err(why) => Outcome::Failed(why),
        };
        worker.finished(task, outcome);
    }
}

fn search(client: &mut Client, work: &Search, is_stopped: &AtomicBool) -> Result<Searched, String> {
    set_up(client.position_mut(), &work.position)?;
    // Equal positions get equal values, whatever was searched before.
    client.clear_hash();
    let mut lines: BTreeMap<usize, (Vec<Move>, Score)> = BTreeMap::new();
    let goes_on = |report: &Report<Move>| {
        if report.bound == Bound::Exact {
            lines.insert(report.line, (report.pv.clone(), report.score));
        }
        match is_stopped.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let query = Query::from(Limits::default().with_nodes(work.nodes)).with_listener(goes_on);
    let answer = client.search(query).map_err(|why| why.to_string())?;
    let notation = work.position.board().notation;
    let report = answer.report;
    let points = |moves: &[Move]| -> Vec<Point> {
        moves.iter().filter_map(|mv| notation.point_of(*mv)).collect()
    };
    let mut lines: Vec<(Vec<Point>, Score)> =
        lines.values().map(|(moves, score)| (points(moves), *score)).collect();
    if lines.is_empty() {
        // A search of few nodes, or an answer without a search, has only the move that it plays.
        lines.push((points(&report.pv), report.score));
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let analysis = Analysis {
        score: report.score,
        bound: report.bound,
        depth: report.depth,
        nodes: report.nodes,
        line: points(&report.pv),
        engine: CATALOG.about().product(),
        at: now.as_secs(),
    };
    Ok(Searched { analysis, lines })
}
