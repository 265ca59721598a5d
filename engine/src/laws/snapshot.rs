//! Snapshots of the results of a game and an evaluator for one position, for comparison.

use std::fmt::Debug;

use crate::game::score::Score;
use crate::game::side::{Outcome, Side};
use crate::game::window::Window;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::ordering::Coverage;
use crate::text::notation::Notation;

use super::legal_moves;

/// The results of all methods of a game for its position.
pub(super) struct GameSnapshot<M> {
    position: String,
    pocket: String,
    drawing: String,
    key: u64,
    moves: Vec<M>,
    turn: Side,
    outcome: Option<Outcome>,
    plies_left: u32,
}

impl<M: Copy + PartialEq + Debug> GameSnapshot<M> {
    pub(super) fn new<G: Notation<Move = M>>(game: &G) -> Self {
        Self {
            position: game.write_position(false),
            pocket: game.write_position(true),
            drawing: game.draw(),
            key: game.key().0,
            moves: legal_moves(game),
            turn: game.turn(),
            outcome: game.outcome(),
            plies_left: game.plies_left(),
        }
    }

    /// Replaces the key by that of `other`, to exclude it from a comparison.
    pub(super) fn with_key_of(self, other: &Self) -> Self {
        Self { key: other.key, ..self }
    }

    /// Describes the first difference between `self` and `other`; `None` if they are equal.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        let parts = [
            change("the position", &self.position, &other.position),
            change("the position with stones in hand", &self.pocket, &other.pocket),
            change("the drawing", &self.drawing, &other.drawing),
            change("the key", &self.key, &other.key),
            change("the list of moves", &self.moves, &other.moves),
            change("the side to move", &self.turn, &other.turn),
            change("the outcome", &self.outcome, &other.outcome),
            change("the plies left", &self.plies_left, &other.plies_left),
        ];
        parts.into_iter().flatten().next()
    }
}

fn change<T: PartialEq + Debug>(what: &str, before: &T, after: &T) -> Option<String> {
    (before != after).then(|| format!("{what} {before:?} became {after:?}"))
}

/// The results of an evaluator for a position of a game that is not over.
#[derive(PartialEq, Debug)]
pub(super) struct EvaluatorSnapshot<M> {
    pub(super) score: Score,
    pub(super) bounds: (Score, Score),
    pub(super) only_move: Option<M>,
    pub(super) coverage: Coverage,
    pub(super) candidates: Vec<M>,
    pub(super) noisy: Vec<M>,
    pub(super) ranks: Vec<i32>,
    pub(super) threats: Vec<bool>,
    pub(super) terms: Vec<i32>,
}

impl<M: Copy + PartialEq + Debug> EvaluatorSnapshot<M> {
    /// Creates a snapshot of `evaluator`; `None` when the game is over.
    pub(super) fn new<G, E>(game: &G, evaluator: &mut E) -> Option<Self>
    where
        G: Notation<Move = M>,
        E: SearchEvaluator<G>,
    {
        if game.outcome().is_some() {
            return None;
        }
        let (mut candidates, mut noisy) = (Vec::new(), Vec::new());
        let coverage = evaluator.candidates(game, &mut candidates);
        evaluator.noisy(game, &mut noisy);
        Some(Self {
            score: evaluator.evaluate(game),
            bounds: evaluator.static_bounds(game, Window::FULL),
            only_move: evaluator.only_move(game),
            coverage,
            candidates,
            noisy,
            ranks: legal_moves(game).iter().map(|&mv| evaluator.rank(game, mv)).collect(),
            threats: legal_moves(game).iter().map(|&mv| evaluator.is_threat(game, mv)).collect(),
            terms: evaluator.terms(game).iter().map(|term| term.value).collect(),
        })
    }
}
