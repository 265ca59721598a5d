//! The sequential probability ratio test (SPRT) of two hypotheses about the strength of a player.

mod estimate;

pub use self::estimate::{Estimate, estimate};
use super::llr::{EloModel, llr};
use super::results::Results;

/// A sequential test of elo1 against elo0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// elo0 and elo1, in Elo of the model.
    pub elo: [f64; 2],
    /// The probability of accepting H1 if H0 is true.
    pub alpha: f64,
    /// The probability of accepting H0 if H1 is true.
    pub beta: f64,
    /// The Elo model of the hypotheses.
    pub model: EloModel,
}

impl Default for Sprt {
    fn default() -> Self {
        Self { elo: [0.0, 5.0], alpha: 0.05, beta: 0.05, model: EloModel::default() }
    }
}

/// The hypothesis that a test has accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hypothesis {
    /// H1 is accepted: the strength is elo1.
    H1,
    /// H0 is accepted: the strength is elo0.
    H0,
}

impl Hypothesis {
    /// Returns the text of a test's end; `None` means no decision yet.
    pub const fn text(accepted: Option<Self>) -> &'static str {
        match accepted {
            Some(Self::H1) => "H1 accepted",
            Some(Self::H0) => "H0 accepted",
            None => "no decision",
        }
    }
}

impl Sprt {
    /// Returns the log-likelihood ratios at which H0 and H1 are accepted.
    // CITE: Abraham Wald, "Sequential Tests of Statistical Hypotheses", 1945.
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// Returns the log-likelihood ratio of these results.
    pub fn llr(&self, results: &Results) -> f64 {
        llr(results, self.elo, self.model)
    }

    /// Returns the hypothesis that is accepted at this log-likelihood ratio; `None` between the bounds.
    pub fn decide(&self, llr: f64) -> Option<Hypothesis> {
        let [low, high] = self.bounds();
        match llr {
            llr if llr >= high => Some(Hypothesis::H1),
            llr if llr <= low => Some(Hypothesis::H0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::elo::NELO_PER_T;

    /// Returns shares of pairs with this normalized Elo: tilts a base distribution until it fits.
    fn shares(nelo: f64) -> [f64; 5] {
        let base = [0.05, 0.2, 0.5, 0.2, 0.05];
        let tilted = |tilt: f64| {
            let raw: Vec<f64> =
                (0..5).map(|place| base[place] * (tilt * (place as f64 - 2.0)).exp()).collect();
            let sum: f64 = raw.iter().sum();
            [0, 1, 2, 3, 4].map(|place| raw[place] / sum)
        };
        let nelo_of = |shares: &[f64; 5]| {
            let mean: f64 = shares.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
            let variance: f64 =
                shares.iter().enumerate().map(|(i, p)| p * (i as f64 / 4.0 - mean).powi(2)).sum();
            NELO_PER_T * (mean - 0.5) / (2.0 * variance).sqrt()
        };
        let (mut low, mut high) = (-1.0, 1.0);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if nelo_of(&tilted(middle)) < nelo { low = middle } else { high = middle }
        }
        tilted(low)
    }

    /// Returns how many of `tests` simulated tests accept H1 if the strength is `nelo`.
    fn accepted(test: &Sprt, nelo: f64, tests: u32, seed: u64) -> u32 {
        let shares = shares(nelo);
        let mut random = fastrand::Rng::with_seed(seed);
        let mut run = || {
            let mut counts = [0; 5];
            loop {
                let mut left = random.f64();
                let drawn = shares.iter().position(|share| {
                    left -= share;
                    left < 0.0
                });
                counts[drawn.unwrap_or(4)] += 1;
                if let Some(decision) = test.decide(test.llr(&Results::Pairs(counts))) {
                    return decision == Hypothesis::H1;
                }
            }
        };
        (0..tests).map(|_| u32::from(run())).sum()
    }

    #[test]
    fn simulated_tests_keep_their_error_rates() {
        let test = Sprt { elo: [0.0, 60.0], ..Sprt::default() };
        // 5 % of 1,000 plus three standard deviations.
        let most = 50 + 21;
        let wrong_h1 = accepted(&test, 0.0, 1000, 1);
        assert!(wrong_h1 <= most, "H1 accepted {wrong_h1} times where H0 holds");
        let wrong_h0 = 1000 - accepted(&test, 60.0, 1000, 2);
        assert!(wrong_h0 <= most, "H0 accepted {wrong_h0} times where H1 holds");
    }

    #[test]
    fn bounds_are_those_of_wald() {
        let [low, high] = Sprt::default().bounds();
        assert!((low + 19_f64.ln()).abs() < 1e-12 && (high - 19_f64.ln()).abs() < 1e-12);
        let test = Sprt::default();
        assert_eq!(test.decide(high), Some(Hypothesis::H1));
        assert_eq!(test.decide(low), Some(Hypothesis::H0));
        assert_eq!(test.decide(0.0), None);
    }
}
