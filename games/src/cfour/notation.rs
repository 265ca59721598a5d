//! Positions and moves of four in a row as text, by [`GridGame`].

use tengen_engine::grid_game::GridGame;
use tengen_engine::{Grid, GridNotation, Placement, Point, Side};

use super::bits::Bits;
use super::shape::Shape;
use super::{Board, Drop};

impl<S: Shape, const MISERE: bool> GridGame for Board<S, MISERE> {
    fn layout(&self) -> GridNotation {
        let grid = Grid::new(self.shape.width(), self.shape.height());
        GridNotation::new(grid.expect("a shape's sides are those of a grid"), true)
    }

    fn describe(&self) -> String {
        let rules = self.layout().line_rules(self.shape.connect(), true);
        if MISERE { format!("{rules}, a line loses") } else { rules }
    }

    fn stone_at(&self, at: Point) -> Option<Side> {
        let cell = self.move_at(at).stone();
        if self.own.meets(cell) {
            return Some(self.turn);
        }
        self.all.meets(cell).then(|| self.turn.other())
    }

    fn move_at(&self, at: Point) -> Drop {
        Drop((at.column * self.shape.stride() + at.row) as u8)
    }

    fn point_of(&self, mv: Drop) -> Point {
        Point { column: self.column_of(mv), row: self.row_of(mv) }
    }

    fn with(&self, placement: &Placement) -> Option<Self> {
        let grid = self.layout().grid();
        let mut stones = [S::Bits::NONE; 2];
        for cell in grid.all() {
            if let Some(side) = placement.stones[cell.index()] {
                stones[side.index()] |= self.move_at(grid.point(cell)).stone();
            }
        }
        let turn = placement.turn;
        Self::from_stones(self.shape, stones[turn.index()], stones[turn.other().index()], turn)
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::{AnySize, Classic};
    use super::*;
    use tengen_engine::{Game, Notation, Outcome};

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
