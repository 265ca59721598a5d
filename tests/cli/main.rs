//! The command line, as a shell runs it: one module for each command; and the documents.

mod analyze;
mod book;
mod help;
mod pages;
mod records;
mod solve;
#[path = "../support/mod.rs"]
mod support;
mod terminal;
mod tree;
