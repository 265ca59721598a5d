//! The tables that sessions keep, and those that are dropped for others.

use std::time::Duration;

use tengen_engine::Instant;

use super::*;

fn game(variant: &'static str) -> GameSpec {
    GameSpec::new(variant, "")
}

fn sessions() -> [SessionId; 3] {
    let mut queue = super::super::queue::Queue::<()>::new(1);
    [(); 3].map(|()| queue.join(super::super::queue::Owner::LOCAL, Instant::now()))
}

/// Lends a table of 64 MiB to `session`, and takes it back immediately.
fn search(tables: &mut SessionTables, session: SessionId, at: Instant) -> LentTable {
    let lent = tables.lend(session, &game("gomoku"), 64, at);
    tables.give_back(session, at);
    lent
}

#[test]
fn the_longest_unused_table_is_dropped_and_its_session_is_warned_once() {
    let [first, second, third] = sessions();
    let mut tables = SessionTables::new(128);
    let at = |seconds| Instant::now() + Duration::from_secs(seconds);
    assert!(search(&mut tables, first, at(0)).warning.is_none());
    assert!(search(&mut tables, second, at(1)).warning.is_none());
    assert!(search(&mut tables, first, at(2)).warning.is_none());
    assert!(search(&mut tables, third, at(3)).warning.is_none());
    assert_eq!(tables.mib(), 128);
    assert!(search(&mut tables, first, at(4)).warning.is_none());
    let note = search(&mut tables, second, at(5)).warning.expect("its table was dropped");
    assert!(note.contains("dropped"), "{note}");
    assert!(search(&mut tables, second, at(6)).warning.is_none());
}

#[test]
fn a_busy_table_is_not_dropped_and_a_new_one_gets_the_free_memory() {
    let [first, second, third] = sessions();
    let mut tables = SessionTables::new(96);
    let now = Instant::now();
    assert_eq!(tables.lend(first, &game("gomoku"), 64, now).mib, 64);
    let lent = tables.lend(second, &game("gomoku"), 64, now);
    assert_eq!(lent.mib, 32);
    assert!(lent.warning.is_some_and(|note| note.contains("hash 64 MiB")));
    assert_eq!(tables.lend(third, &game("gomoku"), 64, now).mib, 1);
    tables.give_back(second, now);
    let again = tables.lend(second, &game("gomoku"), 64, now);
    assert_eq!((again.mib, again.warning), (32, None));
    tables.give_back(second, now);
    tables.forget(first);
    assert_eq!(
        tables.lend(second, &game("gomoku"), 64, now).mib,
        64,
        "it grows when there is room"
    );
}

#[test]
fn a_table_above_the_common_limit_is_made_smaller() {
    let [first, second, _] = sessions();
    let mut tables = SessionTables::new(64);
    assert_eq!(tables.lend(first, &game("gomoku"), 16, Instant::now()).mib, 16);
    assert_eq!(tables.lend(second, &game("gomoku"), 128, Instant::now()).mib, 48);
    tables.leave(first);
    assert_eq!(tables.mib(), 64, "a search still has the table of the session that left");
    tables.forget(first);
    assert_eq!(tables.mib(), 48);
}

#[test]
fn another_game_or_another_session_never_sees_entries_of_the_first() {
    let [first, second, _] = sessions();
    let mut tables = SessionTables::new(128);
    let now = Instant::now();
    assert!(!tables.lend(first, &game("gomoku"), 64, now).is_foreign);
    assert!(!tables.lend(first, &game("gomoku"), 64, now).is_foreign);
    assert!(tables.lend(first, &game("renju"), 64, now).is_foreign);
    assert!(!tables.lend(first, &game("renju"), 64, now).is_foreign);
    assert!(!tables.lend(second, &game("renju"), 64, now).is_foreign);
}

#[test]
fn a_session_that_leaves_frees_its_memory() {
    let [first, second, _] = sessions();
    let mut tables = SessionTables::new(64);
    search(&mut tables, first, Instant::now());
    tables.leave(first);
    assert_eq!(tables.mib(), 0);
    assert!(search(&mut tables, second, Instant::now()).warning.is_none());
    assert!(search(&mut tables, first, Instant::now()).warning.is_none());
}
