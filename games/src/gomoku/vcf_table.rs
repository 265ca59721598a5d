//! The table of positions without a VCF.

use tengen_engine::Cell;

/// What a search of a position found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum VcfResult {
    /// A win, by this line, its last move first.
    Win(Vec<Cell>),
    /// There is no VCF with this many fours. A longer one may exist.
    LimitReached,
    /// There is no VCF.
    NoWin,
}

/// Positions without a VCF, each with the number of fours that were tried.
#[derive(Clone, Debug, Default)]
pub(super) struct NoVcfTable(Vec<u64>);

impl NoVcfTable {
    const SLOTS: usize = 1 << 18;
    /// The lowest bits of a slot hold the number of fours, the others the key.
    const FOURS: u64 = 0xFF;

    pub(super) fn probe(&self, key: u64, fours: u32) -> Option<VcfResult> {
        let slot = *self.0.get(key as usize % Self::SLOTS)?;
        let tried = slot & Self::FOURS;
        if (slot ^ key) & !Self::FOURS != 0 || tried < u64::from(fours) {
            return None;
        }
        Some(if tried == Self::FOURS { VcfResult::NoWin } else { VcfResult::LimitReached })
    }

    pub(super) fn store(&mut self, key: u64, found: &VcfResult, fours: u32) {
        let tried = match found {
            VcfResult::Win(_) => return,
            VcfResult::LimitReached => u64::from(fours),
            VcfResult::NoWin => Self::FOURS,
        };
        if self.0.is_empty() {
            // No slot of zeros is read as a failure of more than no fours.
            self.0.resize(Self::SLOTS, 0);
        }
        self.0[key as usize % Self::SLOTS] = (key & !Self::FOURS) | tried;
    }
}
