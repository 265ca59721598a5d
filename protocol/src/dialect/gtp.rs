//! GTP version 2, the dialect of Go programs and their boards.
//!
//! Columns are letters without I, and rows count from below. Black is the first player.
// CITE: Gunnar Farneback, "Specification of the Go Text Protocol, version 2, draft 2",
// http://www.lysator.liu.se/~gunnar/gtp/
// CITE: the commands lz-analyze and kata-analyze, https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md

mod analysis;
mod args;
pub mod client;
mod clock;
pub mod server;
#[cfg(test)]
mod tests;
mod vertex;
