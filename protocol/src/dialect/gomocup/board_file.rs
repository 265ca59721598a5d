//! [`BoardFile`]: a file with a board in Gomocup's form, with the dialect's own rows and numbers of rules.
//!
//! Nothing here depends on the game.

use tengen_engine::text::quotable;
use tengen_engine::{Grid, Placement, Point, Side};

use super::read;
use super::rules::{self, RULES, Rule};
use crate::command::{Owner, Stone};

/// A board file, as a Gomocup manager sends it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BoardFile {
    /// Columns and rows; `None` if the file names none.
    pub size: Option<(u32, u32)>,
    /// The rule; `None` if the file names none.
    pub rule: Option<&'static Rule>,
    cells: Vec<Stone>,
}

/// The expected form of a line that is not a command.
const ROW: &str = "\"column,row,field\" was expected, with field 1 (to move), 2 or 3 (blocked)";
/// The expected form of the size after `START` and `RECTSTART`.
const SIZE: &str = "a size was expected, such as START 15 or RECTSTART 20,15";

impl BoardFile {
    /// Reads `START`, `RECTSTART` and `INFO rule` if they are there, and `x,y,field` lines, alone
    /// or between `BOARD` and `DONE`. Field 1 is the side to move.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut board = Self::default();
        for (place, line) in text.lines().map(str::trim).enumerate() {
            let fault = |what: &str| format!("line {}: \"{}\": {what}", place + 1, quotable(line));
            if !board.command(line).map_err(|what| fault(&what))? {
                board.cells.push(read::stone(line).ok_or_else(|| fault(ROW))?);
            }
            if line.eq_ignore_ascii_case("DONE") {
                break;
            }
        }
        if text.trim().is_empty() {
            return Err(format!("the file is empty: {ROW}"));
        }
        Ok(board)
    }

    /// Reads a command line; returns `false` if the line is not a command.
    fn command(&mut self, line: &str) -> Result<bool, String> {
        let mut words = line.split_ascii_whitespace();
        let word = words.next().unwrap_or_default().to_ascii_uppercase();
        match word.as_str() {
            "" | "BOARD" | "YXBOARD" | "DONE" => {}
            "START" | "RECTSTART" => self.size = Some(size(words.last().unwrap_or_default())?),
            "INFO" => {
                if words.next().is_some_and(|key| key.eq_ignore_ascii_case("rule")) {
                    self.rule = Some(rule(words.next().unwrap_or_default())?);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the side to move: the sides alternate, the first player first.
    fn turn(&self) -> Side {
        let count = |owner| self.cells.iter().filter(|cell| cell.owner == owner).count();
        if count(Owner::Own) < count(Owner::Opponent) { Side::Second } else { Side::First }
    }

    /// Returns the position on a grid, and the blocked points. The error names the
    /// stone that does not fit.
    pub fn place(&self, grid: Grid) -> Result<(Placement, Vec<Point>), String> {
        let turn = self.turn();
        let mut blocked = Vec::new();
        let mut placement = Placement { turn, ..Placement::empty(grid) };
        for Stone { at, owner } in &self.cells {
            let point = grid.point_from_top(at.x, at.y).ok_or_else(|| {
                let (x, y, width, height) = (at.x, at.y, grid.width(), grid.height());
                let last = format!("{},{}", width - 1, height - 1);
                format!("{x},{y} is outside the board of {width}x{height} points (0,0 to {last})")
            })?;
            let side = match owner {
                Owner::Own => turn,
                Owner::Opponent => turn.other(),
                Owner::Nobody => {
                    blocked.push(point);
                    continue;
                }
            };
            let cell = grid.cell(point.column, point.row).index();
            if placement.stones[cell].replace(side).is_some() {
                return Err(format!("two stones are on {point}"));
            }
        }
        Ok((placement, blocked))
    }
}

fn rule(text: &str) -> Result<&'static Rule, String> {
    let number = text.parse().map_err(|_| "a number of a rule was expected".to_owned())?;
    rules::find(&RULES, number)
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let sides: Vec<Option<u32>> = text.split(',').map(|side| side.trim().parse().ok()).collect();
    match sides[..] {
        [Some(side)] => Ok((side, side)),
        [Some(columns), Some(rows)] => Ok((columns, rows)),
        _ => Err(SIZE.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::fen;

    use super::*;

    fn set_up(text: &str, grid: Grid) -> Result<String, String> {
        let (placed, _) = BoardFile::read(text)?.place(grid)?;
        Ok(fen::write(grid, |cell| placed.stones[cell.index()], placed.turn, false))
    }

    #[test]
    fn stones_are_placed_from_the_top_and_each_needs_a_point_of_its_own() {
        let grid = Grid::new(12, 3).unwrap();
        assert_eq!(set_up("0,0,2\n11,1,1", grid).as_deref(), Ok("p11/11P/12 w - - 0 2"));
        assert_eq!(set_up("0,0,2", grid).as_deref(), Ok("P11/12/12 b - - 0 1"));
        let why = "12,0 is outside the board of 12x3 points (0,0 to 11,2)";
        assert_eq!(set_up("12,0,1", grid), Err(why.to_owned()));
        assert_eq!(set_up("0,0,1\n0,0,2", grid), Err("two stones are on a3".to_owned()));
    }

    #[test]
    fn a_board_is_read_with_or_without_its_commands() {
        let board = BoardFile::read(
            "START 20\nINFO rule 1\nINFO x 3\nBOARD\n7,7,2\n8,8,1\n 9,9,2\nDONE\nx",
        )
        .unwrap();
        assert_eq!((board.size, board.rule.unwrap().variant), (Some((20, 20)), "gomoku"));
        assert_eq!((board.turn(), board.cells.len()), (Side::Second, 3));
        let board = BoardFile::read("RECTSTART 10,12\n\n1,2,1\r\n3,4,2\r\n").unwrap();
        assert_eq!((board.size, board.turn()), (Some((10, 12)), Side::First));
    }

    #[test]
    fn an_empty_file_is_no_board_and_an_empty_board_is_one() {
        for text in ["", "\n \r\n"] {
            assert!(BoardFile::read(text).is_err_and(|why| why.starts_with("the file is empty")));
        }
        assert_eq!(BoardFile::read("BOARD\nDONE\n").map(|board| board.cells), Ok(Vec::new()));
    }

    #[test]
    fn every_rule_and_field_of_the_dialect_is_read() {
        for rule in &RULES {
            let board =
                BoardFile::read(&format!("INFO rule {}\n7,7,3\n8,8,2\n", rule.number)).unwrap();
            assert_eq!(board.rule, Some(rule));
            let (_, blocked) = board.place(Grid::new(15, 15).unwrap()).unwrap();
            assert_eq!((blocked[0].to_string(), board.cells.len()), ("h8".to_owned(), 2));
        }
    }

    #[test]
    fn a_line_that_is_no_stone_is_quoted() {
        for (text, message) in [
            (
                "7,7,1\n7,8",
                "line 2: \"7,8\": \"column,row,field\" was expected, with field 1 (to move), 2 or 3 (blocked)",
            ),
            (
                "7,7,4",
                "line 1: \"7,7,4\": \"column,row,field\" was expected, with field 1 (to move), 2 or 3 (blocked)",
            ),
            (
                "START x",
                "line 1: \"START x\": a size was expected, such as START 15 or RECTSTART 20,15",
            ),
            (
                "INFO rule 2",
                "line 1: \"INFO rule 2\": INFO rule 2: it must be one of 0, 1, 4, 8, 9",
            ),
            ("INFO rule x", "line 1: \"INFO rule x\": a number of a rule was expected"),
        ] {
            assert_eq!(BoardFile::read(text), Err(message.to_owned()));
        }
    }
}
