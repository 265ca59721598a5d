//! Vertices of GTP, such as `J5`, and points of Tengen, such as `i5`.

use tengen_engine::{Move, Point, Position, Side, Style};

/// The letter that GTP leaves out.
const LEFT_OUT: u8 = b'I';

/// Returns the point of a vertex as Tengen writes it; `None` if the text is no vertex.
pub(super) fn to_point(vertex: &str) -> Option<String> {
    let letter = vertex.bytes().next()?.to_ascii_uppercase();
    let row = vertex.get(1..)?;
    if !letter.is_ascii_uppercase() || letter == LEFT_OUT {
        return None;
    }
    if row.is_empty() || row.len() > 3 || !row.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let column = if letter > LEFT_OUT { letter - 1 } else { letter };
    Some(format!("{}{row}", char::from(column.to_ascii_lowercase())))
}

/// Returns the letter of a column, counted from 0.
fn column_letter(column: u32) -> char {
    let letter = b'A' + column.min(24) as u8;
    char::from(if letter >= LEFT_OUT { letter + 1 } else { letter })
}

/// Returns the vertex of a move in `position`. A game without a board has its own words.
pub(super) fn of_move(position: &dyn Position, mv: Move) -> String {
    let point = position.spec().grid.and_then(|grid| grid.point_of(mv));
    match point {
        Some(point) => format!("{}{}", column_letter(point.column), point.row + 1),
        None => position.write_move(mv, Style::Plain),
    }
}

/// Returns why a vertex is outside the board; `None` if it is on the board, or if there is none.
pub(super) fn outside(position: &dyn Position, vertex: &str) -> Option<String> {
    let grid = position.spec().grid?.grid();
    let point: Point = to_point(vertex)?.parse().ok()?;
    if point.column < grid.width() && point.row < grid.height() {
        return None;
    }
    let last = column_letter(grid.width() - 1);
    Some(format!("outside the board (A1 to {last}{})", grid.height()))
}

/// Draws the board with the letters of GTP, from the top row.
pub(super) fn draw(position: &dyn Position) -> Vec<String> {
    let Some(notation) = position.spec().grid else {
        return position.draw().lines().map(str::to_owned).collect();
    };
    let grid = notation.grid();
    let letters: Vec<String> = (0..grid.width()).map(|c| column_letter(c).to_string()).collect();
    let letters = format!("   {}", letters.join(" "));
    let row = |row: u32| {
        let sign = |column| match position.stone(Point { column, row }) {
            Some(Side::First) => "X",
            Some(Side::Second) => "O",
            None => ".",
        };
        let signs: Vec<&str> = (0..grid.width()).map(sign).collect();
        format!("{:>2} {} {}", row + 1, signs.join(" "), row + 1)
    };
    let rows = (0..grid.height()).rev().map(row);
    [letters.clone()].into_iter().chain(rows).chain([letters]).collect()
}
