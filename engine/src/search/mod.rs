//! One search, monomorphized over a game, its evaluator and the techniques that are on.
//!
//! From the bottom up, each file calls only files before it:
//!
//! | file | what it holds |
//! |---|---|
//! | `techniques`, `bounds`, `book_handle`, `state` | data: switches, proven bounds, the book, the state of a thread |
//! | `transposition`, `abdada`, `steps` | what both kinds of node call: table and probes, other threads, moves |
//! | `quiescence` | where both kinds of node end |
//! | `heuristic/`: `ordering`, `pruning`, `losses`, `node` | the node of a search with selectivity |
//! | `exact/`: `node` | the node of games whose every value is proven |
//! | `root`, `pv` | root moves and reports; lines shown to their end |
//! | `deepening` | iterations and aspiration windows |
//! | `exact/`: `windows`, `root` | the proof of the root's value |
//! | `run` | a whole search, from its start to its answer |
//!
//! `heuristic/` and `exact/` never call each other. These are all calls into a node from other
//! files; `.ci/circles` compares the list with the source:
//!
//! - back into the node that called: `heuristic/pruning.rs` calls `search_moves` (singular extension)
//! - back into the node that called: `heuristic/losses.rs` calls `search_move` (unlisted moves)
//! - from the root: `exact/root.rs` calls `search_probed`
//! - from the root: `root.rs` calls `search`, `search_move`, `search_exact`, `search_exact_root_move`
//! - from the root: `pv.rs` calls `search`

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
