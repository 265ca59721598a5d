//! Tests of the table: writing, reading, growing, sharing and clearing.

use super::*;
use crate::game::hash::mix64;
use proptest::prelude::*;

fn entry(depth: u32, score: Score, code: Option<u32>) -> Entry {
    Entry { depth, bound: Bound::Lower, score, code }
}

fn far(key: u64) -> Address {
    Address { key, region: Region::Far }
}

proptest! {
    #[test]
    fn an_entry_reads_back_as_it_was_written(
        key: u64,
        depth in 0u32..=255,
        raw in -2_097_150i32..=2_097_150,
        code in proptest::option::of(0u32..=crate::MAX_MOVE_CODE),
        bound in prop_oneof![Just(Bound::Exact), Just(Bound::Lower), Just(Bound::Upper)],
    ) {
        let mut table = Table::new(1).unwrap();
        let entry = Entry { depth, bound, score: Score::from_raw(raw), code };
        table.view().put(far(key), entry);
        prop_assert_eq!(table.view().get(far(key)), Some(entry));
    }
}

#[test]
fn a_clear_removes_all_entries_even_after_all_epochs_were_used() {
    let mut table = Table::new(1).unwrap();
    for round in 0..600 {
        assert_eq!(table.view().get(far(42)), None, "round {round}");
        table.view().put(far(42), entry(3, Score::DRAW, Some(7)));
        assert!(table.view().get(far(42)).is_some());
        table.clear();
    }
}

fn view(table: &mut Table, is_exact: bool) -> View<'_> {
    if is_exact { table.views(2)[0] } else { table.view() }
}

#[test]
fn entries_of_a_table_that_grew_are_removed_before_epochs_repeat() {
    let keys: Vec<u64> =
        (1..100_000).map(|key: u64| key.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
    for is_exact in [false, true] {
        let mut table = Table::new(if is_exact { 128 } else { 8 }).unwrap();
        for key in &keys {
            let region = if key % 2 == 0 { Region::Far } else { Region::Near };
            view(&mut table, is_exact)
                .put(Address { key: *key, region }, entry(3, Score::DRAW, None));
        }
        for _ in 0..EPOCHS {
            table.clear();
        }
        let whole = view(&mut table, is_exact);
        let is_known = |key: &u64| {
            let regions = [Region::Far, Region::Near];
            regions.into_iter().any(|region| whole.get(Address { key: *key, region }).is_some())
        };
        assert!(!keys.iter().any(is_known), "exact: {is_exact}");
        // All words are zero, also those that are not in use.
        assert!(table.memory.words().iter().all(|word| word.load(Relaxed) == 0));
    }
}

#[test]
fn age_keeps_entries_and_prefers_to_replace_old_ones() {
    let mut table = Table::new(1).unwrap();
    // All keys are in one bucket, because the low bits do not select the bucket.
    table.view().put(far(0), entry(14, Score::DRAW, None));
    table.age();
    for key in 1..4 {
        table.view().put(far(key), entry(5, Score::DRAW, None));
    }
    assert!(table.view().get(far(0)).is_some());
    table.view().put(far(4), entry(1, Score::DRAW, None));
    assert!(table.view().get(far(0)).is_some(), "fourteen plies outweigh five, one search later");
    table.age();
    table.view().put(far(5), entry(1, Score::DRAW, None));
    assert!(table.view().get(far(5)).is_some() && table.view().get(far(0)).is_some());
    assert!(table.view().get(far(4)).is_none(), "the shallowest goes first");
    assert_eq!((0..6).filter(|key| table.view().get(far(*key)).is_some()).count(), WAYS);
}

#[test]
fn a_known_move_survives_an_entry_without_one() {
    let mut table = Table::new(1).unwrap();
    table.view().put(far(7), entry(3, Score::DRAW, Some(5)));
    table.view().put(far(7), entry(4, Score::DRAW, None));
    assert_eq!(table.view().get(far(7)).unwrap().code, Some(5));
}

#[test]
fn a_torn_entry_is_absent() {
    let mut table = Table::new(1).unwrap();
    table.view().put(far(7), entry(3, Score::DRAW, Some(5)));
    let view = table.view();
    view.parts[0].bucket(7)[1].fetch_add(1, Relaxed);
    assert_eq!(table.view().get(far(7)), None);
}

#[test]
fn a_table_that_does_not_fit_in_memory_is_an_error() {
    assert_eq!(Table::new(usize::MAX >> 24).unwrap_err(), OutOfMemory);
}

#[test]
fn hashfull_counts_this_search_only() {
    let mut table = Table::new(1).unwrap();
    // One entry in every bucket that is in use at first: a sixteenth of all entries.
    let step = u64::MAX / FIRST_USED as u64 + 1;
    for bucket in 0..FIRST_USED as u64 {
        table.view().put(far(bucket * step), entry(1, Score::DRAW, None));
    }
    assert_eq!(table.view().hashfull(), 1000 / 16);
    table.age();
    assert_eq!(table.view().hashfull(), 0);
}

#[test]
fn a_full_table_grows_and_keeps_its_entries() {
    let mut table = Table::new(8).unwrap();
    let mut keys = vec![0x9E37_79B9_7F4A_7C15_u64];
    let next = |key: u64| key.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(1);
    for _ in 0..100_000 {
        let key = next(keys[keys.len() - 1]);
        table.view().put(far(key), entry(1, Score::DRAW, Some(3)));
        keys.push(key);
    }
    assert_eq!(table.used.load(Relaxed), (8 << 20) / (8 * WORDS), "all of it");
    let known = keys[1..].iter().filter(|key| table.view().get(far(**key)).is_some()).count();
    assert!(known > 90_000, "{known}");
    table.clear();
    assert_eq!(table.used.load(Relaxed), FIRST_USED);
    assert!(keys.iter().all(|key| table.view().get(far(*key)).is_none()));
}

/// Fills a table of 8 MiB through views with this `deadline` for growths. Returns the number of
/// buckets in use.
fn used_after_filling(deadline: Option<Instant>) -> usize {
    let mut table = Table::new(8).unwrap();
    for number in 0..500_000 {
        let key = far(mix64(number));
        table.view().with_growth_deadline(deadline).put(key, entry(1, Score::DRAW, None));
    }
    table.used.load(Relaxed)
}

#[test]
fn a_table_does_not_grow_without_time() {
    let all = (8 << 20) / (8 * WORDS);
    assert_eq!(used_after_filling(Some(now())), FIRST_USED);
    assert_eq!(used_after_filling(Some(now() + Duration::from_secs(3600))), all);
    assert_eq!(used_after_filling(None), all);
}

#[test]
fn the_size_of_a_growth_depends_on_the_time_left() {
    assert_eq!(most_used_after(Duration::ZERO), 0);
    assert_eq!(most_used_after(Duration::from_millis(25)), 125_000);
    assert_eq!(most_used_after(Duration::MAX), usize::MAX);
}

fn near(key: u64) -> Address {
    Address { key, region: Region::Near }
}

#[test]
fn threads_share_far_entries_and_have_their_own_near_entries() {
    let mut table = Table::new(128).unwrap();
    let entry = entry(3, Score::DRAW, Some(7));
    let known = Some(entry);
    let views = table.views(3);
    views[0].put(far(1), entry);
    views[1].put(near(2), entry);
    for (thread, view) in views.iter().enumerate() {
        assert_eq!((view.get(far(1)), view.get(near(1))), (known, None));
        assert_eq!((view.get(far(2)), view.get(near(2))), (None, known.filter(|_| thread == 1)));
    }
    let again = table.views(3);
    assert_eq!((again[1].get(far(1)), again[1].get(near(2))), (known, known), "in the next search");
    table.clear();
    assert!(table.views(3).iter().all(|view| view.get(far(1)).or(view.get(near(2))).is_none()));
}

#[test]
fn a_full_table_works_with_any_number_of_threads() {
    let mut table = Table::new(128).unwrap();
    let key = |number: u64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let entry = |number: u64| entry(1 + number as u32 % 200, Score::DRAW, None);
    let last = far(u64::MAX);
    for (round, threads) in [0, 1, 2, 0, 8, 1, 300, 2].into_iter().enumerate() {
        table.used = AtomicUsize::new(table.memory.words().len() / WORDS);
        let views = if threads == 0 { vec![table.view()] } else { table.views(threads) };
        views[0].put(last, entry(round as u64));
        assert_eq!(views[0].get(last), Some(entry(round as u64)));
        for number in 0..20_000 {
            let view = views[number as usize % views.len()];
            view.put(far(key(number)), entry(number));
            view.put(near(key(number)), entry(number));
        }
        let mut found = [0; 2];
        for number in 0..20_000 {
            let view = views[number as usize % views.len()];
            let known = [far(key(number)), near(key(number))].map(|at| view.get(at));
            for (found, known) in found.iter_mut().zip(known) {
                assert!(known.is_none_or(|known| known == entry(number)));
                *found += u32::from(known.is_some());
            }
        }
        // A small share has lost some entries before it grew.
        assert!(found[0] > 18_000 && found[1] > 10_000, "{threads} threads: {found:?}");
        let kept = table.views(threads.max(1))[0].parts[0].words.len();
        assert_eq!(
            kept,
            (table.memory.words().len() / WORDS - ALL_SHARES) * WORDS,
            "for any number of threads"
        );
    }
}

#[test]
fn a_share_near_the_end_grows_up_to_its_maximum() {
    let mut table = Table::new(128).unwrap();
    let view = table.views(1)[0];
    let used =
        |view: View<'_>| (view.parts[1].used.load(Relaxed), view.parts[0].used.load(Relaxed));
    assert_eq!(used(view), (FIRST_USED_OF_SHARE, FIRST_USED));
    for number in 0..200_000_u64 {
        let key = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        view.put(near(key), entry(1, Score::DRAW, None));
    }
    assert_eq!(used(view), (MAX_SHARE, FIRST_USED));
    assert_eq!(view.hashfull(), 0, "it counts what all threads share");
}

#[test]
fn a_handle_keeps_its_table_if_the_size_is_the_same_or_memory_fails() {
    let handle = TableHandle::default();
    let write =
        |key| handle.lock().as_mut().unwrap().view().put(far(key), entry(3, Score::DRAW, None));
    let read = |key| handle.lock().as_mut().unwrap().view().get(far(key));
    assert!(handle.lock().is_none());
    handle.resize(2).unwrap();
    write(42);
    handle.resize(2).unwrap();
    assert!(read(42).is_some(), "a table of the same size was replaced");
    assert_eq!(handle.resize(usize::MAX >> 24), Err(OutOfMemory));
    assert!(read(42).is_some(), "a table was lost with the larger one");
    handle.resize(1).unwrap();
    assert!(read(42).is_none(), "a resized table is empty");
    let first = TableHandle::default();
    assert_eq!(first.resize(usize::MAX >> 24), Err(OutOfMemory));
    assert!(first.lock().is_some(), "a small table replaces a large one that does not fit");
}
