//! How much the solvers search: the fours that a VCF (victory by continuous fours) tries, and the
//! stages of the VCT searches at the root.
//!
//! This file knows no board.

/// The fours that a VCF search tries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VcfScope {
    /// All fours that can continue the attack.
    Full,
    /// Fours that win at once, that stop a five, or that make at least a two on another line. After
    /// the first one they must also be near the previous four. A first four near a given stone need
    /// not make a two. This scope finds most wins with far fewer nodes, but does not prove that
    /// there is no win.
    Local,
}

impl VcfScope {
    /// The largest distance of a near cell, in steps.
    const NEAR: u32 = 2;
    /// The largest distance of a near cell on a common line, in steps.
    const NEAR_IN_LINE: u32 = 4;

    /// Returns whether two cells, `columns` and `rows` apart, are near each other.
    pub(crate) fn is_near(columns: u32, rows: u32) -> bool {
        let in_line = columns == 0 || rows == 0 || columns == rows;
        columns.max(rows) <= if in_line { Self::NEAR_IN_LINE } else { Self::NEAR }
    }
}

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

    /// Returns every stage, and those after all quiet moves.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let scopes = [VcfScope::Local, VcfScope::Full];
        (0..=MAX_QUIET).flat_map(move |quiet| scopes.map(|vcf_scope| Self { quiet, vcf_scope }))
    }

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
    fn fours_are_near_within_two_steps_or_four_in_line() {
        for apart in [(0, 1), (2, 1), (2, 2), (4, 0), (0, 4), (4, 4)] {
            assert!(VcfScope::is_near(apart.0, apart.1), "{apart:?}");
        }
        for apart in [(3, 1), (1, 3), (5, 0), (5, 5), (4, 3)] {
            assert!(!VcfScope::is_near(apart.0, apart.1), "{apart:?}");
        }
    }

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
