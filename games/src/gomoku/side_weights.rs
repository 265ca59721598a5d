//! The weights of the evaluation and of the move order, as the program `tune` of `lab/` fits them.
//!
//! It knows no board and no file.

use super::net::Numbers;
use super::threat::SITUATIONS;
use super::weights::Table;

/// All weights of one side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideWeights {
    /// What an empty point is worth to the side for what its stone would make there.
    pub worth: Table,
    /// Ordering score of a move for what it makes. A move chosen e times as often in games scores
    /// 100 more.
    pub own: Table,
    /// Ordering score of a move for what it prevents.
    pub other: Table,
    /// The value of each situation (the threats that could be made) with the side to move.
    pub situations: [i16; SITUATIONS],
    /// The net: its rows are for the points as the side sees them, whoever is to move; its other
    /// layers are for positions with the side to move.
    pub net: Numbers,
}

/// The largest number of a table: what a point makes and what it prevents, 11 numbers each, fit in
/// a rank of 16 bits.
const MAX_IN_TABLE: u32 = i16::MAX as u32 / 22;

impl SideWeights {
    /// Returns how many numbers there are with a net of so many rows.
    pub const fn count(rows: usize) -> usize {
        3 * Table::COUNT + SITUATIONS + Numbers::count(rows)
    }

    /// Returns all numbers in the order of the fields. Those of a table that fits have 16 bits.
    pub(super) fn iter(&self) -> impl Iterator<Item = i16> + '_ {
        let tables = [&self.worth, &self.own, &self.other].into_iter().flat_map(Table::iter);
        tables.map(|number| number as i16).chain(self.situations).chain(self.net.iter())
    }

    /// Returns the weights with a net of so many rows and of these numbers, [`count`](Self::count) of
    /// them in the order of the fields.
    pub(super) fn from_all(rows: usize, mut numbers: impl Iterator<Item = i16>) -> Self {
        let mut table = || {
            let numbers: Vec<i32> = numbers.by_ref().take(Table::COUNT).map(i32::from).collect();
            Table::from_weights(&numbers)
        };
        let [worth, own, other] = [table(), table(), table()];
        let situations = std::array::from_fn(|_| numbers.next().unwrap_or_default());
        Self { worth, own, other, situations, net: Numbers::from_all(rows, numbers) }
    }

    /// Returns whether no sum can leave its word.
    pub(super) fn is_in_range(&self) -> bool {
        let mut tables = [&self.worth, &self.own, &self.other].into_iter().flat_map(Table::iter);
        tables.all(|number| number.unsigned_abs() <= MAX_IN_TABLE) && self.net.is_in_range()
    }
}
