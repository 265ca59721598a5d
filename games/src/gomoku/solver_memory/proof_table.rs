//! The table of the proof-number search: the numbers of positions, by key.
//!
//! This file does not depend on a board.

/// The proof and disproof numbers of a position, in leaves. The attacker wants the proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Numbers {
    /// The number of leaves to prove for a win of the attacker; 0 when the win is proven.
    pub(crate) proof: u32,
    /// The number of leaves to disprove to show that there is no win; 0 when this is shown.
    pub(crate) disproof: u32,
    /// The largest number of plies of a proven win, against any defence.
    pub(crate) plies: u16,
}

impl Numbers {
    /// The cap of both numbers, also the number of a position that cannot be proven or disproven.
    pub(crate) const NEVER: u32 = (1 << 24) - 1;
    /// The numbers of a position without a win.
    pub(crate) const REFUTED: Self = Self { proof: Self::NEVER, disproof: 0, plies: 0 };

    /// Returns the numbers of a position that is neither proven nor disproven.
    pub(crate) const fn open(proof: u32, disproof: u32) -> Self {
        Self { proof, disproof, plies: 0 }
    }

    /// Returns the numbers of a win in at most `plies` plies.
    pub(crate) const fn won(plies: u32) -> Self {
        Self { proof: 0, disproof: Self::NEVER, plies: plies as u16 }
    }

    pub(crate) const fn is_won(self) -> bool {
        self.proof == 0
    }

    pub(crate) const fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// A key and a packed word. From the lowest bit on: the proof number (24 bits), the disproof number
/// or, for a win, its plies (24 bits), and the nodes spent (16 bits). The word of an empty entry is
/// 0.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    word: u64,
}

impl Entry {
    const EMPTY: Self = Self { key: 0, word: 0 };
    /// The maximum cost that is counted, in nodes.
    const MAX_COST: u64 = u16::MAX as u64;

    fn new(key: u64, numbers: Numbers, cost: u64) -> Self {
        let Numbers { proof, disproof, plies } = numbers;
        let disproof_or_plies = if numbers.is_won() { u32::from(plies) } else { disproof };
        debug_assert!(proof.max(disproof_or_plies) <= Numbers::NEVER);
        let cost = cost.clamp(1, Self::MAX_COST);
        Self { key, word: u64::from(proof) | u64::from(disproof_or_plies) << 24 | cost << 48 }
    }

    fn numbers(self) -> Numbers {
        let [proof, other] = [self.word, self.word >> 24].map(|bits| bits as u32 & Numbers::NEVER);
        if proof == 0 { Numbers::won(other) } else { Numbers::open(proof, other) }
    }

    fn cost(self) -> u64 {
        self.word >> 48
    }

    fn matches(self, key: u64) -> bool {
        self.key == key && self.word > 0
    }
}

/// Entries with the same index, in one cache line of 64 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket([Entry; WAYS]);

/// A table of the numbers of many positions. Entries that took many nodes stay longest; from
/// [`Entry::MAX_COST`] on, all count the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proofs(Vec<Bucket>);

/// The number of entries in a bucket.
const WAYS: usize = 4;

impl Proofs {
    const BUCKETS: usize = 1 << 17;

    pub(crate) fn get(&self, key: u64) -> Option<Numbers> {
        let Bucket(entries) = self.0.get(key as usize % Self::BUCKETS)?;
        entries.iter().find(|entry| entry.matches(key)).map(|entry| entry.numbers())
    }

    /// Stores `numbers`, which took `cost` more nodes. Without memory nothing is stored.
    pub(crate) fn put(&mut self, key: u64, numbers: Numbers, cost: u64) {
        if self.0.is_empty() {
            if self.0.try_reserve_exact(Self::BUCKETS).is_err() {
                return;
            }
            self.0.resize(Self::BUCKETS, Bucket([Entry::EMPTY; WAYS]));
        }
        let Bucket(entries) = &mut self.0[key as usize % Self::BUCKETS];
        let same = entries.iter().position(|entry| entry.matches(key));
        let cheapest = || (0..WAYS).min_by_key(|&way| entries[way].cost()).unwrap_or(0);
        let way = same.unwrap_or_else(cheapest);
        let before = if same.is_some() { entries[way].cost() } else { 0 };
        entries[way] = Entry::new(key, numbers, before.saturating_add(cost));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_keeps_numbers_and_counts_costs_up_to_a_limit() {
        let open = Numbers::open(Numbers::NEVER - 1, Numbers::NEVER - 2);
        for numbers in [open, Numbers::REFUTED, Numbers::won(1), Numbers::won(450)] {
            for (cost, counted) in [(0, 1), (7, 7), (1 << 40, Entry::MAX_COST)] {
                let entry = Entry::new(9, numbers, cost);
                assert_eq!((entry.numbers(), entry.cost()), (numbers, counted));
                assert!(entry.matches(9) && !entry.matches(8));
            }
        }
        assert!(!Entry::EMPTY.matches(0));
    }

    #[test]
    fn the_cheapest_entry_is_replaced() {
        let mut proofs = Proofs::default();
        assert_eq!(proofs.get(7), None);
        let key = |number: u64| number << 32 | 5;
        for number in 1..=WAYS as u64 {
            proofs.put(key(number), Numbers::open(number as u32, 1), 10 * number);
        }
        proofs.put(key(1), Numbers::won(9), 100);
        proofs.put(key(9), Numbers::REFUTED, 1);
        assert_eq!(proofs.get(key(1)), Some(Numbers::won(9)));
        assert_eq!(proofs.get(key(2)), None);
        assert_eq!(proofs.get(key(9)), Some(Numbers::REFUTED));
        assert_eq!(proofs.get(key(4)), Some(Numbers::open(4, 1)));
    }
}
