//! [`start_workers`]: threads that play games, each with its own engines.

use std::time::{Duration, SystemTime};

use tengen_runs::{Outcome, Threads, Worker};

use super::{GameRunner, Plan};
use crate::engine::host::{EngineHost, HostEvent};
use crate::engine::process::ProcessHost;
use crate::record::utc;

/// Starts a thread for each of `runners`. `wait` is the pause between two games of a worker.
pub fn start_workers(runners: Vec<GameRunner>, wait: Duration) -> std::io::Result<Threads<Plan>> {
    let host = ProcessHost::start()?;
    let abort = host.aborter();
    let workers = runners.into_iter().map(|runner| {
        let host = host.with_empty_seats();
        move |worker: Worker<Plan>| work(runner, host, &worker, wait)
    });
    Threads::start("games", workers, abort)
}

/// Plays games until there are no more or the run is aborted.
fn work(mut runner: GameRunner, mut host: ProcessHost, worker: &Worker<Plan>, wait: Duration) {
    runner.view = worker.view.clone();
    let mut is_first = true;
    while let Some(mut task) = worker.next() {
        if !is_first && !wait.is_zero() {
            let until = host.now() + wait;
            // Lines between games are dropped.
            while !matches!(host.next(until), HostEvent::Timeout | HostEvent::Abort) {}
        }
        is_first = false;
        task.work.started = utc(SystemTime::now()).unwrap_or_default();
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
