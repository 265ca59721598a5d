//! The transposition table that all search threads share, without locks.
//!
//! An entry is a pair of words, `key ^ data` and `data`, read and written relaxed. A pair torn by
//! two writers does not match its key and reads as absent.
//!
//! A table starts in a small part of its memory and takes more when that fills. So a short search
//! stays within the caches, whatever the size of the table. A growth takes time. A search on the
//! clock starts only growths that it expects to end before half of its hard limit. Positions near
//! the end of an exact game are the most numerous and soon of no use. Each thread has a small share
//! of a large table for them, which stays within the caches too.
// CITE: Hyatt and Mann, "A lock-less transposition-table implementation", ICGA Journal 25(1), 2002.

mod handle;
mod memory;

use std::hint::select_unpredictable;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::report::Bound;
use crate::score::Score;
use crate::time::now;

pub use handle::TableHandle;
use memory::Memory;

/// An entry: the result of a search of one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The remaining depth it was searched to, at most 255.
    pub depth: u32,
    /// The relation of the score to the true value.
    pub bound: Bound,
    /// The score for the side to move; plies count from the position itself.
    pub score: Score,
    /// The best move's code, see [`crate::Game::pack`].
    pub code: Option<u32>,
}

/// Entries that share one cache line.
const WAYS: usize = 4;
const WORDS: usize = 2 * WAYS;

/// How many buckets are in use at first: 256 KiB.
const FIRST_USED: usize = 1 << 12;
/// A table of fewer buckets, of less than 128 MiB, has no shares for positions near the end: caches
/// hold enough of it.
const LARGE: usize = 1 << 21;
/// How many buckets are kept for the shares of all threads: 8 MiB.
const SHARES: usize = 1 << 17;
/// The most buckets of one share: 1 MiB.
const LARGEST_SHARE: usize = 1 << 14;
/// How many buckets of a share are in use at first: 64 KiB.
const FIRST_USED_OF_SHARE: usize = 1 << 10;
/// By how much more are used when they fill.
const GROWTH: usize = 4;
/// Moving entries takes time in which no search goes on: from here on all buckets are used at once,
/// if the time allows it.
const MAX_MOVED: usize = 1 << 18;
/// How many buckets a growth is assumed to fill in a millisecond, with a margin: 305 MiB in a second.
/// The first touch of memory takes most of the time.
const BUCKETS_PER_MS: u128 = 5_000;

/// A fixed number of entries, replaced by depth and age. Searches use it through a [`View`].
#[derive(Debug)]
pub struct Table {
    memory: Memory,
    /// Its size.
    mib: usize,
    /// How many buckets are in use, from the first on.
    used: AtomicUsize,
    /// How many buckets of each share near the end are in use.
    used_near: Vec<AtomicUsize>,
    /// How many buckets, from the first on, may hold entries of earlier epochs.
    written: usize,
    /// Counts clears: entries of another epoch are absent.
    epoch: u64,
    /// Counts searches since the clear, modulo its field: older entries are replaced first.
    generation: u64,
}

/// The view of the table that a search thread has.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// By region: what all threads share, and the thread's own share; the same part where there
    /// are no shares.
    parts: [Part<'a>; 2],
    epoch: u64,
    generation: u64,
    /// No growth starts that is expected to end later; `None` if it may take any time.
    growth_deadline: Option<Instant>,
}

/// Buckets in a row, of which the first are in use.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    words: &'a [AtomicU64],
    used: &'a AtomicUsize,
}

/// Where the entry of a position stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// The position's key.
    pub key: u64,
    /// The region of the game that the position is in.
    pub region: Region,
}

/// The region of an exact game that a position is in.
// As wide as a key: an address is two words without a gap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Region {
    /// Far from the end, or in any other game.
    Far,
    /// Near the end.
    Near,
}

/// The error of a table that does not fit in the memory.
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
    /// Returns an empty table of `mib` MiB (at least one). The system zeroes memory as it is first
    /// touched.
    pub fn new(mib: usize) -> Result<Self, OutOfMemory> {
        let mib = mib.max(1);
        let bytes = mib.checked_mul(1 << 20).ok_or(OutOfMemory)?;
        let memory = Memory::zeroed(bytes / 8).ok_or(OutOfMemory)?;
        let used = AtomicUsize::new(FIRST_USED);
        Ok(Self { memory, mib, used, used_near: Vec::new(), written: 0, epoch: 0, generation: 0 })
    }

    /// Clears the table: old entries are overwritten as their places are needed. Each 256th time
    /// writes over what was used since the last of these times.
    pub fn clear(&mut self) {
        self.written = self.written.max(*self.used.get_mut());
        self.used = AtomicUsize::new(FIRST_USED);
        self.used_near.clear();
        self.generation = 0;
        self.epoch = (self.epoch + 1) % EPOCHS;
        if self.epoch == 0 {
            self.memory.clear(self.written * WORDS);
            self.written = 0;
        }
    }

    /// Begins a new search: entries of earlier ones are still read, and replaced first.
    pub fn age(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    /// Returns the whole table, for the threads of one search.
    pub fn view(&mut self) -> View<'_> {
        let (epoch, generation) = (self.epoch, self.generation);
        let whole = Part { words: self.memory.words(), used: &self.used };
        View { parts: [whole; 2], epoch, generation, growth_deadline: None }
    }

    /// Returns the table for that many threads of an exact game, a large one with a share near the
    /// end for each. What the shares knew is lost when the threads become more or fewer.
    pub fn views(&mut self, threads: usize) -> Vec<View<'_>> {
        let (epoch, generation) = (self.epoch, self.generation);
        let buckets = self.memory.words().len() / WORDS;
        if buckets < LARGE {
            return vec![self.view(); threads];
        }
        // The shares lie at the end.
        self.written = buckets;
        let words = self.memory.words();
        let share = (SHARES / threads.max(1)).clamp(1, LARGEST_SHARE);
        let (far, near) = words.split_at((buckets - SHARES) * WORDS);
        if self.used_near.len() != threads {
            let first = || AtomicUsize::new(share.min(FIRST_USED_OF_SHARE));
            self.used_near = std::iter::repeat_with(first).take(threads).collect();
        }
        // A view of the whole may have used more.
        self.used.fetch_min(far.len() / WORDS, Relaxed);
        let far = Part { words: far, used: &self.used };
        let near = near.chunks_exact(share * WORDS).zip(&self.used_near);
        let parts = near.map(|(words, used)| [far, Part { words, used }]);
        parts.map(|parts| View { parts, epoch, generation, growth_deadline: None }).collect()
    }
}

impl<'a> View<'a> {
    /// Returns the view with a deadline for growths, which `None` takes away.
    pub(crate) fn with_growth_deadline(self, deadline: Option<Instant>) -> Self {
        Self { growth_deadline: deadline, ..self }
    }

    /// Returns what is known of a position.
    #[inline]
    pub fn get(&self, at: Address) -> Option<Entry> {
        let (key, bucket) = (at.key, self.part(at).bucket(at.key));
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

    /// Prefetches the memory of this place, so that a [`get`](Self::get) soon after need not wait.
    #[inline]
    pub fn prefetch(&self, at: Address) {
        #[cfg(all(feature = "fast-table", target_arch = "x86_64"))]
        safe_arch::prefetch_t0(&self.part(at).bucket(at.key)[0]);
        #[cfg(not(all(feature = "fast-table", target_arch = "x86_64")))]
        let _ = at;
    }

    /// Stores `entry`. A move known before stays when the new entry has none.
    pub fn put(&self, at: Address, entry: Entry) {
        let (key, part) = (at.key, self.part(at));
        let bucket = part.bucket(key);
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
            (least, place) = select_unpredictable(worth < least, (worth, index), (least, place));
        }
        let is_lost = least > DEAD && least < i64::MAX;
        let data = self.encode(Entry { code, ..entry });
        write(bucket, place, key, data);
        if is_lost && part.is_time_to_grow(key) {
            self.grow(part);
        }
    }

    /// Uses more buckets and moves what is known to its new places. What another thread reads or
    /// writes meanwhile may be missed.
    #[cold]
    fn grow(&self, part: Part<'_>) {
        let all = part.words.len() / WORDS;
        let before = part.used.load(Relaxed);
        if before >= all {
            return;
        }
        let wanted = if before < MAX_MOVED { (before * GROWTH).min(all) } else { all };
        let after = wanted.min(self.most_used_by_deadline());
        // Each growth moves all entries. A growth by less than half is not worth its time.
        if after < wanted.min(before + before / 2) {
            return;
        }
        if part.used.compare_exchange(before, after, Relaxed, Relaxed).is_err() {
            return;
        }
        // Places only move up, and those above were emptied before.
        for index in (0..before).rev() {
            let bucket = &part.words[index * WORDS..][..WORDS];
            let known: [(u64, u64); WAYS] = std::array::from_fn(|way| {
                let (sum, data) = (&bucket[2 * way], &bucket[2 * way + 1]);
                let known = (sum.load(Relaxed), data.load(Relaxed));
                data.store(0, Relaxed);
                known
            });
            for (sum, data) in known.into_iter().filter(|(_, data)| self.is_live(*data)) {
                self.move_in(part, sum ^ data, data);
            }
        }
    }

    /// Returns how many buckets may be in use after a growth that starts now.
    fn most_used_by_deadline(&self) -> usize {
        let left = self.growth_deadline.map(|deadline| deadline.saturating_duration_since(now()));
        left.map_or(usize::MAX, most_used_after)
    }

    fn move_in(&self, part: Part<'_>, key: u64, data: u64) {
        let bucket = part.bucket(key);
        let is_free = |place: &usize| !self.is_live(bucket[2 * place + 1].load(Relaxed));
        if let Some(place) = (0..WAYS).find(is_free) {
            write(bucket, place, key, data);
        }
    }

    /// Returns how full the part that all threads share is of this search's entries, in per mille
    /// of a sample.
    pub fn hashfull(&self) -> u32 {
        const SAMPLE: usize = 250;
        let Part { words, used } = self.parts[Region::Far as usize];
        let (used, all) = (used.load(Relaxed), words.len() / WORDS);
        let found = words[..SAMPLE * WORDS]
            .chunks_exact(2)
            .filter(|way| {
                let data = way[1].load(Relaxed);
                self.is_live(data) && generation(data) == self.generation
            })
            .count();
        (found * 1000 / (SAMPLE * WAYS) * used / all) as u32
    }

    #[inline(always)]
    fn part(&self, at: Address) -> Part<'a> {
        self.parts[at.region as usize]
    }

    fn encode(&self, entry: Entry) -> u64 {
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
    fn decode(&self, data: u64) -> Option<Entry> {
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
    fn is_live(&self, data: u64) -> bool {
        (data >> EPOCH_AT == self.epoch) & (data >> BOUND_AT & 3 != 0)
    }

    /// Returns the worth of an entry. In a full bucket the entry of least worth makes room. Dead
    /// entries are all alike, so that what an earlier epoch left behind never changes a search.
    fn worth(&self, data: u64) -> i64 {
        const AGE_IN_PLIES: u64 = 8;
        let age = (self.generation + GENERATIONS - generation(data)) % GENERATIONS;
        let worth = (data >> DEPTH_AT & 255) as i64 - (AGE_IN_PLIES * age) as i64;
        select_unpredictable(self.is_live(data), worth, DEAD)
    }
}

impl<'a> Part<'a> {
    #[inline]
    fn bucket(self, key: u64) -> &'a [AtomicU64] {
        let buckets = self.used.load(Relaxed);
        let at = ((u128::from(key) * buckets as u128) >> 64) as usize * WORDS;
        &self.words[at..at + WORDS]
    }

    /// Returns whether the part should grow. It is called when a full bucket lost an entry. It is
    /// true for a fixed part of the keys, so that the table grows when one in a few buckets has
    /// lost an entry.
    fn is_time_to_grow(self, key: u64) -> bool {
        const SHARE: usize = 2;
        let used = self.used.load(Relaxed);
        used < self.words.len() / WORDS && key.is_multiple_of((used / SHARE) as u64)
    }
}

/// Returns the most buckets in use after a growth that is expected to take at most `left`.
fn most_used_after(left: Duration) -> usize {
    (left.as_micros() * BUCKETS_PER_MS / 1000).try_into().unwrap_or(usize::MAX)
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
mod tests;
