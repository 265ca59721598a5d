//! The bench is the search's signature: the same nodes every time, and the total on record.

use tengen_engine::Signal;
use tengen_engine::bench;
use tengen_games::CATALOG;

/// What `tengen bench` counts. A commit that changes it says so in its last line: `Bench: <nodes>`.
const SIGNATURE: u64 = 3_820_399;

fn nodes(depth: Option<u32>) -> u64 {
    let total = bench::run(&CATALOG, depth, &Signal::default(), &|_| ());
    assert!(total.complete);
    total.nodes
}

#[test]
fn the_bench_counts_the_nodes_on_record() {
    assert_eq!(nodes(None), SIGNATURE);
}

#[test]
fn the_bench_counts_the_same_nodes_twice() {
    assert_eq!(nodes(Some(7)), nodes(Some(7)));
}

#[test]
fn a_stopped_bench_says_that_it_is_not_whole() {
    let signal = Signal::default();
    signal.stop();
    assert!(!bench::run(&CATALOG, None, &signal, &|_| ()).complete);
}
