//! A book in memory: the scores of positions, and a check that they are consistent.

use std::borrow::Cow;

use tengen_engine::{Game, Outcome, Score};
use thiserror::Error;

use super::super::shape::Shape;
use super::super::{Board, Drop};
use super::format::{BookError, Header, Scores};
use super::layers::{Layers, each_child};
use super::places::Slots;

/// A book in memory: the score of every position of the first plies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book<S: Shape> {
    slots: Slots<S>,
    scores: Scores,
}

/// An error in the content of a book whose checksum is right.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The number of positions, held or declared, is not the number that can occur in play.
    #[error(
        "the book holds {held} positions and declares {declared}, but play leads to {expected}"
    )]
    Positions {
        /// The number of positions that can occur.
        expected: usize,
        /// The number that the header declares.
        declared: u64,
        /// The number of scores in the book.
        held: usize,
    },
    /// A position has no score.
    #[error("ply {ply}, position {number}: the book has no score")]
    Missing {
        /// The number of plies played.
        ply: u32,
        /// The position's number among those of its ply.
        number: usize,
    },
    /// A score contradicts the scores one ply later.
    #[error(
        "ply {ply}, position {number}: the book says {}, its next ply {}",
        in_words(*found),
        in_words(*expected)
    )]
    Contradiction {
        /// The number of plies played.
        ply: u32,
        /// The position's number among those of its ply.
        number: usize,
        /// The score that follows from the next ply.
        expected: Score,
        /// The score in the book.
        found: Score,
    },
}

/// Returns a proven score in words, for the side to move.
pub fn in_words(score: Score) -> String {
    match score.plies() {
        Some(plies) if score.is_win() => format!("win in {plies}"),
        Some(plies) => format!("loss in {plies}"),
        None => "draw".to_owned(),
    }
}

impl<S: Shape> Book<S> {
    /// Creates a book from the scores `last` of its last ply, by number, one for each position. The
    /// scores of earlier plies are computed from them.
    pub fn new(layers: &Layers<S>, last: &[Score]) -> Self {
        let plies = layers.plies();
        assert_eq!(last.len(), layers.count(plies), "a score for each position");
        let slots = Slots::new(layers.shape(), plies);
        let scores = Scores::empty(&slots);
        let mut book = Self { slots, scores };
        for (number, score) in last.iter().enumerate() {
            book.put(&layers.board(plies, number), *score);
        }
        for ply in (0..plies).rev() {
            for number in 0..layers.count(ply) {
                let board = layers.board(ply, number);
                book.put(&board, book.score_from_children(&board));
            }
        }
        book.scores.seal(layers.total() as u64);
        book
    }

    pub(super) fn put(&mut self, board: &Board<S>, score: Score) {
        let (ply, slot) = self.slots.find(board).expect("the position can occur in play");
        self.scores.put(ply, slot, score);
    }

    /// Reads a book for the board `shape`. [`check`](Self::check) verifies its content.
    pub fn read(shape: S, bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, BookError> {
        let bytes = bytes.into();
        let header = Header::read(&bytes)?;
        header.fits(shape)?;
        let slots = Slots::new(shape, header.plies);
        let scores = Scores::read(&slots, bytes)?;
        Ok(Self { slots, scores })
    }

    /// Returns the book as the bytes of a file.
    pub fn bytes(&self) -> &[u8] {
        self.scores.bytes()
    }

    pub(super) fn shape(&self) -> &S {
        self.slots.shape()
    }

    /// Returns the last ply of the book.
    pub fn plies(&self) -> u32 {
        self.slots.plies()
    }

    /// Returns the scores of all positions after `ply` plies (at most [`plies`](Self::plies)), each
    /// for the side to move.
    pub fn scores(&self, ply: u32) -> impl Iterator<Item = Score> {
        (0..self.slots.count(ply)).filter_map(move |slot| self.scores.get(ply, slot))
    }

    /// Returns the score of a position for the side to move; `None` when it is not in the book.
    pub fn score(&self, board: &Board<S>) -> Option<Score> {
        let (ply, slot) = self.slots.find(board)?;
        self.scores.get(ply, slot)
    }

    /// Returns a move that keeps the score of a position in the book; `None` for other positions
    /// and on the last ply of the book.
    pub fn best(&self, board: &Board<S>) -> Option<Drop> {
        let score = self.score(board)?;
        let mut moves = Vec::new();
        board.moves(&mut moves);
        moves.into_iter().find(|&mv| {
            let mut child = *board;
            child.play(mv);
            self.score_or_outcome(&child).is_some_and(|theirs| -theirs.to_root(1) == score)
        })
    }

    /// Checks that the book holds exactly the positions that can occur in play, and that the scores
    /// of every ply agree with those of the next ply. `layers` must have as many plies as the book.
    pub fn check(&self, layers: &Layers<S>) -> Result<(), Flaw> {
        assert_eq!(layers.plies(), self.plies(), "the plies of the book");
        for ply in (0..=self.plies()).rev() {
            for number in 0..layers.count(ply) {
                let board = layers.board(ply, number);
                let found = self.score(&board).ok_or(Flaw::Missing { ply, number })?;
                let expected =
                    if ply < self.plies() { self.score_from_children(&board) } else { found };
                if found != expected {
                    return Err(Flaw::Contradiction { ply, number, expected, found });
                }
            }
        }
        let held = (0..=self.plies()).map(|ply| self.scores(ply).count()).sum();
        let (expected, declared) = (layers.total(), self.scores.positions());
        if declared != expected as u64 || held != expected {
            return Err(Flaw::Positions { expected, declared, held });
        }
        Ok(())
    }

    /// Returns the score of a position in the book or of a finished game, for the side to move.
    fn score_or_outcome(&self, board: &Board<S>) -> Option<Score> {
        match board.outcome() {
            // Only the side that has just moved can have won.
            Some(Outcome::Win(_)) => Some(Score::loss_in(0)),
            Some(_) => Some(Score::DRAW),
            None => self.score(board),
        }
    }

    /// Returns the score of a position that follows from the scores of its children.
    fn score_from_children(&self, board: &Board<S>) -> Score {
        let mut best = Score::LOWEST;
        each_child(board, |child| {
            let theirs = self.score_or_outcome(child).unwrap_or(Score::HIGHEST);
            best = best.max(-theirs.to_root(1));
        });
        best
    }
}
