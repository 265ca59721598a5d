//! Groups of players that met, and the test whether their games give finite ratings.

use super::{Advantage, RatedPair};
use crate::record::GameScore;

/// Returns groups of players that met directly or through others, each in rising order.
pub(super) fn connected(players: usize, pairs: &[RatedPair]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..players).collect();
    for pair in played(pairs) {
        let [one, other] = pair.players.map(|player| group[player]);
        if one != other {
            let (low, high) = (one.min(other), one.max(other));
            group.iter_mut().filter(|number| **number == high).for_each(|number| *number = low);
        }
    }
    let of = |number: usize| (0..players).filter(|&player| group[player] == number).collect();
    let groups = (0..players).map(of);
    groups.filter(|members: &Vec<usize>| !members.is_empty()).collect()
}

/// Returns whether the games can give finite ratings.
///
/// In each group every player must have taken points from every other, directly or through others.
/// If the advantage of the first move is fitted, both the first and the second players of games must
/// have taken points.
// CITE: Lester R. Ford, "Solution of a ranking problem from binary comparisons", 1957.
// CITE: Conner and Grant, "An extension of Zermelo's model for ranking by paired comparisons", 2000.
pub(super) fn has_finite_maximum(
    players: usize,
    pairs: &[RatedPair],
    advantage: Advantage,
) -> bool {
    // takes[i * players + j]: i took points from j.
    let mut takes = vec![false; players * players];
    let mut side_took = [false; 2];
    for pair in played(pairs) {
        for (game, result) in pair.games.iter().enumerate() {
            let [first, second] = [pair.players[game], pair.players[1 - game]];
            let Some(result) = result else { continue };
            if *result != GameScore::Second {
                takes[first * players + second] = true;
                side_took[0] = true;
            }
            if *result != GameScore::First {
                takes[second * players + first] = true;
                side_took[1] = true;
            }
        }
    }
    for between in 0..players {
        for from in 0..players {
            if takes[from * players + between] {
                for to in 0..players {
                    takes[from * players + to] |= takes[between * players + to];
                }
            }
        }
    }
    let is_strong = |members: &Vec<usize>| {
        members
            .iter()
            .all(|&one| members.iter().all(|&other| one == other || takes[one * players + other]))
    };
    let is_side_open = advantage == Advantage::Fitted && side_took != [true; 2];
    !is_side_open && connected(players, pairs).iter().all(is_strong)
}

fn played(pairs: &[RatedPair]) -> impl Iterator<Item = &RatedPair> {
    pairs.iter().filter(|pair| pair.games.iter().any(Option::is_some))
}
