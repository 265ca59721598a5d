//! Engines: the programs that play, and the conversation with each.

pub mod conversation;
pub mod host;
#[cfg(unix)]
pub mod prepare;
#[cfg(target_os = "linux")]
pub mod process;
