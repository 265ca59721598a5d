//! Judgements of searches: the moves of a game and their plot, proven scores,
//! and scores in words.

#[cfg(feature = "service")]
pub mod comments;
#[cfg(feature = "service")]
pub mod plot;
pub mod review;
pub mod score_text;
pub mod solver;
