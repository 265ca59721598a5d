//! The algorithms that a game-tree search grows from, as the textbooks print them, side by side.
//!
//! Each is written for reading, over any [`Game`] with any [`Evaluator`] at the horizon, and
//! reports its walk to a [`Watch`], which costs nothing when it is `()`. They know no table, no
//! clock and no move ordering, and so serve as oracles for the project's own search, which
//! [`tengen`] runs for comparison.
//!
//! All of them return the same value and the first of the best moves: a later child replaces an
//! earlier one only by a strictly greater value.

mod alpha_beta;
mod aspiration;
mod bounded;
mod brothers;
mod census;
mod forced;
mod minimal_window;
mod minimax;
mod negamax;
mod own;
mod postorder;
mod walk;
mod watch;

pub use aspiration::WIDTH;
pub use census::{Census, Tally};
pub use forced::Prover;
pub use own::tengen;
pub use watch::{Cut, Visit, Watch};

use crate::game::{Evaluator, Game};
use crate::score::Score;
use crate::window::Window;
use walk::Walk;

/// The textbook algorithms, in the order in which each explains the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Algorithm {
    /// Max and Min, two functions that call each other; values are the first player's.
    Minimax,
    /// One function; values are for the side to move.
    Negamax,
    /// VE(X, h): postorder evaluation to horizon h.
    PostorderEvaluation,
    /// VEB(X, h, D): with the bound that the father hands down (shallow cut-offs).
    FatherBound,
    /// AB(X, h, LB, D): with the grandfather's bound too (deep cut-offs).
    GrandfatherBound,
    /// MinSearch and MaxSearch, which hand down the best of the brothers only.
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

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found<M> {
    /// For the side to move at the root; plies to a win or loss count from there.
    pub value: Score,
    /// The first of the best moves; `None` when the root was itself a leaf.
    pub best: Option<M>,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Minimax,
        Self::Negamax,
        Self::PostorderEvaluation,
        Self::FatherBound,
        Self::GrandfatherBound,
        Self::MinMaxSearch,
        Self::AlphaBetaHard,
        Self::AlphaBetaSoft,
        Self::Aspiration,
        Self::MinimalWindow,
    ];

    /// The short name that the command line uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimax => "minimax",
            Self::Negamax => "negamax",
            Self::PostorderEvaluation => "ve",
            Self::FatherBound => "veb",
            Self::GrandfatherBound => "ab",
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
    ) -> Found<G::Move>
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
            Self::FatherBound => bounded::veb(&mut walk, horizon, Score::HIGHEST),
            Self::GrandfatherBound => {
                bounded::ab(&mut walk, horizon, Score::LOWEST, Score::HIGHEST)
            }
            Self::MinMaxSearch => brothers::search(&mut walk, horizon),
            Self::AlphaBetaHard => alpha_beta::fail_hard(&mut walk, horizon, Window::FULL),
            Self::AlphaBetaSoft | Self::Aspiration => {
                alpha_beta::fail_soft(&mut walk, horizon, Window::FULL)
            }
            Self::MinimalWindow => minimal_window::pvs(&mut walk, horizon, Window::FULL),
        };
        walk.found(value)
    }

    /// [`run`](Self::run) with everything counted.
    pub fn measure<G, E>(self, game: &G, evaluator: &E, horizon: u32) -> (Found<G::Move>, Tally)
    where
        G: Game,
        E: Evaluator<G>,
    {
        let mut census = Census::default();
        let found = self.run(game, evaluator, horizon, &mut census);
        (found, census.tally())
    }
}
