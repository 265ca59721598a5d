//! The transposition table that all search threads share, without locks.
//!
//! An entry is a pair of words, `key ^ data` and `data`, read and written relaxed: a pair torn by
//! two writers does not match its key and reads as absent.
//!
//! A table starts in a small part of its memory and moves on to more as that fills: a short search
//! stays within the caches, whatever the size that was asked for.
// CITE: Hyatt and Mann, "A lock-less transposition-table implementation", ICGA Journal 25(1), 2002.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use memmap2::MmapMut;
use zerocopy::FromBytes;

use crate::report::Bound;
use crate::score::Score;

/// What the table knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The remaining depth it was searched to, at most 255.
    pub depth: u32,
    /// What the score says.
    pub bound: Bound,
    /// For the side to move; plies count from the position itself.
    pub score: Score,
    /// The best move's code, see [`crate::Game::pack`].
    pub code: Option<u32>,
}

/// Entries that share one cache line.
const WAYS: usize = 4;
const WORDS: usize = 2 * WAYS;

/// How many buckets are in use at first: 256 KiB.
const FIRST_USED: usize = 1 << 12;
/// By how much more are used when they fill.
const GROWTH: usize = 4;
/// Moving entries takes time in which no search goes on: from here on all buckets are used at once.
const MOST_MOVED: usize = 1 << 18;

/// A fixed number of entries, replaced by depth and age. Searches use it through a [`View`].
#[derive(Debug)]
pub struct Table {
    memory: MmapMut,
    /// How many buckets are in use, from the first on.
    used: AtomicUsize,
    /// Counts clears: entries of another epoch are absent.
    epoch: u64,
    /// Counts searches since the clear, modulo its field: older entries are replaced first.
    generation: u64,
}

/// The table as the threads of one search share it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    words: &'a [AtomicU64],
    used: &'a AtomicUsize,
    epoch: u64,
    generation: u64,
}

/// There is not that much memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory;

// The data word, from the lowest bit. A bound of 0 marks an empty entry.
//  0..20  move code + 1, 0 for none
// 20..42  score, two's complement
// 42..50  depth
// 50..52  bound
// 52..56  generation
// 56..64  epoch
const SCORE_AT: u32 = 20;
const DEPTH_AT: u32 = 42;
const BOUND_AT: u32 = 50;
const GENERATION_AT: u32 = 52;
const EPOCH_AT: u32 = 56;
const CODE_MASK: u64 = (1 << SCORE_AT) - 1;
const SCORE_BITS: u32 = DEPTH_AT - SCORE_AT;
const MAX_DEPTH: u32 = 255;
const GENERATIONS: u64 = 16;
const EPOCHS: u64 = 256;

/// The worth of an entry that is absent.
const DEAD: i64 = i64::MIN;

impl Table {
    /// An empty table of `mib` MiB (at least one). The system zeroes memory as it is first touched.
    pub fn new(mib: usize) -> Result<Self, OutOfMemory> {
        let bytes = mib.max(1).checked_mul(1 << 20).ok_or(OutOfMemory)?;
        let memory = MmapMut::map_anon(bytes).map_err(|_| OutOfMemory)?;
        ask_for_huge_pages(&memory);
        Ok(Self { memory, used: AtomicUsize::new(FIRST_USED), epoch: 0, generation: 0 })
    }

    /// Forgets everything, at no cost: entries are overwritten as their places are needed.
    pub fn clear(&mut self) {
        self.used = AtomicUsize::new(FIRST_USED);
        self.generation = 0;
        self.epoch = (self.epoch + 1) % EPOCHS;
        if self.epoch == 0 {
            self.memory.fill(0);
        }
    }

    /// A new search begins: what earlier ones found is still read, and replaced first.
    pub fn age(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    /// The table for the threads of one search.
    pub fn view(&mut self) -> View<'_> {
        let words = <[AtomicU64]>::mut_from_bytes(&mut self.memory)
            .expect("a map begins on a page and is whole MiB long");
        View { words, used: &self.used, epoch: self.epoch, generation: self.generation }
    }
}

/// A random access into small pages misses the TLB, and the first touch of each costs a fault.
fn ask_for_huge_pages(memory: &MmapMut) {
    #[cfg(target_os = "linux")]
    // Where the system has none, small pages do.
    let _ = memory.advise(memmap2::Advice::HugePage);
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

impl<'a> View<'a> {
    /// What is known of the position with this key.
    #[inline]
    pub fn get(self, key: u64) -> Option<Entry> {
        let bucket = self.bucket(key);
        for way in bucket.chunks_exact(2) {
            let data = way[1].load(Relaxed);
            if way[0].load(Relaxed) ^ data == key
                && let Some(entry) = self.decode(data)
            {
                return Some(entry);
            }
        }
        None
    }

    /// Has the place of this key brought near: a [`get`](Self::get) soon after need not wait.
    #[inline]
    pub fn expect(self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        safe_arch::prefetch_t0(&self.bucket(key)[0]);
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// Remembers `entry`; a move known before stays when the new entry has none.
    pub fn put(self, key: u64, entry: Entry) {
        let bucket = self.bucket(key);
        let mut place = 0;
        let mut least = i64::MAX;
        let mut code = entry.code;
        for (index, way) in bucket.chunks_exact(2).enumerate() {
            let data = way[1].load(Relaxed);
            if way[0].load(Relaxed) ^ data == key && self.is_live(data) {
                place = index;
                code = code.or(self.decode(data).and_then(|known| known.code));
                break;
            }
            let worth = self.worth(data);
            if worth < least {
                least = worth;
                place = index;
            }
        }
        let is_lost = least > DEAD && least < i64::MAX;
        let data = self.encode(Entry { code, ..entry });
        write(bucket, place, key, data);
        if is_lost && self.is_time_to_grow(key) {
            self.grow();
        }
    }

    /// Asked when an entry was lost for want of space, and true for so many keys that one in a few
    /// buckets has lost one.
    fn is_time_to_grow(self, key: u64) -> bool {
        const SHARE: usize = 2;
        let used = self.used.load(Relaxed);
        used < self.words.len() / WORDS && key.is_multiple_of((used / SHARE) as u64)
    }

    /// Uses more buckets and moves what is known to its new places. What another thread reads or
    /// writes meanwhile may be missed.
    #[cold]
    fn grow(self) {
        let all = self.words.len() / WORDS;
        let before = self.used.load(Relaxed);
        let after = if before < MOST_MOVED { (before * GROWTH).min(all) } else { all };
        if self.used.compare_exchange(before, after, Relaxed, Relaxed).is_err() {
            return;
        }
        // Places only move up, and those above were emptied before.
        for index in (0..before).rev() {
            let bucket = &self.words[index * WORDS..][..WORDS];
            let known: [(u64, u64); WAYS] = std::array::from_fn(|way| {
                let (sum, data) = (&bucket[2 * way], &bucket[2 * way + 1]);
                let known = (sum.load(Relaxed), data.load(Relaxed));
                data.store(0, Relaxed);
                known
            });
            for (sum, data) in known.into_iter().filter(|(_, data)| self.is_live(*data)) {
                self.move_in(sum ^ data, data);
            }
        }
    }

    fn move_in(self, key: u64, data: u64) {
        let bucket = self.bucket(key);
        let is_free = |place: &usize| !self.is_live(bucket[2 * place + 1].load(Relaxed));
        if let Some(place) = (0..WAYS).find(is_free) {
            write(bucket, place, key, data);
        }
    }

    /// How full the table is of this search's entries, in per mille of a sample.
    pub fn hashfull(self) -> u32 {
        const SAMPLE: usize = 250;
        let (used, all) = (self.used.load(Relaxed), self.words.len() / WORDS);
        let found = self.words[..SAMPLE * WORDS]
            .chunks_exact(2)
            .filter(|way| {
                let data = way[1].load(Relaxed);
                self.is_live(data) && generation(data) == self.generation
            })
            .count();
        (found * 1000 / (SAMPLE * WAYS) * used / all) as u32
    }

    #[inline]
    fn bucket(self, key: u64) -> &'a [AtomicU64] {
        let buckets = self.used.load(Relaxed);
        let at = ((u128::from(key) * buckets as u128) >> 64) as usize * WORDS;
        &self.words[at..at + WORDS]
    }

    fn encode(self, entry: Entry) -> u64 {
        let code = entry.code.map_or(0, |code| u64::from(code) + 1);
        debug_assert!(code <= CODE_MASK, "a move code of more than 20 bits");
        let score = entry.score.raw() as u64 & ((1 << SCORE_BITS) - 1);
        code | score << SCORE_AT
            | u64::from(entry.depth.min(MAX_DEPTH)) << DEPTH_AT
            | bound_code(entry.bound) << BOUND_AT
            | self.generation << GENERATION_AT
            | self.epoch << EPOCH_AT
    }

    #[inline]
    fn decode(self, data: u64) -> Option<Entry> {
        if !self.is_live(data) {
            return None;
        }
        let score = ((data << (64 - DEPTH_AT)) as i64 >> (64 - SCORE_BITS)) as i32;
        Some(Entry {
            depth: (data >> DEPTH_AT) as u32 & MAX_DEPTH,
            bound: bound_of(data)?,
            score: Score::from_raw(score),
            code: (data & CODE_MASK).checked_sub(1).map(|code| code as u32),
        })
    }

    #[inline]
    fn is_live(self, data: u64) -> bool {
        data >> EPOCH_AT == self.epoch && data >> BOUND_AT & 3 != 0
    }

    /// The entry of least worth in a bucket makes room. Dead entries are all alike, so that what an
    /// earlier epoch left behind never changes a search.
    fn worth(self, data: u64) -> i64 {
        const AGE_IN_PLIES: u64 = 8;
        if !self.is_live(data) {
            return DEAD;
        }
        let age = (self.generation + GENERATIONS - generation(data)) % GENERATIONS;
        (data >> DEPTH_AT & 255) as i64 - (AGE_IN_PLIES * age) as i64
    }
}

fn write(bucket: &[AtomicU64], place: usize, key: u64, data: u64) {
    bucket[2 * place].store(key ^ data, Relaxed);
    bucket[2 * place + 1].store(data, Relaxed);
}

fn generation(data: u64) -> u64 {
    data >> GENERATION_AT & (GENERATIONS - 1)
}

fn bound_code(bound: Bound) -> u64 {
    match bound {
        Bound::Upper => 1,
        Bound::Lower => 2,
        Bound::Exact => 3,
    }
}

fn bound_of(data: u64) -> Option<Bound> {
    match data >> BOUND_AT & 3 {
        1 => Some(Bound::Upper),
        2 => Some(Bound::Lower),
        3 => Some(Bound::Exact),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(depth: u32, score: Score, code: Option<u32>) -> Entry {
        Entry { depth, bound: Bound::Lower, score, code }
    }

    proptest! {
        #[test]
        fn an_entry_reads_back_as_it_was_written(
            key: u64,
            depth in 0u32..=255,
            raw in -2_097_150i32..=2_097_150,
            code in proptest::option::of(0u32..=crate::game::MAX_MOVE_CODE),
            bound in prop_oneof![Just(Bound::Exact), Just(Bound::Lower), Just(Bound::Upper)],
        ) {
            let mut table = Table::new(1).unwrap();
            let entry = Entry { depth, bound, score: Score::from_raw(raw), code };
            table.view().put(key, entry);
            prop_assert_eq!(table.view().get(key), Some(entry));
        }
    }

    #[test]
    fn a_clear_forgets_everything_even_after_every_epoch_was_used() {
        let mut table = Table::new(1).unwrap();
        for round in 0..600 {
            assert_eq!(table.view().get(42), None, "round {round}");
            table.view().put(42, entry(3, Score::DRAW, Some(7)));
            assert!(table.view().get(42).is_some());
            table.clear();
        }
    }

    #[test]
    fn age_keeps_entries_and_prefers_to_replace_old_ones() {
        let mut table = Table::new(1).unwrap();
        // Five keys of one bucket: the low bits do not choose it.
        table.view().put(0, entry(14, Score::DRAW, None));
        table.age();
        for key in 1..4 {
            table.view().put(key, entry(5, Score::DRAW, None));
        }
        assert!(table.view().get(0).is_some());
        table.view().put(4, entry(1, Score::DRAW, None));
        assert!(table.view().get(0).is_some(), "fourteen plies outweigh five, one search later");
        table.age();
        table.view().put(5, entry(1, Score::DRAW, None));
        assert!(table.view().get(5).is_some() && table.view().get(0).is_some());
        assert!(table.view().get(4).is_none(), "the shallowest goes first");
        assert_eq!((0..6).filter(|key| table.view().get(*key).is_some()).count(), WAYS);
    }

    #[test]
    fn a_known_move_survives_an_entry_without_one() {
        let mut table = Table::new(1).unwrap();
        table.view().put(7, entry(3, Score::DRAW, Some(5)));
        table.view().put(7, entry(4, Score::DRAW, None));
        assert_eq!(table.view().get(7).unwrap().code, Some(5));
    }

    #[test]
    fn a_torn_entry_is_absent() {
        let mut table = Table::new(1).unwrap();
        table.view().put(7, entry(3, Score::DRAW, Some(5)));
        let view = table.view();
        view.bucket(7)[1].fetch_add(1, Relaxed);
        assert_eq!(table.view().get(7), None);
    }

    #[test]
    fn more_memory_than_there_is_is_refused() {
        assert_eq!(Table::new(usize::MAX >> 24).unwrap_err(), OutOfMemory);
    }

    #[test]
    fn hashfull_counts_this_search_only() {
        let mut table = Table::new(1).unwrap();
        // One entry in every bucket that is used at first: a sixteenth of all entries.
        let step = u64::MAX / FIRST_USED as u64 + 1;
        for bucket in 0..FIRST_USED as u64 {
            table.view().put(bucket * step, entry(1, Score::DRAW, None));
        }
        assert_eq!(table.view().hashfull(), 1000 / 16);
        table.age();
        assert_eq!(table.view().hashfull(), 0);
    }

    #[test]
    fn a_table_that_fills_uses_more_of_its_memory_and_keeps_what_it_knows() {
        let mut table = Table::new(8).unwrap();
        let mut keys = vec![0x9E37_79B9_7F4A_7C15_u64];
        let next = |key: u64| key.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(1);
        for _ in 0..100_000 {
            let key = next(keys[keys.len() - 1]);
            table.view().put(key, entry(1, Score::DRAW, Some(3)));
            keys.push(key);
        }
        assert_eq!(table.used.load(Relaxed), (8 << 20) / (8 * WORDS), "all of it");
        let known = keys[1..].iter().filter(|key| table.view().get(**key).is_some()).count();
        assert!(known > 90_000, "{known}");
        table.clear();
        assert_eq!(table.used.load(Relaxed), FIRST_USED);
        assert!(keys.iter().all(|key| table.view().get(*key).is_none()));
    }
}
