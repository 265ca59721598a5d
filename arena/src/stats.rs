//! Statistics of matches: Elo, normalized Elo, sequential tests, ratings, and the tuning of options.
//!
//! It knows counts of results, not how the games were played. The sources of the formulas stand
//! beside the code. "Elo" without another word is logistic Elo, from the first player's side.

pub mod elo;
pub mod llr;
mod normal;
pub mod ratings;
pub mod results;
pub mod sprt;
pub mod spsa;

pub use self::results::{Results, Sample};
