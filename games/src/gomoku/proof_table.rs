//! What a proof-number search remembers of positions.
//!
//! It knows keys and numbers, and no position.

/// Proof number and disproof number of a position, in leaves. The attacker wants the proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    /// Leaves to be proven for the attacker's win; 0 when it is proven.
    pub(super) proof: u32,
    /// Leaves to be disproven to show that there is no win; 0 when it is disproven.
    pub(super) disproof: u32,
    /// The most plies that a proven win takes, whatever the defence.
    pub(super) plies: u16,
}

impl Numbers {
    /// More than any number of leaves: the number of a position that cannot be proven, or not be
    /// disproven.
    pub(super) const NEVER: u32 = (1 << 24) - 1;
    /// There is no win.
    pub(super) const REFUTED: Self = Self { proof: Self::NEVER, disproof: 0, plies: 0 };

    /// Returns the numbers of a position of which only an estimate is known.
    pub(super) const fn open(proof: u32, disproof: u32) -> Self {
        Self { proof, disproof, plies: 0 }
    }

    /// Returns the numbers of a win within so many plies.
    pub(super) const fn won(plies: u32) -> Self {
        Self { proof: 0, disproof: Self::NEVER, plies: plies as u16 }
    }

    pub(super) const fn is_won(self) -> bool {
        self.proof == 0
    }

    pub(super) const fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// A key, and in one word the proof number (24 bits), the disproof number or the plies of a win (24
/// bits), and the nodes that they cost (16 bits), the lowest first. A word of 0 is an empty entry.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    word: u64,
}

impl Entry {
    const EMPTY: Self = Self { key: 0, word: 0 };
    /// The greatest cost that is counted.
    const MOST: u64 = u16::MAX as u64;

    fn new(key: u64, numbers: Numbers, cost: u64) -> Self {
        let Numbers { proof, disproof, plies } = numbers;
        let second = if numbers.is_won() { u32::from(plies) } else { disproof };
        let cost = cost.clamp(1, Self::MOST);
        Self { key, word: u64::from(proof) | u64::from(second) << 24 | cost << 48 }
    }

    fn numbers(self) -> Numbers {
        let [proof, second] = [self.word, self.word >> 24].map(|bits| bits as u32 & Numbers::NEVER);
        if proof == 0 { Numbers::won(second) } else { Numbers::open(proof, second) }
    }

    fn cost(self) -> u64 {
        self.word >> 48
    }

    fn has(self, key: u64) -> bool {
        self.key == key && self.word > 0
    }
}

/// Entries that share a place: one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Place([Entry; WAYS]);

/// The numbers of many positions. Entries that took many nodes stay longest.
#[derive(Clone, Debug, Default)]
pub(super) struct Proofs(Vec<Place>);

/// How many entries share a place.
const WAYS: usize = 4;

impl Proofs {
    const PLACES: usize = 1 << 17;

    pub(super) fn get(&self, key: u64) -> Option<Numbers> {
        let Place(entries) = self.0.get(key as usize % Self::PLACES)?;
        entries.iter().find(|entry| entry.has(key)).map(|entry| entry.numbers())
    }

    /// Stores what `cost` nodes more have found.
    pub(super) fn put(&mut self, key: u64, numbers: Numbers, cost: u64) {
        if self.0.is_empty() {
            self.0.resize(Self::PLACES, Place([Entry::EMPTY; WAYS]));
        }
        let Place(entries) = &mut self.0[key as usize % Self::PLACES];
        let same = entries.iter().position(|entry| entry.has(key));
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
            for (cost, counted) in [(0, 1), (7, 7), (1 << 40, Entry::MOST)] {
                let entry = Entry::new(9, numbers, cost);
                assert_eq!((entry.numbers(), entry.cost()), (numbers, counted));
                assert!(entry.has(9) && !entry.has(8));
            }
        }
        assert!(!Entry::EMPTY.has(0));
    }

    #[test]
    fn the_dear_stay_and_the_cheap_go() {
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
