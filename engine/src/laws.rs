//! The laws that every game and every evaluator keeps, as checks that anyone can run on a game of
//! their own.
//!
//! [`check`] walks through the game with moves that are the same in every run. It compares whole
//! snapshots, and it compares what the evaluator proves with plain minimax where few positions are
//! left. The checks know no concrete game and print nothing.

mod listing;
mod snapshot;
mod text;
mod values;
mod walk;

use std::error::Error;
use std::fmt;

use crate::evaluator::SearchEvaluator;
use crate::notation::Notation;

/// How many walks [`check`] takes.
const WALKS: u64 = 8;

/// How many positions [`check`] solves by minimax from one position on.
const POSITIONS: usize = 3_000;

/// Checks every law on a few walks from `game`, and from `game` on by minimax where that is
/// feasible.
pub fn check<G: Notation, E: SearchEvaluator<G>>(game: &G, evaluator: &E) -> Result<(), LawBroken> {
    for seed in 0..WALKS {
        check_walk(game, evaluator, seed)?;
    }
    check_values(game, evaluator, POSITIONS).map(|_| ())
}

/// Checks every law on one walk from `game`. Each `seed` chooses other moves.
pub fn check_walk<G: Notation, E: SearchEvaluator<G>>(
    game: &G,
    evaluator: &E,
    seed: u64,
) -> Result<(), LawBroken> {
    walk::check(game, evaluator, seed)
}

/// Compares what the evaluator proves with minimax in every position that can be reached from
/// `game`, and compares positions that share a key. Returns whether there were at most `positions`
/// of them; if there are more, nothing is checked.
pub fn check_values<G: Notation, E: SearchEvaluator<G>>(
    game: &G,
    evaluator: &E,
    positions: usize,
) -> Result<bool, LawBroken> {
    values::check(game, evaluator, positions)
}

/// What [`check`] checks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Law {
    /// A legal move is listed once.
    Listing,
    /// A game has a move exactly while it goes on.
    End,
    /// `plies_left` falls with every move, and is 0 exactly at the end.
    PliesLeft,
    /// `unpack` returns the move that `pack` stored.
    Pack,
    /// `unpack` returns a legal move or none, whatever the code.
    Unpack,
    /// A history slot is below `history_slots`.
    HistorySlot,
    /// A move that is written in any style is read as the same move.
    MoveText,
    /// A position that is written is read as the same position, its outcome included.
    PositionText,
    /// The text of a position ends where the list of moves begins.
    PositionEnd,
    /// A position flipped twice is the same position.
    Flip,
    /// `undo` restores the game.
    Undo,
    /// `undone` restores the evaluator.
    Undone,
    /// An evaluator that followed the moves agrees with one that sees the position first.
    Played,
    /// A position does not depend on the order of the moves that led to it.
    Path,
    /// An evaluation is heuristic, and the sum of its terms.
    Evaluation,
    /// Candidates are legal, distinct and at least one; an exact evaluator leaves none out that
    /// could matter.
    Candidates,
    /// Where the bounds leave the value open, the only move is the only candidate.
    OnlyMove,
    /// Noisy moves are legal.
    Noisy,
    /// A rank fits in 16 bits.
    Rank,
    /// The value of a position is within its bounds.
    Bounds,
    /// The best move is among complete candidates.
    Complete,
    /// A probe's score is true and its line is legal.
    Probe,
    /// A solver's win is true and its line leads to it.
    Solve,
    /// Where all listed moves lose, the moves that are said to lose with them do.
    OthersLose,
    /// Positions of equal key have equal values, and each reads the moves that the other stored.
    Key,
}

impl Law {
    /// Every law.
    pub const ALL: [Self; 25] = [
        Self::Listing,
        Self::End,
        Self::PliesLeft,
        Self::Pack,
        Self::Unpack,
        Self::HistorySlot,
        Self::MoveText,
        Self::PositionText,
        Self::PositionEnd,
        Self::Flip,
        Self::Undo,
        Self::Undone,
        Self::Played,
        Self::Path,
        Self::Evaluation,
        Self::Candidates,
        Self::OnlyMove,
        Self::Noisy,
        Self::Rank,
        Self::Bounds,
        Self::Complete,
        Self::Probe,
        Self::Solve,
        Self::OthersLose,
        Self::Key,
    ];

    /// Returns the law as a sentence.
    const fn sentence(self) -> &'static str {
        match self {
            Self::Listing => "a legal move is listed once",
            Self::End => "a game has a move exactly while it goes on",
            Self::PliesLeft => "plies_left falls with every move and is 0 exactly at the end",
            Self::Pack => "unpack returns the move that pack stored",
            Self::Unpack => "unpack returns a legal move or none",
            Self::HistorySlot => "a history slot is below history_slots",
            Self::MoveText => "a move that is written is read as the same move",
            Self::PositionText => "a position that is written is read as the same position",
            Self::PositionEnd => "the text of a position ends where the list of moves begins",
            Self::Flip => "a position flipped twice is the same position",
            Self::Undo => "undo restores the game",
            Self::Undone => "undone restores the evaluator",
            Self::Played => "an evaluator that followed the moves agrees with a fresh one",
            Self::Path => "the order of the moves to a position leaves no trace",
            Self::Evaluation => "an evaluation is heuristic, and the sum of its terms",
            Self::Candidates => "candidates are legal, distinct and at least one",
            Self::OnlyMove => "the only move is the only candidate",
            Self::Noisy => "noisy moves are legal",
            Self::Rank => "a rank fits in 16 bits",
            Self::Bounds => "the value of a position is within its bounds",
            Self::Complete => "the best move is among complete candidates",
            Self::Probe => "a probe's score is true and its line is legal",
            Self::Solve => "a solver's win is true and its line leads to it",
            Self::OthersLose => "the moves that are said to lose do",
            Self::Key => "positions of equal key have equal values and share stored moves",
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

/// A law that does not hold, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LawBroken {
    /// The law.
    pub law: Law,
    /// The position in which it was seen, as the game writes it.
    pub position: String,
    /// What was found there.
    pub found: String,
}

impl fmt::Display for LawBroken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position \"{}\" breaks the law that {}: {}", self.position, self.law, self.found)
    }
}

impl Error for LawBroken {}

/// Says what breaks `law` in `game`.
fn broken<G: Notation>(law: Law, game: &G, found: impl Into<String>) -> LawBroken {
    LawBroken { law, position: game.write_position(false), found: found.into() }
}

/// Returns the legal moves.
fn legal_moves<G: Notation>(game: &G) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves
}
