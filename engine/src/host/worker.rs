//! The search threads of one backend. The main thread does jobs in turn and lives as long as the
//! backend. Helper threads live for the time of a search.
//!
//! A system without threads, such as a browser's WebAssembly, does the jobs on the thread that posts
//! them, in [`run_posted_jobs`].

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::SendError;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::host::helpers::{STACK, pool_threads, with_helpers};
use crate::host::search_error::SearchError;
use crate::search::busy::Busy;
use crate::search::context::Context;
use crate::search::control::Signal;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::book::OpeningBook;
use crate::search::report::{Answer, Report};
use crate::search::shared_root::SharedRoot;
use crate::search::table::{Table, TableHandle, View};
use crate::search::time::Timer;
use crate::search::wins::KeptWins;
use crate::search::{Search, Task};
use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use crate::sync::mpsc::{Receiver, Sender, channel};
use crate::sync::thread::{Builder, JoinHandle};

/// One search, ready to run.
pub(crate) struct SearchJob<G: Game, E> {
    pub(crate) game: G,
    pub(crate) evaluator: E,
    pub(crate) book: Option<Arc<dyn OpeningBook<G>>>,
    pub(crate) task: Task<G::Move>,
    /// The wins that earlier searches have kept; `None` for those beside the table.
    pub(crate) wins: Option<KeptWins>,
    /// Earlier positions of the side to move, the latest first, each with the move played in it, in
    /// which to look for a win.
    pub(crate) earlier: Vec<(G, G::Move)>,
    pub(crate) threads: usize,
    pub(crate) timer: Timer,
    pub(crate) signal: Arc<Signal>,
    pub(crate) on_report: Box<dyn Fn(Report<G::Move>) + Send>,
    /// Called exactly once, with the result of the search.
    pub(crate) on_answer: Box<dyn FnOnce(SearchEnd<G::Move>) + Send>,
}

/// The result of a search.
pub(crate) struct SearchEnd<M> {
    pub(crate) answer: Answer<M>,
    /// `None` if the search succeeded.
    pub(crate) error: Option<SearchError>,
}

/// A resource that the system refuses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shortage {
    Memory,
    Thread,
}

/// A job of a worker.
pub(crate) enum Job<G: Game, E> {
    Search(Box<SearchJob<G, E>>),
    /// Clears the table.
    Clear,
    /// Replaces the table.
    Use(TableHandle),
    /// Allocates a table of this many MiB. The callback is called if that fails.
    Resize(usize, Box<dyn FnOnce(Shortage) + Send>),
    /// Calls a function.
    Call(Box<dyn FnOnce() + Send>),
}

impl<G: Game, E: SearchEvaluator<G>> Job<G, E> {
    /// Does the job, with the worker's `table`.
    fn run(self, table: &mut TableHandle) {
        match self {
            Self::Search(job) => match &mut *table.lock() {
                Some(table) => {
                    table.age();
                    run(*job, table);
                }
                None => Self::Search(job).give_up(Shortage::Memory),
            },
            Self::Clear => {
                if let Some(table) = &mut *table.lock() {
                    table.clear();
                }
            }
            Self::Use(other) => *table = other,
            Self::Resize(mib, on_error) => {
                if table.resize(mib).is_err() {
                    on_error(Shortage::Memory);
                }
            }
            Self::Call(call) => call(),
        }
    }

    /// Finishes a job without a thread or a table, so that its callbacks are still called.
    fn give_up(self, shortage: Shortage) {
        match self {
            Self::Search(job) => {
                let answer = first_legal(&job.game, &job.task);
                let error = Some(match shortage {
                    Shortage::Memory => SearchError::NoMemory,
                    Shortage::Thread => SearchError::NoThread,
                });
                (job.on_answer)(SearchEnd { answer, error });
            }
            Self::Resize(_, on_error) => on_error(shortage),
            Self::Call(call) => call(),
            Self::Clear | Self::Use(_) => {}
        }
    }
}

/// Does jobs in the order in which they were posted. Dropping it stops the search in progress and
/// joins the thread.
pub(crate) struct Worker<G: Game, E: SearchEvaluator<G>> {
    place: Executor<G, E>,
    pending: Arc<AtomicUsize>,
    /// The signal of the search or count that was posted last.
    latest: Arc<Signal>,
}

/// Where the jobs of a worker run.
enum Executor<G: Game, E: SearchEvaluator<G>> {
    /// On a thread of the worker.
    Thread { jobs: Sender<Job<G, E>>, thread: JoinHandle<()> },
    /// On the thread that posts them, because the system has no threads. The handle is on the
    /// worker's table.
    Here(Arc<Mutex<TableHandle>>),
    /// Nowhere, because the system refused a thread.
    Nowhere,
}

impl<G: Game, E: SearchEvaluator<G>> Worker<G, E> {
    pub(crate) fn new() -> Self {
        let (jobs, receiver) = channel();
        let mut worker = Self::at(Executor::Nowhere);
        let done = worker.pending.clone();
        let started = Builder::new()
            .name("search".into())
            .stack_size(STACK)
            .spawn(move || work(&receiver, &done));
        worker.place = match started {
            Ok(thread) => Executor::Thread { jobs, thread },
            Err(error) if error.kind() == ErrorKind::Unsupported => Executor::Here(Arc::default()),
            Err(_) => Executor::Nowhere,
        };
        worker
    }

    fn at(place: Executor<G, E>) -> Self {
        Self { place, pending: Arc::default(), latest: Arc::default() }
    }

    /// Posts a job that has no stop signal.
    pub(crate) fn post(&self, job: Job<G, E>) {
        let refused = match &self.place {
            Executor::Thread { jobs, .. } => {
                self.pending.fetch_add(1, Ordering::Release);
                jobs.send(job).err().map(|SendError(job)| {
                    self.pending.fetch_sub(1, Ordering::Release);
                    job
                })
            }
            Executor::Here(table) => {
                self.pending.fetch_add(1, Ordering::Release);
                let (table, pending) = (table.clone(), self.pending.clone());
                POSTED.with_borrow_mut(|posted| {
                    posted.push_back(Box::new(move || {
                        job.run(&mut table.lock().unwrap_or_else(PoisonError::into_inner));
                        pending.fetch_sub(1, Ordering::Release);
                    }));
                });
                None
            }
            Executor::Nowhere => Some(job),
        };
        // Without a thread there is no receiver, but the caller still needs an answer.
        if let Some(job) = refused {
            job.give_up(Shortage::Thread);
        }
    }

    /// Posts a job that `signal` can stop.
    pub(crate) fn post_stoppable(&mut self, job: Job<G, E>, signal: Arc<Signal>) {
        self.latest = signal;
        self.post(job);
    }

    /// Returns whether all posted jobs are done.
    pub(crate) fn is_idle(&self) -> bool {
        self.pending.load(Ordering::Acquire) == 0
    }
}

impl<G: Game, E: SearchEvaluator<G>> Drop for Worker<G, E> {
    fn drop(&mut self) {
        self.latest.stop();
        if let Executor::Thread { jobs, thread } =
            std::mem::replace(&mut self.place, Executor::Nowhere)
        {
            drop(jobs);
            // The panic hook has already reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

fn work<G: Game, E: SearchEvaluator<G>>(receiver: &Receiver<Job<G, E>>, pending: &AtomicUsize) {
    let mut table = TableHandle::default();
    while let Ok(job) = receiver.recv() {
        job.run(&mut table);
        pending.fetch_sub(1, Ordering::Release);
    }
}

thread_local! {
    /// The jobs of this thread's workers that have no thread.
    static POSTED: RefCell<VecDeque<Box<dyn FnOnce()>>> = const { RefCell::new(VecDeque::new()) };
}

/// Runs the jobs that this thread has posted, where the system has no threads. Elsewhere it does
/// nothing, because each backend has a thread.
///
/// Call it after each call of a [`Backend`](crate::backend::Backend). The sinks of the backend are
/// called meanwhile. A sink may call the backend again; jobs that it posts run, too.
pub fn run_posted_jobs() {
    while let Some(job) = POSTED.with_borrow_mut(VecDeque::pop_front) {
        job();
    }
}

/// Runs `job` on a thread with this `name`. Where the system has no threads, [`run_posted_jobs`] runs it.
pub fn run_aside(name: &str, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // A thread that cannot start drops its closure, so the job is kept here.
    let kept = Arc::new(Mutex::new(Some(job)));
    let run = move || {
        if let Some(job) = kept.lock().unwrap_or_else(PoisonError::into_inner).take() {
            job();
        }
    };
    match Builder::new().name(name.to_owned()).stack_size(STACK).spawn(run.clone()) {
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            POSTED.with_borrow_mut(|posted| posted.push_back(Box::new(run)));
            Ok(())
        }
        started => started.map(drop),
    }
}

/// Runs one search and calls `on_answer`, even if the search panics.
fn run<G: Game, E: SearchEvaluator<G>>(job: SearchJob<G, E>, table: &mut Table) {
    let SearchJob { game, evaluator, book, task, wins, earlier, threads, timer, .. } = job;
    let (signal, on_report, on_answer) = (job.signal, job.on_report, job.on_answer);
    let fallback = game.clone();
    let wins = wins.unwrap_or_else(|| table.wins.clone());
    let threads = threads.clamp(1, max_threads());
    let views = match evaluator.exact() {
        true => table.views(threads),
        false => vec![table.view(); threads],
    };
    let views = views
        .into_iter()
        .map(|view| view.with_growth_deadline(timer.half_of_hard_limit()))
        .collect();
    let mut on_answer = Some(on_answer);
    let mut deliver = |end| {
        if let Some(on_answer) = on_answer.take() {
            on_answer(end);
        }
    };
    let searched = catch_unwind(AssertUnwindSafe(|| {
        let crew = Crew { game, evaluator, book, task: &task, views, timer, signal };
        crew.look_back(&earlier, &wins);
        crew.search(wins, &mut |report| on_report(report), |answer| {
            deliver(SearchEnd { answer, error: None });
        });
    }));
    if searched.is_err() {
        let error = Some(SearchError::Failed);
        deliver(SearchEnd { answer: first_legal(&fallback, &task), error });
    }
}

/// The threads of one search, on one table.
// Lazy SMP, with ABDADA to avoid that threads search the same nodes
// CITE: https://www.chessprogramming.org/Lazy_SMP
pub(super) struct Crew<'a, G: Game, E> {
    pub(super) game: G,
    pub(super) evaluator: E,
    book: Option<Arc<dyn OpeningBook<G>>>,
    pub(super) task: &'a Task<G::Move>,
    /// The view of the table for each thread. The first one is for the main thread.
    pub(super) views: Vec<View<'a>>,
    pub(super) timer: Timer,
    pub(super) signal: Arc<Signal>,
}

impl<G: Game, E: SearchEvaluator<G>> Crew<'_, G, E> {
    /// Calls `deliver` as soon as the answer is known, before the helpers end.
    fn search(
        self,
        wins: KeptWins,
        on_report: &mut dyn FnMut(Report<G::Move>),
        deliver: impl FnOnce(Answer<G::Move>),
    ) {
        let threads = self.views.len();
        let limit = self.task.limits.nodes;
        let nodes = Arc::new(AtomicU64::new(0));
        let shared_root = Arc::<SharedRoot>::default();
        let busy = (threads > 1).then(Arc::<Busy>::default);
        let helper_signal = Arc::new(Signal::default());
        let Self { game, evaluator, book, task, views, timer, signal } = self;
        with_helpers(|helpers| {
            for (helper, &table) in views.iter().enumerate().skip(1) {
                if signal.is_stopped() || timer.is_over() {
                    break;
                }
                let timer = Timer::unlimited(helper_signal.clone());
                let context =
                    Context::new(helper_signal.clone(), timer, nodes.clone(), limit, threads)
                        .join(shared_root.clone(), busy.clone());
                let (game, evaluator, book) = (game.clone(), evaluator.clone(), book.clone());
                let task = task.clone();
                let help = move || {
                    Search::new(game, evaluator, table, context).with_book(book).assist(&task);
                };
                helpers.start(helper, help);
            }
            let context =
                Context::new(signal, timer, nodes.clone(), limit, threads).join(shared_root, busy);
            // `with_helpers` waits for the helpers, so they must stop also after a panic.
            let _stop_helpers = StopOnDrop(&helper_signal);
            let mut search =
                Search::new(game, evaluator, views[0], context).with_book(book).with_wins(wins);
            deliver(search.run(task, on_report));
        });
    }
}

/// Returns the maximum number of search threads. More threads only slow down the main thread.
fn max_threads() -> usize {
    const THREADS_PER_CORE: usize = 4;
    pool_threads().map_or_else(|| THREADS_PER_CORE * cores(), |helpers| 1 + helpers)
}

/// Returns how many threads this machine can run in parallel, at least 1.
///
/// The number is cached, because the system call reads files.
pub fn cores() -> usize {
    static CORES: LazyLock<usize> =
        LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    *CORES
}

/// Stops the helpers when it is dropped.
struct StopOnDrop<'a>(&'a Signal);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Returns the first move to search as the answer, without a search.
fn first_legal<G: Game>(game: &G, task: &Task<G::Move>) -> Answer<G::Move> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    let best = task.search_moves.first().or(moves.first()).copied();
    Answer::blank(Score::DRAW, best)
}

#[cfg(all(test, loom))]
mod model;
#[cfg(test)]
mod tests;
