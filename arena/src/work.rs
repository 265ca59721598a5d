//! Pairs of games as tasks for other processes.
//!
//! `pair` is the form of a task and its result. `listing` says which engines a worker may run,
//! `player` plays a task, and `codec` makes tasks of the games of a run.

pub mod codec;
#[cfg(target_os = "linux")]
mod deadline;
pub mod listing;
pub mod pair;
#[cfg(target_os = "linux")]
pub mod player;
