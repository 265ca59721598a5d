//! A book in memory: its scores by position, and whether they agree with each other.

use std::borrow::Cow;

use tengen_engine::{Game, Outcome, Score};
use thiserror::Error;

use super::super::shape::Shape;
use super::super::{Board, Drop};
use super::format::{BookError, Header, Scores};
use super::layers::{Layers, each_child};
use super::places::Places;

/// A book in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book<S: Shape> {
    places: Places<S>,
    scores: Scores,
}

/// What is wrong with a book whose bytes are whole.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The book holds more or fewer positions than play leads to, or says so.
    #[error(
        "the book holds {held} positions and declares {declared}, but play leads to {expected}"
    )]
    Positions {
        /// How many positions there are.
        expected: usize,
        /// How many the book says it holds.
        declared: u64,
        /// How many it holds.
        held: usize,
    },
    /// A position has no score.
    #[error("ply {ply}, position {number}: the book has no score")]
    Missing {
        /// How many plies were played.
        ply: u32,
        /// The position's number among those of its ply.
        number: usize,
    },
    /// Two plies do not agree.
    #[error(
        "ply {ply}, position {number}: the book says {}, its next ply {}",
        in_words(*found),
        in_words(*expected)
    )]
    Contradiction {
        /// How many plies were played.
        ply: u32,
        /// The position's number among those of its ply.
        number: usize,
        /// What follows from the scores one ply later.
        expected: Score,
        /// What the book says.
        found: Score,
    },
}

/// Returns a proven score for people, as the side to move sees it.
pub fn in_words(score: Score) -> String {
    match score.plies() {
        Some(plies) if score.is_win() => format!("win in {plies}"),
        Some(plies) => format!("loss in {plies}"),
        None => "draw".to_owned(),
    }
}

impl<S: Shape> Book<S> {
    /// Returns a book from the scores of its last ply, by number, as many as there are positions.
    /// Those of the plies before follow.
    pub fn new(layers: &Layers<S>, last: &[Score]) -> Self {
        let plies = layers.plies();
        assert_eq!(last.len(), layers.count(plies), "a score for each position");
        let places = Places::new(layers.shape(), plies);
        let scores = Scores::none(&places);
        let mut book = Self { places, scores };
        for (number, score) in last.iter().enumerate() {
            book.put(&layers.board(plies, number), *score);
        }
        for ply in (0..plies).rev() {
            for number in 0..layers.count(ply) {
                let board = layers.board(ply, number);
                book.put(&board, book.follows(&board));
            }
        }
        book.scores.seal(layers.total() as u64);
        book
    }

    pub(super) fn put(&mut self, board: &Board<S>, score: Score) {
        let (ply, place) = self.places.find(board).expect("play leads to it");
        self.scores.put(ply, place, score);
    }

    /// Reads a book for this board. [`check`](Self::check) says whether its content is right.
    pub fn read(shape: S, bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, BookError> {
        let bytes = bytes.into();
        let header = Header::read(&bytes)?;
        header.fits(shape)?;
        let places = Places::new(shape, header.plies);
        let scores = Scores::read(&places, bytes)?;
        Ok(Self { places, scores })
    }

    /// Returns the book as the bytes of a file.
    pub fn bytes(&self) -> &[u8] {
        self.scores.bytes()
    }

    pub(super) fn shape(&self) -> &S {
        self.places.shape()
    }

    /// Returns how many plies the book reaches.
    pub fn plies(&self) -> u32 {
        self.places.plies()
    }

    /// Returns the scores of all positions after `ply` plies, at most [`plies`](Self::plies), each
    /// for the side to move.
    pub fn scores(&self, ply: u32) -> impl Iterator<Item = Score> {
        (0..self.places.count(ply)).filter_map(move |place| self.scores.get(ply, place))
    }

    /// Returns the score of a position for the side to move; `None` when it is not in the book.
    pub fn score(&self, board: &Board<S>) -> Option<Score> {
        let (ply, place) = self.places.find(board)?;
        self.scores.get(ply, place)
    }

    /// Returns a move that keeps the score of a position that is in the book; `None` on its last
    /// ply, where the moves lead out of it.
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

    /// Checks that every position that play leads to, and no other, is in the book, and every ply
    /// against the one after it, the last first. `layers` are those of the book's plies.
    pub fn check(&self, layers: &Layers<S>) -> Result<(), Flaw> {
        assert_eq!(layers.plies(), self.plies(), "the plies of the book");
        for ply in (0..=self.plies()).rev() {
            for number in 0..layers.count(ply) {
                let board = layers.board(ply, number);
                let found = self.score(&board).ok_or(Flaw::Missing { ply, number })?;
                let expected = if ply < self.plies() { self.follows(&board) } else { found };
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
    fn known(&self, board: &Board<S>) -> Option<Score> {
        match board.outcome() {
            // Only the side that has just moved can have won.
            Some(Outcome::Win(_)) => Some(Score::loss_in(0)),
            Some(_) => Some(Score::DRAW),
            None => self.score(board),
        }
    }

    /// Returns what the scores one ply later say of a position before the last ply.
    fn follows(&self, board: &Board<S>) -> Score {
        let mut best = Score::LOWEST;
        each_child(board, |child| {
            let theirs = self.known(child).unwrap_or(Score::HIGHEST);
            best = best.max(-theirs.from_table(1));
        });
        best
    }
}
