//! The table of positions where a VCF search found no win.

use std::mem;

use tengen_engine::Cell;

/// The largest number of fours in a line. No board has room for more.
pub(crate) const MAX_FOURS: u32 = 240;

/// The result of a VCF search of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum VcfResult {
    /// A win by this line, in reverse order: the last move first.
    Win(Vec<Cell>),
    /// There is no VCF within the limit on fours or nodes. A longer VCF may exist.
    LimitReached,
    /// There is no VCF.
    NoWin,
}

/// A table of positions without a VCF. Each entry has the number of fours that were tried, or the
/// number of nodes that were not enough.
#[derive(Clone, Debug)]
pub(crate) struct NoVcfTable {
    /// The largest number of slots, a power of two.
    max_slots: usize,
    /// A power of two of slots, or none until something is stored.
    slots: Vec<u64>,
    /// The number of stores since the table last grew.
    stored: usize,
}

impl NoVcfTable {
    /// The largest number of slots for searches of all fours: some wins take a million nodes.
    pub(crate) const LARGE: usize = 1 << 20;
    /// The number of slots for local searches, and the initial number of a larger table: 64 KiB,
    /// which fits in the L2 cache.
    pub(crate) const SMALL: usize = 1 << 13;
    /// A table grows after stores to 1/16 of its slots.
    const SPARSE: usize = 16;
    /// The factor by which a table grows.
    const GROWTH: usize = 16;
    /// The lowest bits of a slot, which hold what was tried. The other bits are those of the key.
    const TRIED: u64 = 0xFF;
    /// The value for a search of any number of fours.
    const ALL: u64 = Self::TRIED;
    /// The values from here to [`ALL`](Self::ALL) mean that the search ran out of nodes. The
    /// difference is the binary logarithm of the node limit.
    const RAN_OUT: u64 = MAX_FOURS as u64 + 1;

    /// Creates an empty table that can grow to `slots` slots, a power of two.
    pub(crate) const fn new(slots: usize) -> Self {
        Self { max_slots: slots, slots: Vec::new(), stored: 0 }
    }

    /// Returns the stored result of a search with at most `fours` fours; `None` when it is not
    /// known.
    pub(crate) fn probe(&self, key: u64, fours: u32) -> Option<VcfResult> {
        match self.tried(key)? {
            Self::ALL => Some(VcfResult::NoWin),
            tried if tried >= u64::from(fours) && tried < Self::RAN_OUT => {
                Some(VcfResult::LimitReached)
            }
            _ => None,
        }
    }

    /// Returns the stored result of a search with `nodes` nodes; `None` when such a search may
    /// still find a win.
    pub(crate) fn probe_root(&self, key: u64, nodes: u64) -> Option<VcfResult> {
        match self.tried(key)? {
            Self::ALL => Some(VcfResult::NoWin),
            tried if tried >= Self::ran_out(nodes) => Some(VcfResult::LimitReached),
            _ => None,
        }
    }

    /// Stores that a search of the position found no win in `nodes` nodes.
    pub(crate) fn store_ran_out(&mut self, key: u64, nodes: u64) {
        self.put(key, Self::ran_out(nodes));
    }

    /// Stores the result of a search of the position with at most `fours` fours. A win is not
    /// stored.
    pub(crate) fn store(&mut self, key: u64, found: &VcfResult, fours: u32) {
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
        if !is_sparse && self.slots.len() < self.max_slots {
            self.grow();
        }
        self.stored += 1;
        let mask = self.slots.len().wrapping_sub(1);
        if let Some(slot) = self.slots.get_mut(key as usize & mask) {
            *slot = (key & !Self::TRIED) | tried;
        }
    }

    /// Replaces the slots by more slots. The table starts small, because a large table takes long
    /// to clear and most searches store little. Without memory the table stays as it is.
    fn grow(&mut self) {
        let count = (Self::GROWTH * self.slots.len()).clamp(Self::SMALL, self.max_slots);
        let mut slots = Vec::new();
        self.stored = 0;
        if slots.try_reserve_exact(count).is_err() {
            return;
        }
        // A slot of zeros is read at most as a search of no fours.
        slots.resize(count, 0);
        let old = mem::replace(&mut self.slots, slots);
        for (index, slot) in old.into_iter().enumerate().filter(|(_, slot)| *slot != 0) {
            // The slot lacks the lowest bits of the key; they are those of the index.
            let key = (slot & !Self::TRIED) | (index as u64 & Self::TRIED);
            self.slots[key as usize & (count - 1)] = slot;
        }
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
    fn a_longer_search_or_one_with_more_nodes_is_not_answered() {
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
