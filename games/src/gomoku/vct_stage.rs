//! The stages of the VCT searches for the root.
//!
//! It knows no board.

use super::vcf_scope::VcfScope;

/// The most quiet moves that a VCT may have.
const MAX_QUIET: u32 = 4;

/// How much the VCT searches for the root try. A stage that ends without a win is followed by the next
/// one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct VctStage {
    /// The most quiet moves.
    pub(super) quiet: u32,
    /// The fours that the VCF searches inside VCT try.
    pub(super) vcf_scope: VcfScope,
}

impl VctStage {
    /// The stage in which a search begins.
    pub(super) const FIRST: Self = Self { quiet: 1, vcf_scope: VcfScope::Local };

    /// Returns the stage after `self`; the last stage is its own successor.
    // Local VCF may have missed a win. Full VCF takes more nodes for the wins that both find.
    pub(super) fn next(self) -> Self {
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
