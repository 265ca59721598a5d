//! Game-tree search algorithms as textbooks print them, from minimax to PVS.
//!
//! Each algorithm is written for reading. It searches any [`Game`](tengen_engine::Game), evaluates
//! the horizon by any [`Evaluator`](tengen_engine::Evaluator), and reports every step to a
//! [`Watch`]; `()` is a watch that does nothing. The algorithms use no table, no clock and no move
//! ordering, so they are a reference for the engine's own search, which [`tengen`] runs for
//! comparison.
//!
//! [`tree`] shows the walks through explicit trees, and [`answer_boards`] does an exercise with forced wins.
//!
//! All algorithms return the same value and the first of the best moves: only a child with a
//! greater value replaces an earlier one.

mod algorithm;
mod alpha_beta;
mod bounded;
mod census;
mod forced;
mod judged_boards;
mod minimax;
mod own;
mod postorder;
pub mod tree;
mod walk;
mod watch;

pub use algorithm::Algorithm;
pub use alpha_beta::WIDTH;
pub use census::{CountingWatch, WalkCounts};
pub use forced::WinSolver;
pub use judged_boards::{BoardsError, LineReader, WonBoards, answer_boards};
pub use own::tengen;
pub use walk::TreeResult;
pub use watch::{Cut, Visit, Watch};
