//! Symmetries of boards: turning and mirroring.

use tengen_engine::{Grid, GridNotation, Placement, Point, Position, Side};

use super::Opening;

/// A symmetry of a board: columns and rows may be mirrored, and then exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symmetry {
    exchanges: bool,
    mirrors_columns: bool,
    mirrors_rows: bool,
}

impl Symmetry {
    /// No change.
    pub const IDENTITY: Self = Self::new(false, false, false);

    const fn new(exchanges: bool, mirrors_columns: bool, mirrors_rows: bool) -> Self {
        Self { exchanges, mirrors_columns, mirrors_rows }
    }

    /// Returns the symmetries of a board: 2 with gravity, otherwise 8 for a square and 4 for a
    /// rectangle.
    pub fn all(notation: GridNotation) -> Vec<Self> {
        let grid = notation.grid();
        let count = match () {
            () if notation.falls() => 2,
            () if grid.width() == grid.height() => 8,
            () => 4,
        };
        let mirrors = [(false, false), (true, false), (true, true), (false, true)];
        let all = [false, true].into_iter().flat_map(|exchanges| {
            mirrors.map(|(columns, rows)| Self::new(exchanges, columns, rows))
        });
        all.take(count).collect()
    }

    /// Returns the image of a point.
    pub fn turn(self, point: Point, grid: Grid) -> Point {
        let Point { mut column, mut row } = point;
        if self.mirrors_columns {
            column = grid.width() - 1 - column;
        }
        if self.mirrors_rows {
            row = grid.height() - 1 - row;
        }
        if self.exchanges {
            (column, row) = (row, column);
        }
        Point { column, row }
    }

    /// Returns the image of an opening. `position` is a board to work on.
    pub fn turn_opening(self, opening: &Opening, position: &mut dyn Position) -> Opening {
        let Some(notation) = position.spec().grid.filter(|_| self != Self::IDENTITY) else {
            return opening.clone();
        };
        let grid = notation.grid();
        let start = opening.start.as_ref().and_then(|text| {
            position.set_up(text).ok()?;
            let mut turned = Placement::empty(grid);
            turned.turn = position.turn();
            for cell in grid.all() {
                let point = grid.point(cell);
                if let Some(to) = grid.cell_at(self.turn(point, grid)) {
                    turned.stones[to.index()] = position.stone(point);
                }
            }
            position.place(&turned).ok()?;
            Some(position.fen(false))
        });
        let moves = opening.moves.iter().filter_map(|mv| notation.point_of(*mv));
        let moves = moves.map(|point| notation.move_to(self.turn(point, grid))).collect();
        Opening { start, moves }
    }
}

/// Returns a key that is equal for all positions that are equal after turning or mirroring.
pub(super) fn canonical(position: &dyn Position) -> Vec<u8> {
    let first_moves = u8::from(position.turn() == Side::First);
    let Some(notation) = position.spec().grid else {
        let mut key = position.fen(false).into_bytes();
        key.push(first_moves);
        return key;
    };
    let grid = notation.grid();
    let key = |symmetry: &Symmetry| {
        let mut key = vec![0; grid.cells() + 1];
        for cell in grid.all() {
            let point = grid.point(cell);
            if let Some(to) = grid.cell_at(symmetry.turn(point, grid)) {
                key[to.index()] = position.stone(point).map_or(0, |side| 1 + side.index() as u8);
            }
        }
        key[grid.cells()] = first_moves;
        key
    };
    Symmetry::all(notation).iter().map(key).min().unwrap_or_default()
}
