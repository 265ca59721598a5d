//! The median-unbiased Elo after a sequential test.
//!
//! A test stops when its results are extreme, so that their plain Elo is biased. The log-likelihood
//! ratio is nearly a Brownian motion between the bounds of the test. All outcomes of the test are
//! ordered from a fast acceptance of H0 to a fast acceptance of H1. The estimate is the Elo at
//! which half of all outcomes are worse than the actual one. The interval uses other quantiles.
// CITE: David Siegmund, "Sequential Analysis", 1985, chapters III and IV.
// CITE: fishtest, sprt.py and brownian.py, https://github.com/official-stockfish/fishtest

use std::f64::consts::PI;

use super::Sprt;
use crate::stats::elo::{NELO_PER_T, score_of_elo};
use crate::stats::llr::EloModel;
use crate::stats::normal::{ln_phi, phi};
use crate::stats::results::Results;

/// The estimate of the strength after a test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The median-unbiased Elo, always logistic.
    pub elo: f64,
    /// The 95 % interval of the Elo; infinite where the results set no bound.
    pub interval: [f64; 2],
    /// The likelihood of superiority, from 0 to 1.
    pub los: f64,
}

/// The maximum absolute Elo of an estimate.
const MAX_ELO: f64 = 1000.0;

/// Estimates the strength from the results of a test. `None` if all pairs or games have the same
/// result, so that their variance is 0, or if the Elo is not between -1000 and 1000. The
/// approximation is good for small differences of strength; for large ones, only the order is
/// right.
pub fn estimate(test: &Sprt, results: &Results) -> Option<Estimate> {
    if results.counts().contains(&results.samples()) {
        return None;
    }
    let outcome = Outcome::of(test, results);
    let bound = |share: f64| match outcome.elo_at(share) {
        elo if elo.abs() < MAX_ELO - 1e-6 => elo,
        elo => elo * f64::INFINITY,
    };
    let elo = bound(0.5);
    elo.is_finite().then(|| Estimate {
        elo,
        interval: [bound(0.975), bound(0.025)],
        los: outcome.share_of_worse(0.0),
    })
}

/// The outcome of a test, as a walk of the log-likelihood ratio.
struct Outcome {
    bounds: [f64; 2],
    /// The expected scores of the two hypotheses.
    scores: [f64; 2],
    /// The variance of one sample's score.
    variance: f64,
    /// The number of samples until the ratio reached a bound, or of all samples.
    time: f64,
    /// The ratio at this time, within the bounds.
    llr: f64,
}

impl Outcome {
    fn of(test: &Sprt, results: &Results) -> Self {
        let sample = results.sample();
        let scores = test.elo.map(|elo| match test.model {
            EloModel::Logistic => score_of_elo(elo),
            EloModel::Normalized => 0.5 + elo / NELO_PER_T * sample.game_deviation(),
        });
        let variance = sample.variance();
        let mut outcome =
            Self { bounds: test.bounds(), scores, variance, time: sample.size, llr: 0.0 };
        let slope = outcome.drift(sample.mean());
        let reached = slope * sample.size;
        outcome.llr = reached.clamp(outcome.bounds[0], outcome.bounds[1]);
        if outcome.llr != reached {
            outcome.time = outcome.llr / slope;
        }
        outcome
    }

    /// Returns the mean step of the ratio if the mean score is `score`.
    fn drift(&self, score: f64) -> f64 {
        let [zero, one] = self.scores;
        (score - (zero + one) / 2.0) * (one - zero) / self.variance
    }

    /// Returns the share of outcomes worse than this one if the strength is `elo`.
    fn share_of_worse(&self, elo: f64) -> f64 {
        let [zero, one] = self.scores;
        let walk = Walk {
            low: self.bounds[0],
            high: self.bounds[1],
            drift: self.drift(score_of_elo(elo)),
            variance: (one - zero).powi(2) / self.variance,
        };
        walk.share_of_worse(self.time, self.llr)
    }

    /// Returns the Elo at which `share` is the share of worse outcomes. The share falls as Elo
    /// rises.
    fn elo_at(&self, share: f64) -> f64 {
        let (mut low, mut high) = (-MAX_ELO, MAX_ELO);
        loop {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                return middle;
            }
            if self.share_of_worse(middle) > share {
                low = middle;
            } else {
                high = middle;
            }
        }
    }
}

/// A Brownian motion that starts at 0 and ends at a bound.
struct Walk {
    low: f64,
    high: f64,
    drift: f64,
    variance: f64,
}

impl Walk {
    /// Returns the probability that the walk reached the lower bound before `time`, or is below
    /// `place` at `time`.
    fn share_of_worse(&self, time: f64, place: f64) -> f64 {
        /// Below this scaled time, the series converges slowly.
        const SHORT: f64 = 1e-2;
        /// Above this scaled drift, the series loses precision.
        const STEEP: f64 = 15.0;
        let width = self.high - self.low;
        let steepness = self.drift / self.variance * width;
        let is_short = self.variance * time / (width * width) < SHORT;
        let share = if is_short || steepness.abs() > STEEP {
            self.by_reflection(time, place)
        } else {
            self.by_series(time, place)
        };
        share.clamp(0.0, 1.0)
    }

    /// Computes the share with one reflection at each bound. Only walks that touch both bounds are
    /// neglected.
    fn by_reflection(&self, time: f64, place: f64) -> f64 {
        let spread = (time * self.variance).sqrt();
        let centre = self.drift * time;
        let tilt = 2.0 * self.drift / self.variance;
        let at_low = (tilt * self.low + ln_phi((2.0 * self.low + centre - place) / spread)).exp();
        let at_high =
            (tilt * self.high + ln_phi((place - centre - 2.0 * self.high) / spread)).exp();
        phi((place - centre) / spread) + at_low - at_high
    }

    /// Computes the share with the eigenfunctions of the motion between its bounds.
    ///
    /// The density of walks that are still between the bounds is a sum over n of
    /// `2/A sin(kx) sin(kz) exp(g(z - x) - rate * time)`. Here `A` is the width, `k = n pi/A`, `x`
    /// and `z` are the distances from the lower bound at the start and now, and `g` is the drift
    /// divided by the variance. The share is the probability of ever reaching the lower bound,
    /// minus that of reaching it after `time`, plus that of being below `place` at `time`. The last
    /// two have the same primitive.
    fn by_series(&self, time: f64, place: f64) -> f64 {
        /// The series stops when its terms are smaller than this.
        const LAST: f64 = 1e-12;
        let width = self.high - self.low;
        let (start, now) = (-self.low, place - self.low);
        let tilt = self.drift / self.variance;
        let mut sum = 0.0;
        for n in 1.. {
            let wave = f64::from(n) * PI / width;
            let rate = self.variance / 2.0 * (wave * wave + tilt * tilt);
            let primitive = (tilt * (wave * now).sin() - wave * (wave * now).cos())
                / (tilt * tilt + wave * wave);
            let size = 2.0 / width * (tilt * (now - start) - rate * time).exp();
            sum += size * primitive * (wave * start).sin();
            if size / wave < LAST {
                break;
            }
        }
        self.reaches_low() + sum
    }

    /// Returns the probability of ever reaching the lower bound.
    fn reaches_low(&self) -> f64 {
        let tilt = -2.0 * self.drift / self.variance;
        if (tilt * (self.high - self.low)).abs() < 1e-8 {
            return self.high / (self.high - self.low);
        }
        let scale = |place: f64| libm::expm1(tilt * place);
        scale(self.high) / (scale(self.high) - scale(self.low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_test_has_the_published_estimate() {
        let test = Sprt { elo: [0.2, 0.9], model: EloModel::Logistic, ..Sprt::default() };
        let results = Results::Pairs([39, 2226, 31451, 2412, 40]);
        let estimate = estimate(&test, &results).unwrap();
        assert!((estimate.elo - 0.865).abs() < 5e-4, "{estimate:?}");
        assert!((estimate.interval[0] - 0.168).abs() < 5e-4, "{estimate:?}");
        assert!((estimate.interval[1] - 1.541).abs() < 5e-4, "{estimate:?}");
        assert!((estimate.los - 0.9920).abs() < 5e-5, "{estimate:?}");
        assert!((test.llr(&results) - 2.1625).abs() < 5e-5, "{}", test.llr(&results));
    }

    #[test]
    fn both_formulas_for_the_share_agree() {
        for drift in [-0.02, -0.001, 0.0, 0.001, 0.02] {
            let walk = Walk { low: -2.9, high: 2.9, drift, variance: 0.01 };
            for place in [-1.5, 0.0, 0.7] {
                // Walks that touch both bounds are rarer than the tolerance.
                let shares = [walk.by_series(60.0, place), walk.by_reflection(60.0, place)];
                assert!((shares[0] - shares[1]).abs() < 1e-9, "{drift} {place}: {shares:?}");
            }
        }
    }

    #[test]
    fn a_walk_leaves_at_one_of_its_bounds() {
        for drift in [-0.3, -1e-12, 0.0, 1e-3, 0.3] {
            let walk = Walk { low: -1.0, high: 2.0, drift, variance: 0.5 };
            let other = Walk { low: -2.0, high: 1.0, drift: -drift, variance: 0.5 };
            assert!((walk.reaches_low() + other.reaches_low() - 1.0).abs() < 1e-7, "{drift}");
        }
    }

    #[test]
    fn a_test_whose_pairs_are_all_equal_has_no_estimate() {
        for counts in [[0; 5], [0, 0, 0, 0, 7], [3, 0, 0, 0, 0], [0, 0, 5, 0, 0]] {
            assert_eq!(estimate(&Sprt::default(), &Results::Pairs(counts)), None);
        }
    }
}
