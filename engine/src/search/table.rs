//! The lock-free transposition table that all search threads share.
//!
//! An entry is a pair of words, `key ^ data` and `data`, with relaxed reads and writes. A pair that
//! two writers have mixed does not match its key and reads as absent.
//!
//! A table first uses a small part of its memory, and grows when this part is full. So a short
//! search stays within the processor caches, even with a large table. A growth takes time. A search
//! with a time limit starts a growth only if it is expected to end before half of the hard limit.
//!
//! Positions near the end of an exact game are the most numerous, and soon useless. Each thread has
//! a small share of a large table for them, which also stays within the processor caches.
// CITE: Hyatt and Mann, "A lock-less transposition-table implementation", ICGA Journal 25(1), 2002.

mod handle;
mod memory;

use std::hint::select_unpredictable;
use std::time::Duration;

use crate::clock::{Instant, now};
use crate::game::score::Score;
use crate::search::report::Bound;
pub use crate::search::wins::KeptWins;
use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

pub use handle::TableHandle;
use memory::Memory;

/// A table entry: the result of searching one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The depth of the search in plies, at most 255.
    pub depth: u32,
    /// The relation of the score to the value of the position.
    pub bound: Bound,
    /// The score for the side to move; plies count from the position itself.
    pub score: Score,
    /// The code of the best move, see [`crate::Game::pack`]; `None` if there is no best move.
    pub code: Option<u32>,
}

/// The number of entries in a bucket, which is one cache line. A model has one, so that it ends.
const WAYS: usize = if cfg!(loom) { 1 } else { 4 };
const WORDS: usize = 2 * WAYS;

/// The number of buckets in use at first: 256 KiB.
const FIRST_USED: usize = 1 << 12;
/// The minimum of buckets for shares near the end: 128 MiB. A smaller table needs no shares,
/// because enough of it stays within the processor caches.
const MIN_FOR_SHARES: usize = 1 << 21;
/// The number of buckets for the shares of all threads: 8 MiB.
const ALL_SHARES: usize = 1 << 17;
/// The maximum of buckets of one share: 1 MiB.
const MAX_SHARE: usize = 1 << 14;
/// The number of buckets of a share in use at first: 64 KiB.
const FIRST_USED_OF_SHARE: usize = 1 << 10;
/// The factor of a growth.
const GROWTH: usize = 4;
/// If at least this many buckets are in use, the next growth takes all buckets, if the time allows
/// it. Moving entries again and again costs too much search time.
const MAX_MOVED: usize = 1 << 18;
/// The assumed speed of a growth in buckets per millisecond, with a margin: 305 MiB per second. The
/// first use of the memory takes most of the time.
const BUCKETS_PER_MS: u128 = 5_000;

/// The transposition table. Entries are replaced by depth and age. Searches use it through a
/// [`View`].
#[derive(Debug)]
pub struct Table {
    memory: Memory,
    /// The size in MiB.
    mib: usize,
    /// The number of buckets in use, from the first on.
    used: AtomicUsize,
    /// The number of buckets in use in each share near the end.
    used_near: Vec<AtomicUsize>,
    /// The number of buckets, from the first on, that may have entries of earlier epochs.
    written: usize,
    /// The number of clears, modulo [`EPOCHS`]. Entries of another epoch are absent.
    epoch: u64,
    /// The number of searches since the last clear, modulo [`GENERATIONS`]. Older entries are
    /// replaced first.
    generation: u64,
    /// The proven wins of the game. They are cleared with the table.
    pub(crate) wins: KeptWins,
}

/// The access of one search thread to the table.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// By region: the part that all threads share, and the thread's own share. Without shares, both
    /// are the whole table.
    parts: [Part<'a>; 2],
    epoch: u64,
    generation: u64,
    /// A growth must be expected to end before this instant; `None` without a deadline.
    growth_deadline: Option<Instant>,
}

/// A part of the table. Its first buckets are in use.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    words: &'a [AtomicU64],
    used: &'a AtomicUsize,
}

/// The table address of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// The position's key.
    pub key: u64,
    /// The region of the game that the position is in.
    pub region: Region,
}

/// The region of the game that a position is in.
// `usize`, so that an address is two words without padding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Region {
    /// Far from the end, or any position of a game that is not exact.
    Far,
    /// Near the end of an exact game.
    Near,
}

/// The error of a table that does not fit in memory.
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

/// The worth of an absent entry.
const DEAD: i64 = i64::MIN;

impl Table {
    /// Allocates an empty table of `mib` MiB, at least 1.
    pub fn new(mib: usize) -> Result<Self, OutOfMemory> {
        let mib = mib.max(1);
        let bytes = mib.checked_mul(1 << 20).ok_or(OutOfMemory)?;
        let memory = Memory::zeroed(bytes / 8).ok_or(OutOfMemory)?;
        let used = AtomicUsize::new(FIRST_USED);
        Ok(Self {
            memory,
            mib,
            used,
            used_near: Vec::new(),
            written: 0,
            epoch: 0,
            generation: 0,
            wins: KeptWins::default(),
        })
    }

    /// Clears the table by a new epoch, which makes all entries absent. Only each 256th clear
    /// writes to the memory.
    pub fn clear(&mut self) {
        self.written = self.written.max(self.used.load(Relaxed));
        self.used = AtomicUsize::new(FIRST_USED);
        self.used_near.clear();
        self.generation = 0;
        self.wins.clear();
        self.epoch = (self.epoch + 1) % EPOCHS;
        if self.epoch == 0 {
            self.memory.clear(self.written * WORDS);
            self.written = 0;
        }
    }

    /// Begins a new search. Entries of earlier searches can still be read, but are replaced first.
    pub fn age(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    /// Returns a view of the whole table, for all threads of one search.
    pub fn view(&mut self) -> View<'_> {
        let (epoch, generation) = (self.epoch, self.generation);
        let whole = Part { words: self.memory.words(), used: &self.used };
        View { parts: [whole; 2], epoch, generation, growth_deadline: None }
    }

    /// Returns a view for each of `threads` threads of an exact game. In a large table, each thread
    /// has its own share near the end. A change of the number of threads clears the shares.
    pub fn views(&mut self, threads: usize) -> Vec<View<'_>> {
        let (epoch, generation) = (self.epoch, self.generation);
        let buckets = self.memory.words().len() / WORDS;
        if buckets < MIN_FOR_SHARES {
            return vec![self.view(); threads];
        }
        // The shares are at the end.
        self.written = buckets;
        let words = self.memory.words();
        let share = (ALL_SHARES / threads.max(1)).clamp(1, MAX_SHARE);
        let (far, near) = words.split_at((buckets - ALL_SHARES) * WORDS);
        if self.used_near.len() != threads {
            let first = || AtomicUsize::new(share.min(FIRST_USED_OF_SHARE));
            self.used_near = std::iter::repeat_with(first).take(threads).collect();
        }
        // A view of the whole table may have used more.
        self.used.fetch_min(far.len() / WORDS, Relaxed);
        let far = Part { words: far, used: &self.used };
        let near = near.chunks_exact(share * WORDS).zip(&self.used_near);
        let parts = near.map(|(words, used)| [far, Part { words, used }]);
        parts.map(|parts| View { parts, epoch, generation, growth_deadline: None }).collect()
    }
}

impl<'a> View<'a> {
    /// Sets the deadline for growths; `None` for no deadline.
    pub(crate) fn with_growth_deadline(self, deadline: Option<Instant>) -> Self {
        Self { growth_deadline: deadline, ..self }
    }

    /// Returns the entry of a position; `None` if there is none.
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

    /// Prefetches the bucket of `at` into the processor caches, for a later [`get`](Self::get).
    #[inline]
    pub fn prefetch(&self, at: Address) {
        #[cfg(all(feature = "fast-table", target_arch = "x86_64"))]
        safe_arch::prefetch_t0(&self.part(at).bucket(at.key)[0]);
        #[cfg(not(all(feature = "fast-table", target_arch = "x86_64")))]
        let _ = at;
    }

    /// Stores `entry`. If it has no move, the move of the old entry of the position stays.
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

    /// Uses more buckets and moves all entries to their new places. Other threads may miss entries
    /// meanwhile.
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
        // Entries move only to higher buckets, which are already emptied.
        for index in (0..before).rev() {
            let bucket = &part.words[index * WORDS..][..WORDS];
            let known: [(u64, u64); WAYS] = std::array::from_fn(|way| {
                let (sum, data) = (&bucket[2 * way], &bucket[2 * way + 1]);
                let known = (sum.load(Relaxed), data.load(Relaxed));
                data.store(0, Relaxed);
                known
            });
            for (sum, data) in known.into_iter().filter(|(_, data)| self.is_live(*data)) {
                self.insert_moved(part, sum ^ data, data);
            }
        }
    }

    /// Returns the maximum of buckets in use after a growth that starts now.
    fn most_used_by_deadline(&self) -> usize {
        let left = self.growth_deadline.map(|deadline| deadline.saturating_duration_since(now()));
        left.map_or(usize::MAX, most_used_after)
    }

    fn insert_moved(&self, part: Part<'_>, key: u64, data: u64) {
        let bucket = part.bucket(key);
        let is_free = |place: &usize| !self.is_live(bucket[2 * place + 1].load(Relaxed));
        if let Some(place) = (0..WAYS).find(is_free) {
            write(bucket, place, key, data);
        }
    }

    /// Returns how full the table is with entries of this search, in per mille, from a sample. The
    /// own shares of the threads do not count.
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

    /// Returns the worth of an entry. In a full bucket, the entry with the lowest worth is
    /// replaced. All absent entries have the same worth, so that entries of earlier epochs never
    /// change a search.
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

    /// Returns whether the part must grow, after a full bucket has lost an entry. It is true for a
    /// small fixed set of keys, so that the part grows when about one in `SHARE` buckets has lost
    /// an entry.
    fn is_time_to_grow(self, key: u64) -> bool {
        const SHARE: usize = 2;
        let used = self.used.load(Relaxed);
        used < self.words.len() / WORDS && key.is_multiple_of((used / SHARE) as u64)
    }
}

/// Returns the maximum of buckets in use after a growth that is expected to take at most `left`.
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

#[cfg(all(test, loom))]
mod model;
#[cfg(test)]
mod tests;
