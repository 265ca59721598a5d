//! The table of positions in which a VCF search found none.

use tengen_engine::Cell;

/// What a search of a position found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// A win, by this line, its last move first.
    Win(Vec<Cell>),
    /// No VCF with this many fours; there may be one with more.
    Short,
    /// There is no VCF.
    Nothing,
}

/// Positions without a VCF, each with the number of fours that were tried.
#[derive(Clone, Debug, Default)]
pub(super) struct Failures(Vec<u64>);

impl Failures {
    const SLOTS: usize = 1 << 18;
    /// The lowest bits of a slot hold the number of fours, the others the key.
    const FOURS: u64 = 0xFF;

    pub(super) fn fails(&self, key: u64, fours: u32) -> Option<Found> {
        let slot = *self.0.get(key as usize % Self::SLOTS)?;
        let tried = slot & Self::FOURS;
        if (slot ^ key) & !Self::FOURS != 0 || tried < u64::from(fours) {
            return None;
        }
        Some(if tried == Self::FOURS { Found::Nothing } else { Found::Short })
    }

    pub(super) fn remember(&mut self, key: u64, found: &Found, fours: u32) {
        let tried = match found {
            Found::Win(_) => return,
            Found::Short => u64::from(fours),
            Found::Nothing => Self::FOURS,
        };
        if self.0.is_empty() {
            // No slot of zeros is read as a failure of more than no fours.
            self.0.resize(Self::SLOTS, 0);
        }
        self.0[key as usize % Self::SLOTS] = (key & !Self::FOURS) | tried;
    }
}
