//! [`start_workers`]: threads that play games, each with its own engines.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tengen_runs::{Outcome, Threads, Worker};

use super::ProcessHost;
use crate::engine::host::{EngineHost, HostEvent};
use crate::game::proof::ProofFinder;
use crate::game::{GameRunner, Plan, RunRules, SideChooser};

/// The data of a worker.
pub struct WorkerSetup {
    /// The rules of the run, with the CPUs and folders of this worker's engines.
    pub rules: RunRules,
    /// The board for setting up openings.
    pub board: Box<dyn tengen_engine::Position>,
    /// Finds proven results; `None` if no game ends by proof.
    pub proofs: Option<ProofFinder>,
    /// Chooses sides in Swap2 for engines whose dialect has no Swap2; `None` if games begin
    /// otherwise.
    pub swap2: Option<SideChooser>,
}

/// Starts a thread for each worker. `wait` is the pause between two games of a worker.
pub fn start_workers(workers: Vec<WorkerSetup>, wait: Duration) -> std::io::Result<Threads<Plan>> {
    let host = ProcessHost::start()?;
    let abort = host.abort.clone();
    let workers = workers.into_iter().map(|setup| {
        let host = host.with_empty_seats();
        move |worker: Worker<Plan>| work(setup, host, &worker, wait)
    });
    Threads::start("games", workers, move || abort.raise())
}

/// Plays games until there are no more or the run is aborted.
fn work(setup: WorkerSetup, mut host: ProcessHost, worker: &Worker<Plan>, wait: Duration) {
    let mut runner = GameRunner::new(Arc::new(setup.rules), setup.board, worker.view.clone())
        .with_proofs(setup.proofs)
        .with_swap2(setup.swap2);
    let mut is_first = true;
    while let Some(mut task) = worker.next() {
        if !is_first && !wait.is_zero() {
            let until = host.now() + wait;
            // Lines between games are dropped.
            while !matches!(host.next(until), HostEvent::Timeout | HostEvent::Abort) {}
        }
        is_first = false;
        task.work.started = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        worker.started(&task);
        let outcome = runner.play(&mut host, &task);
        let is_over = outcome == Outcome::Aborted;
        worker.finished(task, outcome);
        if is_over {
            break;
        }
    }
    runner.quit(&mut host);
    host.await_exits();
}
