//! [`GridGame`]: the methods of a game on a grid from which its [`Notation`](crate::Notation)
//! follows.

use crate::game::rules::Game;
use crate::game::side::Side;
use crate::text::coords::Point;
use crate::text::fen::Placement;
use crate::text::grid_notation::GridNotation;
use crate::text::typed_move::Move;
use crate::text::{NotationError, Style};

/// A game of stones on a grid. [`grid_notation!`](crate::grid_notation!) implements
/// [`Notation`](crate::text::notation::Notation) for it.
pub trait GridGame: Game {
    /// Returns the grid and how moves on it are written.
    fn layout(&self) -> GridNotation;

    /// Returns the rules in a few words, such as `7x6 board, 4 in a row, stones fall`.
    fn describe(&self) -> String;

    /// Returns the stone on a point of the grid.
    fn stone_at(&self, at: Point) -> Option<Side>;

    /// Returns the move to the point `at`. The point is empty, a stone can stay on it, and the game
    /// is not over. It may be a forbidden point: a move there loses.
    fn move_at(&self, at: Point) -> Self::Move;

    /// Returns the point of a move.
    fn point_of(&self, mv: Self::Move) -> Point;

    /// Returns the position with these stones under the same rules; `None` if both sides have won.
    fn with(&self, placement: &Placement) -> Option<Self>;

    /// Returns the points that the rules forbid to the first player, each with the rule's name;
    /// `None` if the rules forbid no points at all.
    fn forbidden_points(&self) -> Option<Vec<(Point, &'static str)>> {
        None
    }
}

/// Implements [`Notation`](crate::text::notation::Notation) for a [`GridGame`]:
/// `grid_notation!(impl for MyGame);` or `grid_notation!(impl [S: Shape] for MyGame<S>);`.
#[macro_export]
macro_rules! grid_notation {
    (impl $([$($generics:tt)*])? for $game:ty) => {
        impl $(<$($generics)*>)? $crate::Notation for $game {
            fn rules(&self) -> String {
                $crate::text::grid_game::GridGame::describe(self)
            }

            fn read_move(&self, text: &str) -> Result<Self::Move, $crate::NotationError> {
                $crate::text::grid_game::read_move(self, text)
            }

            fn split_moves<'a>(&self, text: &'a str) -> Vec<&'a str> {
                $crate::text::grid_game::GridGame::layout(self).split_moves(text)
            }

            fn write_move(&self, mv: Self::Move, style: $crate::Style) -> String {
                $crate::text::grid_game::write_move(self, mv, style)
            }

            fn read_position(&self, text: &str) -> Result<Self, $crate::NotationError> {
                $crate::text::grid_game::read_position(self, text)
            }

            fn write_position(&self, pocket: bool) -> String {
                $crate::text::grid_game::write_position(self, pocket)
            }

            fn draw(&self) -> String {
                $crate::text::grid_game::draw(self)
            }

            fn encode(&self, mv: Self::Move) -> $crate::Move {
                $crate::text::grid_game::encode(self, mv)
            }

            fn decode(&self, mv: $crate::Move) -> Option<Self::Move> {
                $crate::text::grid_game::decode(self, mv)
            }

            fn grid(&self) -> Option<$crate::GridNotation> {
                Some($crate::text::grid_game::GridGame::layout(self))
            }

            fn stone(&self, at: $crate::Point) -> Option<$crate::Side> {
                $crate::text::grid_game::GridGame::stone_at(self, at)
            }

            fn place(&self, placement: &$crate::Placement) -> Result<Self, $crate::NotationError> {
                $crate::text::grid_game::place(self, placement)
            }

            fn forbidden(
                &self,
                side: $crate::Side,
            ) -> Option<Vec<($crate::Point, &'static str)>> {
                $crate::text::grid_game::forbidden(self, side)
            }

            fn flipped(&self) -> Result<Self, $crate::NotationError> {
                $crate::text::grid_game::flipped(self)
            }

            fn remarks(&self) -> Vec<String> {
                $crate::text::grid_game::remarks(self)
            }
        }
    };
}

/// Reads a move; see [`Notation::read_move`](crate::text::notation::Notation::read_move).
pub fn read_move<G: GridGame>(game: &G, text: &str) -> Result<G::Move, NotationError> {
    if game.outcome().is_some() {
        return Err(NotationError::mv(text, "the game is over"));
    }
    let point = game.layout().read_move(text, |at| game.stone_at(at).is_some())?;
    Ok(game.move_at(point))
}

/// Writes a move.
pub fn write_move<G: GridGame>(game: &G, mv: G::Move, style: Style) -> String {
    game.layout().write_move(game.point_of(mv), style)
}

/// Converts a move to a [`Move`].
pub fn encode<G: GridGame>(game: &G, mv: G::Move) -> Move {
    game.layout().move_to(game.point_of(mv))
}

/// Converts a [`Move`] to a move of this position; `None` if it cannot be played.
pub fn decode<G: GridGame>(game: &G, mv: Move) -> Option<G::Move> {
    let layout = game.layout();
    let at = layout.point_of(mv)?;
    let is_taken = |at: Point| game.stone_at(at).is_some();
    let below = at.row.checked_sub(1).filter(|_| layout.falls());
    let floats = below.is_some_and(|row| !is_taken(Point { row, ..at }));
    (game.outcome().is_none() && !is_taken(at) && !floats).then(|| game.move_at(at))
}

/// Reads a position under the same rules.
pub fn read_position<G: GridGame>(game: &G, text: &str) -> Result<G, NotationError> {
    let placement = game.layout().read_position(text)?;
    game.with(&placement).ok_or_else(|| NotationError::position(text, 1, "both sides have won"))
}

/// Writes the position. `pocket` adds the stones in hand.
pub fn write_position<G: GridGame>(game: &G, pocket: bool) -> String {
    game.layout().write_position(|at| game.stone_at(at), game.turn(), pocket)
}

/// Returns the position with the stones of `placement` under the same rules.
pub fn place<G: GridGame>(game: &G, placement: &Placement) -> Result<G, NotationError> {
    let layout = game.layout();
    let stone = |at| placement.stone(layout.grid(), at);
    let write = || layout.write_position(stone, placement.turn, false);
    let floats = |at: &Point| {
        let below = at.row.checked_sub(1).map(|row| Point { row, ..*at });
        stone(*at).is_some() && below.is_some_and(|below| stone(below).is_none())
    };
    let grid = layout.grid();
    if layout.falls() && grid.all().any(|cell| floats(&grid.point(cell))) {
        return Err(NotationError::position(&write(), 1, "a stone floats"));
    }
    game.with(placement).ok_or_else(|| NotationError::position(&write(), 1, "both sides have won"))
}

/// Returns the points forbidden to `side`, each with the rule's name; `None` if the rules forbid no
/// points at all.
pub fn forbidden<G: GridGame>(game: &G, side: Side) -> Option<Vec<(Point, &'static str)>> {
    let points = game.forbidden_points()?;
    let is_bound = side == Side::First && game.outcome().is_none();
    Some(if is_bound { points } else { Vec::new() })
}

/// Returns the position with the players exchanged. It is an error in a game with forbidden points,
/// because the players have different rules.
pub fn flipped<G: GridGame>(game: &G) -> Result<G, NotationError> {
    const UNSUPPORTED: NotationError = NotationError::Unsupported { what: "flip" };
    if game.forbidden_points().is_some() {
        return Err(UNSUPPORTED);
    }
    let grid = game.layout().grid();
    let stone = |cell| game.stone_at(grid.point(cell)).map(Side::other);
    let stones = grid.all().map(stone).collect();
    game.with(&Placement { stones, turn: game.turn().other() }).ok_or(UNSUPPORTED)
}

/// Draws the board and lists the points forbidden to the first player.
pub fn draw<G: GridGame>(game: &G) -> String {
    let board = game.layout().draw(|at| game.stone_at(at));
    match list_forbidden(game, |_| String::new()) {
        Some(list) => format!("{board}\n{list}"),
        None => board,
    }
}

/// Lists the points forbidden to the first player with the rule that forbids each.
pub fn remarks<G: GridGame>(game: &G) -> Vec<String> {
    list_forbidden(game, |why| format!(" ({why})")).into_iter().collect()
}

fn list_forbidden<G: GridGame>(game: &G, note: impl Fn(&str) -> String) -> Option<String> {
    let points = game.forbidden_points()?;
    let points: String = points.iter().map(|(at, why)| format!(" {at}{}", note(why))).collect();
    Some(format!("forbidden:{}", if points.is_empty() { " -" } else { &points }))
}
