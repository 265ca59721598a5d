//! The evaluation of positions: the trait [`Evaluator`].
//!
//! Rules and evaluation are separate, so that a game can have several evaluators.

pub(crate) mod book;
pub(crate) mod ordering;
pub(crate) mod prover;
pub(crate) mod selectivity;

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::search::evaluator::ordering::MoveOrdering;
use crate::search::evaluator::prover::Prover;
use crate::search::evaluator::selectivity::Selectivity;

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
    /// Describes the built-in weights in words, with their checksum. `None`, the default, if the
    /// evaluator reads no files.
    const OWN_EVAL: fn() -> Option<String> = || None;

    /// The data that [`played`](Self::played) overwrites and [`undone`](Self::undone) restores.
    type Undo;

    /// Sets the evaluator to the position `game`.
    fn reset(&mut self, game: &G);

    /// Updates the evaluator after `mv` was played. `game` is the position after `mv`: where a move
    /// takes stones, `game` holds what was taken last, or the evaluator keeps the stones itself and
    /// compares.
    fn played(&mut self, game: &G, mv: G::Move) -> Self::Undo;

    /// Updates the evaluator after `mv` was undone. `game` is the position before `mv`.
    fn undone(&mut self, game: &G, mv: G::Move, undo: Self::Undo);

    /// Returns a heuristic score for the side to move, never a decisive one. The game is not over.
    fn evaluate(&mut self, game: &G) -> Score;

    /// Returns a score of at least `bound`, never a decisive one, if a cheap part of the evaluation
    /// shows that [`evaluate`](Self::evaluate) very likely reaches `bound` too; else `None`. The
    /// search calls this first at nodes where a score of at least `bound` is a cut-off. The default
    /// is `None`.
    // CITE: "Lazy Evaluation", Chess Programming Wiki, https://www.chessprogramming.org/Lazy_Evaluation
    fn lazy_evaluate(&self, _game: &G, _bound: i32) -> Option<Score> {
        None
    }

    /// Returns the parts of the evaluation. Their sum is [`evaluate`](Self::evaluate). The default
    /// is one part.
    fn terms(&mut self, game: &G) -> Vec<Term> {
        vec![Term { name: "evaluation", value: self.evaluate(game).raw() }]
    }

    /// Loads the weights in `file`, or the built-in weights if `file` is `None`. The caller must
    /// call [`reset`](Self::reset) next. On an error nothing changes. An evaluator that reads no
    /// files ignores the call, as the default does.
    fn open_eval_file(&mut self, _file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        Ok(())
    }

    /// Describes the weights in use, in words: their source and their checksum. `None` if the
    /// evaluator reads no files. The default is [`OWN_EVAL`](Self::OWN_EVAL).
    fn eval_source(&self) -> Option<String> {
        (Self::OWN_EVAL)()
    }
}

/// An evaluator without state: a function or a closure of the position.
///
/// `StaticEvaluator::new(|game| ...)` searches like every evaluator with the defaults of
/// [`MoveOrdering`], [`Selectivity`] and [`Prover`].
///
/// ```
/// # use tengen_engine::*;
/// # fn score(bonus: i32) -> impl SearchEvaluator<Game21> {
/// StaticEvaluator::from_closure(move |game: &Game21| Score::heuristic(game.lead() + bonus))
/// # }
/// # #[derive(Clone)] struct Game21(u32);
/// # impl Game21 { fn lead(&self) -> i32 { 0 } }
/// # impl Game for Game21 {
/// #     type Move = u32; type Undo = (); type Symmetry = ();
/// #     fn turn(&self) -> Side { Side::First }
/// #     fn outcome(&self) -> Option<Outcome> { None }
/// #     fn moves(&self, _: &mut Vec<u32>) {}
/// #     fn play(&mut self, _: u32) {}
/// #     fn undo(&mut self, _: u32, _: ()) {}
/// #     fn plies_left(&self) -> u32 { 0 }
/// #     fn key(&self) -> (u64, ()) { (0, ()) }
/// # }
/// ```
pub struct StaticEvaluator<G, F = fn(&G) -> Score> {
    score: F,
    is_exact: bool,
    game: PhantomData<fn(&G)>,
}

impl<G: Game> StaticEvaluator<G> {
    /// Creates the evaluator of a function, or of a closure that holds no data. `score` returns a
    /// heuristic score for the side to move, never a decisive one.
    pub const fn new(score: fn(&G) -> Score) -> Self {
        Self { score, is_exact: false, game: PhantomData }
    }
}

impl<G: Game, F: Fn(&G) -> Score> StaticEvaluator<G, F> {
    /// Creates the evaluator of a closure that holds data, such as weights.
    pub const fn from_closure(score: F) -> Self {
        Self { score, is_exact: false, game: PhantomData }
    }

    /// Sets whether the game is exact, as [`Selectivity::exact`] explains: small enough to be
    /// searched to its end.
    #[must_use]
    pub fn with_exact(self, is_exact: bool) -> Self {
        Self { is_exact, ..self }
    }
}

impl<G, F: Clone> Clone for StaticEvaluator<G, F> {
    fn clone(&self) -> Self {
        Self { score: self.score.clone(), ..*self }
    }
}

impl<G, F> fmt::Debug for StaticEvaluator<G, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticEvaluator").field("is_exact", &self.is_exact).finish()
    }
}

impl<G: Game, F: Fn(&G) -> Score + Clone + Send + 'static> Evaluator<G> for StaticEvaluator<G, F> {
    type Undo = ();

    fn reset(&mut self, _game: &G) {}

    fn played(&mut self, _game: &G, _mv: G::Move) {}

    fn undone(&mut self, _game: &G, _mv: G::Move, (): ()) {}

    fn evaluate(&mut self, game: &G) -> Score {
        (self.score)(game)
    }
}

impl<G: Game, F> MoveOrdering<G> for StaticEvaluator<G, F> {}
impl<G: Game, F> Prover<G> for StaticEvaluator<G, F> {}

impl<G: Game, F> Selectivity<G> for StaticEvaluator<G, F> {
    fn exact(&self) -> bool {
        self.is_exact
    }
}

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

/// Implements [`MoveOrdering`], [`Selectivity`] and [`Prover`] with their defaults. Then an
/// [`Evaluator`] is a [`SearchEvaluator`].
///
/// - `plain_search!(MyEvaluator, MyGame);`
/// - `plain_search!(MyEvaluator, MyGame, exact);` for a game that is small enough to be searched to
///   its end: [`Selectivity::exact`] returns true.
/// - `plain_search!(impl [S: Shape] for MyEvaluator<S>, MyGame<S>);` for generic types, also with
///   `exact`.
#[macro_export]
macro_rules! plain_search {
    (impl [$($generics:tt)*] for $evaluator:ty, $game:ty $(, $exact:ident)?) => {
        impl<$($generics)*> $crate::MoveOrdering<$game> for $evaluator {}
        impl<$($generics)*> $crate::Selectivity<$game> for $evaluator {
            $($crate::plain_search! { @ $exact })?
        }
        impl<$($generics)*> $crate::Prover<$game> for $evaluator {}
    };
    (@ exact) => {
        fn exact(&self) -> bool {
            true
        }
    };
    ($evaluator:ty, $game:ty $(, $exact:ident)?) => {
        $crate::plain_search! { impl [] for $evaluator, $game $(, $exact)? }
    };
}
