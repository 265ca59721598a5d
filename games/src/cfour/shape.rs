//! The size of a board and the layout of its cells in a word.
//!
//! Cells are numbered column by column from the left, each from the bottom. Above each column is a
//! guard bit that is always empty, so that no line can run over the top into the next column. On
//! 7x6:
//!
//! ```text
//!    6 13 20 27 34 41 48   guard bits
//!    5 12 19 26 33 40 47   row 6
//!    4 11 18 25 32 39 46
//!    3 10 17 24 31 38 45
//!    2  9 16 23 30 37 44
//!    1  8 15 22 29 36 43
//!    0  7 14 21 28 35 42   row 1
//!    a  b  c  d  e  f  g
//! ```
//!
//! A step up is one bit, a step to the right is a `stride` of `height + 1` bits, and the diagonals
//! are one more and one less.
// CITE: the layout is that of John Tromp's Fhourstones, as explained by Pascal Pons,
// http://blog.gamesolver.org.

use tengen_engine::Side;

use super::bits::Bits;
use super::learned::LearnedSums;

/// The size of a board and the length of a line. Every method is a constant for [`Classic`].
pub trait Shape: Copy + Eq + Send + Sync + 'static {
    /// The word that holds the board.
    type Bits: Bits;

    /// Returns the number of columns.
    fn width(&self) -> u32;
    /// Returns the number of rows.
    fn height(&self) -> u32;
    /// Returns the number of stones in a line, at least 1.
    fn connect(&self) -> u32;
    /// Returns the lowest cell of every column.
    fn bottom(&self) -> Self::Bits;
    /// Returns every cell.
    fn board(&self) -> Self::Bits;
    /// Returns the cells of rows 1, 3, 5 and so on.
    fn odd_rows(&self) -> Self::Bits;

    /// Returns the learned rank of a move by `_mover`; `None` on boards without learned numbers.
    /// `_rank` is its rank by threats, `_movers` and `_others` are the stones after the move, and
    /// `_set` are the new stones.
    #[inline(always)]
    fn learned_rank(
        &self,
        _mover: Side,
        _rank: i32,
        _movers: Self::Bits,
        _others: Self::Bits,
        _set: Self::Bits,
    ) -> Option<i32> {
        None
    }

    /// Returns the distance from a cell to the one on its right, in bits.
    #[inline(always)]
    fn stride(&self) -> u32 {
        self.height() + 1
    }

    /// Returns the number of cells.
    #[inline(always)]
    fn cells(&self) -> u32 {
        self.width() * self.height()
    }

    /// Returns the cells of `column`, from 0.
    #[inline(always)]
    fn column(&self, column: u32) -> Self::Bits {
        self.board() & self.guarded_column(column)
    }

    /// Returns the cells of `column` and its guard bit.
    #[inline(always)]
    fn guarded_column(&self, column: u32) -> Self::Bits {
        let up_to = |bits| Self::Bits::bit(bits).plus(!Self::Bits::NONE);
        up_to(self.stride() * (column + 1)) & !up_to(self.stride() * column)
    }

    /// Returns the column at `index` in the order from the centre outwards.
    #[inline(always)]
    fn centre_first(&self, index: u32) -> u32 {
        let (middle, away) = (self.width() / 2, index.div_ceil(2));
        if index.is_multiple_of(2) { middle + away } else { middle - away }
    }

    /// Returns the mirror image of `word`: its columns from right to left, guard bits included.
    #[inline(always)]
    fn mirror(&self, word: Self::Bits) -> Self::Bits {
        let last = self.width() - 1;
        let mut mirrored = Self::Bits::NONE;
        for column in 0..=last {
            let stones = (word & self.guarded_column(column)).down(self.stride() * column);
            mirrored |= stones.up(self.stride() * (last - column));
        }
        mirrored
    }
}

/// The default board of 7 columns, 6 rows and 4 in a row, as constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Classic;

impl Classic {
    const BOTTOM: u64 = 0x0000_0408_1020_4081;
    const BOARD: u64 = Self::BOTTOM * 0b11_1111;
    const ODD_ROWS: u64 = Self::BOTTOM * 0b01_0101;
    const COLUMN: u64 = 0b111_1111;
}

impl Shape for Classic {
    type Bits = u64;

    #[inline(always)]
    fn width(&self) -> u32 {
        7
    }

    #[inline(always)]
    fn height(&self) -> u32 {
        6
    }

    #[inline(always)]
    fn connect(&self) -> u32 {
        4
    }

    #[inline(always)]
    fn bottom(&self) -> u64 {
        Self::BOTTOM
    }

    #[inline(always)]
    fn board(&self) -> u64 {
        Self::BOARD
    }

    #[inline(always)]
    fn odd_rows(&self) -> u64 {
        Self::ODD_ROWS
    }

    fn learned_rank(
        &self,
        mover: Side,
        rank: i32,
        movers: u64,
        others: u64,
        set: u64,
    ) -> Option<i32> {
        Some(LearnedSums::learned().rank(mover, rank, movers, others, set))
    }

    #[inline(always)]
    fn mirror(&self, word: u64) -> u64 {
        const LEFT: u64 = (1 << 21) - 1;
        const CENTRE: u64 = Classic::COLUMN << 21;
        const OUTER: u64 = Classic::COLUMN * (1 | 1 << 28);
        const INNER: u64 = Classic::COLUMN * (1 << 7 | 1 << 21 | 1 << 35);
        // abc d efg -> efg d abc -> gfe d cba
        let halves = (word & LEFT) << 28 | word & CENTRE | (word >> 28) & LEFT;
        (halves & OUTER) << 14 | halves & INNER | (halves >> 14) & OUTER
    }
}

/// A board of any other size that fits in the word `B`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnySize<B> {
    width: u32,
    height: u32,
    connect: u32,
    bottom: B,
    board: B,
    odd_rows: B,
}

impl<B: Bits> AnySize<B> {
    /// Creates the shape of a board of `width` by `height` cells where `connect` (at least 1) in a
    /// row win; `None` when its `width * (height + 1)` bits, cells and guard bits, do not fit in
    /// the word.
    pub fn new(width: u32, height: u32, connect: u32) -> Option<Self> {
        let bits = width.checked_mul(height.checked_add(1)?)?;
        if width == 0 || height == 0 || connect == 0 || bits > B::WIDTH {
            return None;
        }
        let row = |row: u32| {
            (0..width).fold(B::NONE, |cells, column| cells | B::bit(column * (height + 1) + row))
        };
        let rows = |step: usize| (0..height).step_by(step).fold(B::NONE, |all, r| all | row(r));
        Some(Self { width, height, connect, bottom: row(0), board: rows(1), odd_rows: rows(2) })
    }
}

impl<B: Bits> Shape for AnySize<B> {
    type Bits = B;

    #[inline(always)]
    fn width(&self) -> u32 {
        self.width
    }

    #[inline(always)]
    fn height(&self) -> u32 {
        self.height
    }

    #[inline(always)]
    fn connect(&self) -> u32 {
        self.connect
    }

    #[inline(always)]
    fn bottom(&self) -> B {
        self.bottom
    }

    #[inline(always)]
    fn board(&self) -> B {
        self.board
    }

    #[inline(always)]
    fn odd_rows(&self) -> B {
        self.odd_rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classic_shape_equals_any_size_of_7x6() {
        let sized = AnySize::<u64>::new(7, 6, 4).unwrap();
        assert_eq!(Classic.bottom(), sized.bottom());
        assert_eq!(Classic.board(), sized.board());
        assert_eq!(Classic.odd_rows(), sized.odd_rows());
        for bit in 0..49 {
            assert_eq!(Classic.mirror(1 << bit), sized.mirror(1 << bit), "bit {bit}");
        }
    }

    #[test]
    fn mirroring_twice_changes_nothing() {
        for (width, height) in [(1, 1), (8, 7), (9, 7), (16, 7), (26, 3), (5, 20)] {
            let shape = AnySize::<u128>::new(width, height, 4).unwrap();
            let word = 0x1234_5678_9ABC_DEF0_0FED_CBA9_8765_4321;
            let word = word & (shape.board() | shape.board() << 1);
            assert_eq!(shape.mirror(shape.mirror(word)), word);
            assert_eq!(shape.mirror(shape.board()), shape.board());
        }
    }

    #[test]
    fn columns_are_disjoint_and_make_the_board() {
        for (width, height) in [(1, 1), (8, 7), (16, 7), (3, 26)] {
            let shape = AnySize::<u128>::new(width, height, 4).unwrap();
            let mut seen = 0;
            for index in 0..width {
                let column = shape.column(shape.centre_first(index));
                assert_eq!((column.count(), column & seen), (height, 0));
                seen |= column;
            }
            assert_eq!(seen, shape.board());
        }
    }

    #[test]
    fn a_board_that_does_not_fit_has_no_shape() {
        assert!(AnySize::<u64>::new(8, 7, 4).is_some() && AnySize::<u64>::new(9, 7, 4).is_none());
        assert!(
            AnySize::<u128>::new(16, 7, 4).is_some() && AnySize::<u128>::new(12, 10, 4).is_none()
        );
        assert!(AnySize::<u64>::new(u32::MAX, u32::MAX, 4).is_none());
    }
}
