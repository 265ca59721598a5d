//! Elo and normalized Elo of a match, with 95 % error bounds, and the likelihood of superiority.
// CITE: fishtest, stat_util.get_elo and template_helpers,
// https://github.com/official-stockfish/fishtest
// CITE: Michel Van den Bergh, "Normalized Elo", https://www.cantate.be/Fishtest/normalized_elo_practical.pdf

use std::f64::consts::LN_10;

use super::normal::{Z95, phi};
use super::results::Results;

/// The normalized Elo of one unit of (mean - 1/2) / deviation of a game.
pub const NELO_PER_T: f64 = 800.0 / LN_10;

/// The minimum distance of a score from 0 and 1, so that Elo stays finite.
const EDGE: f64 = 1e-3;

/// An estimate of the difference in strength of two players.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EloEstimate {
    /// Elo.
    pub elo: f64,
    /// Half the width of the 95 % interval of `elo`.
    pub elo_error: f64,
    /// The 95 % interval of `elo`, lower bound first.
    pub elo_interval: [f64; 2],
    /// Normalized Elo.
    pub nelo: f64,
    /// Half the width of the 95 % interval of `nelo`.
    pub nelo_error: f64,
    /// The likelihood of superiority, from 0 to 1.
    pub los: f64,
}

/// Returns the Elo of a player whose expected score is `score`, from 0 to 1.
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score.clamp(EDGE, 1.0 - EDGE) - 1.0).log10()
}

/// Returns the expected score, from 0 to 1, of a player with this Elo.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// Estimates the difference in strength from `results`.
pub fn strength(results: &Results) -> EloEstimate {
    let sample = results.sample();
    let (mean, error) = (sample.mean(), sample.standard_error());
    let interval = [mean - Z95 * error, mean + Z95 * error].map(elo_of_score);

    let deviation = sample.variance().sqrt();
    let t = (mean - 0.5) / deviation;
    let skewness = sample.moment(3) / deviation.powi(3);
    let excess = sample.moment(4) / deviation.powi(4) - 3.0;
    let variance_of_t = (1.0 - t * skewness + t * t * (excess + 2.0) / 4.0).max(0.0);
    let factor = NELO_PER_T / (results.games_per_sample() as f64).sqrt();

    EloEstimate {
        elo: elo_of_score(mean),
        elo_error: (interval[1] - interval[0]) / 2.0,
        elo_interval: interval,
        nelo: factor * t,
        nelo_error: factor * Z95 * (variance_of_t / sample.size).sqrt(),
        los: phi((mean - 0.5) / error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_and_score_are_inverse() {
        for elo in [-700.0, -1.5, 0.0, 3.0, 400.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
        assert_eq!(elo_of_score(0.0), elo_of_score(EDGE));
    }

    #[test]
    fn exchanged_sides_have_negated_values() {
        let won = strength(&Results::Pairs([3, 10, 40, 22, 7]));
        let lost = strength(&Results::Pairs([7, 22, 40, 10, 3]));
        for (one, other) in [(won.elo, lost.elo), (won.nelo, lost.nelo)] {
            assert!((one + other).abs() < 1e-9);
        }
        assert!((won.los + lost.los - 1.0).abs() < 1e-12);
        assert!((won.nelo_error - lost.nelo_error).abs() < 1e-9);
    }
}
