//! Proofs that a game supplies to the search: static bounds, and wins that a solver finds.
//!
//! The defaults of the trait [`Prover`] prove nothing.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::{Context, Interrupt};

/// A proven result from an opening book or a threat solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe<M> {
    /// The proven value for the side to move. Plies count from the probed position. A win is never
    /// later than its plies say, whatever the defence.
    pub score: Score,
    /// The moves that reach the score, as far as they are known.
    pub line: Vec<M>,
}

/// How many nodes a proof may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofEffort {
    /// Few: the node is far from the root, or the search itself searches the moves that are not
    /// proven to lose.
    Low,
    /// More: the node is close to the root.
    High,
}

/// The moves at the start of a list that are proven to lose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LosingMoves {
    /// The number of moves, at most the length of the list.
    pub count: usize,
    /// The length of the longest of these losses in plies, the losing move included; 0 if `count`
    /// is 0.
    pub plies: u32,
}

impl LosingMoves {
    /// No move is proven to lose.
    pub const NONE: Self = Self { count: 0, plies: 0 };
}

/// Proofs about a position. Scores are for the side to move. Their plies count from the given
/// position. A solver counts its nodes in the [`Context`], which also tells it when to stop.
pub trait Prover<G: Game> {
    /// The name of the solver, for `proven by NAME`.
    const SOLVER_NAME: &'static str = "a solver";

    /// Returns proven bounds `(low, high)` on the value, `low <= high`. The game is not over. A
    /// game may save time and omit bounds that do not cut off the window `wanted`: a `low` below
    /// its beta, a `high` above its alpha.
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

    /// Probes the solver at the horizon, if the evaluation is below beta.
    fn probe_horizon(
        &mut self,
        _game: &G,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Interrupt> {
        Ok(None)
    }

    /// Finds a win of the side to move with about `nodes` nodes. No defence lasts longer than its
    /// score says. Its line leads to the end of the game, perhaps sooner. The search calls this
    /// before each iteration, and to show a proven win.
    fn solve(
        &mut self,
        _game: &G,
        _nodes: u64,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Interrupt> {
        Ok(None)
    }

    /// Proves that moves of `others` lose, in their order, up to the first that is not proven to
    /// lose. `others` are the legal moves that are not on the [`Partial`](crate::Coverage::Partial)
    /// list of this position. All listed moves lose. `effort` limits the nodes.
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
