//! Moves and positions of four in a row as text.

use tengen_engine::{Notation, NotationError, Side, Style};

use super::bits::Bits;
use super::shape::Shape;
use super::{Board, Drop};
use crate::grid::{Cell, Grid, Point, fen};

impl<S: Shape> Board<S> {
    fn grid(&self) -> Grid {
        let grid = Grid::new(self.shape.width(), self.shape.height());
        grid.expect("a shape's sides are those of a grid")
    }

    /// What stands on a cell, columns and rows from 0.
    pub fn stone(&self, column: u32, row: u32) -> Option<Side> {
        let cell = S::Bits::bit(column * self.shape.stride() + row);
        if self.own.meets(cell) {
            return Some(self.turn);
        }
        self.all.meets(cell).then(|| self.turn.other())
    }

    fn stone_on(&self, grid: Grid, cell: Cell) -> Option<Side> {
        self.stone(grid.column(cell), grid.row(cell))
    }
}

impl<S: Shape> Notation for Board<S> {
    fn read_move(&self, text: &str) -> Result<Drop, NotationError> {
        if self.is_over() {
            return Err(NotationError::mv(text, "the game is over"));
        }
        let row = |column| self.landing(column).map(|mv| self.row_of(mv));
        let point = self.grid().read_drop(text, row)?;
        Ok(Drop((point.column * self.shape.stride() + point.row) as u8))
    }

    fn write_move(&self, mv: Drop, style: Style) -> String {
        let point = Point { column: self.column_of(mv), row: self.row_of(mv) };
        self.grid().write_move(point, true, style)
    }

    fn start(&self) -> Self {
        Self::new(self.shape)
    }

    fn read_position(&self, text: &str) -> Result<Self, NotationError> {
        let grid = self.grid();
        let placement = fen::read(grid, true, text)?;
        let mut stones = [S::Bits::NONE; 2];
        for cell in grid.all() {
            if let Some(side) = placement.stones[cell.index()] {
                let bit = grid.column(cell) * self.shape.stride() + grid.row(cell);
                stones[side.index()] |= S::Bits::bit(bit);
            }
        }
        let turn = placement.turn;
        Self::from_stones(self.shape, stones[turn.index()], stones[turn.other().index()], turn)
            .ok_or_else(|| NotationError::position(text, 1, "both sides have won"))
    }

    fn write_position(&self, pocket: bool) -> String {
        let grid = self.grid();
        fen::write(grid, |cell| self.stone_on(grid, cell), self.turn, pocket)
    }

    fn flipped(&self) -> Result<Self, NotationError> {
        Self::from_stones(self.shape, self.own, self.theirs(), self.turn.other())
            .ok_or(NotationError::Unsupported { what: "flip" })
    }

    fn draw(&self) -> String {
        let grid = self.grid();
        grid.draw(|cell| self.stone_on(grid, cell))
    }

    fn rules(&self) -> String {
        self.grid().rules(self.shape.connect(), true, true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::{AnySize, Classic};
    use super::*;
    use tengen_engine::{Game, Outcome};

    fn after(moves: &str) -> Board<Classic> {
        let mut board = Board::new(Classic);
        for text in moves.split_whitespace() {
            let mv = board.read_move(text).unwrap();
            board.play(mv);
        }
        board
    }

    #[test]
    fn a_position_is_written_as_other_tools_write_it() {
        let board = after("d1 4 e1");
        let pocket = format!("[{}{}]", "P".repeat(19), "p".repeat(20));
        let text = format!("7/7/7/7/3p3/3PP2{pocket} b - - 0 2");
        assert_eq!(board.write_position(true), text);
        assert_eq!(board.read_position(&text), Ok(board));
        assert_eq!(board.draw().lines().nth(5), Some(" 1 . . . X X . ."));
        assert_eq!(board.rules(), "7x6 board, 4 in a row, stones fall");
    }

    #[test]
    fn the_first_line_of_four_ends_the_game() {
        let board = after("a b a b a b a");
        assert_eq!(board.outcome(), Some(Outcome::Win(Side::First)));
        let error = board.read_move("c").unwrap_err().to_string();
        assert_eq!(error, "move \"c\": the game is over");
        assert_eq!(board.plies_left(), 0);
        let mut moves = Vec::new();
        board.moves(&mut moves);
        assert!(moves.is_empty());
    }

    #[test]
    fn a_won_position_is_recognised_and_one_won_twice_refused() {
        let board = Board::new(Classic);
        let won = board.read_position("7/7/7/7/7/PPPP3 w").unwrap();
        assert_eq!(won.outcome(), Some(Outcome::Win(Side::First)));
        let twice = board.read_position("7/7/7/7/pppp3/PPPP3 w").unwrap_err();
        let text = "7/7/7/7/pppp3/PPPP3 w";
        let expected = format!("position \"{text}\": both sides have won at character 1");
        assert_eq!(twice.to_string(), expected);
    }

    #[test]
    fn a_flipped_position_is_the_same_for_the_side_to_move() {
        let board = after("d1 d2 e1");
        let flipped = board.flipped().unwrap();
        assert_eq!(flipped.write_position(false), "7/7/7/7/3P3/3pp2 w - - 0 2");
        assert_eq!(flipped.key().0, board.key().0);
        assert_eq!(flipped.flipped(), Ok(board));
    }

    #[test]
    fn the_last_cell_of_the_largest_board_is_played_and_taken_back() {
        let mut board = Board::new(AnySize::<u128>::new(16, 7, 4).unwrap());
        for row in 0..7 {
            let mv = board.read_move(&format!("p{}", row + 1)).unwrap();
            let before = board;
            board.play(mv);
            let mut back = board;
            back.undo(mv, ());
            assert_eq!(back, before);
        }
        assert_eq!(board.read_move("p").unwrap_err().to_string(), "move \"p\": column p is full");
        assert!(
            board.unpack(15, board.key().1).is_none() || board.unpack(0, board.key().1).is_none()
        );
    }
}
