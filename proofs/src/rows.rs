//! Rows of stones by bits: whether a plan wins is asked for millions of replies.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use tengen_engine::{GameSpec, GridNotation, Move};

const WORDS: usize = 8;
/// The largest number of stones in a row that is asked for.
const LONGEST: usize = 5;

/// A set of points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Points([u64; WORDS]);

impl Points {
    fn one(bit: usize) -> Self {
        let mut points = Self::default();
        points.0[bit / 64] = 1 << (bit % 64);
        points
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == [0; WORDS]
    }

    /// Returns the number of points.
    pub(crate) fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the single points.
    pub(crate) fn each(self) -> impl Iterator<Item = Self> {
        self.bits().map(Self::one)
    }

    fn bits(mut self) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            let at = self.0.iter().position(|word| *word != 0)?;
            let word = &mut self.0[at];
            let bit = word.trailing_zeros() as usize;
            *word &= *word - 1;
            Some(64 * at + bit)
        })
    }

    /// Moves each point up by `by` bits.
    #[inline]
    fn up(self, by: usize) -> Self {
        let (words, bits) = (by / 64, by % 64);
        let word = |at: Option<usize>| at.map_or(0, |at| self.0[at]);
        Self(std::array::from_fn(|at| {
            let low = word(at.checked_sub(words)) << bits;
            // Two shifts, since one by 64 bits is none.
            low | word(at.checked_sub(words + 1)) >> 1 >> (63 - bits)
        }))
    }

    /// Moves each point down by `by` bits.
    #[inline]
    fn down(self, by: usize) -> Self {
        let (words, bits) = (by / 64, by % 64);
        let word = |at: usize| self.0.get(at).copied().unwrap_or(0);
        Self(std::array::from_fn(|at| {
            word(at + words) >> bits | word(at + words + 1) << 1 << (63 - bits)
        }))
    }
}

impl BitAnd for Points {
    type Output = Self;

    #[inline]
    fn bitand(mut self, other: Self) -> Self {
        self &= other;
        self
    }
}

impl BitAndAssign for Points {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word &= other);
    }
}

impl BitOr for Points {
    type Output = Self;

    #[inline]
    fn bitor(mut self, other: Self) -> Self {
        self |= other;
        self
    }
}

impl BitOrAssign for Points {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }
}

impl Not for Points {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

/// The rows of a board on which a row of stones wins, and nothing else counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    width: usize,
    /// The points of the board. Row follows row, with one bit more than the board has columns.
    all: Points,
    /// The number of stones in a row that win.
    length: usize,
    /// Whether a longer row does not win.
    is_exact: bool,
}

impl Rows {
    /// Returns the rows of a game; `None` if it has other rules, a larger board or longer rows.
    pub(crate) fn new(spec: &GameSpec, notation: GridNotation) -> Option<Self> {
        let (board, row) = spec.rules.split_once(" board, ")?;
        let (width, height) = (notation.grid().width() as usize, notation.grid().height() as usize);
        let row = row.strip_suffix(" in a row")?;
        let exact = row.strip_prefix("exactly ");
        let length = exact.unwrap_or(row).parse().ok()?;
        if board != format!("{width}x{height}")
            || (width + 1) * height > 64 * WORDS
            || !(2..=LONGEST).contains(&length)
        {
            return None;
        }
        let mut rows = Self { width, all: Points::default(), length, is_exact: exact.is_some() };
        for code in 0..width * height {
            rows.all |= rows.point(Move::from_code(code as u32));
        }
        Some(rows)
    }

    /// Returns the point of a move.
    pub(crate) fn point(&self, at: Move) -> Points {
        let code = at.code() as usize;
        Points::one(code / self.width * (self.width + 1) + code % self.width)
    }

    /// Returns the moves to points, row by row.
    pub(crate) fn moves(&self, points: Points) -> impl Iterator<Item = Move> {
        let width = self.width;
        points
            .bits()
            .map(move |bit| Move::from_code((bit / (width + 1) * width + bit % (width + 1)) as u32))
    }

    /// Returns the number of stones in a row that win.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Returns the points without a stone.
    pub(crate) fn empty(&self, own: Points, other: Points) -> Points {
        self.all & !(own | other)
    }

    /// Returns the empty points where one more of the stones `own` wins.
    pub(crate) fn wins(&self, own: Points, other: Points) -> Points {
        self.wins_and_possible(own, other, self.length - 1).0
    }

    /// Returns the empty points where one more of the stones `own` wins, and the empty points of all rows that have no
    /// stone of `other` and at least `least` stones of `own`.
    pub(crate) fn wins_and_possible(
        &self,
        own: Points,
        other: Points,
        least: usize,
    ) -> (Points, Points) {
        let free = self.all & !other;
        let (mut wins, mut possible) = (Points::default(), Points::default());
        for step in [1, self.width, self.width + 1, self.width + 2] {
            let mut rows = self.all;
            // The rows with at least so many stones as the index says.
            let mut counts = [Points::default(); LONGEST];
            counts[0] = self.all;
            for by in 0..self.length {
                rows &= free.down(by * step);
                let stones = own.down(by * step);
                for count in (1..self.length).rev() {
                    counts[count] |= counts[count - 1] & stones;
                }
            }
            if self.is_exact {
                rows &= !(own.up(step) | own.down(self.length * step));
            }
            let (winning, rows) = (rows & counts[self.length - 1], rows & counts[least]);
            if rows.is_empty() {
                continue;
            }
            for by in 0..self.length {
                possible |= rows.up(by * step);
            }
            if !winning.is_empty() {
                for by in 0..self.length {
                    wins |= winning.up(by * step);
                }
            }
        }
        let empty = self.empty(own, other);
        (wins & empty, possible & empty)
    }
}
