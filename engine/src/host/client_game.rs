//! [`ClientGame`]: what a client must know of the type of its game.

use crate::host::position::{Position, TypedPosition};
use crate::text::notation::Notation;
use crate::text::typed_move::Move;

/// The game of a [`Client`](crate::Client): [`AnyGame`], or the type of your own game.
pub trait ClientGame: Sized {
    /// A move.
    type Move: Copy;
    /// A position.
    type Position;

    /// Returns the position of a client without the type of its game.
    fn as_dyn(position: &Self::Position) -> &dyn Position;

    /// Returns the position of a client, to change it.
    fn as_dyn_mut(position: &mut Self::Position) -> &mut dyn Position;

    /// Returns a copy of the position.
    fn copy(position: &Self::Position) -> Self::Position;

    /// Returns the position without the type of its game.
    fn boxed(position: Self::Position) -> Box<dyn Position>;

    /// Converts the moves of a line from `position` on, up to the first that cannot be played.
    fn read_line(position: &Self::Position, moves: &[Move]) -> Vec<Self::Move>;

    /// Converts the moves of a line from `position` on.
    fn write_line(position: &Self::Position, moves: &[Self::Move]) -> Vec<Move>;

    /// Converts a legal move of `position`.
    fn encode(position: &Self::Position, mv: Self::Move) -> Move;
}

/// A game that was opened by its name. Its moves are of the type [`Move`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnyGame {}

impl ClientGame for AnyGame {
    type Move = Move;
    type Position = Box<dyn Position>;

    fn as_dyn(position: &Self::Position) -> &dyn Position {
        &**position
    }

    fn as_dyn_mut(position: &mut Self::Position) -> &mut dyn Position {
        &mut **position
    }

    fn copy(position: &Self::Position) -> Self::Position {
        position.duplicate()
    }

    fn boxed(position: Self::Position) -> Box<dyn Position> {
        position
    }

    fn read_line(_position: &Self::Position, moves: &[Move]) -> Vec<Move> {
        moves.to_vec()
    }

    fn write_line(_position: &Self::Position, moves: &[Move]) -> Vec<Move> {
        moves.to_vec()
    }

    fn encode(_position: &Self::Position, mv: Move) -> Move {
        mv
    }
}

impl<G: Notation> ClientGame for G {
    type Move = G::Move;
    type Position = TypedPosition<G>;

    fn as_dyn(position: &Self::Position) -> &dyn Position {
        position
    }

    fn as_dyn_mut(position: &mut Self::Position) -> &mut dyn Position {
        position
    }

    fn copy(position: &Self::Position) -> Self::Position {
        position.clone()
    }

    fn boxed(position: Self::Position) -> Box<dyn Position> {
        Box::new(position)
    }

    fn read_line(position: &Self::Position, moves: &[Move]) -> Vec<G::Move> {
        let mut game = position.game().clone();
        let read = |mv: &Move| {
            let mv = game.decode(*mv)?;
            game.play(mv);
            Some(mv)
        };
        moves.iter().map_while(read).collect()
    }

    fn write_line(position: &Self::Position, moves: &[G::Move]) -> Vec<Move> {
        let mut game = position.game().clone();
        let write = |mv: &G::Move| {
            let code = game.encode(*mv);
            game.play(*mv);
            code
        };
        moves.iter().map(write).collect()
    }

    fn encode(position: &Self::Position, mv: G::Move) -> Move {
        position.game().encode(mv)
    }
}
