//! The open windows of one side, counted and kept up to date. It draws no conclusions.

use super::tables::{Potential, Tables, WindowId};
use super::{Mnk, Rules};
use crate::cellset::CellSet;
use tengen_engine::{Cell, Grid};

/// The words of a set of cells of the largest grid.
const WORDS: usize = (Grid::MAX_SIDE * Grid::MAX_SIDE).div_ceil(64) as usize;

/// What one side has in its open windows: those without a stone of the opponent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Standing {
    /// How many open windows hold 0, 1, .. k stones.
    census: Vec<u32>,
    /// The sum of the weights of the open windows.
    pub(super) worth: i32,
    /// The potential of each cell from the open windows through it.
    pub(super) potential: Vec<Potential>,
    /// Empty cells that complete a window: all other cells of the window are taken by the side.
    pub(super) completing: CellSet<WORDS>,
    /// Empty cells that fork: two or more windows lack only the cell and one other.
    pub(super) forking: CellSet<WORDS>,
}

impl Standing {
    pub(super) fn new(rules: &Rules) -> Self {
        Self {
            census: vec![0; rules.connect() as usize + 1],
            worth: 0,
            potential: vec![Potential::default(); rules.grid().cells()],
            completing: CellSet::NONE,
            forking: CellSet::NONE,
        }
    }

    pub(super) fn clear(&mut self) {
        self.census.fill(0);
        self.worth = 0;
        self.potential.fill(Potential::default());
        self.completing = CellSet::NONE;
        self.forking = CellSet::NONE;
    }

    /// Updates after a window held `before` stones and now holds `after`; `None` is a window that
    /// is not open.
    pub(super) fn change(
        &mut self,
        (tables, game): (&Tables, &Mnk),
        window: WindowId,
        before: Option<u8>,
        after: Option<u8>,
    ) {
        let mut old = Potential::default();
        let mut new = Potential::default();
        if let Some(stones) = before {
            self.census[stones as usize] -= 1;
            self.worth -= tables.weights[stones as usize];
            old = tables.potentials[stones as usize];
        }
        if let Some(stones) = after {
            self.census[stones as usize] += 1;
            self.worth += tables.weights[stones as usize];
            new = tables.potentials[stones as usize];
        }
        if old == new {
            return;
        }
        for &cell in tables.cells(window) {
            self.potential[cell.index()].exchange(old, new);
        }
        let is_near = |potential: Potential| potential.completes() + potential.makes_threat() > 0;
        if is_near(old) || is_near(new) {
            self.note_near(tables.cells(window), game);
        }
    }

    fn note_near(&mut self, cells: &[Cell], game: &Mnk) {
        for &cell in cells {
            let potential = self.potential[cell.index()];
            let is_empty = game.stone(cell).is_none();
            self.completing.set(cell.index(), is_empty && potential.completes() > 0);
            self.forking.set(cell.index(), is_empty && potential.makes_threat() >= 2);
        }
    }

    /// Returns the fewest stones that turn an open window into a line; `None` when no window is
    /// open.
    pub(super) fn stones_short(&self) -> Option<u32> {
        let connect = self.census.len() - 1;
        (1..=connect).find(|short| self.census[connect - short] > 0).map(|short| short as u32)
    }
}
