//! Words of 64 or 128 bits as sets of cells.

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
    /// The number of bits.
    const WIDTH: u32;

    /// Returns the sum of both words as numbers; it wraps on overflow.
    fn plus(self, other: Self) -> Self;
    /// Returns the difference of both words as numbers; it wraps on overflow.
    fn minus(self, other: Self) -> Self;
    /// Returns the word shifted up by `by` bits; empty from [`Bits::WIDTH`] on.
    fn up(self, by: u32) -> Self;
    /// Returns the word shifted down by `by` bits; empty from [`Bits::WIDTH`] on.
    fn down(self, by: u32) -> Self;
    /// Returns the number of cells.
    fn count(self) -> u32;
    /// Returns the index of the lowest bit; [`Bits::WIDTH`] when the set is empty.
    fn lowest(self) -> u32;
    /// Returns a hash of 64 bits; for words of 64 bits it is a bijection.
    fn mixed(self) -> u64;

    /// Returns whether the set is empty.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Returns whether both sets have a cell in common.
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

    /// Returns the bit with index `number`, from 0.
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
