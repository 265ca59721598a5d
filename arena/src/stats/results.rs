//! Counts of results, and their frequencies, which are the input of all formulas.

/// Counts of results from one player's side, from the worst result to the best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Results {
    /// Games: losses, draws, wins.
    Games([u64; 3]),
    /// Pairs of games from one opening with colours exchanged, by points: 0, 1/2, 1, 3/2, 2.
    Pairs([u64; 5]),
}

/// The replacement of a zero count, so that no logarithm is infinite.
// CITE: fishtest, LLRcalc.regularize, https://github.com/official-stockfish/fishtest
const ZERO_REPLACEMENT: f64 = 1e-3;

impl Results {
    /// Reads three counts as games, or five as pairs; `None` for another number of counts.
    pub fn from_counts(counts: &[u64]) -> Option<Self> {
        match *counts {
            [loss, draw, win] => Some(Self::Games([loss, draw, win])),
            [ll, ld, dd, wd, ww] => Some(Self::Pairs([ll, ld, dd, wd, ww])),
            _ => None,
        }
    }

    /// Returns the counts, from the worst result to the best.
    pub fn counts(&self) -> &[u64] {
        match self {
            Self::Games(counts) => counts,
            Self::Pairs(counts) => counts,
        }
    }

    /// Returns the number of games of one sample: 1, or 2 for a pair.
    pub const fn games_per_sample(&self) -> u64 {
        match self {
            Self::Games(_) => 1,
            Self::Pairs(_) => 2,
        }
    }

    /// Returns the number of samples: games or pairs.
    pub fn samples(&self) -> u64 {
        self.counts().iter().sum()
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.samples() * self.games_per_sample()
    }

    /// Returns the counts as frequencies. A zero count is replaced by 0.001.
    pub fn sample(&self) -> Sample {
        let counts = self.counts();
        let regular: Vec<f64> = counts
            .iter()
            .map(|&count| if count == 0 { ZERO_REPLACEMENT } else { count as f64 })
            .collect();
        let size: f64 = regular.iter().sum();
        let top = (counts.len() - 1) as f64;
        let bins = regular.iter().enumerate();
        let bins =
            bins.map(|(place, count)| Bin { score: place as f64 / top, share: count / size });
        Sample { size, bins: bins.collect() }
    }
}

/// A score and its share of a sample.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bin {
    /// The points for each game, from 0 to 1.
    pub score: f64,
    /// The share of all samples, above 0.
    pub share: f64,
}

/// The frequencies of the results of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// The number of games or pairs, with zero counts replaced.
    pub size: f64,
    /// The bins, from the worst score to the best.
    pub bins: Vec<Bin>,
}

impl Sample {
    /// Returns the mean score, from 0 to 1.
    pub fn mean(&self) -> f64 {
        mean(&self.bins)
    }

    /// Returns the variance of a sample's score.
    pub fn variance(&self) -> f64 {
        self.moment(2)
    }

    /// Returns a central moment of a sample's score.
    pub fn moment(&self, order: i32) -> f64 {
        let mean = self.mean();
        self.bins.iter().map(|bin| bin.share * (bin.score - mean).powi(order)).sum()
    }

    /// Returns the standard error of the mean score.
    pub fn standard_error(&self) -> f64 {
        (self.variance() / self.size).sqrt()
    }

    /// Returns the standard deviation of one game's score, as estimated from the sample.
    pub fn game_deviation(&self) -> f64 {
        let games = if self.bins.len() == 5 { 2.0 } else { 1.0 };
        (games * self.variance()).sqrt()
    }
}

/// Returns the mean score of bins whose shares sum to 1.
pub(super) fn mean(bins: &[Bin]) -> f64 {
    bins.iter().map(|bin| bin.share * bin.score).sum()
}
