//! The list of the algorithms: their names, and the functions that run them.

use tengen_engine::{Evaluator, Game, Score, Window};

use crate::census::{CountingWatch, WalkCounts};
use crate::walk::{TreeResult, Walk};
use crate::watch::Watch;

/// Declares the algorithms: a variant of [`Algorithm`] and its name on the command line.
macro_rules! algorithms {
    ($($(#[$doc:meta])* $algorithm:ident = $name:literal;)*) => {
        /// A textbook algorithm. The order of the list is from the simplest on.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Algorithm {
            $($(#[$doc])* $algorithm,)*
        }

        impl Algorithm {
            /// All algorithms.
            pub const ALL: [Self; [$(Self::$algorithm),*].len()] = [$(Self::$algorithm),*];

            /// Returns the name of the algorithm on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$algorithm => $name,)*
                }
            }
        }
    };
}

algorithms! {
    /// Two functions for Max and Min that call each other. Values are the first player's.
    Minimax = "minimax";
    /// One function. Values are for the side to move.
    Negamax = "negamax";
    /// VE(X, h): postorder evaluation to horizon h.
    PostorderEvaluation = "ve";
    /// VEB(X, h, D): VE with a bound from the parent (shallow cut-offs).
    ParentBound = "veb";
    /// AB(X, h, LB, D): VEB with a bound from the grandparent too (deep cut-offs).
    GrandparentBound = "ab";
    /// MinSearch and MaxSearch, which pass down only the best value of the siblings.
    MinMaxSearch = "min-max-search";
    /// Fail-hard alpha-beta: returns a value within its window.
    AlphaBetaHard = "alpha-beta-hard";
    /// Fail-soft alpha-beta: returns the tightest bound that it has seen.
    AlphaBetaSoft = "alpha-beta-soft";
    /// A search one ply less deep for a guess, then a window of [`WIDTH`](crate::WIDTH) on both
    /// sides of the guess.
    Aspiration = "aspiration";
    /// Principal variation search: minimal windows for all children but the first, and a second
    /// search of a child that fails high.
    MinimalWindow = "pvs";
}

impl Algorithm {
    /// Searches `game` to a depth of `horizon` plies. `evaluator` evaluates the positions at the
    /// horizon, and `watch` observes every node.
    ///
    /// The depth of the recursion is the length of the game or the horizon, whichever is smaller.
    /// It must not exceed [`Score::MAX_PLIES`].
    pub fn run<G: Game, E: Evaluator<G>, W: Watch<G::Move>>(
        self,
        game: &G,
        evaluator: &E,
        horizon: u32,
        watch: &mut W,
    ) -> TreeResult<G::Move> {
        let mut walk = Walk::new(game.clone(), evaluator.clone(), watch);
        if self != Self::Aspiration {
            walk.begin(horizon, Window::FULL);
        }
        let value = match self {
            Self::Minimax => walk.minimax(horizon),
            Self::Negamax => walk.negamax(horizon),
            Self::PostorderEvaluation => walk.ve(horizon),
            Self::ParentBound => walk.veb(horizon, Score::HIGHEST),
            Self::GrandparentBound => walk.ab(horizon, Score::LOWEST, Score::HIGHEST),
            Self::MinMaxSearch => walk.min_max_search(horizon),
            Self::AlphaBetaHard => walk.fail_hard(horizon, Window::FULL),
            Self::AlphaBetaSoft => walk.fail_soft(horizon, Window::FULL),
            Self::Aspiration => walk.aspiration(horizon),
            Self::MinimalWindow => walk.pvs(horizon, Window::FULL),
        };
        walk.result(value)
    }

    /// Calls [`run`](Self::run) and counts nodes, leaves and cut-offs.
    pub fn measure<G: Game, E: Evaluator<G>>(
        self,
        game: &G,
        evaluator: &E,
        horizon: u32,
    ) -> (TreeResult<G::Move>, WalkCounts) {
        let mut counter = CountingWatch::default();
        let result = self.run(game, evaluator, horizon, &mut counter);
        (result, counter.counts())
    }
}
