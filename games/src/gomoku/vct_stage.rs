//! What the VCT searches for the root try, one after the other.
//!
//! It knows no board.

use super::vcf::VcfScope;

/// The most quiet moves that a VCT may have.
const MAX_QUIET: u32 = 4;

/// What a VCT search tries. When there is no win of this kind, a later search tries more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct VctStage {
    /// The most quiet moves.
    pub(super) quiet: u32,
    /// The fours that VCF tries.
    pub(super) scope: VcfScope,
}

impl VctStage {
    pub(super) const FIRST: Self = Self { quiet: 1, scope: VcfScope::Local };

    /// Returns the stage after one whose local VCF may have missed a win.
    pub(super) fn next(self) -> Self {
        match self.scope {
            VcfScope::Local => Self { scope: VcfScope::Full, ..self },
            VcfScope::Full => self.wider(),
        }
    }

    /// Returns the stage with one quiet move more, if there is one.
    pub(super) fn wider(self) -> Self {
        if self.quiet == MAX_QUIET {
            return self;
        }
        Self { quiet: self.quiet + 1, scope: VcfScope::Local }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_tries_more_than_the_one_before() {
        let local = |quiet| VctStage { quiet, scope: VcfScope::Local };
        let full = |quiet| VctStage { quiet, scope: VcfScope::Full };
        assert_eq!(VctStage::FIRST, local(1));
        assert_eq!(local(1).next(), full(1));
        assert_eq!(full(1).next(), local(2));
        // Where local VCF missed nothing, full VCF finds nothing more.
        assert_eq!(local(1).wider(), local(2));
        let last = full(MAX_QUIET);
        assert_eq!(last.next(), last);
    }
}
