//! The textbook algorithms and the game of explicit trees.

mod algorithms;
mod tree_game;
mod trees;
