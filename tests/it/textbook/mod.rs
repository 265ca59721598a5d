//! The textbook: its algorithms and the trees they are shown on.

mod algorithms;
mod tree_game;
mod trees;
