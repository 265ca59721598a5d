//! [`Position`]: the object-safe interface to the rules of a game. It needs no thread and no table.
//!
//! [`TypedPosition`] is the only implementation. A search uses the typed game in it.

use std::any::Any;
use std::error::Error;
use std::fmt;

use crate::game::side::{Outcome, Side};
use crate::host::spec::GameSpec;
use crate::opening::OpeningSearch;
use crate::text::coords::{Cell, Point};
use crate::text::fen::Placement;
use crate::text::notation::Notation;
use crate::text::typed_move::Move;
use crate::text::{NotationError, Style};

/// The error of a position or a list of moves that is not valid. The current position does not
/// change.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PositionError {
    /// The starting position cannot be read.
    Start(NotationError),
    /// The move with this number in the list, from 1, cannot be played.
    Move(usize, NotationError),
}

impl PositionError {
    /// Adds `moves` to the number of the move, for a list whose first `moves` moves were played
    /// before.
    pub fn after(self, moves: usize) -> Self {
        match self {
            Self::Move(place, error) => Self::Move(place + moves, error),
            start => start,
        }
    }
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => error.fmt(f),
            Self::Move(index, error) => write!(f, "move {index} of the list: {error}"),
        }
    }
}

impl Error for PositionError {}

/// The error of a move that cannot be played in the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IllegalMove(pub Move);

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "move {} cannot be played here", self.0.code())
    }
}

impl Error for IllegalMove {}

/// A game in progress: its starting position, its moves and its rules.
///
/// It has a few kilobytes, no thread and no table.
pub trait Position: Send {
    /// Returns the description of the game.
    fn spec(&self) -> &GameSpec;

    /// Goes back to the starting position of the game.
    fn reset(&mut self);

    /// Sets up a position in the game's own text.
    fn set_up(&mut self, text: &str) -> Result<(), NotationError>;

    /// Sets up stones on the grid.
    fn place(&mut self, placement: &Placement) -> Result<(), NotationError>;

    /// Plays a legal move, or a forbidden move, which loses.
    fn play(&mut self, mv: Move) -> Result<(), IllegalMove>;

    /// Undoes the last move and returns it; `None` if no move was played since the position was set
    /// up.
    fn undo(&mut self) -> Option<Move>;

    /// Returns the moves played since the position was set up.
    fn played(&self) -> &[Move];

    /// Exchanges the players.
    fn flip(&mut self) -> Result<(), NotationError>;

    /// Returns the side to move; still defined when the game is over.
    fn turn(&self) -> Side;

    /// Returns how the game ended, or `None` while it is not over.
    fn outcome(&self) -> Option<Outcome>;

    /// Returns an upper bound on the plies that can still be played; 0 when the game is over.
    fn plies_left(&self) -> u32;

    /// Returns the key of the position in the transposition table.
    fn key(&self) -> u64;

    /// Returns every legal move; none when the game is over.
    fn legal(&self) -> Vec<Move>;

    /// Returns the points that the rules forbid to `side`, each with the rule's name; none when the
    /// game is over.
    fn forbidden(&self, side: Side) -> Vec<(Point, &'static str)>;

    /// Returns the stone on a point of the grid; `None` if there is none.
    fn stone(&self, at: Point) -> Option<Side>;

    /// Returns the position in text. `pocket` adds the stones in hand.
    fn fen(&self, pocket: bool) -> String;

    /// Returns the board with coordinates, several lines.
    fn draw(&self) -> String;

    /// Returns lines about the position, to show with its evaluation.
    fn remarks(&self) -> Vec<String>;

    /// Reads a move of this position in any style: a legal move, or a forbidden move, which loses.
    fn read_move(&self, text: &str) -> Result<Move, NotationError>;

    /// Cuts a list of moves into single moves, each as [`read_move`](Self::read_move) reads it.
    fn split_moves<'a>(&self, text: &'a str) -> Vec<&'a str>;

    /// Writes the moves of a line from this position on, up to the first move that cannot be
    /// played.
    fn write_line(&self, moves: &[Move], style: Style) -> Vec<String>;

    /// Returns the byte offset at which the position at the start of `text` ends: the offset of the
    /// word `keyword`, which begins a list of moves, or else the end of `text`.
    fn text_end(&self, text: &str, keyword: &str) -> usize;

    /// Returns a boxed copy.
    fn duplicate(&self) -> Box<dyn Position>;

    /// Returns `self` as `Any`, so that a backend can get the typed game.
    fn as_any(&self) -> &dyn Any;
}

impl dyn Position + '_ {
    /// Writes a move of this position; empty when it cannot be played.
    pub fn write_move(&self, mv: Move, style: Style) -> String {
        self.write_line(&[mv], style).pop().unwrap_or_default()
    }

    /// Returns the stones on the board and the side to move; `None` if the game has no grid.
    pub fn placement(&self) -> Option<Placement> {
        let grid = self.spec().grid?.grid();
        let stones = grid.all().map(|cell| self.stone(grid.point(cell))).collect();
        Some(Placement { stones, turn: self.turn() })
    }

    /// Returns the point of the last move and the name of the rule that forbids it, if this move
    /// lost the game; `None` otherwise.
    pub fn forbidden_loss(&self) -> Option<(Point, &'static str)> {
        let Some(Outcome::Win(winner)) = self.outcome() else { return None };
        let point = self.spec().grid?.point_of(*self.played().last()?)?;
        let mut before = self.duplicate();
        before.undo();
        let loser = Some(before.turn()).filter(|mover| *mover != winner)?;
        before.forbidden(loser).into_iter().find(|(at, _)| *at == point)
    }

    /// Returns the line of stones that ended the game, from one end to the other: the longest row of
    /// equal stones through the last move. Empty if no line ended the game.
    ///
    /// If the position was set up without moves, a stone that can have been the last move stands for
    /// it.
    pub fn winning_line(&self) -> Vec<Point> {
        if !matches!(self.outcome(), Some(Outcome::Win(_))) || self.forbidden_loss().is_some() {
            return Vec::new();
        }
        let Some(notation) = self.spec().grid else { return Vec::new() };
        let last = match self.played().last() {
            Some(mv) => notation.point_of(*mv),
            None => self.last_stone(),
        };
        let Some(last) = last else { return Vec::new() };
        let grid = notation.grid();
        let Some(centre) = grid.cell_at(last) else { return Vec::new() };
        let side = self.stone(last);
        let row = |step: (i32, i32)| {
            let next = |at: &Cell, by: i32| {
                grid.step(*at, step, by).filter(|cell| self.stone(grid.point(*cell)) == side)
            };
            let mut cells: Vec<Cell> =
                std::iter::successors(Some(centre), |at| next(at, -1)).collect();
            cells.reverse();
            cells.extend(std::iter::successors(next(&centre, 1), |at| next(at, 1)));
            cells
        };
        let rows = [(1, 0), (0, 1), (1, 1), (1, -1)].map(row);
        let longest = rows.into_iter().max_by_key(Vec::len).unwrap_or_default();
        longest.into_iter().map(|cell| grid.point(cell)).collect()
    }

    /// Returns a stone that can have been the last move of a finished game without moves: without
    /// this stone the game is not over, and the stone ends it in the same way.
    fn last_stone(&self) -> Option<Point> {
        let notation = self.spec().grid?;
        let grid = notation.grid();
        let stones = self.placement()?;
        let ends_game = |point: &Point| {
            let Some(side) = self.stone(*point) else { return false };
            let mut before = Placement { turn: side, ..stones.clone() };
            let Some(cell) = grid.cell_at(*point) else { return false };
            before.stones[cell.index()] = None;
            let mut position = self.duplicate();
            position.place(&before).is_ok()
                && position.outcome().is_none()
                && position.play(notation.move_to(*point)).is_ok()
                && position.stone(*point) == Some(side)
                && position.outcome() == self.outcome()
        };
        grid.all().map(|cell| grid.point(cell)).find(ends_game)
    }

    /// Plays the moves of a list. On an error nothing changes.
    pub fn play_all(&mut self, moves: &[&str]) -> Result<(), PositionError> {
        let before = self.played().len();
        for (index, text) in moves.iter().enumerate() {
            if let Err(error) = self.play_text(text) {
                self.undo_to(before);
                return Err(PositionError::Move(index + 1, error));
            }
        }
        Ok(())
    }

    /// Sets up the stones of a search that an opening needs. Returns the moves to search, all if empty,
    /// and how many of them are ranked.
    pub fn set_up_opening(
        &mut self,
        search: &OpeningSearch,
    ) -> Result<(Vec<Move>, usize), PositionError> {
        self.reset();
        let names: Vec<String> = search.stones.iter().map(Point::to_string).collect();
        self.play_all(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
        let notation = self.spec().grid;
        let points = search.moves.iter();
        let moves: Vec<Move> = points.filter_map(|at| Some(notation?.move_to(*at))).collect();
        let most = if moves.is_empty() { self.legal().len() } else { moves.len() };
        Ok((moves, search.lines.clamp(1, most.max(1))))
    }

    /// Reads a move and plays it.
    pub fn play_text(&mut self, text: &str) -> Result<Move, NotationError> {
        let mv = self.read_move(text)?;
        self.play(mv).map_err(|why| NotationError::mv(text, why.to_string()))?;
        Ok(mv)
    }

    /// Returns the position before all played moves.
    pub fn start(&self) -> Box<dyn Position> {
        let mut start = self.duplicate();
        start.undo_to(0);
        start
    }

    /// Undoes moves until `length` moves are left.
    pub fn undo_to(&mut self, length: usize) {
        while self.played().len() > length && self.undo().is_some() {}
    }
}

/// The position of a typed game, with the moves that led to it.
#[derive(Clone)]
pub struct TypedPosition<G: Notation> {
    spec: GameSpec,
    start: G,
    game: G,
    played: Vec<Move>,
    undos: Vec<(G::Move, G::Undo)>,
}

impl<G: Notation> TypedPosition<G> {
    /// Creates the starting position `start` of the game that `spec` describes.
    pub fn new(spec: GameSpec, start: G) -> Self {
        Self { spec, game: start.clone(), start, played: Vec::new(), undos: Vec::new() }
    }

    /// Returns the typed game.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Returns the positions before the last two moves, the last four moves and so on, each with the
    /// move played in it.
    pub(crate) fn own_earlier(&self) -> impl Iterator<Item = (G, G::Move)> {
        let mut game = self.game.clone();
        self.undos.rchunks_exact(2).map(move |pair| {
            for (mv, undo) in pair.iter().rev() {
                game.undo(*mv, undo.clone());
            }
            (game.clone(), pair[0].0)
        })
    }

    fn restart(&mut self, game: G) {
        self.game = game;
        self.played.clear();
        self.undos.clear();
    }
}

impl<G: Notation> Position for TypedPosition<G> {
    fn spec(&self) -> &GameSpec {
        &self.spec
    }

    fn reset(&mut self) {
        self.restart(self.start.clone());
    }

    fn set_up(&mut self, text: &str) -> Result<(), NotationError> {
        self.restart(self.game.read_position(text)?);
        Ok(())
    }

    fn place(&mut self, placement: &Placement) -> Result<(), NotationError> {
        self.restart(self.game.place(placement)?);
        Ok(())
    }

    fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let typed = self.game.decode(mv).ok_or(IllegalMove(mv))?;
        let undo = self.game.play(typed);
        self.undos.push((typed, undo));
        self.played.push(mv);
        Ok(())
    }

    fn undo(&mut self) -> Option<Move> {
        let (typed, undo) = self.undos.pop()?;
        self.game.undo(typed, undo);
        self.played.pop()
    }

    fn played(&self) -> &[Move] {
        &self.played
    }

    fn flip(&mut self) -> Result<(), NotationError> {
        self.restart(self.game.flipped()?);
        Ok(())
    }

    fn turn(&self) -> Side {
        self.game.turn()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn plies_left(&self) -> u32 {
        self.game.plies_left()
    }

    fn key(&self) -> u64 {
        self.game.key().0
    }

    fn legal(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.game.moves(&mut moves);
        moves.into_iter().map(|mv| self.game.encode(mv)).collect()
    }

    fn forbidden(&self, side: Side) -> Vec<(Point, &'static str)> {
        self.game.forbidden(side).unwrap_or_default()
    }

    fn stone(&self, at: Point) -> Option<Side> {
        self.game.stone(at)
    }

    fn fen(&self, pocket: bool) -> String {
        self.game.write_position(pocket)
    }

    fn draw(&self) -> String {
        self.game.draw()
    }

    fn remarks(&self) -> Vec<String> {
        self.game.remarks()
    }

    fn read_move(&self, text: &str) -> Result<Move, NotationError> {
        Ok(self.game.encode(self.game.read_move(text)?))
    }

    fn split_moves<'a>(&self, text: &'a str) -> Vec<&'a str> {
        self.game.split_moves(text)
    }

    fn write_line(&self, moves: &[Move], style: Style) -> Vec<String> {
        let mut game = self.game.clone();
        let mut write = |&mv| {
            let typed = game.decode(mv)?;
            let text = game.write_move(typed, style);
            game.play(typed);
            Some(text)
        };
        moves.iter().map_while(&mut write).collect()
    }

    fn text_end(&self, text: &str, keyword: &str) -> usize {
        self.game.position_end(text, keyword)
    }

    fn duplicate(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
