//! [`Notation`]: text and typed moves of a game. The search never uses it.

use crate::game::rules::Game;
use crate::game::side::Side;
use crate::text::coords::Point;
use crate::text::fen::Placement;
use crate::text::grid_notation::GridNotation;
use crate::text::typed_move::Move;
use crate::text::{NotationError, Style, word_offset};

/// Reads and writes moves and positions of a game as text.
///
/// `self` supplies the rules, such as the size of the board. Every
/// [`GridGame`](crate::text::grid_game::GridGame) has this trait.
pub trait Notation: Game {
    /// Returns the rules in a few words, such as `7x6 board, 4 in a row, stones fall`. If empty,
    /// the catalogue's summary of the game is used.
    fn rules(&self) -> String {
        String::new()
    }

    /// Reads a move of this position in any style: a legal move, or a forbidden move that loses the
    /// game and is therefore not in [`Game::moves`].
    ///
    /// The default reads legal moves in the plain style.
    fn read_move(&self, text: &str) -> Result<Self::Move, NotationError> {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        let named = moves.into_iter().find(|mv| self.write_move(*mv, Style::Plain) == text);
        named.ok_or_else(|| NotationError::mv(text, "no such move"))
    }

    /// Writes a legal move of this position.
    fn write_move(&self, mv: Self::Move, style: Style) -> String;

    /// Reads a position under the same rules from the whole of `text`. The default is an error.
    fn read_position(&self, _text: &str) -> Result<Self, NotationError> {
        Err(NotationError::Unsupported { what: "positions in text" })
    }

    /// Writes the position. `pocket` adds the stones in hand.
    fn write_position(&self, pocket: bool) -> String;

    /// Draws the board with coordinates in lines, none of them blank. The default writes the
    /// position.
    fn draw(&self) -> String {
        self.write_position(false)
    }

    /// Cuts a list of moves into single moves, each as [`read_move`](Self::read_move) reads it.
    fn split_moves<'a>(&self, text: &'a str) -> Vec<&'a str> {
        text.split_ascii_whitespace().collect()
    }

    /// Returns the byte offset at which the position at the start of `text` ends: the offset of the
    /// blank-separated word `keyword`, which begins a list of moves, or else the end of `text`.
    fn position_end(&self, text: &str, keyword: &str) -> usize {
        word_offset(text, keyword).unwrap_or(text.len())
    }

    /// Converts a legal move to a [`Move`]. The default is its index in the list of legal moves.
    fn encode(&self, mv: Self::Move) -> Move {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        let place = moves.iter().position(|legal| *legal == mv).unwrap_or(moves.len());
        Move::from_code(place as u32)
    }

    /// Converts a [`Move`] to a move that [`read_move`](Self::read_move) accepts in this position;
    /// `None` if there is none.
    fn decode(&self, mv: Move) -> Option<Self::Move> {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        moves.get(mv.code() as usize).copied()
    }

    /// Returns the grid of the board; `None` if the game has no grid.
    fn grid(&self) -> Option<GridNotation> {
        None
    }

    /// Returns the stone on a point of the grid.
    fn stone(&self, _at: Point) -> Option<Side> {
        None
    }

    /// Returns the position with these stones on the grid, under the same rules.
    fn place(&self, _placement: &Placement) -> Result<Self, NotationError> {
        Err(NotationError::Unsupported { what: "stones on a grid" })
    }

    /// Returns the points that the rules forbid to `side`, each with the rule's name. The list is
    /// empty when the game is over. `None` if the rules forbid no points at all.
    fn forbidden(&self, _side: Side) -> Option<Vec<(Point, &'static str)>> {
        None
    }

    /// Returns the position with the players exchanged, the side to move included.
    fn flipped(&self) -> Result<Self, NotationError> {
        Err(NotationError::Unsupported { what: "flip" })
    }

    /// Returns lines about the position, to show with its evaluation.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}
