//! Models of a worker: jobs that are posted while others run, and a worker that is dropped meanwhile.

use loom::sync::Arc as LoomArc;

use super::tests::Nim;
use super::*;
use crate::search::evaluator::StaticEvaluator;
use crate::sync::check_all;

type NimWorker = Worker<Nim, StaticEvaluator<Nim>>;

/// Returns a job that counts.
fn counting(done: &LoomArc<AtomicUsize>) -> Job<Nim, StaticEvaluator<Nim>> {
    let done = LoomArc::clone(done);
    Job::Call(Box::new(move || {
        done.fetch_add(1, Ordering::Relaxed);
    }))
}

#[test]
fn every_job_runs_once_and_an_idle_worker_has_done_all() {
    check_all(None, || {
        let done = LoomArc::new(AtomicUsize::new(0));
        let worker = NimWorker::new();
        for posted in 1..=2 {
            worker.post(counting(&done));
            // What the jobs have done is seen by the thread that finds the worker idle.
            assert!(!worker.is_idle() || done.load(Ordering::Relaxed) == posted);
        }
        drop(worker);
        assert_eq!(done.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn a_dropped_worker_stops_its_search_and_does_its_jobs() {
    check_all(None, || {
        let (done, signal) = (LoomArc::new(AtomicUsize::new(0)), Arc::new(Signal::default()));
        let mut worker = NimWorker::new();
        let stops = Arc::clone(&signal);
        let search = move || {
            while !stops.is_stopped() {
                loom::thread::yield_now();
            }
        };
        worker.post_stoppable(Job::Call(Box::new(search)), signal);
        worker.post(counting(&done));
        drop(worker);
        assert_eq!(done.load(Ordering::Relaxed), 1);
    });
}
