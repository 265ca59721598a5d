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

/// The moves of the side to move that may stop a win of its opponent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Defences<M> {
    /// The moves that may stop the win.
    pub moves: Vec<M>,
    /// The number of plies within which every other move loses.
    pub others_lose_in: u32,
}

/// Proofs about a position. Scores are for the side to move. Their plies count from the given
/// position. A solver counts its nodes in the [`Context`], which also tells it when to stop.
pub trait Prover<G: Game> {
    /// The name of the solver, for `proven by NAME`.
    const SOLVER_NAME: &'static str = "a solver";

    /// Whether a win is announced only with a proof that is kept with the game, so that the engine
    /// plays it in time. It has no effect on exact games. The proof needs a winning move after every
    /// reply: [`win_within`](Self::win_within) and [`defences`](Self::defences) make it small.
    const KEEPS_WINS: bool = false;

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

    /// Finds a win of the side to move within `plies` plies that is found again as easily, with about
    /// `nodes` nodes. No defence lasts longer than its score says. The engine calls this to prove a
    /// win, and to play a proven win after a reply that the kept proof does not name.
    fn win_within(
        &mut self,
        _game: &G,
        _plies: u32,
        _nodes: u64,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Interrupt> {
        Ok(None)
    }

    /// Returns the first move of a win within `plies` plies that is found with about `nodes` nodes. The
    /// engine proves the win before it uses it. With [`ProofEffort::Low`] a win that
    /// [`solve`](Self::solve) has found comes first; with [`ProofEffort::High`], when a longer win is
    /// known, no longer ones are tried. The default calls `solve`.
    fn attack_within(
        &mut self,
        game: &G,
        plies: u32,
        _effort: ProofEffort,
        nodes: u64,
        ctx: &mut Context,
    ) -> Result<Option<G::Move>, Interrupt> {
        let win = self.solve(game, nodes, ctx)?.filter(|win| win.score >= Score::win_in(plies));
        Ok(win.and_then(|win| win.line.first().copied()))
    }

    /// Returns the moves that may stop a win within `plies` plies that the opponent threatens;
    /// `None` if every move may. [`win_within`](Self::win_within) finds a win after every other
    /// move.
    fn defences(
        &mut self,
        _game: &G,
        _plies: u32,
        _ctx: &mut Context,
    ) -> Result<Option<Defences<G::Move>>, Interrupt> {
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
