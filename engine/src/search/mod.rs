//! One search, monomorphized over a game and its evaluator: iterative deepening over the root, PVS
//! nodes below it.

mod abdada;
mod book_handle;
mod bounds;
mod deepening;
mod exact;
mod heuristic;
mod pv;
mod quiescence;
mod root;
mod run;
mod state;
mod steps;
mod techniques;
mod transposition;

pub use crate::context::Context;
pub use state::{Search, Task};
pub use techniques::{All, Switched, Techniques};
