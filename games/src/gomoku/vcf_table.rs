//! The table of positions in which a VCF search found no win.

use std::mem;

use tengen_engine::Cell;

/// The most fours of a line. No board has room for more.
pub(super) const MAX_FOURS: u32 = 240;

/// What a search of a position found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum VcfResult {
    /// A win, by this line, its last move first.
    Win(Vec<Cell>),
    /// There is no VCF with this many fours or nodes. A longer one may exist.
    LimitReached,
    /// There is no VCF.
    NoWin,
}

/// Positions without a VCF, each with the number of fours that were tried, or with the number of
/// nodes that did not suffice.
#[derive(Clone, Debug)]
pub(super) struct NoVcfTable {
    /// The largest number of slots, a power of two.
    most: usize,
    /// A power of two of them, or none until something is stored.
    slots: Vec<u64>,
    /// How often something was stored since the last growth.
    stored: usize,
}

impl NoVcfTable {
    /// The number of slots for searches of all fours: some wins take a million nodes.
    pub(super) const LARGE: usize = 1 << 20;
    /// The number of slots for local searches, and the first of a larger table: 64 KiB, which the L2
    /// cache holds.
    pub(super) const SMALL: usize = 1 << 13;
    /// A table grows once one slot in so many may be in use.
    const SPARSE: usize = 16;
    /// By how much a table grows.
    const GROWTH: usize = 16;
    /// The lowest bits of a slot hold what was tried, the others the key.
    const TRIED: u64 = 0xFF;
    /// Any number of fours was tried.
    const ALL: u64 = Self::TRIED;
    /// From here to [`ALL`](Self::ALL): the search ran out of nodes. The difference is the binary
    /// logarithm of their number.
    const RAN_OUT: u64 = MAX_FOURS as u64 + 1;

    /// Returns an empty table that grows to this number of slots, a power of two.
    pub(super) const fn new(slots: usize) -> Self {
        Self { most: slots, slots: Vec::new(), stored: 0 }
    }

    /// Returns what a search of the position with at most `fours` fours found.
    pub(super) fn probe(&self, key: u64, fours: u32) -> Option<VcfResult> {
        match self.tried(key)? {
            Self::ALL => Some(VcfResult::NoWin),
            tried if tried >= u64::from(fours) && tried < Self::RAN_OUT => {
                Some(VcfResult::LimitReached)
            }
            _ => None,
        }
    }

    /// Returns what a new search of the position would find, if it is known that `nodes` nodes find
    /// no win.
    pub(super) fn probe_root(&self, key: u64, nodes: u64) -> Option<VcfResult> {
        match self.tried(key)? {
            Self::ALL => Some(VcfResult::NoWin),
            tried if tried >= Self::ran_out(nodes) => Some(VcfResult::LimitReached),
            _ => None,
        }
    }

    /// Stores that a search of the position ran out of `nodes` nodes.
    pub(super) fn store_ran_out(&mut self, key: u64, nodes: u64) {
        self.put(key, Self::ran_out(nodes));
    }

    /// Stores what a search of the position with at most `fours` fours found. Wins are not stored.
    pub(super) fn store(&mut self, key: u64, found: &VcfResult, fours: u32) {
        let tried = match found {
            VcfResult::Win(_) => return,
            VcfResult::LimitReached => u64::from(fours),
            VcfResult::NoWin => Self::ALL,
        };
        self.put(key, tried);
    }

    fn ran_out(nodes: u64) -> u64 {
        (Self::RAN_OUT + u64::from(nodes.max(1).ilog2())).min(Self::ALL - 1)
    }

    fn tried(&self, key: u64) -> Option<u64> {
        let slot = *self.slots.get(key as usize & self.slots.len().wrapping_sub(1))?;
        ((slot ^ key) & !Self::TRIED == 0).then_some(slot & Self::TRIED)
    }

    fn put(&mut self, key: u64, tried: u64) {
        let is_sparse = self.stored < self.slots.len() / Self::SPARSE;
        if !is_sparse && self.slots.len() < self.most {
            self.grow();
        }
        self.stored += 1;
        let mask = self.slots.len() - 1;
        self.slots[key as usize & mask] = (key & !Self::TRIED) | tried;
    }

    /// Takes a larger table. A large one takes long to clear, and most searches store little.
    fn grow(&mut self) {
        // No slot of zeros is read as a failure of more than no fours.
        let larger = (Self::GROWTH * self.slots.len()).clamp(Self::SMALL, self.most);
        let old = mem::replace(&mut self.slots, vec![0; larger]);
        for (index, slot) in old.into_iter().enumerate().filter(|(_, slot)| *slot != 0) {
            // The lowest bits of the key are those of the index.
            let key = (slot & !Self::TRIED) | (index as u64 & Self::TRIED);
            self.slots[key as usize & (larger - 1)] = slot;
        }
        self.stored = 0;
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::hash::mix64;

    use super::*;

    #[test]
    fn a_table_that_grows_keeps_what_is_stored() {
        let mut table = NoVcfTable::new(NoVcfTable::LARGE);
        let keys = (1..=1000).map(mix64);
        for key in keys.clone() {
            table.store(key, &VcfResult::NoWin, 1);
        }
        assert_eq!(table.slots.len(), NoVcfTable::GROWTH * NoVcfTable::SMALL);
        let kept = keys.filter(|&key| table.probe(key, 1).is_some()).count();
        assert!(kept > 900, "{kept}");
    }

    #[test]
    fn a_longer_search_and_one_with_more_nodes_are_not_answered() {
        let mut table = NoVcfTable::new(NoVcfTable::SMALL);
        let key = 0x1234_5678_9ABC_DE00;
        assert_eq!(table.probe(key, 2), None);
        table.store(key, &VcfResult::LimitReached, 2);
        assert_eq!(table.probe(key, 2), Some(VcfResult::LimitReached));
        assert_eq!((table.probe(key, 3), table.probe_root(key, 1)), (None, None));
        table.store_ran_out(key, 50);
        assert_eq!((table.probe(key, 0), table.probe_root(key, 200)), (None, None));
        assert_eq!(table.probe_root(key, 50), Some(VcfResult::LimitReached));
        table.store(key, &VcfResult::NoWin, 4);
        assert_eq!(table.probe(key, MAX_FOURS), Some(VcfResult::NoWin));
        assert_eq!(table.probe_root(key, 200), Some(VcfResult::NoWin));
        assert_eq!(table.probe_root(key ^ 1 << 40, 200), None);
    }
}
