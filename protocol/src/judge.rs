//! Judgements of searches: the moves of a game and their plot, proven scores, verdicts about wins,
//! and scores in words.

#[cfg(feature = "json")]
pub mod comments;
#[cfg(feature = "json")]
pub mod plot;
pub mod review;
pub mod score_text;
pub mod solver;
#[cfg(feature = "json")]
pub mod verdict;
