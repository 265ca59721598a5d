//! [`Pattern`]: a part of a board to find in games, anywhere and in any orientation.

use std::fmt;
use std::str::FromStr;

use tengen_engine::{Grid, GridNotation, Point, Side, Symmetry};

use crate::Error;

/// A part of a board: stones, empty points, and points that do not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    width: i32,
    height: i32,
    /// The points that matter, with column and row from the bottom left, stones first.
    points: Vec<(i32, i32, Want)>,
}

/// What is wanted on a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Want {
    First,
    Second,
    Empty,
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..self.height).rev() {
            for column in 0..self.width {
                let want = self.points.iter().find(|(x, y, _)| (*x, *y) == (column, row));
                f.write_str(match want.map(|(.., want)| want) {
                    Some(Want::First) => "x",
                    Some(Want::Second) => "o",
                    Some(Want::Empty) => ".",
                    None => "?",
                })?;
            }
            f.write_str(if row > 0 { "/" } else { "" })?;
        }
        Ok(())
    }
}

impl FromStr for Pattern {
    type Err = Error;

    /// Reads rows from the top, with `/` between: `x` is a stone of the first player, `o` one of the
    /// second, `.` an empty point, `?` any point.
    fn from_str(text: &str) -> Result<Self, Error> {
        let refused = Error::Refused;
        let rows: Vec<&str> = text.trim().split('/').collect();
        let width = rows[0].chars().count();
        let most = Grid::MAX_SIDE as usize;
        if width == 0 || width > most || rows.len() > most {
            return Err(refused(format!(
                "1 to {most} rows of 1 to {most} points, as in \"xx.x/?o?.\""
            )));
        }
        let mut points = Vec::new();
        for (index, row) in rows.iter().rev().enumerate() {
            if row.chars().count() != width {
                return Err(refused(format!("the row \"{row}\" is not as long as the first row")));
            }
            for (column, letter) in row.chars().enumerate() {
                let want = match letter {
                    'x' | 'X' => Want::First,
                    'o' | 'O' => Want::Second,
                    '.' => Want::Empty,
                    '?' | '*' => continue,
                    _ => {
                        let why = "use x, o, . for an empty point and ? for any";
                        return Err(refused(format!("'{letter}' is no point: {why}")));
                    }
                };
                points.push((column as i32, index as i32, want));
            }
        }
        points.sort_by_key(|(column, row, want)| (*want, *row, *column));
        if points.first().is_none_or(|(.., want)| *want == Want::Empty) {
            return Err(refused("a pattern needs a stone, x or o".to_owned()));
        }
        Ok(Self { width: width as i32, height: rows.len() as i32, points })
    }
}

impl Pattern {
    /// Returns the pattern in all orientations that keep the rules of a board, each once.
    pub(crate) fn images(&self, notation: GridNotation) -> Vec<Self> {
        let (side, falls) = (self.width.max(self.height), notation.falls());
        let Some(grid) = Grid::new(side as u32, side as u32) else { return Vec::new() };
        let mut images: Vec<Self> = Vec::new();
        for symmetry in Symmetry::all(GridNotation::new(grid, falls)) {
            let moved = |(column, row, want): &(i32, i32, Want)| {
                let point = Point { column: *column as u32, row: *row as u32 };
                let image = symmetry.turn(point);
                (image.column as i32, image.row as i32, *want)
            };
            let points: Vec<(i32, i32, Want)> = self.points.iter().map(moved).collect();
            // The corners tell where the part of the board lies in the square.
            let corners = [(0, 0), (self.width - 1, self.height - 1)];
            let corners = corners.map(|(column, row)| moved(&(column, row, Want::Empty)));
            let (left, bottom) = (corners[0].0.min(corners[1].0), corners[0].1.min(corners[1].1));
            let (width, height) =
                ((corners[0].0 - corners[1].0).abs() + 1, (corners[0].1 - corners[1].1).abs() + 1);
            let mut points: Vec<(i32, i32, Want)> = points
                .iter()
                .map(|(column, row, want)| (column - left, row - bottom, *want))
                .collect();
            points.sort_by_key(|(column, row, want)| (*want, *row, *column));
            let image = Self { width, height, points };
            if !images.contains(&image) {
                images.push(image);
            }
        }
        images
    }
}

/// An image of a pattern on a board, by the distances of its points from its bottom left corner.
struct Image {
    width: i32,
    height: i32,
    /// The column and the row of the first stone.
    first: (i32, i32),
    stones: Vec<(i32, Want)>,
    empty: Vec<i32>,
}

impl Image {
    fn new(pattern: &Pattern, board_width: i32) -> Self {
        let (column, row, _) = pattern.points[0];
        let distance = |column: i32, row: i32| row * board_width + column;
        let (empty, stones): (Vec<_>, Vec<_>) =
            pattern.points.iter().partition(|(.., want)| *want == Want::Empty);
        Self {
            width: pattern.width,
            height: pattern.height,
            first: (column, row),
            stones: stones
                .into_iter()
                .map(|(column, row, want)| (distance(column, row), want))
                .collect(),
            empty: empty.into_iter().map(|(column, row, _)| distance(column, row)).collect(),
        }
    }
}

/// Finds a pattern in games on one board.
pub(crate) struct Matcher {
    width: i32,
    height: i32,
    images: Vec<Image>,
    /// The column and the row of each cell.
    coordinates: Vec<(i32, i32)>,
    /// What is on each cell when the game is over, and the ply of its stone: `NEVER` without one.
    stones: Vec<Want>,
    plies: Vec<u16>,
    /// The cells with stones.
    placed: Vec<u16>,
}

const NEVER: u16 = u16::MAX;

impl Matcher {
    pub(crate) fn new(pattern: &Pattern, notation: GridNotation) -> Self {
        let grid = notation.grid();
        let (width, height) = (grid.width() as i32, grid.height() as i32);
        let images = pattern.images(notation);
        Self {
            width,
            height,
            images: images.iter().map(|image| Image::new(image, width)).collect(),
            coordinates: (0..width * height).map(|cell| (cell % width, cell / width)).collect(),
            stones: vec![Want::Empty; grid.cells()],
            plies: vec![NEVER; grid.cells()],
            placed: Vec::new(),
        }
    }

    /// Returns whether a game shows the pattern at any moment. `start` has the stones before the first move,
    /// which `turn` makes.
    pub(crate) fn finds(&mut self, start: &[Option<Side>], turn: Side, moves: &[u16]) -> bool {
        self.stones.fill(Want::Empty);
        self.plies.fill(NEVER);
        self.placed.clear();
        for (cell, side) in start.iter().enumerate() {
            if let Some(side) = side {
                self.place(cell as u16, *side, 0);
            }
        }
        let mut side = turn;
        for (index, cell) in moves.iter().enumerate() {
            self.place(*cell, side, index as u16 + 1);
            side = side.other();
        }
        self.images.iter().any(|image| self.placed.iter().any(|cell| self.is_at(image, *cell)))
    }

    fn place(&mut self, cell: u16, side: Side, ply: u16) {
        self.stones[usize::from(cell)] =
            if side == Side::First { Want::First } else { Want::Second };
        self.plies[usize::from(cell)] = ply;
        self.placed.push(cell);
    }

    /// Returns whether the game once showed an image with its first stone on this cell.
    fn is_at(&self, image: &Image, cell: u16) -> bool {
        if self.stones[usize::from(cell)] != image.stones[0].1 {
            return false;
        }
        let (column, row) = self.coordinates[usize::from(cell)];
        let (left, bottom) = (column - image.first.0, row - image.first.1);
        let fits = left >= 0
            && bottom >= 0
            && left + image.width <= self.width
            && bottom + image.height <= self.height;
        let corner = bottom * self.width + left;
        let cell = |distance: &i32| (corner + distance) as usize;
        if !fits || image.stones.iter().any(|(distance, want)| self.stones[cell(distance)] != *want)
        {
            return false;
        }
        // The pattern is there from the last of its stones until a stone takes an empty point.
        let from = image.stones.iter().map(|(distance, _)| self.plies[cell(distance)]).max();
        let until = image.empty.iter().map(|distance| self.plies[cell(distance)]).min();
        from.unwrap_or(0) < until.unwrap_or(NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u16 = 15;

    fn notation() -> GridNotation {
        GridNotation::new(Grid::new(15, 15).unwrap(), false)
    }

    fn finds(pattern: &str, moves: &[(u16, u16)]) -> bool {
        let moves: Vec<u16> = moves.iter().map(|(column, row)| row * WIDTH + column).collect();
        Matcher::new(&pattern.parse().unwrap(), notation()).finds(&[], Side::First, &moves)
    }

    /// Returns the number of moves after which a game first shows the pattern.
    fn first(pattern: &str, moves: &[(u16, u16)]) -> Option<usize> {
        (0..=moves.len()).find(|count| finds(pattern, &moves[..*count]))
    }

    #[test]
    fn a_pattern_is_found_anywhere_in_any_orientation_while_it_lasts() {
        let game = [(7, 7), (3, 3), (8, 7), (9, 7), (6, 7), (5, 7)];
        assert_eq!(first("xx", &game), Some(3));
        assert_eq!(first("x/x", &game), Some(3));
        assert_eq!(first(".xx.", &game), Some(3));
        // The third stone of the row comes after its end is taken.
        assert_eq!(first(".xxx.", &game), None);
        assert_eq!(first(".xxxo", &game), Some(5));
        assert_eq!(first("oxxxo", &game), Some(6));
        assert_eq!(first("xxxx", &game), None);
        assert_eq!(first("x?x", &game), Some(5));
        // Diagonals have other orientations than rows.
        assert_eq!(first("x?/?x", &game), None);
        assert_eq!(first("x?/?o", &[(7, 7), (8, 8)]), Some(2));
    }

    #[test]
    fn a_pattern_does_not_leave_the_board() {
        assert_eq!(first("?x", &[(0, 0)]), Some(1));
        assert_eq!(first("??x/???", &[(0, 0)]), Some(1));
        assert_eq!(first("?x?", &[(0, 3)]), Some(1), "turned by a quarter");
        assert_eq!(first("???/?x?/???", &[(0, 3)]), None);
    }

    #[test]
    fn a_bad_pattern_is_refused_with_the_reason() {
        for (bad, why) in [
            ("", "1 to 26 rows"),
            ("/", "1 to 26 rows"),
            ("..", "needs a stone"),
            ("??", "needs a stone"),
            ("xx/x", "the row \"x\" is not as long"),
            ("xy", "'y' is no point"),
        ] {
            let error = bad.parse::<Pattern>().unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
