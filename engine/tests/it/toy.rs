//! A toy game needs its rules, its text and an evaluator, and nothing else.

mod heap;

use heap::{Heap, NoKnowledge};
use tengen_engine::search::{Context, Search, SearchOptions, Task};
use tengen_engine::table::Table;
use tengen_engine::{Limits, Score, Side, laws};

#[test]
fn a_toy_keeps_the_laws() {
    assert_eq!(laws::check(&Heap(14, Side::First), &NoKnowledge), Ok(()));
}

#[test]
fn a_toy_is_searched_to_its_end() {
    for counters in 1..20 {
        let mut table = Table::new(1).expect("enough memory");
        let (game, context) = (Heap(counters, Side::First), Context::unlimited());
        let mut search = Search::new(game, NoKnowledge, table.view(), SearchOptions::ALL, context);
        let answer = search.run(&Task::new(Limits::default()), &mut |_| ());
        // Whoever leaves a multiple of four wins.
        let expected = if counters % 4 == 0 {
            Score::loss_in(counters / 2)
        } else {
            Score::win_in(2 * counters.div_ceil(4) - 1)
        };
        assert_eq!(answer.report.score, expected, "{counters}");
    }
}
