//! Engines as processes: guards that outlive no arena, seats that never wait, what processes take.
//!
//! All of it is Linux: child subreapers, pidfds and /proc.

pub mod affinity;
mod guard;
mod lag;
mod lines;
mod local;
mod probe;
mod process_host;

pub use self::guard::{COMMAND, run as run_guard};
pub use self::lag::LagWatch;
pub use self::local::{Local, Worker};
pub use self::process_host::{AbortFlag, GuardProgram, ProcessHost};
