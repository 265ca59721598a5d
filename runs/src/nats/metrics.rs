//! The runs and workers at a server as metrics for Prometheus.
// CITE: https://prometheus.io/docs/instrumenting/exposition_formats/

use super::{RunRow, WorkerRow};

/// Returns a number of a run.
type Figure = fn(&RunRow) -> u64;

/// Returns runs and workers as metrics for Prometheus. Names have no characters that need quotes.
pub fn metrics(runs: &[RunRow], workers: &[WorkerRow]) -> String {
    let of_runs: [(&str, Figure); 7] = [
        ("tasks_done", |run| run.progress.done),
        ("tasks_open", |run| run.progress.open),
        ("share", |run| run.share.into()),
        ("workers", |run| run.progress.workers as u64),
        ("slots", |run| run.progress.slots as u64),
        ("silent_seconds", |run| run.silent_s.unsigned_abs()),
        ("workers_excluded", |run| run.excluded.len() as u64),
    ];
    let mut text = String::new();
    for (name, value) in of_runs {
        text += &format!("# TYPE tengen_run_{name} gauge\n");
        for run in runs {
            let (label, state, value) = (&run.name, run.state, value(run));
            text += &format!("tengen_run_{name}{{run=\"{label}\",state=\"{state}\"}} {value}\n");
        }
    }
    text += "# TYPE tengen_worker_slots gauge\n";
    for worker in workers {
        let (name, drained, slots) = (&worker.name, worker.is_drained, worker.slots);
        text +=
            &format!("tengen_worker_slots{{worker=\"{name}\",drained=\"{drained}\"}} {slots}\n");
    }
    text
}
