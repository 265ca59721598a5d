//! The laws: properties of every game and every evaluator. You can check them on your own game.
//!
//! [`check`] plays some games with the same moves in every run. It compares snapshots of the game
//! and the evaluator. It also visits the positions that a few of the moves reach, to find two of
//! them with one key. Near the end of the game, it compares the proofs of the evaluator with plain
//! minimax.

mod explore;
mod keys;
mod listing;
mod snapshot;
mod text;
mod values;
mod walk;

use std::error::Error;
use std::fmt;

use crate::search::evaluator::SearchEvaluator;
use crate::text::notation::Notation;

use keys::Keys;

/// The number of walks of [`check`].
const WALKS: u64 = 8;

/// The maximum of positions below the first one that [`check`] solves by minimax.
const POSITIONS: usize = 3_000;

/// Checks every law on a few walks from `game`, and visits the positions that a few of its moves
/// reach. If few positions can be reached from `game`, also compares all of them with minimax.
///
/// If the board can have several sizes, also check a small board: there, different walks reach one
/// position more often.
pub fn check<G: Notation, E: SearchEvaluator<G>>(game: &G, evaluator: &E) -> Result<(), LawBroken> {
    let mut keys = Keys::default();
    for seed in 0..WALKS {
        walk::check(game, evaluator, seed, &mut keys)?;
        explore::check_few_moves(game, seed as usize, &mut keys)?;
    }
    check_values(game, evaluator, POSITIONS).map(|_| ())
}

/// Checks every law on one walk from `game`. The `seed` determines the moves.
pub fn check_walk<G: Notation, E: SearchEvaluator<G>>(
    game: &G,
    evaluator: &E,
    seed: u64,
) -> Result<(), LawBroken> {
    walk::check(game, evaluator, seed, &mut Keys::default())
}

/// Compares the proofs of the evaluator with minimax in all positions that can be reached from
/// `game`, and compares positions with equal keys. Returns false, without any check, if there are
/// more than `max_positions` of them.
pub fn check_values<G: Notation, E: SearchEvaluator<G>>(
    game: &G,
    evaluator: &E,
    max_positions: usize,
) -> Result<bool, LawBroken> {
    values::check(game, evaluator, max_positions)
}

/// Declares the laws: a variant of [`Law`] and a sentence for each.
macro_rules! laws {
    ($($(#[$doc:meta])* $law:ident = $sentence:literal;)*) => {
        /// A property that [`check`] checks.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum Law {
            $($(#[$doc])* $law,)*
        }

        impl Law {
            /// Every law.
            pub const ALL: [Self; [$(Self::$law),*].len()] = [$(Self::$law),*];

            /// Returns the law as a sentence.
            const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$law => $sentence,)*
                }
            }
        }
    };
}

laws! {
    /// A legal move is listed once.
    Listing = "a legal move is listed once";
    /// A game has a legal move if and only if it is not over.
    End = "a game has a move exactly while it is not over";
    /// `plies_left` falls with every move, is 0 only at the end, and is at most
    /// [`Score::MAX_PLIES`](crate::Score::MAX_PLIES).
    PliesLeft = "plies_left falls with every move and is 0 exactly at the end";
    /// No game ends sooner than [`MIN_PLIES_TO_LOSE_AND_WIN`] says.
    ///
    /// [`MIN_PLIES_TO_LOSE_AND_WIN`]: crate::Game::MIN_PLIES_TO_LOSE_AND_WIN
    SoonestEnd = "no game ends sooner than MIN_PLIES_TO_LOSE_AND_WIN says";
    /// `unpack` returns the move that `pack` stored.
    Pack = "unpack returns the move that pack stored";
    /// `unpack` returns a legal move or none, whatever the code.
    Unpack = "unpack returns a legal move or none";
    /// A history slot is below `history_slots`.
    HistorySlot = "a history slot is below history_slots";
    /// A move that is written in any style is read as the same move.
    MoveText = "a move that is written is read as the same move";
    /// A position that is written is read as the same position, its outcome included.
    PositionText = "a position that is written is read as the same position";
    /// The text of a position ends where the list of moves begins.
    PositionEnd = "the text of a position ends where the list of moves begins";
    /// A position flipped twice is the same position.
    Flip = "a position flipped twice is the same position";
    /// `undo` restores the game.
    Undo = "undo restores the game";
    /// `undone` restores the evaluator.
    Undone = "undone restores the evaluator";
    /// An evaluator that was updated with each move agrees with a fresh one.
    Played = "an evaluator that followed the moves agrees with a fresh one";
    /// A position does not depend on the order of the moves that led to it.
    Path = "a position does not depend on move order";
    /// An evaluation is heuristic, and the sum of its terms.
    Evaluation = "an evaluation is heuristic, and the sum of its terms";
    /// Candidates are legal, distinct and at least one. An exact evaluator always returns a
    /// complete list.
    Candidates = "candidates are legal, distinct and at least one";
    /// The only move is the only candidate, unless the static bounds give the value.
    OnlyMove = "the only move is the only candidate";
    /// Noisy moves are legal.
    Noisy = "noisy moves are legal";
    /// A rank fits in 16 bits.
    Rank = "a rank fits in 16 bits";
    /// The value of a position is within its bounds.
    Bounds = "the value of a position is within its bounds";
    /// The best move is among complete candidates.
    Complete = "the best move is among complete candidates";
    /// The score of a probe is correct, and its line is legal.
    Probe = "a probe's score is true and its line is legal";
    /// The win of a solver is correct, and its line leads to it.
    Solve = "a solver's win is true and its line leads to it";
    /// Moves that the evaluator says lose do lose, if all listed moves lose.
    OthersLose = "moves reported as losing do lose";
    /// Positions with equal keys have equal text, unless a [`Symmetry`](crate::Game::Symmetry) or
    /// an exchange of the players maps one to the other. They have equal values and equally many
    /// plies left, and each can read the moves that the other stored.
    Key = "positions of equal key are equal but for a symmetry";
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

/// The error of a broken law.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LawBroken {
    /// The law.
    pub law: Law,
    /// The position in which it is broken, as the game writes it.
    pub position: String,
    /// The details.
    pub found: String,
}

impl fmt::Display for LawBroken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position \"{}\" breaks the law that {}: {}", self.position, self.law, self.found)
    }
}

impl Error for LawBroken {}

/// Returns the error of a broken `law` in the position `game`.
fn broken<T, G: Notation>(law: Law, game: &G, found: impl Into<String>) -> Result<T, LawBroken> {
    Err(LawBroken { law, position: game.write_position(false), found: found.into() })
}

/// Returns the error of a broken `law` in the position `game` unless it `holds`.
fn ensure<G: Notation>(
    holds: bool,
    law: Law,
    game: &G,
    found: impl FnOnce() -> String,
) -> Result<(), LawBroken> {
    if holds { Ok(()) } else { broken(law, game, found()) }
}

/// Returns the legal moves.
fn legal_moves<G: Notation>(game: &G) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves
}
