//! Pairs of games as tasks for other processes.
//!
//! `pair` is the form of a task and its result. `listing` says which engines a worker may run,
//! `player` plays a task, and `codec` makes tasks of the games of a run.

#[cfg(unix)]
pub mod codec;
pub mod listing;
pub mod pair;
#[cfg(target_os = "linux")]
pub mod player;

use tengen_engine::backend::Catalog;
use tengen_engine::{Signal, bench};
use tengen_runs::TransportKind;
use tengen_runs::contract::Build;

/// Returns the build that does the tasks of a run of this program. At a server of NATS, where results
/// outlive a run, it must have the bench of this program, which is counted first.
pub fn build(kind: TransportKind, catalog: &dyn Catalog) -> Result<Build, String> {
    let bench = (kind == TransportKind::Nats).then(|| count_bench(catalog)).transpose()?;
    Ok(Build { version: env!("CARGO_PKG_VERSION").to_owned(), bench })
}

/// Counts the nodes of the bench.
pub fn count_bench(catalog: &dyn Catalog) -> Result<u64, String> {
    let total = bench::run(catalog, None, &Signal::default(), &|_| {});
    total.complete.then_some(total.nodes).ok_or("the bench did not reach its end".to_owned())
}
