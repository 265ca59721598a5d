//! Draws a position as SVG.

use tengen_engine::{Move, Point, Position, Side};

/// The side of a cell, in pixels.
const CELL: u32 = 32;
/// The space for the names of columns and rows.
const MARGIN: u32 = 28;
const WOOD: &str = "#e8c688";
const INK: &str = "#3b2f1e";
const MARK: &str = "#d0342c";

/// What is drawn over a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overlay {
    /// The points with a mark.
    pub marks: Vec<Point>,
    /// A line from the position on. Its stones have the numbers from 1, and the other stones have none.
    pub line: Vec<Move>,
}

/// Returns the position as SVG; `None` if the game has no board. Stones that were played have their
/// number, the last one and the winning line are marked. All styles are attributes, so that the
/// picture changes nothing else on a page.
pub fn board(position: &dyn Position, overlay: &Overlay) -> Option<String> {
    let notation = position.spec().grid?;
    let (grid, falls) = (notation.grid(), notation.falls());
    let (width, height) = (grid.width(), grid.height());
    let (right, bottom) = (MARGIN + width * CELL, 8 + height * CELL);
    let (whole_width, whole_height) = (right + 8, bottom + MARGIN);
    let centre = |point: Point| {
        let (column, row) = grid.from_top(point);
        (MARGIN + column * CELL + CELL / 2, 8 + row * CELL + CELL / 2)
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {whole_width} {whole_height}\" \
         width=\"{whole_width}\" height=\"{whole_height}\" role=\"img\" font-family=\"sans-serif\" \
         font-size=\"13\" text-anchor=\"middle\">\n<title>{}</title>\n\
         <rect width=\"{whole_width}\" height=\"{whole_height}\" rx=\"6\" fill=\"{}\"/>\n",
        position.spec().variant,
        if falls { "#2f62b5" } else { WOOD },
    );
    let ink = if falls { "#ffffff" } else { INK };
    if !falls {
        svg += &format!("<path stroke=\"{INK}\" d=\"{}\"/>\n", lines(width, height));
    }
    for column in 0..width {
        let (x, _) = centre(Point { column, row: 0 });
        let name = Point { column, row: 0 }.file();
        svg += &format!("<text x=\"{x}\" y=\"{}\" fill=\"{ink}\">{name}</text>\n", bottom + 19);
    }
    for row in 0..height {
        let (_, y) = centre(Point { column: 0, row });
        let x = MARGIN / 2;
        svg += &format!("<text x=\"{x}\" y=\"{}\" fill=\"{ink}\">{}</text>\n", y + 5, row + 1);
    }
    let points = |moves: &[Move]| -> Vec<Option<Point>> {
        moves.iter().map(|mv| notation.point_of(*mv)).collect()
    };
    let (played, line) = (points(position.played()), points(&overlay.line));
    let sides = [position.turn(), position.turn().other()];
    let winning = position.winning_line();
    for cell in grid.all() {
        let point = grid.point(cell);
        let in_line = line.iter().position(|at| *at == Some(point));
        let stone = position.stone(point).or(in_line.map(|number| sides[number % 2]));
        let (x, y) = centre(point);
        let (fill, text) = match (stone, falls) {
            (None, false) => continue,
            (None, true) => ("#f4f4f0", ""),
            (Some(Side::First), true) => ("#d0342c", "#ffffff"),
            (Some(Side::Second), true) => ("#f2c230", INK),
            (Some(Side::First), false) => ("#1b1b1a", "#ffffff"),
            (Some(Side::Second), false) => ("#fcfcfb", "#1b1b1a"),
        };
        svg += &format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"14\" fill=\"{fill}\"/>\n");
        if winning.contains(&point) {
            let ring = if falls { "#1b1b1a" } else { MARK };
            svg += &format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"12\" fill=\"none\" stroke=\"{ring}\" \
                 stroke-width=\"3\"/>\n"
            );
        }
        // A point is played once, and no stone is taken.
        let in_game = played.iter().position(|at| *at == Some(point)).filter(|_| stone.is_some());
        let is_last = in_game.is_some_and(|number| number + 1 == played.len());
        if is_last && !line.is_empty() {
            svg += &format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{MARK}\"/>\n");
        }
        let number = if line.is_empty() { in_game } else { in_line };
        if let Some(number) = number {
            let weight =
                if is_last { " font-weight=\"bold\" text-decoration=\"underline\"" } else { "" };
            svg += &format!(
                "<text x=\"{x}\" y=\"{}\" fill=\"{text}\"{weight}>{}</text>\n",
                y + 5,
                number + 1
            );
        }
    }
    for point in &overlay.marks {
        let (x, y) = centre(*point);
        svg += &format!(
            "<rect x=\"{}\" y=\"{}\" width=\"30\" height=\"30\" fill=\"none\" stroke=\"{MARK}\" \
             stroke-width=\"2\"/>\n",
            x - 15,
            y - 15
        );
    }
    if let Some((at, _)) = position.forbidden_loss() {
        let (x, y) = centre(at);
        let (left, top) = (x - 9, y - 9);
        svg += &format!(
            "<path stroke=\"{MARK}\" stroke-width=\"4\" d=\"M{left} {top}l18 18m0 -18l-18 18\"/>\n"
        );
    }
    Some(svg + "</svg>\n")
}

/// Returns the path of the lines of a board whose stones are put on crossings.
fn lines(width: u32, height: u32) -> String {
    let (left, top) = (MARGIN + CELL / 2, 8 + CELL / 2);
    let mut path = String::new();
    for row in 0..height {
        path += &format!("M{left} {}h{}", top + row * CELL, (width - 1) * CELL);
    }
    for column in 0..width {
        path += &format!("M{} {top}v{}", left + column * CELL, (height - 1) * CELL);
    }
    path
}
