//! One search, monomorphized over a game, its evaluator and the techniques that are on.
//!
//! The files in the order of their calls. A file calls only files above it:
//!
//! | file | content |
//! |---|---|
//! | `techniques`, `bounds`, `book_handle`, `wins`, `state` | data: switches, proven bounds, the book, kept wins, the state of a thread |
//! | `transposition`, `abdada`, `steps` | steps of both kinds of node: table and probes, other threads, moves |
//! | `quiescence` | quiescence search, at the horizon of both kinds of node |
//! | `heuristic/`: `ordering`, `pruning`, `losses`, `node` | the heuristic node, for games with selectivity |
//! | `exact/`: `node` | the exact node, for games whose every value is proven |
//! | `proof_tree` | the proofs of announced wins, which are kept with the game |
//! | `root`, `pv` | root moves and reports; principal variations |
//! | `recall` | kept wins at the root |
//! | `deepening` | iterative deepening and aspiration windows |
//! | `exact/`: `windows`, `root` | the proof of the root's value |
//! | `run` | a whole search, from its start to its answer |
//!
//! `heuristic/` and `exact/` never call each other. This list has all calls into a node from other
//! files. `.ci/circles` compares the list with the source:
//!
//! - back into the calling node: `heuristic/pruning.rs` calls `search_moves` (singular extension)
//! - back into the calling node: `heuristic/losses.rs` calls `search_move` (unlisted moves)
//! - from the root: `exact/root.rs` calls `search_probed`
//! - from the root: `root.rs` calls `search`, `search_move`, `search_exact`, `search_exact_root_move`
//! - from the root: `pv.rs` calls `search`
//! - from the root: `proof_tree.rs` calls `search`

mod abdada;
mod book_handle;
mod bounds;
pub(crate) mod busy;
pub(crate) mod context;
pub(crate) mod control;
mod deepening;
pub(crate) mod evaluator;
mod exact;
mod heuristic;
pub(crate) mod history;
pub(crate) mod level;
pub(crate) mod limits;
#[cfg(all(test, loom))]
mod model;
pub(crate) mod order;
pub mod perft;
mod proof_tree;
mod pv;
mod quiescence;
mod recall;
pub(crate) mod report;
mod root;
mod run;
pub(crate) mod shared_root;
mod state;
mod steps;
pub mod table;
mod techniques;
pub(crate) mod time;
mod transposition;
pub(crate) mod wins;

pub use crate::search::context::Context;
pub use state::{Search, Task};
pub use techniques::{All, Switched, Techniques};
