//! Judgements of searches: the moves of a game, proven scores, and scores in words.

pub mod review;
pub mod solver;
pub mod words;
