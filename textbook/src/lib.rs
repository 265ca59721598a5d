//! Game-tree search algorithms as textbooks print them, from minimax to PVS.
//!
//! Each algorithm is written for reading. It searches any [`Game`](tengen_engine::Game) with any
//! [`Evaluator`](tengen_engine::Evaluator) at the horizon, and reports its walk to a [`Watch`];
//! `()` watches nothing and costs nothing. The algorithms know no table, no clock and no move
//! ordering. So they are oracles for the engine's own search, which [`tengen`] runs for comparison.
//!
//! All algorithms return the same value and the first of the best moves: a later child replaces an
//! earlier one only by a strictly greater value.

mod algorithm;
mod alpha_beta;
mod aspiration;
mod bounded;
mod census;
mod forced;
mod min_max_search;
mod minimal_window;
mod minimax;
mod negamax;
mod own;
mod postorder;
mod walk;
mod watch;

pub use algorithm::Algorithm;
pub use aspiration::WIDTH;
pub use census::{Census, WalkCounts};
pub use forced::WinProver;
pub use own::tengen;
pub use walk::TreeResult;
pub use watch::{Cut, Visit, Watch};
