//! The bench is the signature of the search: every run has the same number of nodes, and it is
//! recorded here.

use tengen_engine::Signal;
use tengen_engine::bench;
use tengen_games::CATALOG;

/// The number of nodes of `tengen bench`. A commit that changes it says so in its last line:
/// `Bench: <nodes>`.
const SIGNATURE: u64 = 3_820_399;

fn nodes(depth: Option<u32>) -> u64 {
    let total = bench::run(&CATALOG, depth, &Signal::default(), &|_| ());
    assert!(total.complete);
    total.nodes
}

#[test]
fn the_bench_has_the_recorded_number_of_nodes() {
    assert_eq!(nodes(None), SIGNATURE);
}

#[test]
fn the_bench_is_reproducible() {
    assert_eq!(nodes(Some(7)), nodes(Some(7)));
}

#[test]
fn a_stopped_bench_is_not_complete() {
    let signal = Signal::default();
    signal.stop();
    assert!(!bench::run(&CATALOG, None, &signal, &|_| ()).complete);
}
