//! The maximum of Davidson's likelihood, by Newton's method, and the sandwich estimate of errors.
//!
//! The parameters are `b = ln g` of each player, then `ln a` and `ln n`. The log-likelihood is
//! concave in them.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::groups;
use super::{GameResult, RatedPair};

/// What is counted beside the games.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Virtual {
    None,
    /// Each player draws a game with a player of strength 0, half of it moving first.
    DrawOfEachPlayer,
}

/// Games of one player who moves first against another.
struct Tally {
    first: usize,
    /// `None`: the virtual player.
    second: Option<usize>,
    /// Whether the virtual player moves first instead.
    is_reversed: bool,
    /// Wins, draws and losses of who moves first.
    counts: [f64; 3],
}

/// A fitted model.
pub(super) struct Fit {
    players: usize,
    /// `b` of each player, `ln a`, `ln n`.
    values: DVector<f64>,
    /// Whether there were draws and decided games, so that `ln n` is fitted. Without draws `n` is 0.
    draws: Draws,
    /// The negative of the second derivatives at the maximum, made regular; `None` without games.
    information: Option<Cholesky<f64, Dyn>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Draws {
    /// Every game was decided: no draw is expected.
    Never,
    /// Every game was drawn: as many draws are expected as in the prior.
    Always,
    Fitted,
}

/// The greatest sum of gradients squared, rooted, at the maximum.
const TOLERANCE: f64 = 1e-10;

impl Fit {
    /// Fits the model; `None` when there is no maximum to be found.
    pub(super) fn of(players: usize, pairs: &[RatedPair], extra: Virtual) -> Option<Self> {
        let tallies = tallies(players, pairs, extra);
        if tallies.is_empty() {
            return Some(Self::blank(players));
        }
        let played = |place: usize| tallies.iter().map(|tally| tally.counts[place]).sum::<f64>();
        let draws = match (played(1), played(0) + played(2)) {
            (0.0, _) => Draws::Never,
            (_, 0.0) => Draws::Always,
            _ => Draws::Fitted,
        };
        let mut fit = Self { draws, ..Self::blank(players) };
        fit.climb(&tallies, extra, &groups::connected(players, pairs))?;
        Some(fit)
    }

    /// A model of no games: all are equal.
    pub(super) fn blank(players: usize) -> Self {
        let values = DVector::zeros(players + 2);
        Self { players, values, draws: Draws::Never, information: None }
    }

    pub(super) fn strengths(&self) -> Vec<f64> {
        self.values.iter().take(self.players).copied().collect()
    }

    pub(super) fn first_move(&self) -> f64 {
        self.values[self.players]
    }

    /// Newton's method with step halving.
    fn climb(&mut self, tallies: &[Tally], extra: Virtual, groups: &[Vec<usize>]) -> Option<()> {
        const MAX_STEPS: usize = 200;
        let mut height = self.log_likelihood(tallies, &self.values);
        // A first move that decides every close game, and players so far apart that it decides no
        // other, explain all games: then the likelihood has no maximum, though all took points from
        // all. No chances of a true maximum lie so far apart after so few games.
        let games: f64 = tallies.iter().flat_map(|tally| tally.counts).sum();
        let most = (2.0 * games + 2.0).ln() + 5.0;
        for _ in 0..MAX_STEPS {
            let (gradient, mut information) = self.derivatives(tallies);
            if extra == Virtual::None {
                // Only differences count: the level of each group is held.
                for members in groups {
                    for &one in members {
                        members.iter().for_each(|&other| information[(one, other)] += 1.0);
                    }
                }
            }
            let information = Cholesky::new(information)?;
            if gradient.norm() < TOLERANCE {
                self.information = Some(information);
                return Some(());
            }
            let step = information.solve(&gradient);
            let mut share = 1.0;
            loop {
                let tried = &self.values + &step * share;
                let reached = self.log_likelihood(tallies, &tried);
                // Near the maximum a step is lost in rounding and still right.
                if reached >= height || share * step.norm() < TOLERANCE.sqrt() {
                    height = reached;
                    self.values = tried;
                    break;
                }
                share /= 2.0;
            }
            let far = |tally: &Tally| self.advantage(tally, &self.values).abs() > most;
            if extra == Virtual::None && tallies.iter().any(far) {
                return None;
            }
        }
        None
    }

    fn log_likelihood(&self, tallies: &[Tally], values: &DVector<f64>) -> f64 {
        let of = |tally: &Tally| -> f64 {
            let chances = self.chances(tally, values);
            let terms = tally.counts.iter().zip(chances);
            terms.map(|(count, chance)| if *count > 0.0 { count * chance.ln() } else { 0.0 }).sum()
        };
        tallies.iter().map(of).sum::<f64>()
    }

    /// Returns the logarithm of the chances of a win over those of a loss of who moves first.
    fn advantage(&self, tally: &Tally, values: &DVector<f64>) -> f64 {
        let other = tally.second.map_or(0.0, |second| values[second]);
        let difference = values[tally.first] - other;
        values[self.players] + if tally.is_reversed { -difference } else { difference }
    }

    /// Returns the chances of a win, a draw and a loss of who moves first.
    fn chances(&self, tally: &Tally, values: &DVector<f64>) -> [f64; 3] {
        let advantage = self.advantage(tally, values);
        // Divided by the geometric mean of win and loss, so that nothing overflows.
        let (win, loss) = ((advantage / 2.0).exp(), (-advantage / 2.0).exp());
        let draw = match self.draws {
            Draws::Never => 0.0,
            _ => values[self.players + 1].exp(),
        };
        let sum = win + draw + loss;
        [win / sum, draw / sum, loss / sum]
    }

    /// Returns how each parameter moves the advantage of who moves first.
    fn directions(&self, tally: &Tally) -> impl Iterator<Item = (usize, f64)> + use<> {
        let sign = if tally.is_reversed { -1.0 } else { 1.0 };
        let second = tally.second.map(|second| (second, -sign));
        [(self.players, 1.0), (tally.first, sign)].into_iter().chain(second)
    }

    /// Returns the gradient and the negative of the second derivatives.
    fn derivatives(&self, tallies: &[Tally]) -> (DVector<f64>, DMatrix<f64>) {
        let size = self.players + 2;
        let (mut gradient, mut information) = (DVector::zeros(size), DMatrix::zeros(size, size));
        let nu = size - 1;
        for tally in tallies {
            let [win, draw, loss] = self.chances(tally, &self.values);
            let games: f64 = tally.counts.iter().sum();
            let points = win + draw / 2.0;
            let slope = tally.counts[0] + tally.counts[1] / 2.0 - games * points;
            let variance = games * (win + draw / 4.0 - points * points);
            for (one, sign) in self.directions(tally) {
                gradient[one] += sign * slope;
                for (other, other_sign) in self.directions(tally) {
                    information[(one, other)] += sign * other_sign * variance;
                }
            }
            if self.draws == Draws::Fitted {
                gradient[nu] += tally.counts[1] - games * draw;
                information[(nu, nu)] += games * draw * (1.0 - draw);
                let covariance = games * (draw / 2.0 - points * draw);
                for (one, sign) in self.directions(tally) {
                    information[(one, nu)] += sign * covariance;
                    information[(nu, one)] += sign * covariance;
                }
            }
            debug_assert!((win + draw + loss - 1.0).abs() < 1e-9);
        }
        // Ratings that are not fitted stay. A player without games gives no information.
        for place in 0..size {
            if information[(place, place)] == 0.0 {
                information[(place, place)] = 1.0;
            }
        }
        (gradient, information)
    }

    /// Returns the sandwich estimate of the covariance of the parameters: the inverse of the
    /// information around the sum of squares of each pair's gradient.
    pub(super) fn covariance(&self, pairs: &[RatedPair]) -> DMatrix<f64> {
        let size = self.players + 2;
        let Some(information) = &self.information else { return DMatrix::zeros(size, size) };
        let mut squares: DMatrix<f64> = DMatrix::zeros(size, size);
        for pair in pairs {
            // Two players, the first move and the draws.
            let mut slopes: Vec<(usize, f64)> = Vec::with_capacity(8);
            for (game, result) in pair.games.iter().enumerate() {
                let Some(result) = result else { continue };
                let tally = Tally::of(pair.players[game], pair.players[1 - game], *result);
                let [win, draw, _] = self.chances(&tally, &self.values);
                let slope = tally.counts[0] + tally.counts[1] / 2.0 - win - draw / 2.0;
                slopes.extend(self.directions(&tally).map(|(place, sign)| (place, sign * slope)));
                if self.draws == Draws::Fitted {
                    slopes.push((size - 1, tally.counts[1] - draw));
                }
            }
            for (one, slope) in &slopes {
                for (other, other_slope) in &slopes {
                    squares[(*one, *other)] += slope * other_slope;
                }
            }
        }
        let inverse = information.inverse();
        &inverse * squares * &inverse
    }
}

impl Tally {
    fn of(first: usize, second: usize, result: GameResult) -> Self {
        let mut counts = [0.0; 3];
        counts[result as usize] = 1.0;
        Self { first, second: Some(second), is_reversed: false, counts }
    }
}

fn tallies(players: usize, pairs: &[RatedPair], extra: Virtual) -> Vec<Tally> {
    let mut counts = vec![[0.0; 3]; players * players];
    for pair in pairs {
        for (game, result) in pair.games.iter().enumerate() {
            let Some(result) = result else { continue };
            let [first, second] = [pair.players[game], pair.players[1 - game]];
            counts[first * players + second][*result as usize] += 1.0;
        }
    }
    let played = counts.into_iter().enumerate().filter(|(_, counts)| *counts != [0.0; 3]);
    let of = |(place, counts)| Tally {
        first: place / players,
        second: Some(place % players),
        is_reversed: false,
        counts,
    };
    let mut tallies: Vec<Tally> = played.map(of).collect();
    if extra == Virtual::DrawOfEachPlayer && !tallies.is_empty() {
        for first in 0..players {
            for is_reversed in [false, true] {
                // Half a game each way. The draw counts as half a win and half a loss: real draws
                // alone say how often games are drawn.
                let counts = [0.25, 0.0, 0.25];
                tallies.push(Tally { first, second: None, is_reversed, counts });
            }
        }
    }
    tallies
}
