//! Proofs that need no search of moves: bounds, and wins that a solver finds.
//!
//! The defaults of the trait [`Prover`] prove nothing.

use crate::context::{Context, Interrupt};
use crate::rules::Game;
use crate::score::Score;
use crate::window::Window;

/// A proven result from outside the search: from an opening book or a threat solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe<M> {
    /// The proven value, counted from the probed position, for the side to move. A win is one that
    /// no defence holds off for longer.
    pub score: Score,
    /// The moves that reach it, as far as they are known.
    pub line: Vec<M>,
}

/// How many nodes a proof may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofEffort {
    /// Few: the node is far from the root, or the search itself tries the moves that are not proven
    /// to lose.
    Low,
    /// More: the node is close to the root.
    High,
}

/// How many moves of a list are proven to lose, from its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LosingMoves {
    /// The number of moves, at most the length of the list.
    pub count: usize,
    /// The longest of these losses in plies, the losing move included; 0 if `count` is 0.
    pub plies: u32,
}

impl LosingMoves {
    /// No move is proven to lose.
    pub const NONE: Self = Self { count: 0, plies: 0 };
}

/// Proofs about a position. Scores are for the side to move and count plies from the position they
/// describe. A solver counts its nodes in the [`Context`], which also says when to stop.
pub trait Prover<G: Game> {
    /// The name of the solver, for `proven by NAME`.
    const SOLVER_NAME: &'static str = "a solver";

    /// Returns proven bounds `(low, high)` on the value of a game that goes on, `low <= high`.
    /// Bounds that cannot settle the window `wanted` need not be looked for: a low below its beta,
    /// a high above its alpha.
    fn static_bounds(&self, _game: &G, _wanted: Window) -> (Score, Score) {
        (Score::LOWEST, Score::HIGHEST)
    }

    /// Probes the solver at a node.
    fn probe(
        &mut self,
        _game: &G,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Interrupt> {
        Ok(None)
    }

    /// Probes the solver at the horizon, where the evaluation is below beta.
    fn probe_horizon(
        &mut self,
        _game: &G,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Interrupt> {
        Ok(None)
    }

    /// Finds a win of the side to move. No defence lasts longer than its score says, and its line
    /// leads to the end of the game, perhaps sooner. Asked before each iteration and wherever a
    /// proven win has to be shown. It may take about `nodes` nodes.
    fn solve(
        &mut self,
        _game: &G,
        _nodes: u64,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Interrupt> {
        Ok(None)
    }

    /// Proves that moves lose: the first of `others`, one after another, until one is not proven to
    /// lose. `others` are legal moves that are not on the [`Partial`](crate::Coverage::Partial) list
    /// of this position; all listed moves lose. `effort` limits the nodes.
    fn others_lose(
        &mut self,
        _game: &G,
        _others: &[G::Move],
        _effort: ProofEffort,
        _ctx: &mut Context,
    ) -> Result<LosingMoves, Interrupt> {
        Ok(LosingMoves::NONE)
    }
}
