//! Forced wins of four in a row on 4x4 boards, in the format of the judge of POJ 1568.

use std::io::{self, Write};

use tengen_engine::text::quotable;
use tengen_engine::{Cell, Game, Grid, Notation, Outcome, Side, fen};
use tengen_games::mnk::{Mnk, Rules};

use crate::forced::WinSolver;

const SIDE: usize = 4;
/// A prover that remembers more positions than this is replaced by a new one.
const MAX_KNOWN: usize = 6_000_000;

/// Reads the next line without its end; `None` at the end of the input. An error says why it cannot be read.
pub type LineReader<'a> = dyn FnMut() -> Result<Option<String>, String> + 'a;

/// Why not all boards were answered.
#[derive(Debug)]
pub enum BoardsError {
    /// The input cannot be read.
    Input(String),
    /// An answer cannot be written.
    Output(io::Error),
}

impl From<io::Error> for BoardsError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

type Board = [[u8; SIDE]; SIDE];

/// The boards on which the game is over, so that no win can be forced.
#[derive(Default, Debug)]
pub struct WonBoards {
    count: usize,
    /// The place and the winner of the first such board, for the warning.
    first: Option<String>,
}

impl WonBoards {
    /// Counts a board if it has a winner. `last` is the number of its last line.
    fn note(&mut self, winner: Option<&str>, last: usize) {
        let Some(winner) = winner else { return };
        self.count += 1;
        let place = || format!("lines {} to {last}: {winner} four in a row", last + 1 - SIDE);
        self.first.get_or_insert_with(place);
    }

    /// Returns the warning about these boards; `None` if there are none.
    pub fn warning(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        Some(match self.count {
            1 => format!("{first} already"),
            count => format!("{first} already, as on {count} boards in all"),
        })
    }
}

/// Answers every board: the first move that forces a win of x, as row and column, or `#####`. Counts the boards
/// that have a winner in `won`.
pub fn answer_boards(
    input: &mut LineReader<'_>,
    out: &mut dyn Write,
    won: &mut WonBoards,
) -> Result<(), BoardsError> {
    let mut lines = Lines { input, number: 0 };
    let mut solver = Solver::new();
    while let Some(board) = lines.board()? {
        won.note(solver.winner(&board), lines.number);
        match solver.winning_move(&board) {
            Some((row, column)) => writeln!(out, "({row},{column})")?,
            None => writeln!(out, "#####")?,
        }
    }
    Ok(())
}

struct Lines<'a, 'b> {
    input: &'a mut LineReader<'b>,
    /// The line last read, from 1.
    number: usize,
}

impl Lines<'_, '_> {
    /// Returns the next board, or `None` at `$`.
    fn board(&mut self) -> Result<Option<Board>, BoardsError> {
        const MARK: &str = "a line with one mark, or `$`";
        const ROW: &str = "four of `.`, `x` and `o`";
        let mut mark = self.line(MARK)?;
        while mark.is_empty() {
            mark = self.line(MARK)?;
        }
        // The mark may be repeated, and words may follow: some inputs end with `$$$` or `$ end`.
        let word = mark.split_whitespace().next().unwrap_or_default();
        let first = word.chars().next();
        if word.chars().any(|c| Some(c) != first) || word.chars().all(|c| ".xoXO".contains(c)) {
            return Err(self.unexpected(MARK, &mark));
        }
        if first == Some('$') {
            return Ok(None);
        }
        let mut board = Board::default();
        for row in &mut board {
            let line = self.line(ROW)?;
            let cells: String = line.to_ascii_lowercase().split_whitespace().collect();
            let is_stone = |byte: &u8| matches!(byte, b'.' | b'x' | b'o');
            *row = match <[u8; SIDE]>::try_from(cells.as_bytes()) {
                Ok(cells) if cells.iter().all(is_stone) => cells,
                _ => return Err(self.unexpected(ROW, &line)),
            };
        }
        Ok(Some(board))
    }

    /// Reads the next line without trailing blanks.
    fn line(&mut self, expected: &'static str) -> Result<String, BoardsError> {
        self.number += 1;
        let line = (self.input)().map_err(BoardsError::Input)?;
        let line = line.ok_or_else(|| self.refusal(expected, "the end of the input"))?;
        Ok(line.trim_end().to_owned())
    }

    fn unexpected(&self, expected: &'static str, line: &str) -> BoardsError {
        self.refusal(expected, &format!("\"{}\"", quotable(line)))
    }

    fn refusal(&self, expected: &str, found: &str) -> BoardsError {
        BoardsError::Input(format!("line {}: expected {expected}, found {found}", self.number))
    }
}

struct Solver {
    empty: Mnk,
    prover: WinSolver<Mnk>,
}

impl Solver {
    fn new() -> Self {
        let rules =
            Rules::new(SIDE as u32, SIDE as u32, SIDE as u32, false, true).expect("4x4 is a board");
        Self { empty: Mnk::new(rules), prover: WinSolver::new(Side::First) }
    }

    /// Returns the first cell, in row order, on which x forces a win, as row and column.
    fn winning_move(&mut self, board: &Board) -> Option<(usize, usize)> {
        if has_too_few_stones(board) {
            return None;
        }
        let mut game = self.position(board)?;
        if game.outcome().is_some() {
            return None;
        }
        if self.prover.known() > MAX_KNOWN {
            self.prover = WinSolver::new(Side::First);
        }
        let grid = self.empty.ruleset().grid();
        let rows = (0..SIDE as u32).rev();
        let cells = rows.flat_map(|row| (0..SIDE as u32).map(move |column| grid.cell(column, row)));
        let empty: Vec<Cell> = cells.filter(|cell| game.stone(*cell).is_none()).collect();
        let mut wins = empty.into_iter().filter(|cell| self.prover.wins_after(&mut game, *cell));
        wins.next().map(|cell| place(grid, cell))
    }

    /// Returns the position of a board with x to move; `None` if both sides have won.
    fn position(&self, board: &Board) -> Option<Mnk> {
        let grid = self.empty.ruleset().grid();
        let stone = |cell| match board[place(grid, cell).0][place(grid, cell).1] {
            b'x' => Some(Side::First),
            b'o' => Some(Side::Second),
            _ => None,
        };
        self.empty.read_position(&fen::write(grid, stone, Side::First, false)).ok()
    }

    /// Returns who has four in a row.
    fn winner(&self, board: &Board) -> Option<&'static str> {
        match self.position(board).map(|game| game.outcome()) {
            None => Some("x and o have"),
            Some(Some(Outcome::Win(Side::First))) => Some("x has"),
            Some(Some(Outcome::Win(Side::Second))) => Some("o has"),
            Some(_) => None,
        }
    }
}

/// Returns the row and column of a cell in the text, whose first row is the highest of the board.
fn place(grid: Grid, cell: Cell) -> (usize, usize) {
    (SIDE - 1 - grid.row(cell) as usize, grid.column(cell) as usize)
}

/// Returns whether both sides have equally many stones and at most four together. A test below
/// proves that no such board is a forced win.
fn has_too_few_stones(board: &Board) -> bool {
    let count = |stone| board.iter().flatten().filter(|cell| **cell == stone).count();
    let (x, o) = (count(b'x'), count(b'o'));
    x == o && x + o <= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_boards_of_four_stones_or_fewer_are_no_forced_win() {
        let mut solver = Solver::new();
        let mut game = solver.empty.clone();
        // Every such board can occur in play, since so few stones make no line.
        assert_eq!(
            boards_won(&mut solver.prover, &mut game, 4),
            (16 * 15 * 14 * 13 + 16 * 15 + 1, 0)
        );
    }

    /// Returns how many of the positions up to `plies` moves on have x to move, and how many of
    /// them x wins.
    fn boards_won(prover: &mut WinSolver<Mnk>, game: &mut Mnk, plies: u32) -> (usize, usize) {
        let mut sum = (0, 0);
        if game.turn() == Side::First {
            sum = (1, usize::from(prover.wins(game)));
        }
        if plies == 0 {
            return sum;
        }
        let mut moves = Vec::new();
        game.moves(&mut moves);
        for mv in moves {
            game.play(mv);
            let (boards, won) = boards_won(prover, game, plies - 1);
            game.undo(mv, ());
            sum = (sum.0 + boards, sum.1 + won);
        }
        sum
    }

    /// Answers the boards of a text. Returns what is written, or why the text is refused.
    fn answer(input: &str, won: &mut WonBoards) -> Result<String, String> {
        let (mut lines, mut out) = (input.lines().map(str::to_owned), Vec::new());
        match answer_boards(&mut || Ok(lines.next()), &mut out, won) {
            Ok(()) => Ok(String::from_utf8(out).unwrap()),
            Err(BoardsError::Input(why)) => Err(why),
            Err(BoardsError::Output(error)) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_judges_sample() {
        let input = "?\n....\n.xo.\n.ox.\n....\n?\no...\n.ox.\n.xxx\nxooo\n$\n";
        let mut won = WonBoards::default();
        assert_eq!(answer(input, &mut won).unwrap(), "#####\n(0,1)\n");
        assert_eq!(won.warning(), None);
    }

    #[test]
    fn a_mark_may_be_repeated_and_stones_may_be_capital_letters() {
        for input in [
            "???\no...\n.OX.\n.XXX\nxooo\n$$$\n",
            "\n?\r\no...\r\n.ox.\r\n.xxx\r\nxooo\r\n\r\n$$\r\n",
            "? case 1\no . . .\n.ox.\n.xxx\nxooo\n$ end\n",
            " ?\no...\n.ox.\n.xxx\nxooo\n\t$$$ the end of the input\n",
        ] {
            let found = answer(input, &mut WonBoards::default()).unwrap();
            assert_eq!(found, "(0,1)\n", "{input}");
        }
        for (input, why) in [
            ("?$\n", "line 1: expected a line with one mark, or `$`, found \"?$\""),
            ("x ? .\n", "line 1: expected a line with one mark, or `$`, found \"x ? .\""),
            ("....\n", "line 1: expected a line with one mark, or `$`, found \"....\""),
            ("?\n....\n$$$\n", "line 3: expected four of `.`, `x` and `o`, found \"$$$\""),
        ] {
            assert_eq!(answer(input, &mut WonBoards::default()).unwrap_err(), why);
        }
    }

    #[test]
    fn boards_already_won_are_reported() {
        let message = |boards: &[[&str; SIDE]]| {
            let case = |rows: &[&str; SIDE]| format!("?\n{}\n", rows.join("\n"));
            let input = boards.iter().map(case).collect::<String>() + "$\n";
            let mut won = WonBoards::default();
            assert_eq!(answer(&input, &mut won).unwrap(), "#####\n".repeat(boards.len()));
            won.warning().unwrap_or_default()
        };
        let row = ["xxxx", "....", "oo..", "..o."];
        let diagonal = ["...o", "x.o.", "xo..", "o..x"];
        let columns = ["x..o", "x..o", "x..o", "x..o"];
        assert_eq!(message(&[row]), "lines 2 to 5: x has four in a row already");
        assert_eq!(message(&[diagonal]), "lines 2 to 5: o has four in a row already");
        assert_eq!(message(&[columns]), "lines 2 to 5: x and o have four in a row already");
        let both = message(&[["...."; SIDE], row, diagonal]);
        assert_eq!(both, "lines 7 to 10: x has four in a row already, as on 2 boards in all");
    }
}
