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

/// What the results of a match determine about the strength of a player. Unlike in [`EloEstimate`],
/// a score near 0 or 1 is not cut to a minimum or maximum.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// Elo; `None` as long as every game was won, every game was lost, or there is no game.
    pub elo: Option<f64>,
    /// Half the width of the 95 % interval of `elo`; `None` if all results are equal, or if the
    /// interval has an infinite end.
    pub error: Option<f64>,
    /// The 95 % interval of `elo`, lower bound first; infinite where the results set no bound.
    pub interval: [f64; 2],
    /// Normalized Elo and half the width of its 95 % interval; `None` if all results are equal.
    pub nelo: Option<[f64; 2]>,
    /// The likelihood of superiority, from 0 to 1.
    pub los: f64,
}

impl Measured {
    /// The text for an Elo that the results do not determine.
    pub const OPEN: &str = "not determined yet";

    /// Writes Elo with error and interval, with `digits` decimals for Elo and its error.
    pub fn text(&self, digits: usize) -> String {
        let [low, high] = self.interval;
        let elo = self.elo.map_or_else(|| Self::OPEN.to_owned(), |elo| format!("{elo:.digits$}"));
        let error = self.error.map_or_else(String::new, |error| format!(" +/- {error:.digits$}"));
        let places = digits.min(6);
        format!("{elo}{error} [{low:.places$}, {high:.places$}]")
    }
}

/// Returns what `results` determine about the strength of a player.
///
/// If all results are equal, their variance is 0. Then the interval is that of Clopper and Pearson,
/// and the likelihood of superiority follows from won and lost pairs alone. For games it always
/// follows from wins and losses alone.
pub fn measured(results: &Results) -> Measured {
    let counts = results.counts();
    let samples = results.samples();
    let top = (counts.len() - 1) as f64;
    let points: f64 =
        counts.iter().enumerate().map(|(place, count)| place as f64 / top * *count as f64).sum();
    let los = superiority(results);
    if samples == 0 {
        let interval = [f64::NEG_INFINITY, f64::INFINITY];
        return Measured { elo: None, error: None, interval, nelo: None, los };
    }
    let score = points / samples as f64;
    let elo = Some(exact_elo(score)).filter(|elo| elo.is_finite());
    if counts.contains(&samples) {
        // The lower end of the interval for the share of the only result so far.
        let share = 0.025_f64.powf(1.0 / samples as f64);
        let interval = [score * share, 1.0 - share * (1.0 - score)].map(exact_elo);
        return Measured { elo, error: None, interval, nelo: None, los };
    }
    let EloEstimate { nelo, nelo_error, los: normal, .. } = strength(results);
    let error = Z95 * results.sample().standard_error();
    let interval = [score - error, score + error].map(exact_elo);
    let is_closed = interval.iter().all(|bound| bound.is_finite());
    Measured {
        elo,
        error: is_closed.then_some((interval[1] - interval[0]) / 2.0),
        interval,
        nelo: Some([nelo, nelo_error]),
        los: if results.games_per_sample() == 1 { los } else { normal },
    }
}

/// Returns the Elo of a score; infinite at 0 and 1, and beyond.
fn exact_elo(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

/// Returns the likelihood of superiority that follows from won and lost games, or pairs, alone: the
/// probability that a win is more likely than a loss, with a uniform prior.
fn superiority(results: &Results) -> f64 {
    /// With more decided games, the error of the normal approximation is below 0.001.
    const MAX_EXACT: u64 = 2000;
    let counts = results.counts();
    let middle = counts.len() / 2;
    let losses: u64 = counts[..middle].iter().sum();
    let wins: u64 = counts[middle + 1..].iter().sum();
    let tosses = (wins + losses + 1) as f64;
    if wins + losses > MAX_EXACT {
        return phi((wins as f64 - losses as f64) / tosses.sqrt());
    }
    // The beta distribution at 1/2 is a binomial sum: the probability of at most `wins` heads.
    let ways = |heads: u64| {
        let [heads, tails] = [heads as f64, tosses - heads as f64];
        libm::lgamma(tosses + 1.0) - libm::lgamma(heads + 1.0) - libm::lgamma(tails + 1.0)
    };
    let shares = (0..=wins).map(|heads| (ways(heads) - tosses * 2_f64.ln()).exp());
    shares.sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_elo_that_the_results_leave_open_is_not_invented() {
        let won = measured(&Results::Games([0, 0, 1]));
        assert_eq!((won.elo, won.error, won.nelo), (None, None, None));
        // One win of one: the chance of a win is at least 0.025.
        assert!((won.interval[0] - elo_of_score(0.025)).abs() < 1e-9);
        assert_eq!(won.interval[1], f64::INFINITY);
        assert!((won.los - 0.75).abs() < 1e-12, "{won:?}");
        assert_eq!(won.text(1), "not determined yet [-636.4, inf]");
        let lost = measured(&Results::Pairs([3, 0, 0, 0, 0]));
        assert_eq!((lost.elo, lost.interval[0]), (None, f64::NEG_INFINITY));
        assert!((lost.los - 1.0 / 16.0).abs() < 1e-12);
        // One pair with one and a half points has no variance, and no certain winner.
        let pair = measured(&Results::Pairs([0, 0, 0, 1, 0]));
        assert!(pair.elo.is_some() && pair.error.is_none() && (pair.los - 0.75).abs() < 1e-12);
        // The interval of few games is open above.
        let few = measured(&Results::Games([0, 1, 1]));
        assert!(few.elo.is_some() && few.error.is_none() && few.interval[1] == f64::INFINITY);
        assert_eq!(measured(&Results::Games([0; 3])).los, 0.5);
    }

    #[test]
    fn no_score_is_cut() {
        let nearly = measured(&Results::Games([1, 0, 99_999]));
        assert!((nearly.elo.unwrap() - 400.0 * 99_999_f64.log10()).abs() < 1e-6, "{nearly:?}");
    }

    #[test]
    fn superiority_is_that_of_the_beta_distribution() {
        // CITE: https://www.chessprogramming.org/Match_Statistics
        for (losses, wins, expected) in [(0, 2, 0.875), (1, 2, 0.6875), (2, 2, 0.5), (1, 0, 0.25)] {
            let found = measured(&Results::Games([losses, 5, wins])).los;
            assert!((found - expected).abs() < 1e-12, "{losses} {wins}: {found}");
        }
        let (exact, normal) = ([1000, 0, 1000 - 60], [1000, 0, 1001 - 60]);
        let [exact, normal] = [exact, normal].map(|counts| superiority(&Results::Games(counts)));
        assert!((exact - normal).abs() < 1e-2, "{exact} {normal}");
    }

    #[test]
    fn many_results_are_measured_as_published() {
        let results = Results::Pairs([39, 2226, 31451, 2412, 40]);
        let (found, known) = (measured(&results), strength(&results));
        assert!((found.elo.unwrap() - known.elo).abs() < 1e-9);
        assert!((found.error.unwrap() - known.elo_error).abs() < 1e-9);
        assert_eq!(found.los, known.los);
    }

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
