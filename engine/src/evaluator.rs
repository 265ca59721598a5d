//! What the search asks of a game beside its rules: the trait [`Evaluator`].
//!
//! Rules and evaluation are apart, so that two evaluators of one game can coexist.

use std::error::Error;
use std::path::Path;

use crate::context::{Context, Stopped};
use crate::ordering::Coverage;
use crate::prover::Probe;
use crate::rules::Game;
use crate::score::Score;
use crate::selectivity::{Late, Schedule, Selectivity};
use crate::window::Window;

/// One line of an evaluation's breakdown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Term {
    /// What is counted, in the field's words.
    pub name: &'static str,
    /// What it adds to the evaluation, for the side to move.
    pub value: i32,
}

/// Judgement of a game's positions. Each search thread owns a clone; what they share is behind an
/// `Arc`.
///
/// Scores are for the side to move and count plies from the position they describe.
pub trait Evaluator<G: Game>: Clone + Send + 'static {
    /// What [`played`](Self::played) destroys and [`undone`](Self::undone) needs back.
    type Undo;

    /// The kind of win that [`solve`](Self::solve) finds, in the field's words.
    const SOLVED_BY: &'static str = "a solver";

    /// Whether the search may use no unsound shortcut. Then a decisive score is the shortest win or
    /// the longest defence, candidates are always [`Coverage::Complete`] and the hooks for
    /// reductions and extensions are not asked.
    fn exact(&self) -> bool;

    /// Which further shortcuts suit the game; not asked in exact ones.
    fn selectivity(&self) -> Selectivity {
        Selectivity::NONE
    }

    /// In what order the search asks for the value of the root.
    fn schedule(&self) -> Schedule {
        Schedule::Deepening
    }

    /// The same judgement with its opening book, if it has one, closed.
    fn without_book(self) -> Self {
        self
    }

    /// Opens the book in `file`, or the one that comes with the game, in place of the one that it
    /// has; when that fails, the old one stays. Without effect where a game has no books.
    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        let _ = file;
        Ok(())
    }

    /// Forgets the past and describes `game`.
    fn reset(&mut self, game: &G);

    /// Follows `mv`; `game` is the position after it.
    fn played(&mut self, game: &G, mv: G::Move) -> Self::Undo;

    /// Goes back over `mv`; `game` is the position before it.
    fn undone(&mut self, game: &G, mv: G::Move, undo: Self::Undo);

    /// A heuristic score of a game that goes on; never decisive.
    fn evaluate(&mut self, game: &G) -> Score;

    /// Proven bounds `(low, high)` on the value of a game that goes on. What cannot settle `wanted`
    /// need not be looked for: a low below its beta, a high above its alpha.
    fn bounds(&self, _game: &G, _wanted: Window) -> (Score, Score) {
        (Score::LOWEST, Score::HIGHEST)
    }

    /// The one candidate of a game that goes on, when there is just one and it is cheap to tell.
    fn only_move(&self, _game: &G) -> Option<G::Move> {
        None
    }

    /// Appends the moves worth searching to `out`: at least one while the game goes on.
    fn candidates(&self, game: &G, out: &mut Vec<G::Move>) -> Coverage {
        game.moves(out);
        Coverage::Complete
    }

    /// A coarse class of `mv` for ordering, from -32,768 to 32,767: a higher class is searched
    /// first; within a class killers and history decide.
    fn rank(&self, _game: &G, _mv: G::Move) -> i32 {
        0
    }

    /// Like [`rank`](Self::rank), of the move that led from `before` to `game`, by itself or with
    /// the forced moves after it: for a search that has played them. `asks_ends`: it looks for
    /// sudden ends only.
    fn rank_played(&self, _before: &G, _game: &G, _asks_ends: bool) -> i32 {
        0
    }

    /// Appends the moves that quiescence must try before the evaluation can be trusted; none means
    /// it is quiet.
    fn noisy(&self, _game: &G, _out: &mut Vec<G::Move>) {}

    /// A proven value from a book or a solver, or `None`. `ctx` counts nodes and says when to stop.
    fn probe(
        &mut self,
        _game: &G,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Stopped> {
        Ok(None)
    }

    /// A win of the side to move that is found without a search: no defence lasts longer than its
    /// score says, and its line leads to the end of the game, perhaps sooner. Asked before each
    /// iteration and wherever a proven win has to be shown; it may take about `nodes` nodes. `ctx`
    /// counts them and says when to stop.
    fn solve(
        &mut self,
        _game: &G,
        _nodes: u64,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Stopped> {
        Ok(None)
    }

    /// Whether every legal move that is not `listed` loses, when all of these do: in how many plies
    /// at most, or `None` where that is not proven. Asked of a [`Coverage::Partial`] list.
    fn others_lose(
        &mut self,
        _game: &G,
        _listed: &[G::Move],
        _ctx: &mut Context,
    ) -> Result<Option<u32>, Stopped> {
        Ok(None)
    }

    /// By how many plies a move may first be searched shallower.
    fn reduction(&self, _game: &G, _mv: G::Move, _late: &Late) -> u32 {
        0
    }

    /// By how much the evaluation must exceed beta for a position to be cut off without a search
    /// `depth` plies deep; `None`: never.
    fn futility(&self, _game: &G, _depth: u32, _improves: bool) -> Option<i32> {
        None
    }

    /// How many moves are searched at a node of this depth that only asks whether one exceeds
    /// alpha, once one does not lose.
    fn most_moves(&self, _game: &G, _depth: u32, _improves: bool) -> usize {
        usize::MAX
    }

    /// Like [`probe`](Self::probe), of a position at the horizon whose evaluation is below beta.
    fn probe_horizon(
        &mut self,
        _game: &G,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Stopped> {
        Ok(None)
    }

    /// By how many plies `mv` is searched deeper; asked before it is played.
    fn extension(&self, _game: &G, _mv: G::Move) -> u32 {
        0
    }

    /// The parts of [`evaluate`](Self::evaluate), which is their sum.
    fn terms(&mut self, game: &G) -> Vec<Term> {
        vec![Term { name: "evaluation", value: self.evaluate(game).raw() }]
    }
}
