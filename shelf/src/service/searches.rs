//! [`Searches`]: searches of positions whose values a shelf keeps, on threads of this program.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use tengen_engine::backend::{Catalog, Settings};
use tengen_engine::{Bound, Client, GameSpec, Limits, Move, Point, Query, Report, Score};
use tengen_runs::journal::RunNote;
use tengen_runs::{Control, Error, NextTask, Outcome, Run, Task, Threads, Work, Worker};

use crate::{Analysis, Filter, Growth, PositionAsked, Shelf};

/// The search of a position.
#[derive(Clone)]
pub struct Search {
    position: PositionAsked,
    nodes: u64,
}

/// What a search found.
pub struct Searched {
    /// What the shelf keeps of the position.
    pub analysis: Analysis,
    /// The ranked lines, the best first, with their scores.
    pub lines: Vec<(Vec<Point>, Score)>,
}

impl Work for Search {
    type Result = Searched;
    type View = ();
}

/// The positions to search, and what keeps their values.
pub trait Positions {
    /// Returns the next position; `None` if there is none now.
    fn next(&mut self) -> Option<PositionAsked>;

    /// Keeps the result of the search of a position.
    fn keep(&mut self, position: &PositionAsked, found: &Searched) -> Result<(), crate::Error>;
}

/// Positions that games reach often, and the shelf that keeps their values.
pub struct OftenReached<'s> {
    shelf: &'s mut Shelf,
    open: std::vec::IntoIter<PositionAsked>,
    /// The number of values that were kept.
    pub kept: u64,
}

impl<'s> OftenReached<'s> {
    /// Reads the positions that at least `often` games of a filter with a ruleset reached, and that were searched with fewer than
    /// `nodes` nodes.
    pub fn read(
        shelf: &'s mut Shelf,
        filter: &Filter,
        often: u64,
        nodes: u64,
    ) -> Result<Self, crate::Error> {
        let often = shelf.often(filter, often, nodes)?;
        let open: Vec<PositionAsked> = often.into_iter().map(|often| often.position).collect();
        Ok(Self { shelf, open: open.into_iter(), kept: 0 })
    }

    /// Reads the positions of the trees of a ruleset that were searched with fewer than `nodes` nodes.
    pub fn of_trees(
        shelf: &'s mut Shelf,
        ruleset: &str,
        nodes: u64,
        source: Option<&str>,
    ) -> Result<Self, crate::Error> {
        let open = shelf.tree_positions(ruleset, nodes, source)?.into_iter();
        Ok(Self { shelf, open, kept: 0 })
    }

    /// Returns the number of positions that are left.
    pub fn left(&self) -> usize {
        self.open.len()
    }
}

impl Positions for OftenReached<'_> {
    fn next(&mut self) -> Option<PositionAsked> {
        self.open.next()
    }

    fn keep(&mut self, position: &PositionAsked, found: &Searched) -> Result<(), crate::Error> {
        self.kept += u64::from(self.shelf.keep_analysis(position, &found.analysis)?);
        Ok(())
    }
}

/// The leaves of a book that grows, and the shelf that keeps its values.
pub struct GrowingBook<'s> {
    shelf: &'s mut Shelf,
    /// The book.
    pub growth: Growth,
    until: Instant,
}

impl<'s> GrowingBook<'s> {
    /// Reads the book below `from`, where `width` moves of a position get a value. It grows until `until`, in the positions
    /// with the keys `only`; `None` for all.
    pub fn read(
        shelf: &'s mut Shelf,
        from: PositionAsked,
        width: usize,
        until: Instant,
        only: Option<HashSet<i64>>,
    ) -> Result<Self, crate::Error> {
        let mut growth = Growth::read(shelf, from, width)?;
        // An earlier program, or one that was killed, has not finished.
        growth.finish(shelf)?;
        growth.search_only(only);
        Ok(Self { shelf, growth, until })
    }

    /// Passes the values up by all moves, when the searches have ended.
    pub fn finish(&mut self) -> Result<(), crate::Error> {
        self.growth.finish(self.shelf)
    }
}

impl Positions for GrowingBook<'_> {
    fn next(&mut self) -> Option<PositionAsked> {
        (Instant::now() < self.until).then(|| self.growth.take_leaf()).flatten()
    }

    fn keep(&mut self, position: &PositionAsked, found: &Searched) -> Result<(), crate::Error> {
        self.growth.add(self.shelf, position, &found.analysis, &found.lines)
    }
}

/// A run that searches positions.
pub struct Searches<P> {
    /// The positions.
    pub positions: P,
    /// The number of searches that were started.
    pub started: u64,
    nodes: u64,
    retries: Vec<Task<Search>>,
    failed: Vec<String>,
}

impl<P: Positions> Searches<P> {
    /// Prepares searches of `nodes` nodes.
    pub fn new(positions: P, nodes: u64) -> Self {
        Self { positions, started: 0, nodes, retries: Vec::new(), failed: Vec::new() }
    }

    /// Returns the number of positions that could not be searched, and why the first of them was not; `None` if all were.
    pub fn failure(&self) -> Option<(usize, &str)> {
        self.failed.first().map(|why| (self.failed.len(), why.as_str()))
    }
}

impl<P: Positions> Run for Searches<P> {
    type Work = Search;
    type Record = ();
    const TASKS: &'static str = "searches";

    fn next(&mut self, _: usize, control: &mut Control<'_, Self>) -> NextTask<Search> {
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
    fn note(&mut self, _: RunNote) -> Result<(), Error> {
        Ok(())
    }
}

/// Starts threads that search positions of a game. They start no search after the interrupter of the transport was called.
pub fn start_searches(
    catalog: &'static dyn Catalog,
    spec: &GameSpec,
    settings: Settings,
    workers: usize,
) -> io::Result<Threads<Search>> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    let work = |_| {
        let (spec, is_stopped) = (spec.clone(), Arc::clone(&is_stopped));
        move |worker: Worker<Search>| {
            let mut client = Client::of(catalog, &spec, &settings);
            let is_over = || is_stopped.load(Ordering::Relaxed);
            worker.serve(is_over, |work| match &mut client {
                Ok(client) => search(client, work, catalog, &is_stopped),
                Err(why) => Err(why.to_string()),
            });
        }
    };
    let stop = {
        let is_stopped = Arc::clone(&is_stopped);
        move || is_stopped.store(true, Ordering::Relaxed)
    };
    Threads::start("analyze", (0..workers).map(work), stop)
}

fn search(
    client: &mut Client,
    work: &Search,
    catalog: &dyn Catalog,
    is_stopped: &AtomicBool,
) -> Result<Searched, String> {
    work.position.set_up(client.position_mut())?;
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
    let notation = work.position.ruleset().notation;
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
        engine: catalog.about().product(),
        at: now.as_secs(),
    };
    Ok(Searched { analysis, lines })
}
