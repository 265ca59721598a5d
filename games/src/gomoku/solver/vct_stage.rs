//! The stages of the VCT searches at the root.
//!
//! This file knows no board.

use crate::gomoku::solver::vcf_scope::VcfScope;

/// The largest number of quiet moves of a VCT.
const MAX_QUIET: u32 = 4;

/// The effort of the VCT searches at the root. When a search ends without a win, the next search
/// uses the next stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VctStage {
    /// The largest number of quiet moves.
    pub(crate) quiet: u32,
    /// The scope of the VCF searches inside VCT.
    pub(crate) vcf_scope: VcfScope,
}

impl VctStage {
    /// The first stage of a search.
    pub(crate) const FIRST: Self = Self { quiet: 1, vcf_scope: VcfScope::Local };

    /// Returns the next stage; the last stage returns itself.
    // Full VCF comes second: it may find wins that local VCF misses, but needs more nodes for the
    // others.
    pub(crate) fn next(self) -> Self {
        match self.vcf_scope {
            VcfScope::Local => Self { vcf_scope: VcfScope::Full, ..self },
            VcfScope::Full if self.quiet == MAX_QUIET => self,
            VcfScope::Full => Self { quiet: self.quiet + 1, vcf_scope: VcfScope::Local },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_vcf_comes_before_the_next_quiet_move() {
        let local = |quiet| VctStage { quiet, vcf_scope: VcfScope::Local };
        let full = |quiet| VctStage { quiet, vcf_scope: VcfScope::Full };
        assert_eq!(VctStage::FIRST, local(1));
        assert_eq!(local(1).next(), full(1));
        assert_eq!(full(1).next(), local(2));
        assert_eq!(full(MAX_QUIET).next(), full(MAX_QUIET));
    }
}
