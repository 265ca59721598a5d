//! Tests that the law suite can fail: it detects a toy game that breaks one law, for every law and
//! every way to break it.

use std::collections::HashSet;

use crate::piles::{Counter, Flaw, Piles};
use crate::race::{Fault, Race, evaluator};
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
        // A constant of the type: see `a_game_that_ends_sooner_than_it_says_is_found`.
        Law::SoonestEnd => 0,
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

/// The law that a race with this fault breaks; `None` if it keeps all of them.
fn broken_by<const LOSS: u32, const WIN: u32>(counters: u32, fault: Fault) -> Option<Law> {
    let race = Race::<LOSS, WIN>::new(counters, fault);
    laws::check(&race, &evaluator()).err().map(|broken| broken.law)
}

#[test]
fn a_game_that_ends_sooner_than_it_says_is_found() {
    for counters in [3, 14, 40] {
        assert_eq!(broken_by::<1, 1>(counters, Fault::None), None, "{counters}");
        for law in [
            broken_by::<2, 1>(counters, Fault::None),
            broken_by::<1, 2>(counters, Fault::None),
            broken_by::<3, 3>(counters, Fault::None),
        ] {
            assert_eq!(law, Some(Law::SoonestEnd), "{counters}");
        }
    }
    let race = Race::<2, 1>::new(3, Fault::None);
    let message = laws::check(&race, &evaluator()).expect_err("a wrong number").to_string();
    assert!(message.contains("1 loses, so (2, 1) is wrong; (1, 1) is right here"), "{message}");
}

#[test]
fn a_game_without_an_end_is_named_and_does_not_overflow_the_stack() {
    for counters in [3, 14, 40] {
        for (fault, law) in [
            (Fault::PassesForEver, Law::PliesLeft),
            (Fault::MissesTheEnd, Law::End),
            (Fault::CountsOn, Law::PliesLeft),
            (Fault::TooLong, Law::PliesLeft),
        ] {
            assert_eq!(broken_by::<1, 1>(counters, fault), Some(law), "{counters} {fault:?}");
        }
    }
    let (race, evaluator) = (Race::<1, 1>::new(3, Fault::PassesForEver), evaluator());
    let broken = laws::check_values(&race, &evaluator, 1_000).expect_err("passes for ever");
    assert_eq!(broken.law, Law::PliesLeft);
}

#[test]
fn a_key_that_leaves_something_out_is_found_in_a_game_too_large_for_minimax() {
    for counters in [14, 40, 200] {
        for fault in [Fault::KeyOfCounters, Fault::KeyOfScore] {
            let law = broken_by::<1, 1>(counters, fault);
            assert_eq!(law, Some(Law::Key), "{counters} {fault:?}");
        }
    }
}
