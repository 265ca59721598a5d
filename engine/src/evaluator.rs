//! The evaluation of positions: the trait [`Evaluator`].
//!
//! Rules and evaluation are apart, so that two evaluators of one game can coexist.

use std::error::Error;
use std::path::Path;

use crate::ordering::MoveOrdering;
use crate::prover::Prover;
use crate::rules::Game;
use crate::score::Score;
use crate::selectivity::Selectivity;

/// One line of an evaluation's breakdown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Term {
    /// The name of the part, in the terms of the game.
    pub name: &'static str,
    /// What it adds to the evaluation, for the side to move.
    pub value: i32,
}

/// The static evaluation of a game's positions. Each search thread owns a clone; what the clones
/// share is behind an `Arc`.
pub trait Evaluator<G: Game>: Clone + Send + 'static {
    /// Describes the built-in weights for people, with their checksum. It returns `None` where an
    /// evaluator reads no files.
    const OWN_EVAL: fn() -> Option<String> = || None;

    /// What [`played`](Self::played) overwrites and [`undone`](Self::undone) restores.
    type Undo;

    /// Starts anew with the position `game`.
    fn reset(&mut self, game: &G);

    /// Updates after `mv` was played; `game` is the position after it.
    fn played(&mut self, game: &G, mv: G::Move) -> Self::Undo;

    /// Updates after `mv` was undone; `game` is the position before it.
    fn undone(&mut self, game: &G, mv: G::Move, undo: Self::Undo);

    /// Returns a heuristic score of a game that goes on, for the side to move; never decisive.
    fn evaluate(&mut self, game: &G) -> Score;

    /// Returns a score of at least `bound`, never decisive, if a cheap part of the evaluation shows that
    /// [`evaluate`](Self::evaluate) very likely reaches `bound` too. The search asks this first where an
    /// evaluation of at least `bound` cuts the node off.
    // CITE: "Lazy Evaluation", Chess Programming Wiki, https://www.chessprogramming.org/Lazy_Evaluation
    fn lazy_evaluate(&self, _game: &G, _bound: i32) -> Option<Score> {
        None
    }

    /// Returns the parts of [`evaluate`](Self::evaluate), which is their sum.
    fn terms(&mut self, game: &G) -> Vec<Term> {
        vec![Term { name: "evaluation", value: self.evaluate(game).raw() }]
    }

    /// Uses the weights in `file` from now on, or with `None` those that come with the program.
    /// [`reset`](Self::reset) is to be called next. On an error nothing changes. It has no effect
    /// where an evaluator reads no files.
    fn open_eval_file(&mut self, _file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        Ok(())
    }

    /// Returns which weights are used, for people: where they come from and their checksum.
    fn eval_source(&self) -> Option<String> {
        (Self::OWN_EVAL)()
    }
}

/// An evaluator that is a function of the position and knows nothing else.
///
/// `StaticEvaluator(|_| Score::DRAW)` suits a game that is searched to its end.
#[derive(Clone, Copy, Debug)]
pub struct StaticEvaluator<G>(
    /// Returns a heuristic score of a game that goes on, for the side to move; never decisive.
    pub fn(&G) -> Score,
);

impl<G: Game> Evaluator<G> for StaticEvaluator<G> {
    type Undo = ();

    fn reset(&mut self, _game: &G) {}

    fn played(&mut self, _game: &G, _mv: G::Move) {}

    fn undone(&mut self, _game: &G, _mv: G::Move, (): ()) {}

    fn evaluate(&mut self, game: &G) -> Score {
        (self.0)(game)
    }
}

impl<G: Game> MoveOrdering<G> for StaticEvaluator<G> {}
impl<G: Game> Selectivity<G> for StaticEvaluator<G> {}
impl<G: Game> Prover<G> for StaticEvaluator<G> {}

/// Everything that a search asks of a game beside its rules. Every evaluator with all four parts is
/// one; [`plain_search!`](crate::plain_search) writes three of them for a game that has nothing but
/// an evaluation.
pub trait SearchEvaluator<G: Game>:
    Evaluator<G> + MoveOrdering<G> + Selectivity<G> + Prover<G>
{
}

impl<G: Game, E> SearchEvaluator<G> for E where
    E: Evaluator<G> + MoveOrdering<G> + Selectivity<G> + Prover<G>
{
}

/// Writes the search traits of a game that has nothing but an evaluation:
/// `plain_search!(MyEvaluator, MyGame);` writes an empty `impl` for each trait of a
/// [`SearchEvaluator`] but [`Evaluator`].
#[macro_export]
macro_rules! plain_search {
    ($evaluator:ty, $game:ty) => {
        impl $crate::MoveOrdering<$game> for $evaluator {}
        impl $crate::Selectivity<$game> for $evaluator {}
        impl $crate::Prover<$game> for $evaluator {}
    };
}
