//! `tengen shelf analyze`: searches positions that games reach often, and keeps the values.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use tengen_engine::backend::{Catalog, Settings};
use tengen_engine::{Bound, Client, GameSpec, Limits, Move, Point, Query, Report, Score, cores};
use tengen_games::CATALOG;
use tengen_runs::{
    Control, End, Error, Outcome, Refusal, Run, Task, Threads, Watcher, Work, Worker, drive,
};
use tengen_shelf::{Analysis, PositionAsked, Shelf};

use super::ask::board;
use super::failure;
use crate::board::BoardArgs;
use crate::exit_status::{NO_THREAD, Unfinished, print};
use crate::interrupt::on_interrupt;
use crate::progress::Progress;
use crate::serve::table_mib;

/// Search the positions that games reach often, and keep their values.
///
/// A deeper search replaces a shallower one; a proof stays. A run that was interrupted continues with the
/// same command.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The nodes of each search.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// Search positions that at least this many games reached.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(2..))]
    often: u64,

    /// Search again what was searched with fewer nodes.
    #[arg(long)]
    deeper: bool,

    /// Searches at a time [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    workers: Option<u16>,

    /// Size of the table of each search in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,

    #[command(flatten)]
    board: BoardArgs,
}

/// The search of a position.
#[derive(Clone)]
pub(super) struct Search {
    pub(super) position: PositionAsked,
    pub(super) nodes: u64,
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

/// The searches of a run, and the shelf that keeps their values.
struct Searches<'s> {
    shelf: &'s mut Shelf,
    open: std::vec::IntoIter<PositionAsked>,
    nodes: u64,
    next: u64,
    retries: Vec<Task<Search>>,
    kept: u64,
    failed: Vec<String>,
}

impl Run for Searches<'_> {
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
        let Some(position) = self.open.next() else { return Ok(None) };
        self.next += 1;
        let work = Search { position, nodes: self.nodes };
        Ok(Some(Task { id: self.next, attempt: 0, work }))
    }

    fn handle(
        &mut self,
        task: Task<Search>,
        outcome: Outcome<Searched>,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        match outcome {
            Outcome::Finished(found) => {
                let kept = self.shelf.keep_analysis(&task.work.position, &found.analysis);
                self.kept += u64::from(kept.map_err(|why| Error::Broken(why.to_string()))?);
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

impl Watcher<Searches<'_>> for Progress {
    fn note(&mut self, text: &str) {
        self.print_error(&format!("tengen: {text}"));
    }

    fn saved(&mut self, _: &Searches<'_>, _: &()) {
        self.step();
    }
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let board = board(shelf, &args.board, None)?;
    let done = if args.deeper { args.nodes } else { 0 };
    let often = shelf.often(&board.name, args.often, done).map_err(failure)?;
    let positions = often.into_iter().map(|often| often.position).filter(|asked| !is_over(asked));
    let positions: Vec<PositionAsked> = positions.collect();
    let count = positions.len();
    let settings = Settings::default().with_hash_mib(table_mib(args.hash)?).with_own_book(false);
    let workers = args.workers.map_or_else(cores, usize::from).clamp(1, count.max(1));
    let mut threads = start(&board.spec, settings, workers)?;
    let mut run = Searches {
        shelf,
        open: positions.into_iter(),
        nodes: args.nodes,
        next: 0,
        retries: Vec::new(),
        kept: 0,
        failed: Vec::new(),
    };
    let mut progress = Progress::new(Some(count as u64));
    let end = drive(&mut run, &mut threads, &mut progress)?;
    drop(progress);
    let (kept, failed) = (run.kept, run.failed);
    print(format!("{}: {count} positions, {kept} values kept\n", board.name))?;
    if let Some(why) = failed.first() {
        anyhow::bail!("{} positions could not be searched: {why}", failed.len());
    }
    match end {
        End::Interrupted => {
            Err(Unfinished::Interrupted("the same command continues".to_owned()).into())
        }
        _ => Ok(()),
    }
}

/// Starts threads that search positions of a game.
pub(super) fn start(
    spec: &GameSpec,
    settings: Settings,
    workers: usize,
) -> anyhow::Result<Threads<Search>> {
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

/// Returns whether the game is over in a position.
fn is_over(asked: &PositionAsked) -> bool {
    let mut position = CATALOG.position(&asked.board().spec);
    set_up(position.as_mut(), asked).is_err() || position.outcome().is_some()
}

/// Sets up a position.
fn set_up(position: &mut dyn tengen_engine::Position, asked: &PositionAsked) -> Result<(), String> {
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
    let lines = lines.values().map(|(moves, score)| (points(moves), *score)).collect();
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
