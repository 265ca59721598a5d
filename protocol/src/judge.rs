//! Judgements of searches: the moves of a game and their plot, proven scores, verdicts about wins,
//! and scores in words.

#[cfg(feature = "json")]
pub mod comments;
#[cfg(feature = "json")]
mod finding;
#[cfg(feature = "json")]
pub mod language;
#[cfg(feature = "json")]
pub mod picture;
#[cfg(feature = "json")]
pub mod plot;
#[cfg(feature = "json")]
pub mod reason;
#[cfg(feature = "json")]
pub mod report;
#[cfg(feature = "json")]
pub mod review;
pub mod score_text;
pub mod solver;
#[cfg(feature = "json")]
pub mod verdict;

use tengen_engine::{Score, Wdl};

/// Returns the chances in a finished game with this score.
pub fn wdl_of_end(score: Score) -> Wdl {
    match score {
        score if score.is_win() => Wdl::WON,
        score if score.is_loss() => Wdl::LOST,
        _ => Wdl::DRAWN,
    }
}
