//! Machine words as sets of cells: what a board of 64 or of 128 bits needs.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use tengen_engine::hash::mix64;

/// A word that holds a board.
pub trait Bits:
    Copy
    + Ord
    + Hash
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + BitXorAssign
    + Not<Output = Self>
{
    /// No cell.
    const NONE: Self;
    /// Only the lowest bit.
    const ONE: Self;
    /// How many bits there are.
    const WIDTH: u32;

    /// Returns the sum of both as numbers, without regard to overflow.
    fn plus(self, other: Self) -> Self;
    /// Returns the difference of both as numbers, without regard to overflow.
    fn minus(self, other: Self) -> Self;
    /// Returns every cell moved up by `by` bits; none is left from [`Bits::WIDTH`] on.
    fn up(self, by: u32) -> Self;
    /// Returns every cell moved down by `by` bits; none is left from [`Bits::WIDTH`] on.
    fn down(self, by: u32) -> Self;
    /// Returns how many cells there are.
    fn count(self) -> u32;
    /// Returns the number of the lowest bit; [`Bits::WIDTH`] when there is none.
    fn lowest(self) -> u32;
    /// Returns a number of 64 bits: for words of 64 bits a bijection, for longer ones a hash.
    fn mixed(self) -> u64;

    /// Returns whether there is no cell.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Returns whether there are cells in common.
    #[inline(always)]
    fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// Returns the cells without the lowest one.
    #[inline(always)]
    fn without_lowest(self) -> Self {
        // Adding all ones subtracts one.
        self & self.plus(!Self::NONE)
    }

    /// Returns the bit with this number.
    #[inline(always)]
    fn bit(number: u32) -> Self {
        Self::ONE.up(number)
    }
}

macro_rules! bits {
    ($word:ty, $mixed:expr) => {
        impl Bits for $word {
            const NONE: Self = 0;
            const ONE: Self = 1;
            const WIDTH: u32 = <$word>::BITS;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn up(self, by: u32) -> Self {
                self.checked_shl(by).unwrap_or(0)
            }

            #[inline(always)]
            fn down(self, by: u32) -> Self {
                self.checked_shr(by).unwrap_or(0)
            }

            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline(always)]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline(always)]
            fn mixed(self) -> u64 {
                $mixed(self)
            }
        }
    };
}

bits!(u64, mix64);
bits!(u128, |word: u128| mix64(word as u64 ^ mix64((word >> 64) as u64)));

#[cfg(test)]
mod tests {
    use super::*;

    fn check<B: Bits>() {
        let ends = B::ONE | B::bit(B::WIDTH - 1);
        assert_eq!(ends.count(), 2);
        assert_eq!(ends.without_lowest(), B::bit(B::WIDTH - 1));
        assert_eq!(ends.without_lowest().lowest(), B::WIDTH - 1);
        assert!(ends.up(B::WIDTH).is_empty() && ends.down(B::WIDTH + 9).is_empty());
        assert!(B::NONE.without_lowest().is_empty());
        assert_eq!(B::NONE.minus(B::ONE), !B::NONE);
        assert_ne!(B::ONE.mixed(), B::bit(B::WIDTH - 1).mixed());
    }

    #[test]
    fn both_words_behave_alike() {
        check::<u64>();
        check::<u128>();
    }
}
