//! The size of the traits that a game implements for the search.

/// Returns the names of the methods of a trait, read from its source file.
fn methods_of(source: &'static str, name: &str) -> Vec<&'static str> {
    let body = source.split(&format!("pub trait {name}<")).nth(1).expect("the trait");
    let body = body.split("\n}\n").next().expect("its end");
    let names = body.lines().filter_map(|line| line.strip_prefix("    fn "));
    names.filter_map(|line| line.split(['(', '<']).next()).collect()
}

#[test]
fn no_trait_has_more_than_eight_methods() {
    for (source, name) in [
        (include_str!("../../src/search/evaluator.rs"), "Evaluator"),
        (include_str!("../../src/search/evaluator/ordering.rs"), "MoveOrdering"),
        (include_str!("../../src/search/evaluator/selectivity.rs"), "Selectivity"),
        (include_str!("../../src/search/evaluator/prover.rs"), "Prover"),
        (include_str!("../../src/search/evaluator/book.rs"), "OpeningBook"),
    ] {
        let methods = methods_of(source, name);
        assert!((1..=8).contains(&methods.len()), "{name}: {methods:?}");
    }
}
