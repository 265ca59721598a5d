//! The evaluation of positions: the trait [`Evaluator`].
//!
//! Rules and evaluation are separate, so that a game can have several evaluators.

use std::error::Error;
use std::path::Path;

use crate::game::ordering::MoveOrdering;
use crate::game::prover::Prover;
use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::selectivity::Selectivity;

/// One part of an evaluation, for display.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Term {
    /// The name of the part, in the terms of the game.
    pub name: &'static str,
    /// The value that this part adds to the evaluation, for the side to move.
    pub value: i32,
}

/// The static evaluation of a game's positions. Each search thread owns a clone. Data that the
/// clones share is behind an `Arc`.
pub trait Evaluator<G: Game>: Clone + Send + 'static {
    /// Describes the built-in weights in words, with their checksum. `None` if the evaluator reads
    /// no files.
    const OWN_EVAL: fn() -> Option<String> = || None;

    /// The data that [`played`](Self::played) overwrites and [`undone`](Self::undone) restores.
    type Undo;

    /// Sets the evaluator to the position `game`.
    fn reset(&mut self, game: &G);

    /// Updates the evaluator after `mv` was played. `game` is the position after `mv`.
    fn played(&mut self, game: &G, mv: G::Move) -> Self::Undo;

    /// Updates the evaluator after `mv` was undone. `game` is the position before `mv`.
    fn undone(&mut self, game: &G, mv: G::Move, undo: Self::Undo);

    /// Returns a heuristic score for the side to move, never a decisive one. The game is not over.
    fn evaluate(&mut self, game: &G) -> Score;

    /// Returns a score of at least `bound`, never a decisive one, if a cheap part of the evaluation
    /// shows that [`evaluate`](Self::evaluate) very likely reaches `bound` too; else `None`. The
    /// search calls this first at nodes where a score of at least `bound` is a cut-off.
    // CITE: "Lazy Evaluation", Chess Programming Wiki, https://www.chessprogramming.org/Lazy_Evaluation
    fn lazy_evaluate(&self, _game: &G, _bound: i32) -> Option<Score> {
        None
    }

    /// Returns the parts of the evaluation. Their sum is [`evaluate`](Self::evaluate).
    fn terms(&mut self, game: &G) -> Vec<Term> {
        vec![Term { name: "evaluation", value: self.evaluate(game).raw() }]
    }

    /// Loads the weights in `file`, or the built-in weights if `file` is `None`. The caller must
    /// call [`reset`](Self::reset) next. On an error nothing changes. An evaluator that reads no
    /// files ignores the call.
    fn open_eval_file(&mut self, _file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        Ok(())
    }

    /// Describes the weights in use, in words: their source and their checksum. `None` if the
    /// evaluator reads no files.
    fn eval_source(&self) -> Option<String> {
        (Self::OWN_EVAL)()
    }
}

/// An evaluator without state: a function of the position.
///
/// `StaticEvaluator(|_| Score::DRAW)` is enough for a game that is searched to its end.
#[derive(Clone, Copy, Debug)]
pub struct StaticEvaluator<G>(
    /// Returns a heuristic score for the side to move, never a decisive one.
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

/// An evaluator with all that a search needs in addition to the rules: evaluation, move ordering,
/// selectivity and proofs. Every type with these four traits implements it.
/// [`plain_search!`](crate::plain_search) implements the last three with their defaults.
pub trait SearchEvaluator<G: Game>:
    Evaluator<G> + MoveOrdering<G> + Selectivity<G> + Prover<G>
{
}

impl<G: Game, E> SearchEvaluator<G> for E where
    E: Evaluator<G> + MoveOrdering<G> + Selectivity<G> + Prover<G>
{
}

/// Implements [`MoveOrdering`], [`Selectivity`] and [`Prover`] with their defaults:
/// `plain_search!(MyEvaluator, MyGame);`. Then an [`Evaluator`] is a [`SearchEvaluator`].
#[macro_export]
macro_rules! plain_search {
    ($evaluator:ty, $game:ty) => {
        impl $crate::MoveOrdering<$game> for $evaluator {}
        impl $crate::Selectivity<$game> for $evaluator {}
        impl $crate::Prover<$game> for $evaluator {}
    };
}
