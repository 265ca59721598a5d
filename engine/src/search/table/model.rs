//! Models of the table: threads write and read one bucket, and a growth moves entries while others read. Loom tries all
//! interleavings, and all values that a relaxed read may return.

use loom::sync::Arc;
use loom::thread;

use super::*;
use crate::sync::check_all;

/// The words of a small table, and how many buckets are in use.
struct Small {
    words: Vec<AtomicU64>,
    used: AtomicUsize,
}

impl Small {
    fn new(buckets: usize, used: usize) -> Arc<Self> {
        let words = (0..buckets * WORDS).map(|_| AtomicU64::new(0)).collect();
        Arc::new(Self { words, used: AtomicUsize::new(used) })
    }

    fn view(&self) -> View<'_> {
        let whole = Part { words: &self.words, used: &self.used };
        View { parts: [whole; 2], epoch: 0, generation: 0, growth_deadline: None }
    }
}

/// The address of a key. The highest bits choose the bucket.
fn at(key: u64) -> Address {
    Address { key, region: Region::Far }
}

/// An entry that no other key has.
fn entry(key: u64) -> Entry {
    let depth = (key % 97) as u32;
    Entry { depth, bound: Bound::Lower, score: Score::heuristic(depth as i32), code: Some(depth) }
}

/// Checks that a key has its own entry or none. Returns whether it has one.
fn checked(view: View<'_>, key: u64) -> bool {
    let found = view.get(at(key));
    assert!(found.is_none() || found == Some(entry(key)), "{key:x}: {found:?}");
    found.is_some()
}

#[test]
fn a_reader_finds_the_entry_of_its_key_or_none() {
    const KEYS: [u64; 2] = [0x1000_0000_1234_5678, 0x2000_0000_8765_4321];
    check_all(None, || {
        let small = Small::new(1, 1);
        let writers = KEYS.map(|key| {
            let small = Arc::clone(&small);
            thread::spawn(move || small.view().put(at(key), entry(key)))
        });
        checked(small.view(), KEYS[0]);
        checked(small.view(), KEYS[1]);
        for writer in writers {
            writer.join().unwrap();
        }
        // Two writers may spoil both entries, but never make a third one.
        let found = KEYS.map(|key| checked(small.view(), key));
        assert!(!(found[0] && found[1]), "the bucket has room for one");
    });
}

#[test]
fn a_growth_loses_entries_and_makes_none() {
    // Both are in the first of two buckets; in a table of eight they are apart.
    const KEYS: [u64; 2] = [0x1000_0000_1234_5678, 0x7000_0000_8765_4321];
    check_all(None, || {
        let small = Small::new(8, 2);
        small.view().put(at(KEYS[0]), entry(KEYS[0]));
        let grows = Arc::clone(&small);
        let growing = thread::spawn(move || grows.view().put(at(KEYS[1]), entry(KEYS[1])));
        checked(small.view(), KEYS[0]);
        small.view().put(at(KEYS[0]), entry(KEYS[0]));
        checked(small.view(), KEYS[1]);
        growing.join().unwrap();
        KEYS.map(|key| checked(small.view(), key));
        assert_eq!(small.used.load(Relaxed), 8, "the second entry took the place of the first");
    });
}

#[test]
fn only_one_of_two_growths_moves_entries() {
    const KEYS: [u64; 3] = [0x1000_0000_1234_5678, 0x7000_0000_8765_4321, 0x5000_0000_4444_4444];
    // Without a bound there are too many.
    check_all(Some(3), || {
        let small = Small::new(4, 2);
        small.view().put(at(KEYS[0]), entry(KEYS[0]));
        let growing = [KEYS[1], KEYS[2]].map(|key| {
            let small = Arc::clone(&small);
            thread::spawn(move || small.view().put(at(key), entry(key)))
        });
        for thread in growing {
            thread.join().unwrap();
        }
        KEYS.map(|key| checked(small.view(), key));
        assert_eq!(small.used.load(Relaxed), 4);
    });
}
