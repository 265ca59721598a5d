//! Vertices of GTP, such as `J5`, and points of Tengen, such as `i5`.

use tengen_engine::{Move, Point, Position, Side, Style};

/// The letters of the columns. The first column after them is `AA`.
const LETTERS: &str = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Returns the point of a vertex as Tengen writes it; `None` if the text is no vertex.
pub(super) fn to_point(vertex: &str) -> Option<String> {
    let letters = vertex.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, row) = vertex.split_at(letters);
    let column = match name.to_ascii_uppercase().as_str() {
        "AA" => LETTERS.len(),
        name => LETTERS.find(name).filter(|_| name.len() == 1)?,
    };
    if row.is_empty() || row.len() > 3 || !row.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(format!("{}{row}", char::from(b'a' + column as u8)))
}

/// Returns the name of a column, counted from 0.
fn column_name(column: u32) -> &'static str {
    let column = column as usize;
    LETTERS.get(column..=column).unwrap_or("AA")
}

/// Returns the vertex of a point.
pub(super) fn of_point(point: Point) -> String {
    format!("{}{}", column_name(point.column), point.row + 1)
}

/// Returns the vertex of a move in `position`. A game without a board has its own words.
pub(super) fn of_move(position: &dyn Position, mv: Move) -> String {
    let point = position.spec().grid.and_then(|grid| grid.point_of(mv));
    match point {
        Some(point) => of_point(point),
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
    let last = of_point(Point { column: grid.width() - 1, row: grid.height() - 1 });
    Some(format!("outside the board (A1 to {last})"))
}

/// Draws the board with the letters of GTP, from the top row.
pub(super) fn draw(position: &dyn Position) -> Vec<String> {
    let Some(notation) = position.spec().grid else {
        return position.draw().lines().map(str::to_owned).collect();
    };
    let grid = notation.grid();
    let letters: Vec<&str> = (0..grid.width()).map(column_name).collect();
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
