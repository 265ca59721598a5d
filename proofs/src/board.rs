//! [`Board`]: a position of a game on a grid, with its stones and its images under symmetries.

use crate::rows::{Points, Rows};
use tengen_engine::{GridNotation, Move, Outcome, Point, Position, Side, Style, Symmetry};

/// A position that a strategy is played on.
pub struct Board {
    position: Box<dyn Position>,
    notation: GridNotation,
    symmetries: Vec<Symmetry>,
    /// The stones by the code of their point: 0, or 1 and 2 for the first and the second player.
    stones: Vec<u8>,
    /// The last winning move. It mostly wins against the next reply, too.
    last_win: Option<Move>,
    /// The rows of a game in which nothing else counts.
    rows: Option<Rows>,
}

impl Board {
    /// Creates the board of a position; `None` if its game has no grid.
    pub fn new(position: Box<dyn Position>) -> Option<Self> {
        let notation = position.spec().grid?;
        let symmetries = Symmetry::all(notation);
        let placement = position.placement()?;
        let stones = placement.stones.iter().map(|side| side.map_or(0, |side| side as u8 + 1));
        let (stones, rows) = (stones.collect(), Rows::new(position.spec(), notation));
        Some(Self { position, notation, symmetries, stones, last_win: None, rows })
    }

    /// Returns the rules.
    pub fn position(&self) -> &dyn Position {
        &*self.position
    }

    /// Returns the text form of points.
    pub fn notation(&self) -> GridNotation {
        self.notation
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Side {
        self.position.turn()
    }

    /// Plays a move. Returns whether it can be played; a forbidden move of renju can, and loses.
    pub fn play(&mut self, mv: Move) -> bool {
        let stone = self.turn() as u8 + 1;
        let is_played = self.position.play(mv).is_ok();
        if is_played {
            self.stones[mv.code() as usize] = stone;
        }
        is_played
    }

    /// Takes back the last move and returns it; `None` if there is none.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.position.undo()?;
        self.stones[mv.code() as usize] = 0;
        Some(mv)
    }

    /// Returns the stone at a point: 0, or 1 and 2 for the first and the second player.
    pub fn stone(&self, at: Move) -> u8 {
        self.stones[at.code() as usize]
    }

    /// Returns the stones of all points.
    pub fn stones(&self) -> &[u8] {
        &self.stones
    }

    /// Returns the rows, and the stones of a side and its opponent; `None` if the rules are others.
    pub(crate) fn rows(&self, side: Side) -> Option<(Rows, Points, Points)> {
        let rows = self.rows?;
        let mut sets = [Points::default(); 2];
        for (code, stone) in self.stones.iter().enumerate().filter(|(_, stone)| **stone != 0) {
            let is_own = *stone == side as u8 + 1;
            sets[usize::from(!is_own)] |= rows.point(Move::from_code(code as u32));
        }
        Some((rows, sets[0], sets[1]))
    }

    /// Returns one arrangement of stones for all positions that are equal by symmetry: the least image.
    pub fn least(&self) -> Vec<u8> {
        let images = self.symmetries.iter().map(|symmetry| turned(&self.stones, symmetry));
        images.min().unwrap_or_default()
    }

    /// Returns the symmetry that turns `stones` into those of the board; `None` if there is none.
    pub(crate) fn symmetry_from(&self, stones: &[u8]) -> Option<&Symmetry> {
        self.symmetries.iter().find(|symmetry| turned(stones, symmetry) == self.stones)
    }

    /// Returns the legal moves in the order of the format: by columns where stones fall, else row by
    /// row from a1.
    pub fn legal(&self) -> Vec<Move> {
        let mut moves = self.position.legal();
        let width = self.notation.grid().width();
        let falls = self.notation.falls();
        moves.sort_unstable_by_key(|mv| if falls { mv.code() % width } else { mv.code() });
        moves
    }

    /// Returns a move that wins at once; `None` if there is none.
    pub fn winning_move(&mut self) -> Option<Move> {
        if let Some((rows, own, other)) = self.rows(self.turn()) {
            return rows.moves(rows.wins(own, other)).next();
        }
        let win = Outcome::Win(self.turn());
        if let Some(mv) = self.last_win.filter(|mv| self.ends_with(*mv, win)) {
            return Some(mv);
        }
        let found = self.legal().into_iter().find(|mv| self.ends_with(*mv, win));
        self.last_win = found.or(self.last_win);
        found
    }

    /// Returns the moves after which the opponent cannot win at once, in order.
    pub fn safe_moves(&mut self) -> Vec<Move> {
        let mut safe = self.legal();
        if let Some((rows, own, other)) = self.rows(self.turn()) {
            let lost = rows.wins(other, own);
            // A stone keeps the opponent from one point only.
            let keeps = |mv: &Move| (lost & !rows.point(*mv)).is_empty();
            safe.retain(keeps);
            return safe;
        }
        safe.retain(|mv| {
            self.play(*mv);
            let is_safe = self.winning_move().is_none();
            self.undo();
            is_safe
        });
        safe
    }

    fn ends_with(&mut self, mv: Move, outcome: Outcome) -> bool {
        if !self.play(mv) {
            return false;
        }
        let is_so = self.position.outcome() == Some(outcome);
        self.undo();
        is_so
    }

    /// Reads a point or a move of the grid, such as `d3`.
    pub fn read_point(&self, text: &str) -> Option<Move> {
        let point: Point = text.parse().ok()?;
        self.notation.grid().cell_at(point)?;
        Some(self.notation.move_to(point))
    }

    /// Writes a point, such as `d3`.
    pub fn write_point(&self, at: Move) -> String {
        self.notation.point_of(at).map_or_else(String::new, |point| point.to_string())
    }

    /// Returns the moves played so far.
    pub fn line(&self) -> String {
        let start = self.position.start();
        start.write_line(self.position.played(), Style::Plain).join(" ")
    }
}

/// Returns where a symmetry puts stones.
fn turned(stones: &[u8], symmetry: &Symmetry) -> Vec<u8> {
    let mut turned = vec![0; stones.len()];
    for (stone, to) in stones.iter().zip(symmetry.images()) {
        turned[to.index()] = *stone;
    }
    turned
}

/// Returns where a symmetry puts a point.
pub(crate) fn image(symmetry: &Symmetry, at: Move) -> Move {
    let to = symmetry.images().get(at.code() as usize);
    to.map_or(at, |cell| Move::from_code(cell.index() as u32))
}
