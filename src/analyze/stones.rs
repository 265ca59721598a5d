//! Stones on a board by column and row, as files list them.
//!
//! Boards in Gomocup's form are read with the dialect's own rows and numbers of rules. Nothing here
//! depends on the game.

use tengen_engine::text::quotable;
use tengen_engine::{Grid, Placement, Point, Side};
use tengen_protocol::command::{self, Owner};
use tengen_protocol::dialect::gomocup;
use tengen_protocol::dialect::gomocup::rules::{self, RULES, Rule};

/// A board's columns and rows.
pub(super) type Size = (u32, u32);

/// A stone. The column counts from the left, the row from the top, both from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stone {
    pub(super) column: u32,
    pub(super) row: u32,
    pub(super) side: Side,
}

/// Returns the point of a column and a row, both from 0, counted from the left and the top.
pub(super) fn point(grid: Grid, column: u32, row: u32) -> Result<Point, String> {
    let (width, height) = (grid.width(), grid.height());
    grid.point_from_top(column, row).ok_or_else(|| {
        let (column, row) = (u64::from(column) + 1, u64::from(row) + 1);
        format!("column {column} and row {row} are outside the board of {width}x{height} points")
    })
}

/// Places stones on a grid. The error names the stone that does not fit.
pub(super) fn place(grid: Grid, stones: &[Stone], turn: Side) -> Result<Placement, String> {
    let mut placement = Placement { turn, ..Placement::empty(grid) };
    for &Stone { column, row, side } in stones {
        let point = point(grid, column, row)?;
        let cell = &mut placement.stones[grid.cell(point.column, point.row).index()];
        if cell.is_some() {
            return Err(format!("two stones are on {point}"));
        }
        *cell = Some(side);
    }
    Ok(placement)
}

/// Returns the side to move after `stones`. The sides alternate, the first player first.
pub(super) fn turn_after(stones: &[Stone]) -> Side {
    let count = |side| stones.iter().filter(|stone| stone.side == side).count();
    if count(Side::First) > count(Side::Second) { Side::Second } else { Side::First }
}

/// A board file, as a Gomocup manager sends it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct BoardFile {
    pub(super) size: Option<Size>,
    pub(super) rule: Option<&'static Rule>,
    pub(super) stones: Vec<Stone>,
    /// Columns and rows of the blocked points.
    pub(super) blocked: Vec<(u32, u32)>,
    pub(super) turn: Option<Side>,
}

/// The expected form of a line that is not a command.
const ROW: &str = "\"column,row,field\" was expected, with field 1 (to move), 2 or 3 (blocked)";
/// The expected form of the size after `START` and `RECTSTART`.
const SIZE: &str = "a size was expected, such as START 15 or RECTSTART 20,15";

impl BoardFile {
    /// Reads `START`, `RECTSTART` and `INFO rule` if they are there, and `x,y,field` lines, alone
    /// or between `BOARD` and `DONE`. Field 1 is the side to move.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut board = Self::default();
        let mut cells = Vec::new();
        for (place, line) in text.lines().map(str::trim).enumerate() {
            let fault = |what: &str| format!("line {}: \"{}\": {what}", place + 1, quotable(line));
            if !board.command(line).map_err(|what| fault(&what))? {
                cells.push(gomocup::read_stone(line).ok_or_else(|| fault(ROW))?);
            }
            if line.eq_ignore_ascii_case("DONE") {
                break;
            }
        }
        if text.trim().is_empty() {
            return Err(format!("the file is empty: {ROW}"));
        }
        board.put(&cells);
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

    fn put(&mut self, cells: &[command::Stone]) {
        let count = |owner| cells.iter().filter(|cell| cell.owner == owner).count();
        let is_second = count(Owner::Own) < count(Owner::Opponent);
        let mover = if is_second { Side::Second } else { Side::First };
        self.turn = Some(mover);
        for cell in cells {
            let (column, row) = (cell.at.x, cell.at.y);
            let side = match cell.owner {
                Owner::Own => mover,
                Owner::Opponent => mover.other(),
                Owner::Nobody => {
                    self.blocked.push((column, row));
                    continue;
                }
            };
            self.stones.push(Stone { column, row, side });
        }
    }
}

fn rule(text: &str) -> Result<&'static Rule, String> {
    let number = text.parse().map_err(|_| "a number of a rule was expected".to_owned())?;
    rules::find(&RULES, number)
}

fn size(text: &str) -> Result<Size, String> {
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

    #[test]
    fn stones_are_placed_from_the_top_and_each_needs_a_point_of_its_own() {
        let grid = Grid::new(12, 3).unwrap();
        let stone = |column, row, side| Stone { column, row, side };
        let stones = [stone(0, 0, Side::First), stone(11, 1, Side::Second)];
        let placed = place(grid, &stones, Side::Second).unwrap();
        let text = fen::write(grid, |cell| placed.stones[cell.index()], placed.turn, false);
        assert_eq!(text, "P11/11p/12 b - - 0 2");
        let outside = place(grid, &[stone(12, 0, Side::First)], Side::First);
        let why = "column 13 and row 1 are outside the board of 12x3 points";
        assert_eq!(outside, Err(why.to_owned()));
        let twice = place(grid, &[stones[0], stones[0]], Side::First);
        assert_eq!(twice, Err("two stones are on a3".to_owned()));
    }

    #[test]
    fn a_board_is_read_with_or_without_its_commands() {
        let board = BoardFile::read(
            "START 20\nINFO rule 1\nINFO x 3\nBOARD\n7,7,2\n8,8,1\n 9,9,2\nDONE\nx",
        )
        .unwrap();
        assert_eq!((board.size, board.rule.unwrap().variant), (Some((20, 20)), "gomoku"));
        assert_eq!(board.turn, Some(Side::Second));
        assert_eq!(board.stones[0].side, Side::First);
        let board = BoardFile::read("RECTSTART 10,12\n\n1,2,1\r\n3,4,2\r\n").unwrap();
        assert_eq!((board.size, board.turn), (Some((10, 12)), Some(Side::First)));
    }

    #[test]
    fn an_empty_file_is_no_board_and_an_empty_board_is_one() {
        for text in ["", "\n \r\n"] {
            assert!(BoardFile::read(text).is_err_and(|why| why.starts_with("the file is empty")));
        }
        assert_eq!(BoardFile::read("BOARD\nDONE\n").map(|board| board.stones), Ok(Vec::new()));
    }

    #[test]
    fn every_rule_and_field_of_the_dialect_is_read() {
        for rule in &RULES {
            let board =
                BoardFile::read(&format!("INFO rule {}\n7,7,3\n8,8,2\n", rule.number)).unwrap();
            assert_eq!(board.rule, Some(rule));
            assert_eq!((board.blocked, board.stones.len()), (vec![(7, 7)], 1));
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
