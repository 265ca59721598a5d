//! The constant tables of a board: its windows of k cells, the windows through each cell, and the
//! scores of windows. All clones of an evaluator share them.

use super::{DIRECTIONS, Rules};
use tengen_engine::{Cell, Grid};

/// A window of k cells in a row, by number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowId(u16);

impl WindowId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The windows of one board.
#[derive(Debug)]
pub(crate) struct Tables {
    connect: usize,
    /// The cells of all windows, `connect` for each.
    cells: Vec<Cell>,
    /// The windows through each cell, for all cells in order.
    through: Vec<WindowId>,
    /// The index in `through` of the first window of each cell, and the length of `through`.
    starts: Vec<usize>,
    /// All cells, by their distance from the centre.
    pub(crate) centre_first: Vec<Cell>,
    /// The score of an open window, by the number of stones in it.
    pub(crate) weights: Vec<i32>,
    /// What an open window adds to the potential of its cells, by the number of stones in it.
    pub(crate) potentials: Vec<Potential>,
}

impl Tables {
    pub(crate) fn new(rules: &Rules) -> Self {
        let (grid, connect) = (rules.grid(), rules.connect() as usize);
        let cells = windows(grid, rules.connect());
        let (through, starts) = invert(grid, connect, &cells);
        Self {
            connect,
            cells,
            through,
            starts,
            centre_first: centre_first(grid),
            weights: (0..=connect).map(|stones| weight(stones, connect)).collect(),
            potentials: (0..=connect).map(|stones| Potential::of(stones, connect)).collect(),
        }
    }

    pub(crate) fn windows(&self) -> usize {
        self.cells.len() / self.connect
    }

    /// Returns every window.
    pub(crate) fn all(&self) -> impl Iterator<Item = WindowId> + use<> {
        (0..self.windows() as u16).map(WindowId)
    }

    pub(crate) fn cells(&self, window: WindowId) -> &[Cell] {
        &self.cells[window.index() * self.connect..][..self.connect]
    }

    pub(crate) fn through(&self, cell: Cell) -> &[WindowId] {
        &self.through[self.starts[cell.index()]..self.starts[cell.index() + 1]]
    }
}

/// How useful a cell is for one side: three sums over the side's open windows through the cell.
/// They are packed into one number, so that one addition updates all. Each sum has room for 104
/// windows, the most through one cell.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Potential(u32);

impl Potential {
    const MAKES: u32 = 16;
    const COMPLETES: u32 = 24;
    const MASK: u32 = 0xFF;

    /// Returns what an open window adds to each of its cells. It has `stones` of the `connect`
    /// stones of a line.
    const fn of(stones: usize, connect: usize) -> Self {
        if stones >= connect {
            return Self(0);
        }
        match connect - stones {
            1 => Self(1 << Self::COMPLETES),
            2 if stones > 0 => Self(1 << Self::MAKES),
            _ => {
                let square = stones * stones;
                Self(if square < 600 { square as u32 } else { 600 })
            }
        }
    }

    pub(crate) fn exchange(&mut self, old: Self, new: Self) {
        self.0 = self.0.wrapping_add(new.0).wrapping_sub(old.0);
    }

    /// Returns the number of windows that lack only this cell.
    pub(crate) const fn completes(self) -> u32 {
        self.0 >> Self::COMPLETES
    }

    /// Returns the number of windows with stones that lack only this cell and another.
    pub(crate) const fn makes_threat(self) -> u32 {
        (self.0 >> Self::MAKES) & Self::MASK
    }

    /// Returns the sum of the squares of the stones, at most 600 each, over the windows that lack
    /// three stones or more.
    pub(crate) const fn rest(self) -> u32 {
        self.0 & 0xFFFF
    }

    /// Returns whether no open window with a stone runs through the cell.
    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// Returns the score of an open window: four times as much for each stone more.
fn weight(stones: usize, connect: usize) -> i32 {
    let lacking = connect - stones;
    match (stones, lacking) {
        (0, _) | (_, 0) => 0,
        (_, 1..=5) => 1 << (2 * (5 - lacking)),
        _ => 1,
    }
}

fn windows(grid: Grid, connect: u32) -> Vec<Cell> {
    // A line of one stone runs in no direction.
    let directions = if connect == 1 { &DIRECTIONS[..1] } else { &DIRECTIONS[..] };
    let mut cells = Vec::new();
    for start in grid.all() {
        for &direction in directions {
            let reach = connect as i32 - 1;
            if grid.step(start, direction, reach).is_some() {
                cells.extend((0..=reach).filter_map(|i| grid.step(start, direction, i)));
            }
        }
    }
    cells
}

/// Returns the windows through each cell, from the cells of each window.
fn invert(grid: Grid, connect: usize, cells: &[Cell]) -> (Vec<WindowId>, Vec<usize>) {
    let mut lists = vec![Vec::new(); grid.cells()];
    for (window, members) in cells.chunks_exact(connect).enumerate() {
        for cell in members {
            lists[cell.index()].push(WindowId(window as u16));
        }
    }
    let mut starts = vec![0];
    for list in &lists {
        starts.push(starts[starts.len() - 1] + list.len());
    }
    (lists.concat(), starts)
}

fn centre_first(grid: Grid) -> Vec<Cell> {
    let mut cells: Vec<Cell> = grid.all().collect();
    cells.sort_by_key(|&cell| distance_from_centre(grid, cell));
    cells
}

/// Returns the square of twice the distance between `cell` and the middle of the board.
pub(crate) fn distance_from_centre(grid: Grid, cell: Cell) -> u32 {
    let across = (2 * grid.column(cell) + 1).abs_diff(grid.width());
    let up = (2 * grid.row(cell) + 1).abs_diff(grid.height());
    across * across + up * up
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(width: u32, height: u32, connect: u32) -> Tables {
        Tables::new(&Rules::new(width, height, connect, false, true).unwrap())
    }

    #[test]
    fn the_number_of_windows_is_known() {
        assert_eq!(tables(3, 3, 3).windows(), 8);
        assert_eq!(tables(7, 6, 4).windows(), 69);
        assert_eq!(tables(15, 15, 5).windows(), 572);
        assert_eq!(tables(4, 4, 1).windows(), 16);
        assert_eq!(tables(4, 4, 9).windows(), 0);
    }

    #[test]
    fn every_window_is_found_through_each_of_its_cells() {
        let tables = tables(6, 5, 4);
        for cell in Grid::new(6, 5).unwrap().all() {
            for &window in tables.through(cell) {
                assert!(tables.cells(window).contains(&cell));
            }
        }
        assert_eq!(tables.through.len(), tables.cells.len());
    }

    #[test]
    fn the_sums_of_a_potential_are_independent() {
        let mut potential = Potential::default();
        for stones in [0, 1, 2, 3, 3, 4, 4, 4] {
            potential.exchange(Potential::of(0, 5), Potential::of(stones, 5));
        }
        assert_eq!((potential.completes(), potential.makes_threat()), (3, 2));
        assert_eq!(potential.rest(), 1 + 4);
        potential.exchange(Potential::of(4, 5), Potential::default());
        assert_eq!(potential.completes(), 2);
    }

    #[test]
    fn the_centre_comes_first() {
        let tables = tables(3, 3, 3);
        let order: Vec<usize> = tables.centre_first.iter().map(|cell| cell.index()).collect();
        assert_eq!(order, [4, 1, 3, 5, 7, 0, 2, 6, 8]);
    }
}
