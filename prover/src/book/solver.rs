//! Solves positions of four in a row on several threads that share a table.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::thread::Builder;
use std::time::{Duration, Instant};

use tengen_engine::search::{Context, Search, Task};
use tengen_engine::table::{Table, View};
use tengen_engine::{Limits, Proof, Score};
use tengen_games::cfour::{Board, CfourEvaluator, Classic};
use tengen_runs::NO_THREAD;

use crate::Error;

/// The stack of a search in bytes, as large as in a session.
const STACK: usize = 64 << 20;

/// A solver of positions: a table, and the number of threads that share it.
#[derive(Debug)]
pub struct BookSolver {
    table: Table,
    threads: usize,
}

/// The result of one search.
#[derive(Clone, Copy, Debug)]
pub struct Solved {
    /// The index of the position in the list.
    pub index: usize,
    /// The value for the side to move.
    pub score: Score,
    /// The nodes of the search.
    pub nodes: u64,
    /// The time of the search.
    pub time: Duration,
}

impl BookSolver {
    /// Returns a solver with a table of `mib` MiB.
    pub fn new(mib: usize, threads: usize) -> Result<Self, Error> {
        let table = Table::new(mib);
        let table =
            table.map_err(|_| Error::Failed(format!("hash {mib} MiB: not enough memory")))?;
        Ok(Self { table, threads })
    }

    /// Solves `boards`, each on one thread, and calls `on_solved` with each result. Ends when all
    /// are solved or `on_solved` fails.
    pub fn solve<E: From<Error>>(
        &mut self,
        boards: &[Board<Classic>],
        mut on_solved: impl FnMut(Solved) -> Result<(), E>,
    ) -> Result<(), E> {
        let threads = self.threads.min(boards.len());
        let views = self.table.views(threads);
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, solved_positions) = channel();
        std::thread::scope(|scope| {
            for view in views {
                let (sender, next, is_over) = (sender.clone(), &next, &is_over);
                let work = move || {
                    while !is_over.load(Relaxed) {
                        let index = next.fetch_add(1, Relaxed);
                        let Some(board) = boards.get(index) else { break };
                        let solved = solve(index, *board, view);
                        if sender.send(solved).is_err() {
                            break;
                        }
                    }
                };
                let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, work);
                // The threads that run end after their position.
                thread.map_err(|error| {
                    is_over.store(true, Relaxed);
                    Error::Failed(format!("{NO_THREAD}: {error}"))
                })?;
            }
            drop(sender);
            let result = solved_positions.into_iter().try_for_each(&mut on_solved);
            is_over.store(true, Relaxed);
            result
        })
    }
}

fn solve(index: usize, board: Board<Classic>, table: View<'_>) -> Solved {
    let begin = Instant::now();
    let context = Context::unlimited();
    let search = Search::new(board, CfourEvaluator::new(), table, context);
    let mut search = search.in_batch();
    let limits = Limits::default().with_proof(Proof::Score);
    let answer = search.run(&Task::new(limits), &mut |_| ());
    let nodes = answer.report.nodes;
    Solved { index, score: answer.report.score, nodes, time: begin.elapsed() }
}
