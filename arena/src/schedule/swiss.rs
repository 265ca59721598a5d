//! A Swiss tournament: players with nearly equal points meet, and rematches are avoided.

use integer_blossom::min_weight_perfect_matching;

use super::PlayedRound;

/// The results of a player so far.
#[derive(Clone, Default)]
struct Player {
    /// The half points.
    points: u32,
    /// The opponents, with the half points against each.
    opponents: Vec<(usize, u32)>,
    had_bye: bool,
}

/// Returns the pairings of the next round, and the player with a bye. The players `absent` are
/// left out.
pub(super) fn pairings(
    players: usize,
    games: u32,
    played: &[PlayedRound],
    absent: &[usize],
) -> (Vec<[usize; 2]>, Vec<usize>) {
    let results = results(players, games, played);
    let mut ranking = standings(players, games, played);
    ranking.retain(|player| !absent.contains(player));
    let mut byes = Vec::new();
    if ranking.len() % 2 == 1 {
        // The bye goes to the last player in the standings who had none; if all had one, to the
        // last.
        let place = ranking.iter().rposition(|&player| !results[player].had_bye);
        byes.push(ranking.remove(place.unwrap_or(ranking.len() - 1)));
    }
    let places = ranking.len();
    let mut costs = vec![0_i64; places * places];
    for one in 0..places {
        for other in one + 1..places {
            costs[one * places + other] = cost(&results, &ranking, one, other);
        }
    }
    let mates = min_weight_perfect_matching(&costs, places);
    let pairings = mates.iter().enumerate().filter(|(place, mate)| place < *mate);
    (pairings.map(|(place, &mate)| [ranking[place], ranking[mate]]).collect(), byes)
}

/// Returns the cost of a pairing. A rematch costs most, then the difference of points, then
/// closeness in the standings.
fn cost(results: &[Player], ranking: &[usize], one: usize, other: usize) -> i64 {
    let [a, b] = [ranking[one], ranking[other]];
    let rematches =
        results[a].opponents.iter().filter(|(opponent, _)| *opponent == b).count() as i64;
    let points = i64::from(results[a].points.abs_diff(results[b].points));
    let places = ranking.len() as i64;
    // Each weight exceeds the sum of all smaller costs.
    let close = places - (other as i64 - one as i64);
    let weight_of_points = places * places;
    let most_points = 1 + results.iter().map(|player| i64::from(player.points)).max().unwrap_or(0);
    let weight_of_rematch = weight_of_points * most_points * places;
    rematches * weight_of_rematch + points * weight_of_points + close
}

/// Returns the players by points, then by Sonneborn-Berger score, then by number.
pub(super) fn standings(players: usize, games: u32, played: &[PlayedRound]) -> Vec<usize> {
    let results = results(players, games, played);
    let sonneborn_berger = |player: usize| -> u64 {
        let against = |(opponent, made): &(usize, u32)| {
            u64::from(*made) * u64::from(results[*opponent].points)
        };
        results[player].opponents.iter().map(against).sum()
    };
    let mut ranking: Vec<usize> = (0..players).collect();
    ranking.sort_by_key(|&player| {
        (std::cmp::Reverse((results[player].points, sonneborn_berger(player))), player)
    });
    ranking
}

/// Returns the results of each player in the rounds `played`.
fn results(players: usize, games: u32, played: &[PlayedRound]) -> Vec<Player> {
    let mut results = vec![Player::default(); players];
    for PlayedRound { round, points } in played {
        for (players, made) in round.pairings.iter().zip(points) {
            for (side, &half_points) in made.iter().enumerate() {
                let [me, opponent] = [players[side], players[1 - side]];
                results[me].points += half_points;
                results[me].opponents.push((opponent, half_points));
            }
        }
        for &player in &round.byes {
            // A bye counts as a win of every game.
            results[player].points += 2 * games;
            results[player].had_bye = true;
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the least cost of all perfect matchings, by trying all.
    fn least(costs: &[i64], size: usize, free: u32) -> i64 {
        if free == 0 {
            return 0;
        }
        let one = free.trailing_zeros() as usize;
        let others = (one + 1..size).filter(|other| free & (1 << other) != 0);
        let sums = others.map(|other| {
            costs[one * size + other] + least(costs, size, free & !(1 << one) & !(1 << other))
        });
        sums.min().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn the_matching_is_the_cheapest_of_all(
            half in 1_usize..5,
            seed in proptest::collection::vec(0_i64..50, 64),
        ) {
            let size = 2 * half;
            let mut costs = vec![0; size * size];
            for one in 0..size {
                for other in one + 1..size {
                    costs[one * size + other] = seed[(one * 8 + other) % 64];
                }
            }
            let mates = min_weight_perfect_matching(&costs, size);
            let found: i64 = (0..size)
                .filter(|&one| one < mates[one])
                .map(|one| costs[one * size + mates[one]])
                .sum();
            prop_assert_eq!(found, least(&costs, size, (1 << size) - 1));
        }
    }
}
