//! [`Symmetry`]: the reflections and rotations of a board that keep its rules.

use crate::text::coords::{Cell, Grid, Point};
use crate::text::fen::Placement;
use crate::text::grid_notation::GridNotation;

/// A reflection or rotation of a board that keeps its rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    grid: Grid,
    images: Vec<Cell>,
}

impl Symmetry {
    /// Returns the symmetries of a board: eight of a square, four of a rectangle, two where stones
    /// fall. Their order never changes. The first one changes nothing. In the binary index of a
    /// symmetry, 1 mirrors the columns, 2 mirrors the rows, and 4 then exchanges columns and rows.
    pub fn all(notation: GridNotation) -> Vec<Self> {
        let grid = notation.grid();
        let (width, height) = (grid.width(), grid.height());
        let mut all = Vec::new();
        for index in 0..8 {
            let (mirrored, upside_down, turned) = (index & 1 != 0, index & 2 != 0, index & 4 != 0);
            let breaks_rules = notation.falls() && (upside_down || turned);
            if breaks_rules || (turned && width != height) {
                continue;
            }
            let image = |cell| {
                let (column, row) = (grid.column(cell), grid.row(cell));
                let column = if mirrored { width - 1 - column } else { column };
                let row = if upside_down { height - 1 - row } else { row };
                if turned { grid.cell(row, column) } else { grid.cell(column, row) }
            };
            all.push(Self { grid, images: grid.all().map(image).collect() });
        }
        all
    }

    /// Returns where each cell goes, by [`Cell::index`].
    pub fn images(&self) -> &[Cell] {
        &self.images
    }

    /// Returns where a point goes; a point outside the board stays.
    pub fn turn(&self, point: Point) -> Point {
        let image = |cell: Cell| self.grid.point(self.images[cell.index()]);
        self.grid.cell_at(point).map_or(point, image)
    }

    /// Returns the stones where they go, with the same side to move. The placement must be of the
    /// board.
    pub fn place(&self, placement: &Placement) -> Placement {
        let mut turned = Placement { turn: placement.turn, ..Placement::empty(self.grid) };
        for (image, stone) in self.images.iter().zip(&placement.stones) {
            turned.stones[image.index()] = *stone;
        }
        turned
    }

    /// Returns one placement for all that `symmetries` make equal: the least of the images. An empty
    /// cell is less than a stone, and a stone of the first player less than one of the second.
    pub fn least(symmetries: &[Self], placement: &Placement) -> Placement {
        let images = symmetries.iter().map(|symmetry| symmetry.place(placement));
        images
            .min_by(|one, other| one.stones.cmp(&other.stones))
            .unwrap_or_else(|| placement.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::side::Side;

    fn all(width: u32, height: u32, falls: bool) -> Vec<Symmetry> {
        Symmetry::all(GridNotation::new(Grid::new(width, height).unwrap(), falls))
    }

    #[test]
    fn a_board_has_as_many_symmetries_as_its_form_and_gravity_allow() {
        for (width, height, falls, count) in
            [(3, 3, false, 8), (4, 3, false, 4), (7, 6, true, 2), (5, 5, true, 2)]
        {
            let grid = Grid::new(width, height).unwrap();
            let mut images: Vec<Vec<Cell>> =
                all(width, height, falls).into_iter().map(|symmetry| symmetry.images).collect();
            assert_eq!(images[0], grid.all().collect::<Vec<_>>());
            for map in &images {
                let mut cells = map.clone();
                cells.sort_unstable();
                assert_eq!(cells, images[0], "every cell is the image of one cell");
            }
            images.sort();
            images.dedup();
            assert_eq!(images.len(), count, "{width}x{height}");
        }
    }

    #[test]
    fn images_of_a_placement_have_one_least_image() {
        let symmetries = all(5, 5, false);
        let mut placement = Placement::empty(Grid::new(5, 5).unwrap());
        placement.turn = Side::Second;
        (placement.stones[1], placement.stones[7]) = (Some(Side::First), Some(Side::Second));
        let least = Symmetry::least(&symmetries, &placement);
        assert_eq!((least.turn, least.count()), (Side::Second, 2));
        for symmetry in &symmetries {
            assert_eq!(Symmetry::least(&symmetries, &symmetry.place(&placement)), least);
        }
        let names = symmetries.iter().map(|symmetry| symmetry.turn("b1".parse().unwrap()));
        let names: Vec<String> = names.map(|point| point.to_string()).collect();
        assert_eq!(names, ["b1", "d1", "b5", "d5", "a2", "a4", "e2", "e4"]);
        let outside = "z26".parse().unwrap();
        assert_eq!(symmetries[3].turn(outside), outside);
    }
}
