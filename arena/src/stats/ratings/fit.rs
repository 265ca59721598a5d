//! Finds the maximum of Davidson's likelihood by Newton's method, and estimates the errors.
//!
//! The parameters are `b = ln g` of each player, then `ln a` and `ln n`. The log-likelihood is
//! concave in them.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::RatedPair;
use super::groups;
use crate::tournament::record::GameScore;

/// Virtual games that are added to the real ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Virtual {
    None,
    /// Each player draws one game with a virtual player of strength 0: half a game with each side.
    DrawOfEachPlayer,
}

/// The results of all games of two players with the same first player.
struct Matchup {
    first: usize,
    /// The second player; `None` for the virtual player.
    second: Option<usize>,
    /// Whether the virtual player moves first instead.
    is_reversed: bool,
    /// Wins, draws and losses of the side that moves first.
    counts: [f64; 3],
}

/// A fitted model.
pub(super) struct Fit {
    players: usize,
    /// `b` of each player, `ln a`, `ln n`.
    values: DVector<f64>,
    /// How draws are modelled, which depends on the games.
    draws: Draws,
    /// The negative second derivatives at the maximum, made regular; `None` without games.
    information: Option<Cholesky<f64, Dyn>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Draws {
    /// No game was drawn: `n` is 0.
    Never,
    /// Every game was drawn: `n` stays 1.
    Always,
    Fitted,
}

/// The maximum norm of the gradient at the maximum.
const TOLERANCE: f64 = 1e-10;

impl Fit {
    /// Fits the model to the games of `pairs`; `None` if there is no finite maximum.
    pub(super) fn of(players: usize, pairs: &[RatedPair], extra: Virtual) -> Option<Self> {
        let matchups = matchups(players, pairs, extra);
        if matchups.is_empty() {
            return Some(Self::blank(players));
        }
        let played =
            |place: usize| matchups.iter().map(|matchup| matchup.counts[place]).sum::<f64>();
        let draws = match (played(1), played(0) + played(2)) {
            (0.0, _) => Draws::Never,
            (_, 0.0) => Draws::Always,
            _ => Draws::Fitted,
        };
        let mut fit = Self { draws, ..Self::blank(players) };
        fit.maximize(&matchups, extra, &groups::connected(players, pairs))?;
        Some(fit)
    }

    /// Creates the model without games: all players are equal.
    pub(super) fn blank(players: usize) -> Self {
        let values = DVector::zeros(players + 2);
        Self { players, values, draws: Draws::Never, information: None }
    }

    /// Returns `ln g` of each player.
    pub(super) fn strengths(&self) -> Vec<f64> {
        self.values.iter().take(self.players).copied().collect()
    }

    /// Returns `ln a`, the advantage of the first move.
    pub(super) fn first_move(&self) -> f64 {
        self.values[self.players]
    }

    /// Maximizes the likelihood by Newton's method with step halving; `None` without a finite
    /// maximum.
    fn maximize(
        &mut self,
        matchups: &[Matchup],
        extra: Virtual,
        groups: &[Vec<usize>],
    ) -> Option<()> {
        const MAX_STEPS: usize = 200;
        let mut likelihood = self.log_likelihood(matchups, &self.values);
        // Even if all players took points from all others, there may be no finite maximum: a great
        // first-move advantage, and still greater differences in strength, may explain all games.
        // The advantages at a true maximum are smaller than this limit.
        let games: f64 = matchups.iter().flat_map(|matchup| matchup.counts).sum();
        let limit = (2.0 * games + 2.0).ln() + 5.0;
        for _ in 0..MAX_STEPS {
            let (gradient, mut information) = self.derivatives(matchups);
            if extra == Virtual::None {
                // Only differences are determined. This fixes the level of each group.
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
                let reached = self.log_likelihood(matchups, &tried);
                // Near the maximum, a good step may not change the likelihood because of rounding.
                if reached >= likelihood || share * step.norm() < TOLERANCE.sqrt() {
                    likelihood = reached;
                    self.values = tried;
                    break;
                }
                share /= 2.0;
            }
            let is_too_far =
                |matchup: &Matchup| self.advantage(matchup, &self.values).abs() > limit;
            if extra == Virtual::None && matchups.iter().any(is_too_far) {
                return None;
            }
        }
        None
    }

    /// Returns the log-likelihood of the games with the parameters `values`.
    fn log_likelihood(&self, matchups: &[Matchup], values: &DVector<f64>) -> f64 {
        let of = |matchup: &Matchup| -> f64 {
            let chances = self.chances(matchup, values);
            let terms = matchup.counts.iter().zip(chances);
            terms.map(|(count, chance)| if *count > 0.0 { count * chance.ln() } else { 0.0 }).sum()
        };
        matchups.iter().map(of).sum::<f64>()
    }

    /// Returns the logarithm of the ratio of win and loss probabilities of the side that moves
    /// first.
    fn advantage(&self, matchup: &Matchup, values: &DVector<f64>) -> f64 {
        let other = matchup.second.map_or(0.0, |second| values[second]);
        let difference = values[matchup.first] - other;
        values[self.players] + if matchup.is_reversed { -difference } else { difference }
    }

    /// Returns the probabilities of a win, a draw and a loss of the side that moves first.
    fn chances(&self, matchup: &Matchup, values: &DVector<f64>) -> [f64; 3] {
        let advantage = self.advantage(matchup, values);
        // All terms are divided by the geometric mean of win and loss, so that nothing overflows.
        let (win, loss) = ((advantage / 2.0).exp(), (-advantage / 2.0).exp());
        let draw = match self.draws {
            Draws::Never => 0.0,
            _ => values[self.players + 1].exp(),
        };
        let sum = win + draw + loss;
        [win / sum, draw / sum, loss / sum]
    }

    /// Returns the derivative of the advantage with respect to each parameter: index and sign.
    fn directions(&self, matchup: &Matchup) -> impl Iterator<Item = (usize, f64)> + use<> {
        let sign = if matchup.is_reversed { -1.0 } else { 1.0 };
        let second = matchup.second.map(|second| (second, -sign));
        [(self.players, 1.0), (matchup.first, sign)].into_iter().chain(second)
    }

    /// Returns the gradient and the negative second derivatives.
    fn derivatives(&self, matchups: &[Matchup]) -> (DVector<f64>, DMatrix<f64>) {
        let size = self.players + 2;
        let (mut gradient, mut information) = (DVector::zeros(size), DMatrix::zeros(size, size));
        let nu = size - 1;
        for matchup in matchups {
            let [win, draw, loss] = self.chances(matchup, &self.values);
            let games: f64 = matchup.counts.iter().sum();
            let points = win + draw / 2.0;
            let slope = matchup.counts[0] + matchup.counts[1] / 2.0 - games * points;
            let variance = games * (win + draw / 4.0 - points * points);
            for (one, sign) in self.directions(matchup) {
                gradient[one] += sign * slope;
                for (other, other_sign) in self.directions(matchup) {
                    information[(one, other)] += sign * other_sign * variance;
                }
            }
            if self.draws == Draws::Fitted {
                gradient[nu] += matchup.counts[1] - games * draw;
                information[(nu, nu)] += games * draw * (1.0 - draw);
                let covariance = games * (draw / 2.0 - points * draw);
                for (one, sign) in self.directions(matchup) {
                    information[(one, nu)] += sign * covariance;
                    information[(nu, one)] += sign * covariance;
                }
            }
            debug_assert!((win + draw + loss - 1.0).abs() < 1e-9);
        }
        // Parameters without information, such as those of players without games, stay as they are.
        for place in 0..size {
            if information[(place, place)] == 0.0 {
                information[(place, place)] = 1.0;
            }
        }
        (gradient, information)
    }

    /// Returns the sandwich estimate of the covariance of the parameters: the sum of the squared
    /// gradients of the pairs, between two inverses of the information.
    pub(super) fn covariance(&self, pairs: &[RatedPair]) -> DMatrix<f64> {
        let size = self.players + 2;
        let Some(information) = &self.information else { return DMatrix::zeros(size, size) };
        let mut squares: DMatrix<f64> = DMatrix::zeros(size, size);
        for pair in pairs {
            // Indices and slopes of two players, the first move and the draws.
            let mut slopes: Vec<(usize, f64)> = Vec::with_capacity(8);
            for (game, result) in pair.games.iter().enumerate() {
                let Some(result) = result else { continue };
                let matchup = Matchup::of(pair.players[game], pair.players[1 - game], *result);
                let [win, draw, _] = self.chances(&matchup, &self.values);
                let slope = matchup.counts[0] + matchup.counts[1] / 2.0 - win - draw / 2.0;
                slopes.extend(self.directions(&matchup).map(|(place, sign)| (place, sign * slope)));
                if self.draws == Draws::Fitted {
                    slopes.push((size - 1, matchup.counts[1] - draw));
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

impl Matchup {
    fn of(first: usize, second: usize, result: GameScore) -> Self {
        let mut counts = [0.0; 3];
        counts[result as usize] = 1.0;
        Self { first, second: Some(second), is_reversed: false, counts }
    }
}

fn matchups(players: usize, pairs: &[RatedPair], extra: Virtual) -> Vec<Matchup> {
    let mut counts = vec![[0.0; 3]; players * players];
    for pair in pairs {
        for (game, result) in pair.games.iter().enumerate() {
            let Some(result) = result else { continue };
            let [first, second] = [pair.players[game], pair.players[1 - game]];
            counts[first * players + second][*result as usize] += 1.0;
        }
    }
    let played = counts.into_iter().enumerate().filter(|(_, counts)| *counts != [0.0; 3]);
    let of = |(place, counts)| Matchup {
        first: place / players,
        second: Some(place % players),
        is_reversed: false,
        counts,
    };
    let mut matchups: Vec<Matchup> = played.map(of).collect();
    if extra == Virtual::DrawOfEachPlayer && !matchups.is_empty() {
        for first in 0..players {
            for is_reversed in [false, true] {
                // Half a game with each side. Half a draw counts as 1/4 win and 1/4 loss, so that
                // only real draws determine the frequency of draws.
                let counts = [0.25, 0.0, 0.25];
                matchups.push(Matchup { first, second: None, is_reversed, counts });
            }
        }
    }
    matchups
}
