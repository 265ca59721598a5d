//! One search, monomorphized over a game and its evaluator: iterative deepening over the root, PVS
//! nodes below it.

mod ahead;
mod bracket;
mod child;
mod crowd;
mod deepening;
mod frame;
mod front;
mod line;
mod node;
mod node_id;
mod proof;
mod proven;
mod pruning;
mod quiescence;
mod root;
mod root_move;
mod run;
mod state;
mod task;
mod techniques;

pub use crate::context::{Context, Stopped};
pub use state::Search;
pub use task::Task;
pub use techniques::Techniques;
