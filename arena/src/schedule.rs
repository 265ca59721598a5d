//! [`Schedule`]: the rounds, encounters, pairs and games of a tournament, all numbered.
//!
//! A schedule is a pure function of the settings and of the points in earlier rounds. Nothing
//! random happens while games are played, so that a continued run plays the same games.

mod knockout;
mod round_robin;
mod swiss;

use crate::config::{Config, TournamentKind};
use crate::record::Round;

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

/// The schedule of a run with this configuration.
#[derive(Clone, Copy, Debug)]
pub struct Schedule<'a>(pub &'a Config);

impl Schedule<'_> {
    fn players(&self) -> usize {
        self.0.engines.len()
    }

    /// Returns whether rounds depend on the points of earlier rounds.
    pub fn needs_points(&self) -> bool {
        matches!(self.0.tournament, TournamentKind::Swiss | TournamentKind::Knockout)
    }

    /// Returns the number of all games; `None` for a knockout, whose ties need extra games.
    pub fn games(&self) -> Option<u64> {
        let encounters = match self.0.tournament {
            TournamentKind::RoundRobin => self.players() * (self.players() - 1) / 2,
            TournamentKind::Gauntlet => {
                self.gauntlet_seeds() * (self.players() - self.gauntlet_seeds())
            }
            TournamentKind::Swiss => self.players() / 2,
            TournamentKind::Knockout => return None,
        };
        Some(self.0.rounds() * encounters as u64 * u64::from(self.0.games))
    }

    /// Returns the number of all games if no more ties come. `rounds` are the rounds so far.
    pub fn least_games(&self, rounds: &[Round]) -> u64 {
        if let Some(games) = self.games() {
            return games;
        }
        let begun = rounds.iter().map(|round| round.pairings.len() as u64 * u64::from(round.games));
        let mut met: Vec<[usize; 2]> = rounds.iter().flat_map(|it| &it.pairings).copied().collect();
        met.iter_mut().for_each(|players| players.sort_unstable());
        met.sort_unstable();
        // The extra pairs of a tie belong to an encounter that has begun.
        met.dedup();
        let open = (self.players() - 1).saturating_sub(met.len()) as u64;
        begun.sum::<u64>() + open * u64::from(self.0.games)
    }

    /// Returns the round after the finished rounds `before`; `None` at the end. A Swiss tournament
    /// does not pair the players `absent`.
    pub fn next_round(&self, before: &[PlayedRound], absent: &[usize]) -> Option<Round> {
        let last = before.last().map(|played| &played.round);
        let number = last.map_or(0, |round| round.number + 1);
        match self.0.tournament {
            TournamentKind::RoundRobin | TournamentKind::Gauntlet => self.static_round(number),
            TournamentKind::Swiss if number >= self.0.rounds() => None,
            TournamentKind::Swiss => {
                let (pairings, bye) = swiss::pairings(self.players(), self.0.games, before, absent);
                Some(self.round(number, next_pair(last), pairings, self.0.games, bye))
            }
            TournamentKind::Knockout => {
                let next = self.bracket().next(before)?;
                let games = if next.is_extra { 2 } else { self.0.games };
                let round = self.round(number, next_pair(last), next.pairings, games, next.byes);
                Some(Round { by_seed: next.by_seed, ..round })
            }
        }
    }

    /// Returns a round of a schedule that does not depend on points; `None` after the last round.
    pub fn static_round(&self, number: u64) -> Option<Round> {
        if number >= self.0.rounds() {
            return None;
        }
        let mut pairings = match self.0.tournament {
            TournamentKind::Gauntlet => {
                round_robin::gauntlet(self.players(), self.gauntlet_seeds())
            }
            _ => round_robin::circle(self.players()),
        };
        // If an encounter has an odd number of games, colours alternate between rounds.
        if number % 2 == 1 && !self.0.no_swap {
            pairings.iter_mut().for_each(|players| players.reverse());
        }
        let pairs = pairings.len() as u64 * u64::from(self.0.games.div_ceil(2));
        Some(self.round(number, number * pairs, pairings, self.0.games, Vec::new()))
    }

    /// Returns the games of a round, by number. `first_encounter` is the number of its first
    /// encounter.
    pub fn fixtures(&self, round: &Round, first_encounter: u64) -> Vec<Fixture> {
        let mut fixtures = Vec::new();
        for (index, &pairing) in round.pairings.iter().enumerate() {
            for game in 0..round.games {
                let side = u64::from(game % 2);
                let mut players = pairing;
                if side == 1 && !self.0.no_swap {
                    players.reverse();
                }
                fixtures.push(Fixture {
                    id: 2 * (round.pairs(index).start + u64::from(game / 2)) + side,
                    round: round.number,
                    encounter: first_encounter + index as u64,
                    players,
                });
            }
        }
        fixtures
    }

    /// Returns the players of a finished knockout, the winner first; `None` for other tournaments, and
    /// while a knockout continues.
    pub fn bracket_ranking(&self, played: &[PlayedRound]) -> Option<Vec<usize>> {
        self.finished_bracket(played).map(|bracket| bracket.ranking(played))
    }

    /// Returns all ties of a knockout that the better seed decided, as winner and loser.
    pub fn decided_by_seed(&self, played: &[PlayedRound]) -> Vec<[usize; 2]> {
        let mut decided: Vec<[usize; 2]> =
            played.iter().flat_map(|played| played.round.by_seed.iter().copied()).collect();
        let bracket = self.finished_bracket(played);
        decided.extend(bracket.iter().flat_map(|bracket| bracket.last_ties_by_seed(played)));
        decided
    }

    fn finished_bracket(&self, played: &[PlayedRound]) -> Option<knockout::Bracket> {
        let is_knockout = self.0.tournament == TournamentKind::Knockout;
        let bracket = is_knockout.then(|| self.bracket())?;
        bracket.next(played).is_none().then_some(bracket)
    }

    fn bracket(&self) -> knockout::Bracket {
        let Config { seeds, seed, extra, .. } = *self.0;
        knockout::Bracket::new(self.players(), seeds as usize, seed, extra)
    }

    fn gauntlet_seeds(&self) -> usize {
        self.0.seeds.max(1) as usize
    }

    fn round(
        &self,
        number: u64,
        first_pair: u64,
        mut pairings: Vec<[usize; 2]>,
        games: u32,
        byes: Vec<usize>,
    ) -> Round {
        if self.0.reverse {
            pairings.iter_mut().for_each(|players| players.reverse());
        }
        Round { number, first_pair, games, pairings, byes, by_seed: Vec::new() }
    }
}

/// Returns the number of the first pair after a round.
fn next_pair(last: Option<&Round>) -> u64 {
    last.map_or(0, |round| round.pairs(round.pairings.len()).start)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::config::EngineConfig;

    fn config(tournament: TournamentKind, players: usize, rounds: u64, games: u32) -> Config {
        let engines = vec![EngineConfig::default(); players];
        Config { engines, tournament, rounds: Some(rounds), games, ..Config::default() }
    }

    #[test]
    fn all_players_meet_once_a_round_with_both_colours() {
        for players in 2..9 {
            let config = config(TournamentKind::RoundRobin, players, 2, 2);
            let schedule = Schedule(&config);
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
        let config = config(TournamentKind::RoundRobin, 4, 2, 1);
        let schedule = Schedule(&config);
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
        let mut config = config(TournamentKind::Gauntlet, 5, 1, 2);
        let met = |config: &Config| Schedule(config).static_round(0).unwrap().pairings;
        assert_eq!(met(&config), [[0, 1], [0, 2], [0, 3], [0, 4]]);
        config.seeds = 2;
        assert_eq!(met(&config).len(), 6);
        assert_eq!(Schedule(&config).games(), Some(12));
        config.reverse = true;
        assert_eq!(met(&config)[0], [2, 0]);
    }

    #[test]
    fn colours_change_from_round_to_round_unless_swaps_are_off() {
        let mut config = config(TournamentKind::Gauntlet, 2, 4, 1);
        let firsts = |config: &Config| -> Vec<usize> {
            let schedule = Schedule(config);
            let rounds = (0..4).map(|number| schedule.static_round(number).unwrap());
            rounds.map(|round| schedule.fixtures(&round, 0)[0].players[0]).collect()
        };
        assert_eq!(firsts(&config), [0, 1, 0, 1]);
        config.no_swap = true;
        assert_eq!(firsts(&config), [0; 4]);
    }

    /// Plays a tournament. The player with the smaller number always wins.
    fn played(schedule: Schedule<'_>) -> Vec<PlayedRound> {
        let mut rounds: Vec<PlayedRound> = Vec::new();
        while let Some(round) = schedule.next_round(&rounds, &[]) {
            let points = round.pairings.iter().map(|[one, other]| {
                let all = 2 * round.games;
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
            let config = config(TournamentKind::Swiss, players, rounds, 2);
            let schedule = Schedule(&config);
            let played = played(schedule);
            assert_eq!(played.len() as u64, rounds);
            let (mut met, mut byes, mut ids) = (HashSet::new(), HashSet::new(), HashSet::new());
            for round in played.iter().map(|played| &played.round) {
                let mut seen: HashSet<usize> = round.byes.iter().copied().collect();
                for pairing in &round.pairings {
                    let mut players = *pairing;
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
            let ranking = swiss::standings(players, 2, &played);
            assert_eq!(ranking[0], 0, "{ranking:?}");
        }
    }

    #[test]
    fn a_knockout_is_won_by_the_best() {
        for players in 2..18 {
            let config = config(TournamentKind::Knockout, players, 2, 4);
            let schedule = Schedule(&config);
            let played = played(schedule);
            let rounds: Vec<Round> = played.iter().map(|played| played.round.clone()).collect();
            for begun in 0..=rounds.len() {
                let least = schedule.least_games(&rounds[..begun]);
                assert_eq!(least, 4 * (players as u64 - 1), "{players} {begun}");
            }
            let pairings = rounds[0].pairings[..1].to_vec();
            let tie = Round { pairings, games: 2, number: 1, ..rounds[0].clone() };
            let least = schedule.least_games(&[rounds[0].clone(), tie]);
            assert_eq!(least, 4 * (players as u64 - 1) + 2);
            assert_eq!(schedule.bracket_ranking(&played).unwrap()[0], 0);
            let encounters: usize = played.iter().map(|round| round.points.len()).sum();
            assert_eq!(encounters, players - 1);
            assert_eq!(played.len() as u32, players.next_power_of_two().ilog2());
            let last = played.last().unwrap();
            assert_eq!(last.round.pairings.len(), 1);
            let first = &played[0].round;
            assert_eq!(first.byes.len(), players.next_power_of_two() - players);
        }
    }
}
