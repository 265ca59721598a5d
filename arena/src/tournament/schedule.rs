//! [`Schedule`]: the rounds, encounters, pairs and games of a tournament, all numbered.
//!
//! A schedule is a pure function of the settings and of the points in earlier rounds. Nothing
//! random happens while games are played, so that a continued run plays the same games.

mod knockout;
mod round_robin;
mod swiss;

use crate::config::{Config, TournamentKind};

/// All games of two players in one round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encounter {
    /// The players, by number. The first one moves first in the first game of each pair.
    pub players: [usize; 2],
    /// The number of its first pair in the run.
    pub first_pair: u64,
    /// The number of games.
    pub games: u32,
}

impl Encounter {
    /// Returns the number of pairs; the last pair may have one game.
    pub fn pairs(&self) -> u64 {
        u64::from(self.games.div_ceil(2))
    }
}

/// A round: encounters that can be played at the same time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// The number, from 0. An extra round of a knockout has its own number.
    pub number: u64,
    /// The encounters.
    pub encounters: Vec<Encounter>,
    /// The players without an encounter.
    pub byes: Vec<usize>,
    /// Ties of the previous round that the better seed decided, as winner and loser.
    pub by_seed: Vec<[usize; 2]>,
}

/// A scheduled game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// The number of the game in the run: twice the number of the pair, plus 1 for the second game.
    pub id: u64,
    /// The number of the round.
    pub round: u64,
    /// The number of the encounter in the run.
    pub encounter: u64,
    /// The players: who moves first, and who second.
    pub players: [usize; 2],
}

impl Fixture {
    /// Returns the number of the pair that the game belongs to.
    pub const fn pair(&self) -> u64 {
        self.id / 2
    }

    /// Returns 0 for the first game of a pair, 1 for the second.
    pub const fn side(&self) -> usize {
        (self.id % 2) as usize
    }
}

/// A round whose games are over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedRound {
    /// The round.
    pub round: Round,
    /// The half points of the players of each encounter.
    pub points: Vec<[u32; 2]>,
}

/// The schedule of a run.
#[derive(Clone, Debug)]
pub struct Schedule {
    kind: TournamentKind,
    players: usize,
    seeds: usize,
    extra: u32,
    rounds: u64,
    games: u32,
    swaps: bool,
    reverse: bool,
    seed: u64,
}

impl Schedule {
    /// Creates the schedule of a run.
    pub fn new(config: &Config) -> Self {
        Self {
            kind: config.tournament,
            players: config.engines.len(),
            seeds: config.seeds as usize,
            extra: config.extra,
            rounds: config.rounds(),
            games: config.games,
            swaps: !config.no_swap,
            reverse: config.reverse,
            seed: config.seed,
        }
    }

    /// Returns whether rounds depend on the points of earlier rounds.
    pub fn needs_points(&self) -> bool {
        matches!(self.kind, TournamentKind::Swiss | TournamentKind::Knockout)
    }

    /// Returns the number of all games; `None` for a knockout, whose ties need extra games.
    pub fn games(&self) -> Option<u64> {
        let encounters = match self.kind {
            TournamentKind::RoundRobin => self.players * (self.players - 1) / 2,
            TournamentKind::Gauntlet => {
                self.gauntlet_seeds() * (self.players - self.gauntlet_seeds())
            }
            TournamentKind::Swiss => self.players / 2,
            TournamentKind::Knockout => return None,
        };
        Some(self.rounds * encounters as u64 * u64::from(self.games))
    }

    /// Returns the round after the finished rounds `before`; `None` at the end.
    pub fn next_round(&self, before: &[PlayedRound]) -> Option<Round> {
        let last = before.last().map(|played| &played.round);
        let number = last.map_or(0, |round| round.number + 1);
        match self.kind {
            TournamentKind::RoundRobin | TournamentKind::Gauntlet => self.static_round(number),
            TournamentKind::Swiss if number >= self.rounds => None,
            TournamentKind::Swiss => {
                let (pairings, bye) = swiss::pairings(self.players, self.games, before);
                Some(self.round(number, next_pair(last), pairings, self.games, bye))
            }
            TournamentKind::Knockout => {
                let next = self.bracket().next(before)?;
                let games = if next.is_extra { 2 } else { self.games };
                let round = self.round(number, next_pair(last), next.pairings, games, next.byes);
                Some(Round { by_seed: next.by_seed, ..round })
            }
        }
    }

    /// Returns a round of a schedule that does not depend on points; `None` after the last round.
    pub fn static_round(&self, number: u64) -> Option<Round> {
        if number >= self.rounds {
            return None;
        }
        let mut pairings = match self.kind {
            TournamentKind::Gauntlet => round_robin::gauntlet(self.players, self.gauntlet_seeds()),
            _ => round_robin::circle(self.players),
        };
        // If an encounter has an odd number of games, colours alternate between rounds.
        if number % 2 == 1 && self.swaps {
            pairings.iter_mut().for_each(|players| players.reverse());
        }
        let pairs = pairings.len() as u64 * u64::from(self.games.div_ceil(2));
        Some(self.round(number, number * pairs, pairings, self.games, Vec::new()))
    }

    /// Returns the games of a round, by number. `first_encounter` is the number of its first
    /// encounter.
    pub fn fixtures(&self, round: &Round, first_encounter: u64) -> Vec<Fixture> {
        let mut fixtures = Vec::new();
        for (index, encounter) in round.encounters.iter().enumerate() {
            for game in 0..encounter.games {
                let side = u64::from(game % 2);
                let mut players = encounter.players;
                if side == 1 && self.swaps {
                    players.reverse();
                }
                fixtures.push(Fixture {
                    id: 2 * (encounter.first_pair + u64::from(game / 2)) + side,
                    round: round.number,
                    encounter: first_encounter + index as u64,
                    players,
                });
            }
        }
        fixtures
    }

    /// Returns the final ranking of a Swiss tournament or a knockout, the best player first; `None`
    /// for other tournaments, and while a knockout continues.
    pub fn ranking(&self, played: &[PlayedRound]) -> Option<Vec<usize>> {
        match self.kind {
            TournamentKind::Swiss => Some(swiss::standings(self.players, self.games, played)),
            TournamentKind::Knockout => {
                let bracket = self.bracket();
                bracket.next(played).is_none().then(|| bracket.ranking(played))
            }
            _ => None,
        }
    }

    /// Returns all ties of a knockout that the better seed decided, as winner and loser.
    pub fn decided_by_seed(&self, played: &[PlayedRound]) -> Vec<[usize; 2]> {
        let mut decided: Vec<[usize; 2]> =
            played.iter().flat_map(|played| played.round.by_seed.iter().copied()).collect();
        if self.kind == TournamentKind::Knockout {
            let bracket = self.bracket();
            if bracket.next(played).is_none() {
                decided.extend(bracket.last_ties_by_seed(played));
            }
        }
        decided
    }

    fn bracket(&self) -> knockout::Bracket {
        knockout::Bracket::new(self.players, self.seeds, self.seed, self.extra)
    }

    fn gauntlet_seeds(&self) -> usize {
        self.seeds.max(1)
    }

    fn round(
        &self,
        number: u64,
        mut first_pair: u64,
        pairings: Vec<[usize; 2]>,
        games: u32,
        byes: Vec<usize>,
    ) -> Round {
        let encounters = pairings.into_iter().map(|mut players| {
            if self.reverse {
                players.reverse();
            }
            let encounter = Encounter { players, first_pair, games };
            first_pair += encounter.pairs();
            encounter
        });
        Round { number, encounters: encounters.collect(), byes, by_seed: Vec::new() }
    }
}

/// Returns the number of the first pair after a round.
fn next_pair(last: Option<&Round>) -> u64 {
    let encounter = last.and_then(|round| round.encounters.last());
    encounter.map_or(0, |encounter| encounter.first_pair + encounter.pairs())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn schedule(kind: TournamentKind, players: usize, rounds: u64, games: u32) -> Schedule {
        Schedule {
            kind,
            players,
            seeds: 0,
            extra: 3,
            rounds,
            games,
            swaps: true,
            reverse: false,
            seed: 1,
        }
    }

    #[test]
    fn all_players_meet_once_a_round_with_both_colours() {
        for players in 2..9 {
            let schedule = schedule(TournamentKind::RoundRobin, players, 2, 2);
            let mut ids = HashSet::new();
            for number in 0..2 {
                let round = schedule.static_round(number).unwrap();
                let fixtures = schedule.fixtures(&round, 0);
                let met: HashSet<[usize; 2]> = fixtures.iter().map(|game| game.players).collect();
                assert_eq!(met.len(), players * (players - 1));
                ids.extend(fixtures.iter().map(|game| game.id));
            }
            let games = schedule.games().unwrap();
            assert_eq!(ids, (0..games).collect());
            assert_eq!(schedule.static_round(2), None);
        }
    }

    #[test]
    fn single_games_change_colours_from_round_to_round() {
        let schedule = schedule(TournamentKind::RoundRobin, 4, 2, 1);
        let first = |number| {
            let round = schedule.static_round(number).unwrap();
            let fixtures = schedule.fixtures(&round, 0);
            assert!(fixtures.iter().all(|game| game.side() == 0));
            fixtures.into_iter().map(|game| game.players).collect::<Vec<_>>()
        };
        let turned: Vec<[usize; 2]> = first(1).into_iter().map(|[a, b]| [b, a]).collect();
        assert_eq!(first(0), turned);
    }

    #[test]
    fn a_gauntlet_pairs_seeds_with_all_others() {
        let mut schedule = schedule(TournamentKind::Gauntlet, 5, 1, 2);
        let met = |schedule: &Schedule| {
            let round = schedule.static_round(0).unwrap();
            round.encounters.iter().map(|encounter| encounter.players).collect::<Vec<_>>()
        };
        assert_eq!(met(&schedule), [[0, 1], [0, 2], [0, 3], [0, 4]]);
        schedule.seeds = 2;
        assert_eq!(met(&schedule).len(), 6);
        assert_eq!(schedule.games(), Some(12));
        schedule.reverse = true;
        assert_eq!(met(&schedule)[0], [2, 0]);
    }

    #[test]
    fn colours_change_from_round_to_round_unless_swaps_are_off() {
        let mut schedule = schedule(TournamentKind::Gauntlet, 2, 1, 1);
        let firsts = |schedule: &Schedule| -> Vec<usize> {
            let rounds = (0..4).map(|number| schedule.static_round(number).unwrap());
            rounds.map(|round| schedule.fixtures(&round, 0)[0].players[0]).collect()
        };
        schedule.rounds = 4;
        assert_eq!(firsts(&schedule), [0, 1, 0, 1]);
        schedule.swaps = false;
        assert_eq!(firsts(&schedule), [0; 4]);
    }

    /// Plays a tournament. The player with the smaller number always wins.
    fn played(schedule: &Schedule) -> Vec<PlayedRound> {
        let mut rounds: Vec<PlayedRound> = Vec::new();
        while let Some(round) = schedule.next_round(&rounds) {
            let points = round.encounters.iter().map(|encounter| {
                let [one, other] = encounter.players;
                let all = 2 * encounter.games;
                if one < other { [all, 0] } else { [0, all] }
            });
            let points = points.collect();
            rounds.push(PlayedRound { round, points });
        }
        rounds
    }

    #[test]
    fn a_swiss_tournament_has_no_rematch_and_one_bye_a_player() {
        for players in [4, 5, 8, 11, 16] {
            let rounds = if players == 4 { 3 } else { 4 };
            let schedule = schedule(TournamentKind::Swiss, players, rounds, 2);
            let played = played(&schedule);
            assert_eq!(played.len() as u64, rounds);
            let (mut met, mut byes, mut ids) = (HashSet::new(), HashSet::new(), HashSet::new());
            for round in played.iter().map(|played| &played.round) {
                let mut seen: HashSet<usize> = round.byes.iter().copied().collect();
                for encounter in &round.encounters {
                    let mut players = encounter.players;
                    players.sort_unstable();
                    assert!(met.insert(players), "{players:?} meet twice");
                    assert!(seen.insert(players[0]) && seen.insert(players[1]));
                }
                assert_eq!(seen.len(), players);
                assert!(round.byes.iter().all(|player| byes.insert(*player)));
                assert_eq!(round.byes.len(), players % 2);
                ids.extend(schedule.fixtures(round, 0).iter().map(|game| game.id));
            }
            assert_eq!(ids, (0..schedule.games().unwrap()).collect());
            let ranking = schedule.ranking(&played).unwrap();
            assert_eq!(ranking[0], 0, "{ranking:?}");
        }
    }

    #[test]
    fn a_knockout_is_won_by_the_best() {
        for players in 2..18 {
            let schedule = schedule(TournamentKind::Knockout, players, 2, 4);
            let played = played(&schedule);
            assert_eq!(schedule.ranking(&played).unwrap()[0], 0);
            let encounters: usize = played.iter().map(|round| round.points.len()).sum();
            assert_eq!(encounters, players - 1);
            assert_eq!(played.len() as u32, players.next_power_of_two().ilog2());
            let last = played.last().unwrap();
            assert_eq!(last.round.encounters.len(), 1);
            let first = &played[0].round;
            assert_eq!(first.byes.len(), players.next_power_of_two() - players);
        }
    }
}
