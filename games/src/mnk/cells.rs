//! A set of cells that is walked in the order of their index.

use tengen_engine::{Cell, Grid};

const WORD: usize = u64::BITS as usize;

/// Which cells of a grid belong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CellSet {
    grid: Grid,
    words: Vec<u64>,
}

impl CellSet {
    pub(crate) fn new(grid: Grid) -> Self {
        Self { grid, words: vec![0; grid.cells().div_ceil(WORD)] }
    }

    /// Adds or removes a cell.
    pub(crate) fn set(&mut self, cell: Cell, belongs: bool) {
        let (word, bit) = (cell.index() / WORD, 1 << (cell.index() % WORD));
        if belongs {
            self.words[word] |= bit;
        } else {
            self.words[word] &= !bit;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Cell> {
        self.words.iter().enumerate().flat_map(move |(index, &word)| {
            Ones(word).filter_map(move |bit| self.grid.at(index * WORD + bit))
        })
    }
}

/// The places of the one bits of a word, from the lowest.
struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_out_in_order_however_they_went_in() {
        let grid = Grid::new(15, 15).unwrap();
        let mut set = CellSet::new(grid);
        for index in [224, 63, 64, 0, 100] {
            set.set(grid.at(index).unwrap(), true);
        }
        set.set(grid.at(100).unwrap(), false);
        let indices: Vec<usize> = set.iter().map(Cell::index).collect();
        assert_eq!(indices, [0, 63, 64, 224]);
        set.clear();
        assert_eq!(set.iter().count(), 0);
    }
}
