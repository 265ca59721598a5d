//! Ratings of several players by the model of Bradley and Terry, with a first-move advantage.
//!
//! Player i moves first against player j. The expected points of both have the ratio `a g_i : g_j`.
//! A draw is half a win and half a loss, as in Ordo: the share of draws changes no rating. Elo is `400 ln(g) / ln(10)`, so that a score is worth the Elo of a match.
// CITE: R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952) 324.
// CITE: Miguel A. Ballicora, Ordo, https://github.com/michiguel/Ordo

mod fit;
mod groups;

use std::f64::consts::LN_10;

use fastrand::Rng;

use self::fit::{Fit, Virtual};
use super::normal::{Z95, phi};
use crate::record::GameScore;

/// One or both games of a pair. They are not independent, because they share an opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RatedPair {
    /// The numbers of the players. The first one moves first in the first game.
    pub players: [usize; 2],
    /// The results of the first game and of the second, in which the other player moves first.
    pub games: [Option<GameScore>; 2],
}

/// The advantage of the first move in a rating.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Advantage {
    /// It is found from the games.
    #[default]
    Fitted,
    /// It is given, in Elo; 0 if the colours mean nothing.
    Fixed(f64),
}

/// The ratings of all players.
#[derive(Clone, PartialEq, Debug)]
pub struct Ratings {
    /// The Elo of each player. The mean is 0.
    pub elo: Vec<f64>,
    /// Half the width of the 95 % interval of each Elo.
    pub error: Vec<f64>,
    /// The advantage of the first move, in Elo.
    pub first_move: f64,
    /// Half the width of the 95 % interval of `first_move`; 0 if it was given.
    pub first_move_error: f64,
    /// The share of the games that two players did not play with both colours equally often, from 0
    /// to 1. If it is high, the advantage of the first move may be strength.
    pub uneven_colours: f64,
    /// Groups of players without games between groups. Only ratings within a group are comparable.
    /// Normally there is one group.
    pub groups: Vec<Vec<usize>>,
    /// Whether one virtual draw of each player was added, because the games alone give no finite
    /// ratings: some players never took a point from others.
    pub has_virtual_draws: bool,
    /// The covariance matrix of `elo`, row by row.
    covariance: Vec<f64>,
}

/// The Elo of one unit of `ln g`.
const ELO: f64 = 400.0 / LN_10;

/// A standard error below this is rounding: the results do not scatter.
const NO_SCATTER: f64 = 1e-6;

impl Ratings {
    /// Returns half the width of the 95 % interval of a player's Elo; `None` if the results do not
    /// determine it, because equal pairs of games leave no scatter to estimate it from.
    pub fn error_of(&self, player: usize) -> Option<f64> {
        self.error.get(player).copied().filter(|error| *error > NO_SCATTER)
    }

    /// Returns the likelihood that player `one` is better than player `other`, from 0 to 1; `None` if
    /// the results do not determine it.
    pub fn los(&self, one: usize, other: usize) -> Option<f64> {
        let players = self.elo.len();
        let entry = |row: usize, column: usize| self.covariance[row * players + column];
        let variance = entry(one, one) + entry(other, other) - 2.0 * entry(one, other);
        let difference = self.elo[one] - self.elo[other];
        (variance > NO_SCATTER * NO_SCATTER).then(|| phi(difference / variance.sqrt()))
    }
}

/// Rates `players` players by their games. The errors are a sandwich estimate, in which the two
/// games of a pair are one observation.
pub fn rate(players: usize, pairs: &[RatedPair], advantage: Advantage) -> Ratings {
    let (fit, has_virtual_draws) = fitted(players, pairs, advantage);
    let strength = fit.strengths();
    let covariance = fit.covariance(pairs);
    let first_move_error = ELO * Z95 * covariance[(players, players)].max(0.0).sqrt();
    // Each rating is a contrast with the mean.
    let weight = 1.0 / players as f64;
    let level: f64 = strength.iter().map(|b| b * weight).sum();
    let rows: Vec<f64> = (0..players)
        .map(|row| (0..players).map(|column| covariance[(row, column)] * weight).sum())
        .collect();
    let common: f64 = rows.iter().map(|row| row * weight).sum();
    let entry = |row: usize, column: usize| {
        ELO * ELO * (covariance[(row, column)] - rows[row] - rows[column] + common)
    };
    let covariance: Vec<f64> =
        (0..players * players).map(|place| entry(place / players, place % players)).collect();
    let error = |player: usize| Z95 * covariance[player * players + player].max(0.0).sqrt();
    Ratings {
        elo: strength.iter().map(|b| ELO * (b - level)).collect(),
        error: (0..players).map(error).collect(),
        first_move: ELO * fit.first_move(),
        first_move_error,
        uneven_colours: uneven_colours(players, pairs),
        groups: groups::connected(players, pairs),
        has_virtual_draws,
        covariance,
    }
}

fn uneven_colours(players: usize, pairs: &[RatedPair]) -> f64 {
    let mut games = vec![0_u64; players * players];
    for pair in pairs {
        for game in 0..2 {
            let place = pair.players[game] * players + pair.players[1 - game];
            games[place] += u64::from(pair.games[game].is_some());
        }
    }
    let of = |one: usize, other: usize| games[one * players + other];
    let of_two = (0..players).flat_map(|one| (0..one).map(move |other| (one, other)));
    let uneven: u64 = of_two.map(|(one, other)| of(one, other).abs_diff(of(other, one))).sum();
    uneven as f64 / games.iter().sum::<u64>().max(1) as f64
}

/// Returns half the width of the 95 % interval of each rating, estimated by `rounds` bootstrap
/// samples of the pairs.
pub fn bootstrap(
    players: usize,
    pairs: &[RatedPair],
    advantage: Advantage,
    rounds: usize,
    random: &mut Rng,
) -> Vec<f64> {
    if pairs.is_empty() || rounds == 0 {
        return vec![0.0; players];
    }
    let mut seen: Vec<Vec<f64>> = vec![Vec::with_capacity(rounds); players];
    for _ in 0..rounds {
        let drawn: Vec<RatedPair> =
            (0..pairs.len()).map(|_| pairs[random.usize(..pairs.len())]).collect();
        let strength = fitted(players, &drawn, advantage).0.strengths();
        let level = strength.iter().sum::<f64>() / players as f64;
        for (seen, b) in seen.iter_mut().zip(&strength) {
            seen.push(ELO * (b - level));
        }
    }
    let half_width = |mut seen: Vec<f64>| {
        seen.sort_by(f64::total_cmp);
        let at = |share: f64| seen[((rounds - 1) as f64 * share).round() as usize];
        (at(0.975) - at(0.025)) / 2.0
    };
    seen.into_iter().map(half_width).collect()
}

/// Fits the model. Adds virtual draws if the likelihood of the games has no finite maximum. Returns
/// whether they were added.
fn fitted(players: usize, pairs: &[RatedPair], advantage: Advantage) -> (Fit, bool) {
    let is_finite = groups::has_finite_maximum(players, pairs, advantage);
    if is_finite && let Some(fit) = Fit::of(players, pairs, advantage, Virtual::None) {
        return (fit, false);
    }
    let fit = Fit::of(players, pairs, advantage, Virtual::DrawOfEachPlayer);
    (fit.unwrap_or_else(|| Fit::blank(players, advantage)), true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use GameScore::{Draw, First as Win, Second as Loss};

    fn pair(players: [usize; 2], games: [GameScore; 2]) -> RatedPair {
        RatedPair { players, games: games.map(Some) }
    }

    /// Simulates games of players with these ratings.
    fn simulated(elo: &[f64], first_move: f64, rounds: usize, seed: u64) -> Vec<RatedPair> {
        let mut random = Rng::with_seed(seed);
        let mut play = |one: f64, other: f64| {
            let expected = 1.0 / (1.0 + (-(one - other + first_move) / ELO).exp());
            let draws = expected.min(1.0 - expected) / 2.0;
            match random.f64() {
                chance if chance < expected - draws / 2.0 => Win,
                chance if chance < expected + draws / 2.0 => Draw,
                _ => Loss,
            }
        };
        let mut pairs = Vec::new();
        for _ in 0..rounds {
            for one in 0..elo.len() {
                for other in 0..one {
                    let games = [play(elo[one], elo[other]), play(elo[other], elo[one])];
                    pairs.push(pair([one, other], games));
                }
            }
        }
        pairs
    }

    #[test]
    fn ratings_of_many_simulated_games_are_the_true_ones() {
        let truth = [-150.0, -20.0, 50.0, 120.0];
        let pairs = simulated(&truth, 35.0, 3000, 1);
        let ratings = rate(4, &pairs, Advantage::Fitted);
        assert!(!ratings.has_virtual_draws && ratings.groups.len() == 1);
        for (player, elo) in truth.iter().enumerate() {
            let off = (ratings.elo[player] - elo).abs();
            assert!(off < 2.0 * ratings.error[player] && off < 10.0, "{ratings:?}");
        }
        assert!((ratings.first_move - 35.0).abs() < 5.0, "{}", ratings.first_move);
        assert!((ratings.elo.iter().sum::<f64>()).abs() < 1e-6);
        let los = |one, other| ratings.los(one, other).unwrap();
        assert!(los(3, 0) > 0.999 && los(0, 3) < 0.001);
    }

    #[test]
    fn sandwich_errors_are_close_to_bootstrap_errors() {
        let pairs = simulated(&[-40.0, 0.0, 40.0], 20.0, 150, 5);
        let sandwich = rate(3, &pairs, Advantage::Fitted).error;
        let resampled = bootstrap(3, &pairs, Advantage::Fitted, 400, &mut Rng::with_seed(2));
        for (one, other) in sandwich.iter().zip(&resampled) {
            assert!((one - other).abs() <= 0.15 * one, "{sandwich:?} {resampled:?}");
        }
    }

    #[test]
    fn two_players_without_a_first_move_advantage_are_rated_by_their_score() {
        // 60 wins, 20 draws, 20 losses, equally distributed over both sides.
        let mut pairs = vec![pair([0, 1], [Win, Loss]); 30];
        pairs.extend(vec![pair([0, 1], [Draw, Draw]); 10]);
        pairs.extend(vec![pair([0, 1], [Loss, Win]); 10]);
        let ratings = rate(2, &pairs, Advantage::Fitted);
        // At the maximum, the expected score is the actual one, 0.7.
        let expected = ELO * (0.7_f64 / 0.3).ln();
        assert!((ratings.elo[0] - ratings.elo[1] - expected).abs() < 1e-6, "{ratings:?}");
        assert!(ratings.first_move.abs() < 1e-6);
    }

    #[test]
    fn the_share_of_draws_changes_no_rating() {
        // Of 100 points, 25 are draws, or none is: the scores stay 75, 50 and 25 %.
        let with_draws = |draws: usize| {
            let mut pairs = Vec::new();
            for (players, won) in [([0, 1], 68), ([0, 2], 82), ([1, 2], 68)] {
                let (won, lost) = (won - draws / 2, 100 - won - draws / 2);
                for (count, result) in [(won, Win), (draws, Draw), (lost, Loss)] {
                    let turned = [Loss, Draw, Win]
                        [[Win, Draw, Loss].iter().position(|r| *r == result).unwrap()];
                    pairs.extend(vec![pair(players, [result, turned]); count]);
                }
            }
            pairs
        };
        let plain = rate(3, &with_draws(0), Advantage::Fitted);
        for draws in [10, 20, 30] {
            let ratings = rate(3, &with_draws(draws), Advantage::Fitted);
            for (one, other) in ratings.elo.iter().zip(&plain.elo) {
                assert!((one - other).abs() < 1e-6, "{draws}: {ratings:?}");
            }
            assert!(ratings.error[0] < plain.error[0]);
        }
    }

    #[test]
    fn a_given_advantage_is_not_fitted() {
        // The better player is always named first, so that colour and strength are one.
        let pairs: Vec<RatedPair> = [[0, 1], [0, 2], [1, 2]]
            .into_iter()
            .flat_map(|players| {
                let results = [Win, Win, Win, Loss];
                results.map(|result| RatedPair { players, games: [Some(result), None] })
            })
            .collect();
        let fitted = rate(3, &pairs, Advantage::Fitted);
        let fixed = rate(3, &pairs, Advantage::Fixed(0.0));
        assert!(fitted.first_move > 50.0 && fitted.first_move_error > 0.0, "{fitted:?}");
        assert_eq!((fixed.first_move, fixed.first_move_error), (0.0, 0.0));
        assert!(fixed.elo[0] - fixed.elo[2] > fitted.elo[0] - fitted.elo[2], "{fixed:?}");
        let given = rate(3, &pairs, Advantage::Fixed(fitted.first_move));
        assert!((given.elo[0] - fitted.elo[0]).abs() < 1e-6, "{given:?} {fitted:?}");
    }

    #[test]
    fn a_player_who_never_lost_is_rated_with_virtual_draws() {
        let pairs = vec![pair([0, 1], [Win, Loss]); 10];
        let ratings = rate(2, &pairs, Advantage::Fitted);
        assert!(ratings.has_virtual_draws);
        assert!(ratings.elo[0] > 100.0 && ratings.elo[0] < 1500.0, "{ratings:?}");
        // The player who moves first wins every game.
        let first = rate(2, &vec![pair([0, 1], [Win, Win]); 10], Advantage::Fitted);
        assert!(first.has_virtual_draws && first.first_move > 100.0);
        assert!((first.elo[0] - first.elo[1]).abs() < 1e-6, "{first:?}");
    }

    #[test]
    fn games_without_a_finite_maximum_are_rated_with_virtual_draws() {
        // Player 0 is better than 1, and 1 is better than 2. The first move outweighs one step of
        // strength but not two. So each player took points from each other, directly or indirectly.
        let games = [pair([0, 1], [Win, Win]), pair([0, 2], [Win, Loss]), pair([1, 2], [Win, Win])];
        let ratings = rate(3, &games, Advantage::Fitted);
        assert!(ratings.has_virtual_draws, "{ratings:?}");
        assert!(ratings.elo.iter().all(|elo| elo.abs() < 1000.0), "{ratings:?}");
        assert!(ratings.elo[0] > ratings.elo[1] && ratings.elo[1] > ratings.elo[2], "{ratings:?}");
        assert!(ratings.error.iter().all(|error| *error < 2000.0), "{ratings:?}");
    }

    #[test]
    fn players_that_never_met_are_groups() {
        let pairs = vec![
            pair([0, 1], [Win, Win]),
            pair([0, 1], [Loss, Draw]),
            pair([2, 3], [Draw, Loss]),
            pair([2, 3], [Win, Win]),
        ];
        let ratings = rate(5, &pairs, Advantage::Fitted);
        assert_eq!(ratings.groups, [vec![0, 1], vec![2, 3], vec![4]]);
        assert!(ratings.elo.iter().all(|elo| elo.is_finite()));
    }

    #[test]
    fn equal_pairs_leave_errors_undetermined() {
        // Each player wins with the first move, so that every pair is 1 to 1.
        let equal = |one, other| vec![pair([one, other], [Win, Win]); 3];
        let mut pairs = [equal(0, 1), equal(0, 2), equal(1, 2)].concat();
        let ratings = rate(3, &pairs, Advantage::Fitted);
        for player in 0..3 {
            assert_eq!(ratings.error_of(player), None, "{ratings:?}");
            assert_eq!(ratings.los(player, (player + 1) % 3), None, "{ratings:?}");
        }
        pairs.push(pair([0, 1], [Win, Loss]));
        pairs.push(pair([1, 2], [Draw, Loss]));
        let ratings = rate(3, &pairs, Advantage::Fitted);
        assert!((0..3).all(|player| ratings.error_of(player).is_some()), "{ratings:?}");
    }

    #[test]
    fn no_games_and_only_draws_can_be_rated() {
        assert_eq!(rate(3, &[], Advantage::Fitted).elo, [0.0; 3]);
        let drawn = rate(2, &[pair([0, 1], [Draw, Draw])], Advantage::Fitted);
        assert!(drawn.elo.iter().all(|elo| elo.abs() < 1e-9), "{drawn:?}");
        let single = RatedPair { players: [0, 1], games: [Some(Win), None] };
        assert!(rate(2, &[single], Advantage::Fitted).elo[0] > 0.0);
    }
}
