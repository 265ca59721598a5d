//! The scope of a VCF (victory by continuous fours): the fours that a search tries.
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
}
