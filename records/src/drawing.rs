//! Drawings of a board, as Tengen and other programs print them: a row on each line, `X` or a black
//! disc for the first player, `O` or a white disc for the second.

use tengen_engine::{Grid, GridNotation, Point, Side};

use crate::encoding::TextEncoding;
use crate::encoding::choice::decode;
use crate::fault::{Fault, FaultKind};
use crate::tree::{Collection, Format, Record};

const FIRST: [char; 4] = ['X', 'x', '\u{25cf}', '\u{26ab}'];
const SECOND: [char; 5] = ['O', 'o', '\u{25cb}', '\u{26aa}', '\u{25ef}'];
const EMPTY: [char; 7] = ['.', '+', '-', '_', '\u{b7}', '\u{253c}', '*'];
/// Frames around and between cells, and brackets around the last stone.
const FRAMES: [char; 7] = ['|', '\u{2502}', '\u{2551}', '[', ']', '(', ')'];

/// The minimum number of rows and of columns.
const MIN_SIDE: usize = 3;

const ROWS: &str = "rows of a board, all of the same length";

/// A row of a board, from the left.
type Row = Vec<Option<Side>>;

/// Returns whether a text has a drawing of a board.
pub(crate) fn is_drawing(text: &str) -> bool {
    rows(text).is_some()
}

/// Reads a drawing. The stones are set up, because a drawing does not show the order of the moves.
/// `notation` says whether stones fall; without it they do not.
pub(crate) fn read(
    bytes: &[u8],
    encoding: Option<TextEncoding>,
    notation: Option<GridNotation>,
) -> Result<Collection, Fault> {
    let (text, _, warnings) = decode(bytes, encoding)?;
    let refused = || {
        let first = text.lines().next().unwrap_or_default().to_owned();
        Fault::new(None, FaultKind::Expected { expected: ROWS, found: first })
    };
    let rows = rows(&text).ok_or_else(refused)?;
    let grid = Grid::new(rows[0].len() as u32, rows.len() as u32).ok_or_else(refused)?;
    let falls = notation.is_some_and(GridNotation::falls);
    let mut record = Record::on_board(GridNotation::new(grid, falls));
    let root = record.root();
    let node = record.node_mut(root);
    // A drawing does not say which game it is.
    node.remove("GM");
    let mut counts = [0, 0];
    for (row, line) in (0..).zip(&rows) {
        for (column, stone) in (0..).zip(line) {
            let point: Option<Point> = grid.point_from_top(column, row);
            if let (Some(side), Some(point)) = (*stone, point) {
                counts[side.index()] += 1;
                node.put_stone(side, point, grid);
            }
        }
    }
    let turn = side_to_move(&text).unwrap_or(match counts[0] > counts[1] {
        true => Side::Second,
        false => Side::First,
    });
    node.set("PL", if turn == Side::First { "B" } else { "W" });
    Ok(Collection::new(Format::Drawing, vec![record]).with_warnings(warnings))
}

/// Returns the side to move that a line names: `Turn: second player`, or `The second player is to
/// move.`
fn side_to_move(text: &str) -> Option<Side> {
    let line = text.lines().map(str::trim).find_map(|line| {
        line.strip_prefix("Turn: ")
            .or_else(|| line.strip_prefix("The ")?.strip_suffix(" is to move."))
    })?;
    match line {
        "first player" => Some(Side::First),
        "second player" => Some(Side::Second),
        _ => None,
    }
}

/// Returns the rows of the first board in a text, from the top; `None` without a board.
fn rows(text: &str) -> Option<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    for line in text.lines() {
        match row(line) {
            Some(row) if rows.first().is_none_or(|first| first.len() == row.len()) => {
                rows.push(row);
            }
            // The names of the columns may stand above the rows.
            _ if rows.len() >= MIN_SIDE => break,
            _ => rows.clear(),
        }
    }
    (rows.len() >= MIN_SIDE).then_some(rows)
}

/// Returns the cells of a line; `None` if it is not a row of a board. The number of the row may
/// stand before and after the cells.
fn row(line: &str) -> Option<Row> {
    let line = line.trim().trim_matches(|c: char| c.is_ascii_digit());
    let cell = |c: char| match c {
        c if FIRST.contains(&c) => Some(Some(Side::First)),
        c if SECOND.contains(&c) => Some(Some(Side::Second)),
        c if EMPTY.contains(&c) => Some(None),
        _ => None,
    };
    let signs = line.chars().filter(|c| !c.is_whitespace() && !FRAMES.contains(c));
    let row: Option<Row> = signs.map(cell).collect();
    row.filter(|row| row.len() >= MIN_SIDE)
}
