//! The opening book: the exact score of every position of the first plies.
//!
//! A book holds scores only. The positions they belong to are found again by playing every move, so
//! a lookup is exact: what play does not lead to is not in the book. Who solves the positions is
//! not this room's business.

mod booked;
mod format;
mod journal;
mod layers;

#[cfg(test)]
mod tests;

use tengen_engine::{Game, Score};
use thiserror::Error;

use super::shape::Shape;
use super::{Board, Drop};

pub use booked::{Booked, CLASSIC, Shelf};
pub use format::Header;
pub use journal::{Journal, JournalError};
pub use layers::Layers;

/// A book in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book<S: Shape> {
    layers: Layers<S>,
    /// By ply and number, in the form that the file has them.
    scores: Vec<Vec<u8>>,
}

/// Why bytes are no book, or not this board's.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BookError {
    /// The file does not begin as a book does.
    #[error("not an opening book")]
    NoBook,
    /// The file has another version.
    #[error("version {0} of the book's format is not known, only version 1 is")]
    Version(u8),
    /// Something in the file was changed.
    #[error("the book is damaged: its checksum is wrong")]
    Checksum,
    /// The book reaches further than can be read.
    #[error("a book of {0} plies is too deep, at most 14 can be read")]
    TooDeep(u32),
    /// The book is for another board.
    #[error("the book is for {}x{} boards and {} in a row", .0.width, .0.height, .0.connect)]
    OtherBoard(Header),
    /// The book does not hold what it should.
    #[error("the book tells of {found} positions where there are {expected}")]
    Positions {
        /// How many positions there are.
        expected: u64,
        /// How many the book says it holds.
        found: u64,
    },
    /// The file is too short or too long for what it holds.
    #[error("the book has the wrong length")]
    Length,
    /// No position after so many plies can have this score.
    #[error("the book has an impossible score, {code}, at ply {ply}")]
    Score {
        /// How many plies were played.
        ply: u32,
        /// The score as the file has it.
        code: u8,
    },
}

/// Where two layers of a book do not agree.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("ply {ply}, position {number}: the book says {found:?}, its next ply {expected:?}")]
pub struct Contradiction {
    /// How many plies were played.
    pub ply: u32,
    /// The position's number among those of its ply.
    pub number: usize,
    /// What follows from the scores one ply later.
    pub expected: Score,
    /// What the book says.
    pub found: Score,
}

impl<S: Shape> Book<S> {
    /// A book from the scores of its last ply, by number, as many as there are positions. Those of
    /// the plies before follow.
    pub fn new(layers: Layers<S>, last: &[Score]) -> Self {
        assert_eq!(last.len(), layers.count(layers.plies()), "a score for each position");
        let none = |ply| vec![0; layers.count(ply)];
        let mut scores: Vec<Vec<u8>> = (0..layers.plies()).map(none).collect();
        scores.push(last.iter().copied().map(format::code).collect());
        let mut book = Self { layers, scores };
        for ply in (0..book.layers.plies()).rev() {
            let follow = |number| book.follows(&book.layers.board(ply, number));
            let codes = (0..book.layers.count(ply)).map(follow).map(format::code).collect();
            book.scores[ply as usize] = codes;
        }
        book
    }

    /// Reads a book for this board.
    pub fn read(shape: S, bytes: &[u8]) -> Result<Self, BookError> {
        let (layers, scores) = format::read(shape, bytes)?;
        Ok(Self { layers, scores })
    }

    /// The book as the bytes of a file.
    pub fn write(&self) -> Vec<u8> {
        format::write(&self.layers, &self.scores)
    }

    /// The positions of the book.
    pub fn layers(&self) -> &Layers<S> {
        &self.layers
    }

    /// The score of a position for the side to move; `None` when it is not in the book.
    pub fn score(&self, board: &Board<S>) -> Option<Score> {
        let (ply, number) = self.layers.find(board)?;
        Some(format::score(self.scores[ply as usize][number]))
    }

    /// A move that keeps the score of a position that is in the book; `None` on its last ply, where
    /// the moves lead out of it.
    pub fn best(&self, board: &Board<S>) -> Option<Drop> {
        let score = self.score(board)?;
        let mut moves = Vec::new();
        board.moves(&mut moves);
        moves.into_iter().find(|&mv| {
            let mut child = *board;
            child.play(mv);
            self.known(&child).is_some_and(|theirs| -theirs.from_table(1) == score)
        })
    }

    /// Checks every ply against the one after it, the last first.
    pub fn check(&self) -> Result<(), Contradiction> {
        for ply in (0..self.layers.plies()).rev() {
            for number in 0..self.layers.count(ply) {
                let expected = self.follows(&self.layers.board(ply, number));
                let found = format::score(self.scores[ply as usize][number]);
                if found != expected {
                    return Err(Contradiction { ply, number, expected, found });
                }
            }
        }
        Ok(())
    }

    /// The score of a position in the book or of a finished game, for the side to move.
    fn known(&self, board: &Board<S>) -> Option<Score> {
        match board.outcome() {
            // Only the side that has just moved can have won.
            Some(tengen_engine::Outcome::Win(_)) => Some(Score::loss_in(0)),
            Some(_) => Some(Score::DRAW),
            None => self.score(board),
        }
    }

    /// What the scores one ply later say of a position before the last ply.
    fn follows(&self, board: &Board<S>) -> Score {
        let mut best = Score::LOWEST;
        layers::each_child(board, |child| {
            let theirs = self.known(child).unwrap_or(Score::HIGHEST);
            best = best.max(-theirs.from_table(1));
        });
        best
    }
}
