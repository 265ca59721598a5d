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
    pub(super) const NEVER: u32 = 1 << 28;
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

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    numbers: Numbers,
    /// The nodes that the numbers cost; 0 for an empty entry.
    cost: u32,
}

const EMPTY: Entry = Entry { key: 0, numbers: Numbers::REFUTED, cost: 0 };

/// The numbers of many positions. Entries that took many nodes stay longest.
#[derive(Clone, Debug, Default)]
pub(super) struct Proofs(Vec<[Entry; WAYS]>);

/// How many entries share a place.
const WAYS: usize = 4;

impl Proofs {
    const PLACES: usize = 1 << 17;

    pub(super) fn get(&self, key: u64) -> Option<Numbers> {
        let place = self.0.get(key as usize % Self::PLACES)?;
        place.iter().find(|entry| entry.key == key && entry.cost > 0).map(|entry| entry.numbers)
    }

    /// Stores what `cost` nodes more have found.
    pub(super) fn put(&mut self, key: u64, numbers: Numbers, cost: u64) {
        if self.0.is_empty() {
            self.0.resize(Self::PLACES, [EMPTY; WAYS]);
        }
        let place = &mut self.0[key as usize % Self::PLACES];
        let same = place.iter().position(|entry| entry.key == key && entry.cost > 0);
        let cheapest = || (0..WAYS).min_by_key(|&way| place[way].cost).unwrap_or(0);
        let way = same.unwrap_or_else(cheapest);
        let before = if same.is_some() { place[way].cost } else { 0 };
        let cost = u64::from(before).saturating_add(cost).clamp(1, u64::from(u32::MAX));
        place[way] = Entry { key, numbers, cost: cost as u32 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
