//! Engines as processes: the guard of each engine, non-blocking input and output, limits of CPUs
//! and memory.
//!
//! This module is for Linux: it needs child subreapers, pidfds and /proc.

mod abort_flag;
pub mod affinity;
mod guard;
mod lag;
mod memory_group;
mod probe;
mod process_host;
mod task_limit;

pub use self::guard::{COMMAND, run as run_guard};
pub use self::process_host::ProcessHost;
pub use self::task_limit::TaskLimit;
