//! Judgements of searches: the moves of a game, proven scores, decisions in openings,
//! and scores in words.

pub mod review;
pub mod solver;
pub(crate) mod swap2;
pub mod words;
