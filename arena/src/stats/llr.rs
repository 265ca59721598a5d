//! The generalized log-likelihood ratio (LLR) of two hypotheses about the strength of a player.
//!
//! Each hypothesis stands for its maximum-likelihood distribution: the one that explains the
//! results best.
// CITE: Michel Van den Bergh, "Comments on Normalized Elo" and "The multinomial distribution",
// https://www.cantate.be/Fishtest/normalized_elo_practical.pdf section 4.1,
// https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf proposition 1.1

use super::elo::{NELO_PER_T, score_of_elo};
use super::results::{Bin, Results, Sample, mean};

/// The Elo model of the hypotheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EloModel {
    /// Logistic Elo: hypotheses about the mean score.
    Logistic,
    /// Normalized Elo: hypotheses about (mean - 1/2) / deviation of a game.
    #[default]
    Normalized,
}

impl EloModel {
    /// Both models with their names on the command line.
    pub const NAMES: [(&'static str, Self); 2] =
        [("normalized", Self::Normalized), ("logistic", Self::Logistic)];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic",
            Self::Normalized => "normalized",
        }
    }
}

/// Returns the log-likelihood ratio of `elo[1]` against `elo[0]`.
pub fn llr(results: &Results, elo: [f64; 2], model: EloModel) -> f64 {
    let sample = results.sample();
    let fits = elo.map(|elo| match model {
        EloModel::Logistic => fit_mean(&sample, score_of_elo(elo)),
        EloModel::Normalized => {
            let games = results.games_per_sample() as f64;
            fit_t(&sample, elo / NELO_PER_T * games.sqrt())
        }
    });
    let terms = sample.bins.iter().zip(fits[0].iter().zip(&fits[1]));
    let sum: f64 = terms.map(|(bin, (zero, one))| bin.share * (one / zero).ln()).sum();
    sample.size * sum
}

/// Returns the maximum-likelihood shares under the condition that their mean is `mean`.
fn fit_mean(sample: &Sample, mean: f64) -> Vec<f64> {
    tilt(sample, |bin| bin.score - mean)
}

/// Returns the maximum-likelihood shares under the condition that their mean is `t` deviations
/// above 1/2.
fn fit_t(sample: &Sample, t: f64) -> Vec<f64> {
    /// The iteration stops when no share changes by more than this.
    const TOLERANCE: f64 = 1e-15;
    /// Changes below this that no longer shrink are rounding errors.
    const ROUNDING: f64 = 1e-12;
    /// Far more steps than the slowest published test vector needs.
    const MAX_STEPS: usize = 10_000;

    let mut shares = vec![1.0 / sample.bins.len() as f64; sample.bins.len()];
    let mut last_move = f64::INFINITY;
    for _ in 0..MAX_STEPS {
        let fitted: Vec<Bin> =
            sample.bins.iter().zip(&shares).map(|(bin, &share)| Bin { share, ..*bin }).collect();
        let mean = mean(&fitted);
        let variance: f64 = fitted.iter().map(|bin| bin.share * (bin.score - mean).powi(2)).sum();
        let deviation = variance.sqrt();
        let next = tilt(sample, |bin| {
            let distance = (mean - bin.score) / deviation;
            bin.score - 0.5 - t * deviation * (1.0 + distance * distance) / 2.0
        });
        let moved = next.iter().zip(&shares).map(|(new, old)| (new - old).abs());
        let farthest = moved.fold(0.0, f64::max);
        shares = next;
        if farthest < TOLERANCE || (farthest < ROUNDING && farthest >= last_move) {
            break;
        }
        last_move = farthest;
    }
    shares
}

/// Returns the maximum-likelihood shares under the condition that the mean of `excess` is 0.
fn tilt(sample: &Sample, excess: impl Fn(&Bin) -> f64) -> Vec<f64> {
    let pairs: Vec<(f64, f64)> = sample.bins.iter().map(|bin| (excess(bin), bin.share)).collect();
    let x = root(&pairs);
    pairs.iter().map(|(value, share)| share / (1.0 + x * value)).collect()
}

/// Returns the root of `sum of share * value / (1 + x * value)` between the poles, where the sum
/// falls. There must be values below and above 0.
///
/// Uses Newton's method, and bisection if a step leaves the bracket or does not halve it.
fn root(pairs: &[(f64, f64)]) -> f64 {
    let least = pairs.iter().map(|pair| pair.0).fold(f64::INFINITY, f64::min);
    let greatest = pairs.iter().map(|pair| pair.0).fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    let mut x = 0.0;
    loop {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (value, share) in pairs {
            let term = value / (1.0 + x * value);
            sum += share * term;
            slope -= share * term * term;
        }
        if sum > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - sum / slope;
        let middle = low + (high - low) / 2.0;
        let is_good = newton > low && newton < high && (newton - x).abs() < (high - low) / 2.0;
        let next = if is_good { newton } else { middle };
        if sum == 0.0 || next == x || middle <= low || middle >= high {
            return x;
        }
        x = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_hypotheses_have_ratio_0_and_exchanged_ones_the_negative() {
        let results = Results::Pairs([4, 30, 61, 35, 9]);
        for model in [EloModel::Logistic, EloModel::Normalized] {
            assert_eq!(llr(&results, [3.0, 3.0], model), 0.0);
            let there = llr(&results, [0.0, 5.0], model);
            assert!((there + llr(&results, [5.0, 0.0], model)).abs() < 1e-12);
        }
    }

    #[test]
    fn fitted_shares_fulfil_their_hypothesis() {
        let sample = Results::Pairs([0, 3, 11, 12, 1]).sample();
        let with = |shares: &[f64]| -> Vec<Bin> {
            sample.bins.iter().zip(shares).map(|(bin, &share)| Bin { share, ..*bin }).collect()
        };
        let fit = with(&fit_mean(&sample, 0.4));
        assert!((fit.iter().map(|bin| bin.share).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((mean(&fit) - 0.4).abs() < 1e-12);
        let fit = with(&fit_t(&sample, 0.3));
        let variance: f64 =
            fit.iter().map(|bin| bin.share * (bin.score - mean(&fit)).powi(2)).sum();
        assert!(((mean(&fit) - 0.5) / variance.sqrt() - 0.3).abs() < 1e-12);
    }
}
