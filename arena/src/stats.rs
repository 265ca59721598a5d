//! Statistics of matches: Elo, normalized Elo, sequential tests, ratings, and the tuning of
//! options.
//!
//! The functions take counts of results and know nothing else of the games. The sources of the
//! formulas stand beside the code. "Elo" alone means logistic Elo, from the first player's side.

pub mod elo;
pub mod llr;
mod normal;
pub mod ratings;
pub mod results;
pub mod sprt;
pub mod spsa;

pub use self::results::{Results, Sample};
