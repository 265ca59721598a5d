//! One search, monomorphized over a game and its evaluator: iterative deepening over the root, PVS
//! nodes below it.

mod abdada;
mod book_handle;
mod bounds;
mod child;
mod deepening;
mod exact_moves;
mod frame;
mod helpers;
mod loss_proof;
mod move_depth;
mod move_loop;
mod node;
mod node_id;
mod options;
mod proof;
mod proof_windows;
mod pruning;
mod pv;
mod qsearch;
mod root;
mod root_move;
mod run;
mod state;
mod task;
mod transposition;

pub use crate::context::Context;
pub use options::SearchOptions;
pub use state::Search;
pub use task::Task;
