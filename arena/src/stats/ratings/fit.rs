//! Finds the maximum of the likelihood by Newton's method, and estimates the errors.
//!
//! The parameters are `b = ln g` of each player, then `ln a`. The log-likelihood is concave in them.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::groups;
use super::{Advantage, ELO, RatedPair};
use crate::record::GameScore;

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
    /// The points of the side that moves first, and of the other side.
    points: [f64; 2],
}

/// A fitted model.
pub(super) struct Fit {
    players: usize,
    /// `b` of each player, `ln a`.
    values: DVector<f64>,
    /// Whether `ln a` is fitted.
    is_advantage_fitted: bool,
    /// The negative second derivatives at the maximum, made regular; `None` without games.
    information: Option<Cholesky<f64, Dyn>>,
}

/// The maximum norm of the gradient at the maximum.
const TOLERANCE: f64 = 1e-10;

impl Fit {
    /// Fits the model to the games of `pairs`; `None` if there is no finite maximum.
    pub(super) fn of(
        players: usize,
        pairs: &[RatedPair],
        advantage: Advantage,
        extra: Virtual,
    ) -> Option<Self> {
        let matchups = matchups(players, pairs, extra);
        if matchups.is_empty() {
            return Some(Self::blank(players, advantage));
        }
        let mut fit = Self::blank(players, advantage);
        fit.maximize(&matchups, extra, &groups::connected(players, pairs))?;
        Some(fit)
    }

    /// Creates the model without games: all players are equal.
    pub(super) fn blank(players: usize, advantage: Advantage) -> Self {
        let mut values = DVector::zeros(players + 1);
        if let Advantage::Fixed(elo) = advantage {
            values[players] = elo / ELO;
        }
        let is_advantage_fitted = advantage == Advantage::Fitted;
        Self { players, values, is_advantage_fitted, information: None }
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
        let games: f64 = matchups.iter().flat_map(|matchup| matchup.points).sum();
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
            let advantage = self.advantage(matchup, values);
            let [won, lost] = matchup.points;
            // ln(1 / (1 + exp(-x))), without an overflow.
            let log = |x: f64| x.min(0.0) - (-x.abs()).exp().ln_1p();
            won * log(advantage) + lost * log(-advantage)
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

    /// Returns the expected score of the side that moves first.
    fn expected(&self, matchup: &Matchup) -> f64 {
        1.0 / (1.0 + (-self.advantage(matchup, &self.values)).exp())
    }

    /// Returns the derivative of the advantage with respect to each parameter: index and sign.
    fn directions(&self, matchup: &Matchup) -> impl Iterator<Item = (usize, f64)> + use<> {
        let sign = if matchup.is_reversed { -1.0 } else { 1.0 };
        let second = matchup.second.map(|second| (second, -sign));
        let first_move = self.is_advantage_fitted.then_some((self.players, 1.0));
        first_move.into_iter().chain([(matchup.first, sign)]).chain(second)
    }

    /// Returns the gradient and the negative second derivatives.
    fn derivatives(&self, matchups: &[Matchup]) -> (DVector<f64>, DMatrix<f64>) {
        let size = self.players + 1;
        let (mut gradient, mut information) = (DVector::zeros(size), DMatrix::zeros(size, size));
        for matchup in matchups {
            let expected = self.expected(matchup);
            let games: f64 = matchup.points.iter().sum();
            let slope = matchup.points[0] - games * expected;
            let variance = games * expected * (1.0 - expected);
            for (one, sign) in self.directions(matchup) {
                gradient[one] += sign * slope;
                for (other, other_sign) in self.directions(matchup) {
                    information[(one, other)] += sign * other_sign * variance;
                }
            }
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
        let size = self.players + 1;
        let Some(information) = &self.information else { return DMatrix::zeros(size, size) };
        let mut squares: DMatrix<f64> = DMatrix::zeros(size, size);
        for pair in pairs {
            // Indices and slopes of two players and the first move.
            let mut slopes: Vec<(usize, f64)> = Vec::with_capacity(8);
            for (game, result) in pair.games.iter().enumerate() {
                let Some(result) = result else { continue };
                let matchup = Matchup::of(pair.players[game], pair.players[1 - game], *result);
                let slope = matchup.points[0] - self.expected(&matchup);
                slopes.extend(self.directions(&matchup).map(|(place, sign)| (place, sign * slope)));
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
        Self { first, second: Some(second), is_reversed: false, points: points(result) }
    }
}

/// Returns the points of the side that moves first, and of the other side. A draw is half a win and
/// half a loss.
fn points(result: GameScore) -> [f64; 2] {
    [0, 1].map(|side| f64::from(result.half_points(side)) / 2.0)
}

fn matchups(players: usize, pairs: &[RatedPair], extra: Virtual) -> Vec<Matchup> {
    let mut all = vec![[0.0; 2]; players * players];
    for pair in pairs {
        for (game, result) in pair.games.iter().enumerate() {
            let Some(result) = result else { continue };
            let [first, second] = [pair.players[game], pair.players[1 - game]];
            let sums = all[first * players + second].iter_mut();
            sums.zip(points(*result)).for_each(|(sum, more)| *sum += more);
        }
    }
    let played = all.into_iter().enumerate().filter(|(_, points)| *points != [0.0; 2]);
    let of = |(place, points)| Matchup {
        first: place / players,
        second: Some(place % players),
        is_reversed: false,
        points,
    };
    let mut matchups: Vec<Matchup> = played.map(of).collect();
    if extra == Virtual::DrawOfEachPlayer && !matchups.is_empty() {
        for first in 0..players {
            for is_reversed in [false, true] {
                // Half a game with each side.
                matchups.push(Matchup { first, second: None, is_reversed, points: [0.25; 2] });
            }
        }
    }
    matchups
}
