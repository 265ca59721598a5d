//! The command line, as a shell runs it: one module for each command.

mod analyze;
mod book;
mod help;
mod solve;
#[path = "../support/mod.rs"]
mod support;
mod tree;
