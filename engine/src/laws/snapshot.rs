//! Everything that a game and an evaluator say of one position, to be compared as a whole.

use crate::evaluator::SearchEvaluator;
use crate::notation::Notation;
use crate::ordering::Coverage;
use crate::score::Score;
use crate::side::{Outcome, Side};
use crate::window::Window;

use super::legal_moves;

/// What a game says of its position.
#[derive(PartialEq, Debug)]
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

impl<M: Copy + PartialEq + std::fmt::Debug> GameSnapshot<M> {
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

    /// Takes the key from `other`, where only the rest is to be compared.
    pub(super) fn with_key_of(self, other: &Self) -> Self {
        Self { key: other.key, ..self }
    }

    /// Says how `self` became `other`, if they differ.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        (self != other).then(|| format!("{self:?} became {other:?}"))
    }
}

/// What an evaluator says of a game that goes on.
#[derive(PartialEq, Debug)]
pub(super) struct EvaluatorSnapshot<M> {
    pub(super) score: Score,
    pub(super) bounds: (Score, Score),
    pub(super) only_move: Option<M>,
    pub(super) coverage: Coverage,
    pub(super) candidates: Vec<M>,
    pub(super) noisy: Vec<M>,
    pub(super) ranks: Vec<i32>,
    pub(super) terms: Vec<i32>,
}

impl<M: Copy + PartialEq + std::fmt::Debug> EvaluatorSnapshot<M> {
    /// Asks `evaluator`; `None` when the game is over.
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
            terms: evaluator.terms(game).iter().map(|term| term.value).collect(),
        })
    }
}
