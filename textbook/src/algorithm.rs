//! The list of the algorithms: their names, and the calls that run them.

use tengen_engine::{Evaluator, Game, Score, Window};

use crate::aspiration::WIDTH;
use crate::census::{Census, WalkCounts};
use crate::walk::{TreeResult, Walk};
use crate::watch::Watch;
use crate::{
    alpha_beta, aspiration, bounded, min_max_search, minimal_window, minimax, negamax, postorder,
};

/// The textbook algorithms, in the order in which each explains the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Algorithm {
    /// Max and Min, two functions that call each other; values are the first player's.
    Minimax,
    /// One function; values are for the side to move.
    Negamax,
    /// VE(X, h): postorder evaluation to horizon h.
    PostorderEvaluation,
    /// VEB(X, h, D): with the bound that the parent hands down (shallow cut-offs).
    ParentBound,
    /// AB(X, h, LB, D): with the grandparent's bound too (deep cut-offs).
    GrandparentBound,
    /// MinSearch and MaxSearch, which hand down the best of the siblings only.
    MinMaxSearch,
    /// Alpha-beta that returns nothing outside its window.
    AlphaBetaHard,
    /// Alpha-beta that returns the tightest bound it has seen.
    AlphaBetaSoft,
    /// A guess from one ply less, and a window around it of [`WIDTH`] to either side.
    Aspiration,
    /// Minimal windows for all children but the first, and a second search where one fails high.
    MinimalWindow,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Self; 10] = [
        Self::Minimax,
        Self::Negamax,
        Self::PostorderEvaluation,
        Self::ParentBound,
        Self::GrandparentBound,
        Self::MinMaxSearch,
        Self::AlphaBetaHard,
        Self::AlphaBetaSoft,
        Self::Aspiration,
        Self::MinimalWindow,
    ];

    /// Returns the short name that the command line uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimax => "minimax",
            Self::Negamax => "negamax",
            Self::PostorderEvaluation => "ve",
            Self::ParentBound => "veb",
            Self::GrandparentBound => "ab",
            Self::MinMaxSearch => "min-max-search",
            Self::AlphaBetaHard => "alpha-beta-hard",
            Self::AlphaBetaSoft => "alpha-beta-soft",
            Self::Aspiration => "aspiration",
            Self::MinimalWindow => "pvs",
        }
    }

    /// Searches `game` to `horizon` plies, where `evaluator` says what a game that goes on is
    /// worth. `watch` sees every node.
    ///
    /// Recursion is as deep as the game or the horizon, whichever is less; neither may exceed
    /// [`Score::MAX_PLIES`].
    pub fn run<G, E, W>(
        self,
        game: &G,
        evaluator: &E,
        horizon: u32,
        watch: &mut W,
    ) -> TreeResult<G::Move>
    where
        G: Game,
        E: Evaluator<G>,
        W: Watch<G::Move>,
    {
        let mut walk = Walk::new(game.clone(), evaluator.clone(), watch);
        if self == Self::Aspiration {
            let value = aspiration::aspiration(&mut walk, horizon, WIDTH);
            return walk.found(value);
        }
        walk.begin(horizon, Window::FULL);
        let value = match self {
            Self::Minimax => minimax::minimax(&mut walk, horizon),
            Self::Negamax => negamax::negamax(&mut walk, horizon),
            Self::PostorderEvaluation => postorder::ve(&mut walk, horizon),
            Self::ParentBound => bounded::veb(&mut walk, horizon, Score::HIGHEST),
            Self::GrandparentBound => {
                bounded::ab(&mut walk, horizon, Score::LOWEST, Score::HIGHEST)
            }
            Self::MinMaxSearch => min_max_search::search(&mut walk, horizon),
            Self::AlphaBetaHard => alpha_beta::fail_hard(&mut walk, horizon, Window::FULL),
            Self::AlphaBetaSoft | Self::Aspiration => {
                alpha_beta::fail_soft(&mut walk, horizon, Window::FULL)
            }
            Self::MinimalWindow => minimal_window::pvs(&mut walk, horizon, Window::FULL),
        };
        walk.found(value)
    }

    /// Calls [`run`](Self::run) and counts nodes, leaves and cut-offs.
    pub fn measure<G, E>(
        self,
        game: &G,
        evaluator: &E,
        horizon: u32,
    ) -> (TreeResult<G::Move>, WalkCounts)
    where
        G: Game,
        E: Evaluator<G>,
    {
        let mut census = Census::default();
        let found = self.run(game, evaluator, horizon, &mut census);
        (found, census.tally())
    }
}
