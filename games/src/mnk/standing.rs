//! Counts of the open windows of one side, updated with every move.

use super::tables::{Potential, Tables, WindowId};
use super::{Mnk, Rules};
use crate::cellset::CellSet;
use tengen_engine::{Cell, Grid};

/// The words of a set of cells of the largest grid.
const WORDS: usize = (Grid::MAX_SIDE * Grid::MAX_SIDE).div_ceil(64) as usize;

/// The open windows of one side: windows without a stone of the opponent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct OpenWindows {
    /// The number of open windows with 0, 1, .. k stones.
    by_stones: Vec<u32>,
    /// The sum of the scores of the open windows.
    pub(super) score: i32,
    /// The potential of each cell, a sum over the open windows through the cell.
    pub(super) potential: Vec<Potential>,
    /// Empty cells that complete a window: the side has all other cells of the window.
    pub(super) completing: CellSet<WORDS>,
    /// Empty cells that make a fork: two or more windows lack only this cell and one other.
    pub(super) forking: CellSet<WORDS>,
}

impl OpenWindows {
    pub(super) fn new(rules: &Rules) -> Self {
        Self {
            by_stones: vec![0; rules.connect() as usize + 1],
            score: 0,
            potential: vec![Potential::default(); rules.grid().cells()],
            completing: CellSet::NONE,
            forking: CellSet::NONE,
        }
    }

    pub(super) fn clear(&mut self) {
        self.by_stones.fill(0);
        self.score = 0;
        self.potential.fill(Potential::default());
        self.completing = CellSet::NONE;
        self.forking = CellSet::NONE;
    }

    /// Updates the counts when `window` goes from `before` to `after` stones. `None` is a window
    /// that is not open.
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
            self.by_stones[stones as usize] -= 1;
            self.score -= tables.weights[stones as usize];
            old = tables.potentials[stones as usize];
        }
        if let Some(stones) = after {
            self.by_stones[stones as usize] += 1;
            self.score += tables.weights[stones as usize];
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
            self.update_cells(tables.cells(window), game);
        }
    }

    fn update_cells(&mut self, cells: &[Cell], game: &Mnk) {
        for &cell in cells {
            let potential = self.potential[cell.index()];
            let is_empty = game.stone(cell).is_none();
            self.completing.set(cell.index(), is_empty && potential.completes() > 0);
            self.forking.set(cell.index(), is_empty && potential.makes_threat() >= 2);
        }
    }

    /// Returns the smallest number of stones that complete an open window; `None` when no window is
    /// open.
    pub(super) fn stones_short(&self) -> Option<u32> {
        let connect = self.by_stones.len() - 1;
        (1..=connect).find(|short| self.by_stones[connect - short] > 0).map(|short| short as u32)
    }
}
