//! A knockout: the loser of an encounter leaves. Extra pairs break ties; after them the better seed
//! wins.

use fastrand::Rng;

use super::PlayedRound;

/// The bracket of a knockout.
pub(super) struct Bracket {
    /// The players by seed, the best first.
    order: Vec<usize>,
    /// The maximum number of extra pairs for a tie.
    extra: u32,
}

/// The next encounters of a knockout.
#[derive(Default)]
pub(super) struct Next {
    pub(super) pairings: Vec<[usize; 2]>,
    pub(super) byes: Vec<usize>,
    /// Ties of the previous round that the better seed decided, as winner and loser.
    pub(super) by_seed: Vec<[usize; 2]>,
    /// Whether the encounters are extra pairs for ties.
    pub(super) is_extra: bool,
}

/// A round of the bracket, including its extra pairs.
struct Stage {
    /// The players of each encounter, in the order of the bracket. A single player has a bye.
    slots: Vec<[Option<usize>; 2]>,
    /// The half points of each slot, including extra pairs.
    points: Vec<[u32; 2]>,
    /// The number of extra pairs so far.
    extras: u32,
}

impl Bracket {
    /// Creates the bracket. The first `seeds` players are seeded in their order, all if 0. The
    /// others are shuffled by `seed`.
    pub(super) fn new(players: usize, seeds: usize, seed: u64, extra: u32) -> Self {
        let mut order: Vec<usize> = (0..players).collect();
        if seeds > 0 && seeds < players {
            Rng::with_seed(seed).shuffle(&mut order[seeds..]);
        }
        Self { order, extra }
    }

    /// Returns the encounters after the rounds `played`; `None` when one player remains.
    pub(super) fn next(&self, played: &[PlayedRound]) -> Option<Next> {
        self.progress(played).1
    }

    /// Returns the stage after the rounds `played`, and its open encounters; `None` when one player
    /// remains.
    fn progress(&self, played: &[PlayedRound]) -> (Stage, Option<Next>) {
        let mut stage = self.first_stage();
        let mut rounds = played.iter();
        let mut by_seed = Vec::new();
        loop {
            let Some(main) = rounds.next() else {
                let is_open = stage.slots.len() > 1 || stage.slots[0][1].is_some();
                let next = is_open.then(|| Next { by_seed, ..stage.encounters() });
                return (stage, next);
            };
            stage.add(main);
            while stage.extras < self.extra && !stage.ties().is_empty() {
                let Some(extra) = rounds.next() else {
                    let pairings = stage.ties();
                    return (stage, Some(Next { pairings, is_extra: true, ..Next::default() }));
                };
                stage.add(extra);
                stage.extras += 1;
            }
            if stage.slots.len() == 1 {
                return (stage, None);
            }
            by_seed = self.ties_by_seed(&stage);
            stage = self.next_stage(&stage);
        }
    }

    /// Returns the ties of a stage that the better seed decides, as winner and loser.
    fn ties_by_seed(&self, stage: &Stage) -> Vec<[usize; 2]> {
        let better_first = |pair: [usize; 2]| {
            let [one, other] = pair;
            if self.seed_of(one) < self.seed_of(other) { pair } else { [other, one] }
        };
        stage.ties().into_iter().map(better_first).collect()
    }

    /// Returns the ties of the last stage that the better seed decides, as winner and loser.
    pub(super) fn last_ties_by_seed(&self, played: &[PlayedRound]) -> Vec<[usize; 2]> {
        self.ties_by_seed(&self.progress(played).0)
    }

    /// Returns the players by the round in which they left, the winner first.
    pub(super) fn ranking(&self, played: &[PlayedRound]) -> Vec<usize> {
        let last_round = |player: usize| {
            let meets = |round: &&PlayedRound| {
                round.round.pairings.iter().any(|players| players.contains(&player))
            };
            played.iter().rfind(meets).map_or(0, |round| round.round.number)
        };
        let winner = self.winner(&self.progress(played).0, 0);
        let mut ranking = self.order.clone();
        ranking.sort_by_key(|&player| {
            (Some(player) != winner, std::cmp::Reverse(last_round(player)), self.seed_of(player))
        });
        ranking
    }

    /// Creates the first stage. As usual, the best two seeds can meet only in the last round.
    fn first_stage(&self) -> Stage {
        let size = self.order.len().next_power_of_two().max(2);
        let mut seeds = vec![0];
        while seeds.len() < size {
            let doubled = 2 * seeds.len();
            seeds = seeds.iter().flat_map(|&seed| [seed, doubled - 1 - seed]).collect();
        }
        let player = |seed: usize| self.order.get(seed).copied();
        let slots = seeds.chunks(2).map(|pair| [player(pair[0]), player(pair[1])]);
        Stage::of(slots.collect())
    }

    fn next_stage(&self, stage: &Stage) -> Stage {
        let winners: Vec<Option<usize>> =
            (0..stage.slots.len()).map(|slot| self.winner(stage, slot)).collect();
        Stage::of(winners.chunks(2).map(|pair| [pair[0], pair[1]]).collect())
    }

    fn winner(&self, stage: &Stage, slot: usize) -> Option<usize> {
        let [one, other] = stage.slots[slot];
        let (Some(first), Some(second)) = (one, other) else { return one.or(other) };
        let [mine, others] = stage.points[slot];
        let is_first_better =
            mine > others || mine == others && self.seed_of(first) < self.seed_of(second);
        Some(if is_first_better { first } else { second })
    }

    fn seed_of(&self, player: usize) -> usize {
        self.order.iter().position(|&known| known == player).unwrap_or(usize::MAX)
    }
}

impl Stage {
    fn of(slots: Vec<[Option<usize>; 2]>) -> Self {
        Self { points: vec![[0; 2]; slots.len()], slots, extras: 0 }
    }

    fn encounters(&self) -> Next {
        let mut next = Next::default();
        for slot in &self.slots {
            match *slot {
                [Some(one), Some(other)] => next.pairings.push([one, other]),
                [one, other] => next.byes.extend(one.or(other)),
            }
        }
        next
    }

    /// Adds the points of a round. The players of an encounter may be in either order.
    fn add(&mut self, played: &PlayedRound) {
        for (&[one, other], made) in played.round.pairings.iter().zip(&played.points) {
            for (slot, points) in self.slots.iter().zip(&mut self.points) {
                if *slot == [Some(one), Some(other)] {
                    *points = [points[0] + made[0], points[1] + made[1]];
                } else if *slot == [Some(other), Some(one)] {
                    *points = [points[0] + made[1], points[1] + made[0]];
                }
            }
        }
    }

    fn ties(&self) -> Vec<[usize; 2]> {
        let tied = self.slots.iter().zip(&self.points).filter(|(_, made)| made[0] == made[1]);
        tied.filter_map(|(slot, _)| Some([slot[0]?, slot[1]?])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Round;

    fn round(number: u64, results: &[([usize; 2], [u32; 2])]) -> PlayedRound {
        let pairings = results.iter().map(|(players, _)| *players).collect();
        let points = results.iter().map(|(_, points)| *points).collect();
        let (byes, by_seed) = (Vec::new(), Vec::new());
        let round = Round { number, first_pair: 0, games: 2, pairings, byes, by_seed };
        PlayedRound { round, points }
    }

    #[test]
    fn a_tie_gets_extra_pairs_and_then_the_better_seed_goes_on() {
        let bracket = Bracket::new(4, 0, 1, 2);
        let next = bracket.next(&[]).unwrap();
        assert_eq!((next.pairings, next.is_extra), (vec![[0, 3], [1, 2]], false));
        let mut played = vec![round(0, &[([0, 3], [4, 0]), ([1, 2], [2, 2])])];
        for extra in 1..=2 {
            let next = bracket.next(&played).unwrap();
            assert_eq!((next.pairings, next.is_extra), (vec![[1, 2]], true));
            played.push(round(extra, &[([1, 2], [2, 2])]));
        }
        let next = bracket.next(&played).unwrap();
        assert_eq!((next.pairings, next.by_seed), (vec![[0, 1]], vec![[1, 2]]));
        // The final is tied too.
        let mut to_the_end = played.clone();
        to_the_end.extend((3..6).map(|number| round(number, &[([0, 1], [2, 2])])));
        assert!(bracket.next(&to_the_end).is_none());
        assert_eq!(bracket.last_ties_by_seed(&to_the_end), [[0, 1]]);
        assert_eq!(bracket.ranking(&to_the_end)[0], 0);
        // The first extra pair decides.
        played.truncate(1);
        played.push(round(1, &[([1, 2], [1, 3])]));
        let next = bracket.next(&played).unwrap();
        assert_eq!((next.pairings, next.by_seed), (vec![[0, 2]], vec![]));
        played.push(round(2, &[([0, 2], [1, 3])]));
        assert!(bracket.next(&played).is_none());
        assert_eq!(bracket.ranking(&played), [2, 0, 1, 3]);
    }

    #[test]
    fn the_best_seeds_have_byes_and_meet_last() {
        let bracket = Bracket::new(5, 0, 1, 3);
        let next = bracket.next(&[]).unwrap();
        assert_eq!((next.pairings, next.byes), (vec![[3, 4]], vec![0, 1, 2]));
        let drawn = Bracket::new(9, 2, 7, 3);
        assert_eq!(drawn.order[..2], [0, 1]);
        assert_ne!(drawn.order, (0..9).collect::<Vec<_>>());
    }
}
