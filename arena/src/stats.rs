//! Statistics of matches: Elo, normalized Elo, sequential tests, ratings, and the tuning of
//! options.
//!
//! The functions take counts of results and do not depend on other data of the games. The sources
//! of the formulas are near the code. "Elo" alone means logistic Elo, from the first player's side.

pub mod elo;
pub mod llr;
mod normal;
pub mod ratings;
pub mod results;
pub mod sprt;
pub mod spsa;

pub use self::results::{Results, Sample};
