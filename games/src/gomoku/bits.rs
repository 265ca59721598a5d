//! Sets of cells. They know no board.

use super::lines::CELLS;

const WORDS: usize = CELLS.div_ceil(64);

/// A set of cells by their index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CellSet([u64; WORDS]);

impl CellSet {
    /// No cell.
    pub(super) const NONE: Self = Self([0; WORDS]);

    #[inline]
    pub(super) fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// Adds every member of `other`.
    #[inline]
    pub(super) fn unite(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// The members in rising order.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(place, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                if left == 0 {
                    return None;
                }
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                Some(64 * place + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lists_its_members_in_order() {
        let mut set = CellSet::NONE;
        for index in [483, 0, 64, 63, 200] {
            set.insert(index);
        }
        set.remove(64);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 200, 483]);
        let mut all = CellSet::NONE;
        all.insert(1);
        all.unite(&set);
        assert_eq!(all.iter().count(), 5);
    }
}
