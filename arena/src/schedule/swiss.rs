//! A Swiss tournament: players with nearly equal points meet, and no two players meet twice.

use integer_blossom::min_weight_perfect_matching;

use super::PlayedRound;

/// What is known of a player.
#[derive(Clone, Default)]
struct Player {
    /// In half points.
    points: u32,
    /// The opponents, with the points made against each.
    opponents: Vec<(usize, u32)>,
    had_bye: bool,
}

/// The pairings of the next round, and who has a bye.
pub(super) fn pairings(
    players: usize,
    games: u32,
    played: &[PlayedRound],
) -> (Vec<[usize; 2]>, Vec<usize>) {
    let known = known(players, games, played);
    let mut ranking = standings(players, games, played);
    let mut byes = Vec::new();
    if players % 2 == 1 {
        // The last one in the standings who had none yet; where all had one, the last one.
        let place = ranking.iter().rposition(|&player| !known[player].had_bye);
        byes.push(ranking.remove(place.unwrap_or(players - 1)));
    }
    let places = ranking.len();
    let mut costs = vec![0_i64; places * places];
    for one in 0..places {
        for other in one + 1..places {
            costs[one * places + other] = cost(&known, &ranking, one, other);
        }
    }
    let mates = min_weight_perfect_matching(&costs, places);
    let pairings = mates.iter().enumerate().filter(|(place, mate)| place < *mate);
    (pairings.map(|(place, &mate)| [ranking[place], ranking[mate]]).collect(), byes)
}

/// How little two players should meet: rematches last, then the difference of points, then players
/// who are close in the standings.
fn cost(known: &[Player], ranking: &[usize], one: usize, other: usize) -> i64 {
    let [a, b] = [ranking[one], ranking[other]];
    let rematches = known[a].opponents.iter().filter(|(opponent, _)| *opponent == b).count() as i64;
    let points = i64::from(known[a].points.abs_diff(known[b].points));
    let places = ranking.len() as i64;
    // Sums over all pairs stay below the next weight.
    let close = places - (other as i64 - one as i64);
    let weight_of_points = places * places;
    let most_points = 1 + known.iter().map(|player| i64::from(player.points)).max().unwrap_or(0);
    let weight_of_rematch = weight_of_points * most_points * places;
    rematches * weight_of_rematch + points * weight_of_points + close
}

/// The players by points, then by Sonneborn-Berger, then by number.
pub(super) fn standings(players: usize, games: u32, played: &[PlayedRound]) -> Vec<usize> {
    let known = known(players, games, played);
    let sonneborn_berger = |player: usize| -> u64 {
        let against =
            |(opponent, made): &(usize, u32)| u64::from(*made) * u64::from(known[*opponent].points);
        known[player].opponents.iter().map(against).sum()
    };
    let mut ranking: Vec<usize> = (0..players).collect();
    ranking.sort_by_key(|&player| {
        (std::cmp::Reverse((known[player].points, sonneborn_berger(player))), player)
    });
    ranking
}

fn known(players: usize, games: u32, played: &[PlayedRound]) -> Vec<Player> {
    let mut known = vec![Player::default(); players];
    for PlayedRound { round, points } in played {
        for (encounter, made) in round.encounters.iter().zip(points) {
            for side in 0..2 {
                let [me, opponent] = [encounter.players[side], encounter.players[1 - side]];
                known[me].points += made.0[side];
                known[me].opponents.push((opponent, made.0[side]));
            }
        }
        for &player in &round.byes {
            // Every game of an encounter counts as won.
            known[player].points += 2 * games;
            known[player].had_bye = true;
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The least sum of costs over all perfect matchings, by trying all.
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
