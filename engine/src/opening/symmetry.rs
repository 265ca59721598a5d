//! Symmetries of stones: which empty points are equal in a position.
//!
//! Two points are equal if a reflection or a half turn maps the stones onto themselves, colour by
//! colour, and one point onto the other. The axis is that of the stones. It need not be an axis of
//! the board. Quarter turns matter only with at most one stone of a colour: they make the candidates
//! for the first stones fewer.
// CITE: A. Meritee, renju.net blog, 2008, comment 951

use crate::text::coords::{Grid, Point};

/// The four reflections, the half turn and the quarter turns, as matrices `[xx, xy, yx, yy]`.
const MAPS: [[i64; 4]; 7] = [
    [-1, 0, 0, 1],
    [1, 0, 0, -1],
    [0, 1, 1, 0],
    [0, -1, -1, 0],
    [-1, 0, 0, -1],
    [0, -1, 1, 0],
    [0, 1, -1, 0],
];

/// A symmetry: a matrix, then a shift.
struct Symmetry {
    matrix: [i64; 4],
    shift: (i64, i64),
}

impl Symmetry {
    /// Returns the image of a point; `None` if it is outside the board.
    fn image(&self, point: Point, grid: Grid) -> Option<Point> {
        let (x, y) = turned(self.matrix, (i64::from(point.column), i64::from(point.row)));
        let column = u32::try_from(x + self.shift.0).ok()?;
        let row = u32::try_from(y + self.shift.1).ok()?;
        let image = Point { column, row };
        grid.cell_at(image).map(|_| image)
    }
}

fn turned([xx, xy, yx, yy]: [i64; 4], (x, y): (i64, i64)) -> (i64, i64) {
    (xx * x + xy * y, yx * x + yy * y)
}

/// Returns the symmetries of `stones`, which are in the order of play; on an empty board, those of
/// the board.
fn symmetries(stones: &[Point], grid: Grid) -> Vec<Symmetry> {
    let is_empty = stones.is_empty();
    // A symmetry keeps the mean of all points that it maps onto themselves.
    let corner = (i64::from(grid.width() - 1), i64::from(grid.height() - 1));
    let sum = stones
        .iter()
        .fold((0, 0), |(x, y), stone| (x + i64::from(stone.column), y + i64::from(stone.row)));
    let (count, sum) = if is_empty { (2, corner) } else { (stones.len() as i64, sum) };
    let of = |matrix: [i64; 4]| {
        let image = turned(matrix, sum);
        let (x, y) = (sum.0 - image.0, sum.1 - image.1);
        let fits = x % count == 0 && y % count == 0;
        let symmetry = Symmetry { matrix, shift: (x / count, y / count) };
        let keeps = |(index, stone): (usize, &Point)| {
            let image = symmetry.image(*stone, grid);
            let mut own = stones.iter().skip(index % 2).step_by(2);
            own.any(|other| Some(*other) == image)
        };
        let turns_board = is_empty && matrix[0] == 0 && grid.width() != grid.height();
        (fits && !turns_board && stones.iter().enumerate().all(keeps)).then_some(symmetry)
    };
    MAPS.into_iter().filter_map(of).collect()
}

/// Returns the point of `points` that is equal to `point` with these `stones` on the board; `None`
/// if none is. The stones are in the order of play.
pub(super) fn equal_point(
    stones: &[Point],
    points: &[Point],
    point: Point,
    grid: Grid,
) -> Option<Point> {
    let images: Vec<Point> =
        symmetries(stones, grid).iter().filter_map(|map| map.image(point, grid)).collect();
    points.iter().copied().find(|known| *known == point || images.contains(known))
}

/// Returns `points` without those that are equal to an earlier one.
pub(super) fn distinct(stones: &[Point], points: &[Point], grid: Grid) -> Vec<Point> {
    let maps = symmetries(stones, grid);
    let mut seen = vec![false; grid.cells()];
    let mut kept = Vec::new();
    for &point in points {
        let Some(cell) = grid.cell_at(point) else { continue };
        if std::mem::replace(&mut seen[cell.index()], true) {
            continue;
        }
        kept.push(point);
        let images = maps.iter().filter_map(|map| grid.cell_at(map.image(point, grid)?));
        images.for_each(|image| seen[image.index()] = true);
    }
    kept
}
