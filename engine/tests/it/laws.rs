//! Tests that the law suite can fail: it detects a toy game that breaks one law, for every law and
//! every way to break it.

use std::collections::HashSet;

use crate::piles::{Counter, Flaw, Piles};
use tengen_engine::laws::{self, Law, LawBroken};

fn check(flaw: Flaw) -> Result<(), LawBroken> {
    laws::check(&Piles::new(7, 6, flaw), &Counter::new(flaw))
}

/// Returns the number of ways in which the toy game can break a law.
fn ways(law: Law) -> u8 {
    match law {
        Law::Candidates | Law::Probe => 4,
        Law::Solve | Law::OthersLose => 3,
        Law::PliesLeft | Law::Flip | Law::Evaluation | Law::Bounds | Law::Key => 2,
        _ => 1,
    }
}

#[test]
fn a_toy_game_keeps_every_law() {
    assert_eq!(check(None), Ok(()));
}

#[test]
fn a_broken_law_is_found_and_named() {
    for law in Law::ALL {
        for way in 0..ways(law) {
            let broken = check(Some((law, way))).expect_err(&format!("{law:?} in way {way}"));
            assert_eq!(broken.law, law, "way {way}: {broken}");
        }
    }
}

#[test]
fn every_law_is_listed_once() {
    let laws: HashSet<Law> = Law::ALL.into_iter().collect();
    let sentences: HashSet<String> = Law::ALL.iter().map(Law::to_string).collect();
    assert_eq!((laws.len(), sentences.len()), (Law::ALL.len(), Law::ALL.len()));
}

#[test]
fn the_message_of_a_broken_law_has_its_position() {
    let broken = check(Some((Law::Listing, 0))).expect_err("a move is listed twice");
    assert_eq!(
        broken.to_string(),
        "position \"7 6 w\" breaks the law that a legal move is listed once: (0, 1) is listed twice"
    );
}

#[test]
fn minimax_checks_positions_only_if_they_are_few() {
    let (game, evaluator) = (Piles::new(7, 6, None), Counter::new(None));
    assert_eq!(laws::check_values(&game, &evaluator, 1_000), Ok(true));
    assert_eq!(laws::check_values(&game, &evaluator, 20), Ok(false));
}
