//! Sets of cells by index, independent of any board.

use std::iter;

/// A set of the cells with an index below `64 * WORDS`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CellSet<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> CellSet<WORDS> {
    /// No cell.
    pub(crate) const NONE: Self = Self([0; WORDS]);

    #[inline]
    pub(crate) fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    #[inline]
    pub(crate) fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    /// Inserts the cell if `is_member`, removes it otherwise.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, is_member: bool) {
        if is_member {
            self.insert(index);
        } else {
            self.remove(index);
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// Adds every member of `other`.
    #[inline]
    pub(crate) fn unite(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// Returns the members in rising order.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.iter_below(64 * WORDS)
    }

    /// Returns the members in rising order. All of them must be below `bound`.
    #[inline]
    pub(crate) fn iter_below(&self, bound: usize) -> impl Iterator<Item = usize> + '_ {
        let words = &self.0[..bound.div_ceil(64)];
        let (mut number, mut word) = (0, words.first().copied().unwrap_or(0));
        iter::from_fn(move || {
            while word == 0 {
                number += 1;
                word = *words.get(number)?;
            }
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            Some(64 * number + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lists_its_members_in_order() {
        let mut set = CellSet::<8>::NONE;
        for index in [483, 0, 64, 63, 200] {
            set.insert(index);
        }
        set.remove(64);
        set.set(200, false);
        set.set(199, true);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 199, 483]);
        assert!(set.iter().eq(set.iter_below(484)));
        assert_eq!(set.iter_below(0).next(), None);
        let mut all = CellSet::NONE;
        assert!(all.is_empty());
        all.insert(1);
        all.unite(&set);
        assert_eq!(all.iter().count(), 5);
    }
}
