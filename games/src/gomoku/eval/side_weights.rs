//! The weights of the evaluation and of move ordering, as the program `tune` of `lab/` fits them.
//!
//! This file does not depend on a board or a file.

use crate::gomoku::eval::net::Numbers;
use crate::gomoku::eval::weights::ClassTable;
use crate::gomoku::pattern::threat::SITUATIONS;

/// All weights of one side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideWeights {
    /// The value of an empty point for the side, by what its stone makes there.
    pub value: ClassTable,
    /// The ordering score of a move for what it makes. A move that is chosen e times as often in
    /// games scores 100 more.
    pub own: ClassTable,
    /// The ordering score of a move for what it prevents.
    pub other: ClassTable,
    /// The value of each situation (the set of possible threats) with the side to move.
    pub situations: [i16; SITUATIONS],
    /// The net. Its rows are for points with the colours as the side sees them, for either side to
    /// move. Its other layers are for positions with the side to move.
    pub net: Numbers,
}

/// The maximum number in a table. An ordering score sums up to 22 numbers, 11 for what a move makes
/// and 11 for what it prevents, and must fit in 16 bits.
const MAX_IN_TABLE: u32 = i16::MAX as u32 / 22;

impl SideWeights {
    /// Returns the number of weights with a net of `rows` rows.
    pub const fn count(rows: usize) -> usize {
        3 * ClassTable::COUNT + SITUATIONS + Numbers::count(rows)
    }

    /// Returns all numbers in the order of the fields. A table that is in range has numbers of 16
    /// bits.
    pub(crate) fn iter(&self) -> impl Iterator<Item = i16> + '_ {
        let tables = [&self.value, &self.own, &self.other].into_iter().flat_map(ClassTable::iter);
        tables.map(|number| number as i16).chain(self.situations).chain(self.net.iter())
    }

    /// Creates weights from [`count`](Self::count) numbers in the order of the fields, with a net
    /// of `rows` rows.
    pub(crate) fn from_all(rows: usize, mut numbers: impl Iterator<Item = i16>) -> Self {
        let mut table = || {
            let numbers: Vec<i32> =
                numbers.by_ref().take(ClassTable::COUNT).map(i32::from).collect();
            ClassTable::from_weights(&numbers)
        };
        let [value, own, other] = [table(), table(), table()];
        let situations = std::array::from_fn(|_| numbers.next().unwrap_or_default());
        Self { value, own, other, situations, net: Numbers::from_all(rows, numbers) }
    }

    /// Returns whether no sum of these weights can overflow.
    pub(crate) fn is_in_range(&self) -> bool {
        let mut tables =
            [&self.value, &self.own, &self.other].into_iter().flat_map(ClassTable::iter);
        tables.all(|number| number.unsigned_abs() <= MAX_IN_TABLE) && self.net.is_in_range()
    }
}
