//! [`Tally`]: the sums over the games of a run: points, pairs, colours, ends, statistics of
//! engines.
//!
//! The records may come in any order. This module does not depend on a file.

mod engine_stats;

use std::collections::{BTreeMap, HashMap};

pub use self::engine_stats::{EngineStats, Mean};
use crate::config::Config;
use crate::record::{EndKind, Forfeit, GameRecord, GameScore, JournalRecord, Round};
use crate::schedule::PlayedRound;
use crate::stats::Results;
use crate::stats::ratings::RatedPair;
use crate::stats::sprt::{Hypothesis, Sprt};

/// Wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wdl {
    /// The number of won games.
    pub wins: u64,
    /// The number of drawn games.
    pub draws: u64,
    /// The number of lost games.
    pub losses: u64,
}

impl Wdl {
    /// Returns the number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the half points.
    pub const fn half_points(&self) -> u64 {
        2 * self.wins + self.draws
    }

    /// Returns the share of points, from 0 to 1; 0.5 without games.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => self.half_points() as f64 / (2 * games) as f64,
        }
    }

    /// Returns the counts as [`Results::Games`].
    pub const fn results(&self) -> Results {
        Results::Games([self.losses, self.draws, self.wins])
    }

    fn add(&mut self, half_points: u32) {
        match half_points {
            2 => self.wins += 1,
            1 => self.draws += 1,
            _ => self.losses += 1,
        }
    }
}

/// The sums over the games of one player.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlayerTally {
    /// The name.
    pub name: String,
    /// All games.
    pub all: Wdl,
    /// Games by colour: as first player, and as second.
    pub by_side: [Wdl; 2],
    /// Complete pairs, by points: LL, LD, DD+WL, WD, WW.
    pub pairs: [u64; 5],
    /// The number of pairs with one win and one loss.
    pub split_pairs: u64,
    /// The number of games by the kind of their end.
    pub ends: BTreeMap<EndKind, u64>,
    /// The statistics of the engine.
    pub stats: EngineStats,
}

impl PlayerTally {
    /// Returns the results for the estimate of strength: pairs if all games are in complete pairs,
    /// otherwise games.
    pub fn results(&self) -> Results {
        let pairs: u64 = self.pairs.iter().sum();
        match 2 * pairs == self.all.games() && pairs > 0 {
            true => Results::Pairs(self.pairs),
            false => self.all.results(),
        }
    }
}

/// One game of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PairGame {
    players: [usize; 2],
    score: GameScore,
}

impl PairGame {
    /// Returns the half points of a player of the game.
    fn points(&self, player: usize) -> u32 {
        self.score.half_points(usize::from(self.players[1] == player))
    }
}

/// The sums over the games of a run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The players.
    pub players: Vec<PlayerTally>,
    /// Games of one player against another: `met[player][opponent]`.
    pub met: Vec<Vec<Wdl>>,
    /// Complete pairs of one player against another, by points: `met_pairs[player][opponent]`.
    pub met_pairs: Vec<Vec<[u64; 5]>>,
    /// The number of games by the kind of their end.
    pub ends: BTreeMap<EndKind, u64>,
    /// The games from the side of the player who moved first.
    pub first_mover: Wdl,
    /// The number of games that are marked as suspect.
    pub suspects: u64,
    /// The number of games that were played on after a proof, and of those with another result than
    /// the proven one.
    pub checked_proofs: (u64, u64),
    /// The number of games that ended by proof.
    pub proofs: u64,
    /// The rounds, in order.
    pub rounds: Vec<Round>,
    /// The games that are not played, by number.
    pub forfeits: BTreeMap<u64, Forfeit>,
    /// The withdrawn players, with the reason.
    pub withdrawn: BTreeMap<usize, String>,
    /// Whether a player was ever withdrawn.
    pub had_withdrawals: bool,
    /// The games of each pair, by the number of the pair.
    pair_games: HashMap<u64, [Option<PairGame>; 2]>,
}

impl Tally {
    /// Creates a tally without games.
    pub fn new(names: &[String]) -> Self {
        let count = names.len();
        let player = |name: &String| PlayerTally { name: name.clone(), ..PlayerTally::default() };
        Self {
            players: names.iter().map(player).collect(),
            met: vec![vec![Wdl::default(); count]; count],
            met_pairs: vec![vec![[0; 5]; count]; count],
            ..Self::default()
        }
    }

    /// Creates the tally of the records of a journal.
    pub fn of(names: &[String], records: &[JournalRecord]) -> Self {
        Self::until(u64::MAX, names, records)
    }

    /// Creates the tally of the records of a journal without the games of the pairs after `last`.
    pub fn until(last: u64, names: &[String], records: &[JournalRecord]) -> Self {
        let mut tally = Self::new(names);
        let counts = |record: &&JournalRecord| record.game().is_none_or(|game| game.pair() <= last);
        records.iter().filter(counts).for_each(|record| tally.add_record(record));
        tally
    }

    /// Adds a record of the journal.
    pub fn add_record(&mut self, record: &JournalRecord) {
        match record {
            JournalRecord::Game(game) => self.add(game),
            JournalRecord::Round(round) => self.rounds.push(round.clone()),
            JournalRecord::Forfeit(forfeit) => {
                self.forfeits.insert(forfeit.id, forfeit.clone());
            }
            JournalRecord::Withdrawn { player, why } => {
                self.withdrawn.insert(*player, why.clone());
                self.had_withdrawals = true;
            }
            JournalRecord::Readmitted { player } => {
                self.withdrawn.remove(player);
            }
            JournalRecord::Head(_) | JournalRecord::Void { .. } | JournalRecord::Spsa(_) => {}
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.ends.values().sum()
    }

    /// Returns the number of warnings.
    pub fn warnings(&self) -> u64 {
        self.players.iter().flat_map(|player| player.stats.warnings.values()).sum()
    }

    /// Adds a game.
    pub fn add(&mut self, game: &GameRecord) {
        // A readmitted player may play a game that was forfeited.
        self.forfeits.remove(&game.id);
        let half_points = [0, 1].map(|side| game.score.half_points(side));
        self.first_mover.add(half_points[0]);
        *self.ends.entry(game.end.kind).or_default() += 1;
        self.suspects += u64::from(game.suspect);
        if let Some(proof) = &game.proof {
            if proof.played_on {
                self.checked_proofs.0 += 1;
                self.checked_proofs.1 += u64::from(proof.score != game.score);
            } else {
                self.proofs += 1;
            }
        }
        for (side, half_points) in half_points.into_iter().enumerate() {
            let [me, opponent] = [game.players[side], game.players[1 - side]];
            let player = &mut self.players[me];
            player.all.add(half_points);
            player.by_side[side].add(half_points);
            *player.ends.entry(game.end.kind).or_default() += 1;
            player.stats.add(game, side);
            self.met[me][opponent].add(half_points);
        }
        self.add_to_pair(game);
    }

    fn add_to_pair(&mut self, game: &GameRecord) {
        let GameRecord { players, score, .. } = *game;
        let pair_games = self.pair_games.entry(game.pair()).or_default();
        pair_games[(game.id % 2) as usize] = Some(PairGame { players, score });
        let [Some(one), Some(other)] = *pair_games else { return };
        for me in one.players {
            let sum = one.points(me) + other.points(me);
            self.players[me].pairs[sum as usize] += 1;
            self.players[me].split_pairs += u64::from(sum == 2 && one.points(me) != 1);
            let opponent = one.players[usize::from(one.players[0] == me)];
            self.met_pairs[me][opponent][sum as usize] += 1;
        }
    }

    /// Returns the half points of a player in a pair; `None` while the pair is incomplete.
    pub fn pair_points(&self, pair: u64, player: usize) -> Option<u32> {
        let [Some(one), Some(other)] = self.pair_games.get(&pair)? else { return None };
        Some(one.points(player) + other.points(player))
    }

    /// Returns the half points of both players of an encounter in its pairs so far.
    pub fn points_in(&self, pairs: std::ops::Range<u64>, players: [usize; 2]) -> [u32; 2] {
        let ids = 2 * pairs.start..2 * pairs.end;
        let games: Vec<&PairGame> =
            pairs.filter_map(|pair| self.pair_games.get(&pair)).flatten().flatten().collect();
        let winners: Vec<usize> =
            self.forfeits.range(ids).filter_map(|(_, forfeit)| forfeit.winner).collect();
        players.map(|player| {
            let played: u32 = games.iter().map(|game| game.points(player)).sum();
            let forfeited = winners.iter().filter(|winner| **winner == player).count();
            played + 2 * forfeited as u32
        })
    }

    /// Returns a round with the half points of its encounters so far.
    pub fn played(&self, round: &Round) -> PlayedRound {
        let encounters = round.pairings.iter().enumerate();
        let points =
            encounters.map(|(number, players)| self.points_in(round.pairs(number), *players));
        PlayedRound { round: round.clone(), points: points.collect() }
    }

    /// Returns whether every game of a round was played or forfeited.
    pub fn is_complete(&self, round: &Round) -> bool {
        let is_over = |id: u64| {
            let games = self.pair_games.get(&(id / 2));
            games.is_some_and(|games| games[(id % 2) as usize].is_some())
                || self.forfeits.contains_key(&id)
        };
        (0..round.pairings.len()).all(|encounter| {
            let first = 2 * round.pairs(encounter).start;
            (first..first + u64::from(round.games)).all(is_over)
        })
    }

    /// Returns all pairs for the ratings.
    pub fn rated_pairs(&self) -> Vec<RatedPair> {
        let mut pairs: Vec<(&u64, &[Option<PairGame>; 2])> = self.pair_games.iter().collect();
        pairs.sort_by_key(|(number, _)| **number);
        let mut rated = Vec::new();
        for (_, pair_games) in pairs {
            match *pair_games {
                // With colours exchanged, the two games are one observation.
                [Some(PairGame { players, score }), Some(other)]
                    if players[0] == other.players[1] =>
                {
                    rated.push(RatedPair { players, games: [Some(score), Some(other.score)] });
                }
                pair_games => rated.extend(pair_games.into_iter().flatten().map(|game| {
                    RatedPair { players: game.players, games: [Some(game.score), None] }
                })),
            }
        }
        rated
    }
}

/// A running sequential test.
///
/// Pairs count in the order of their numbers and without gaps, so that the order in which games end
/// does not change the decision.
#[derive(Clone, Debug)]
pub struct TestProgress {
    /// The test.
    pub test: Sprt,
    /// Whether games may end by proof.
    pub has_proofs: bool,
    /// The counted pairs, by points of the first player.
    pub counts: [u64; 5],
    /// The number of the first pair that is not counted yet.
    pub next_pair: u64,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// The decision and the number of the deciding pair; `None` before the decision.
    pub decision: Option<(Hypothesis, u64)>,
}

impl TestProgress {
    /// Creates a test without games. `has_proofs` says whether games may end by proof.
    pub fn new(test: Sprt, has_proofs: bool) -> Self {
        Self { test, has_proofs, counts: [0; 5], next_pair: 0, llr: 0.0, decision: None }
    }

    /// Returns the tally of a run, and its test if it is one. After the decision of a test, later pairs
    /// do not count.
    pub fn of(
        config: &Config,
        names: &[String],
        records: &[JournalRecord],
    ) -> (Tally, Option<Self>) {
        let mut tally = Tally::of(names, records);
        let Some(test) = config.sprt else { return (tally, None) };
        let mut progress = Self::new(test.into(), config.proof.is_some());
        progress.advance(&tally);
        if let Some((_, last)) = progress.decision {
            tally = Tally::until(last, names, records);
        }
        (tally, Some(progress))
    }

    /// Counts the pairs that have become complete, until the decision.
    pub fn advance(&mut self, tally: &Tally) {
        while self.decision.is_none()
            && let Some(points) = tally.pair_points(self.next_pair, 0)
        {
            self.counts[points as usize] += 1;
            self.llr = self.test.llr(&Results::Pairs(self.counts));
            let decided = self.test.decide(self.llr);
            self.decision = decided.map(|decision| (decision, self.next_pair));
            self.next_pair += 1;
        }
    }

    /// Returns the games that the decision still needs if the log-likelihood ratio goes on as it did; `None`
    /// before it has a direction.
    pub fn games_left(&self) -> Option<u64> {
        let [low, high] = self.test.bounds();
        let bound = if self.llr < 0.0 { low } else { high };
        let pairs = self.next_pair as f64 * (bound / self.llr - 1.0);
        (pairs.is_finite()).then(|| 2 * pairs.max(0.0).ceil() as u64)
    }
}

/// The state of a run, for its watcher.
#[derive(Clone, Debug)]
pub struct RunState {
    /// The sums of the games so far.
    pub tally: Tally,
    /// The sequential test; `None` if the run is no test.
    pub test: Option<TestProgress>,
    /// The number of all games, if no more ties of a knockout need extra games.
    pub games: u64,
    /// Whether ties may need extra games.
    pub may_grow: bool,
    /// The number of games played since the program started.
    pub played_now: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{MoveNote, Warning};

    fn game(id: u64, players: [usize; 2], score: GameScore) -> GameRecord {
        let note = |micros| MoveNote { micros, left_millis: Some(100), ..MoveNote::default() };
        GameRecord {
            opening_plies: 1,
            moves: vec!["a1".into(), "a2".into(), "a3".into(), "a4".into()],
            notes: vec![note(10), note(20), note(30)],
            ..GameRecord::of_result(id, players, score, EndKind::Line)
        }
    }

    fn names() -> Vec<String> {
        vec!["A".to_owned(), "B".to_owned()]
    }

    #[test]
    fn games_add_up_by_player_colour_and_pair() {
        let mut tally = Tally::new(&names());
        tally.add(&game(0, [0, 1], GameScore::First));
        assert_eq!(tally.pair_points(0, 0), None);
        assert_eq!(tally.players[0].results(), Results::Games([0, 0, 1]));
        tally.add(&game(1, [1, 0], GameScore::Draw));
        tally.add(&game(3, [1, 0], GameScore::First));
        tally.add(&game(2, [0, 1], GameScore::First));
        assert_eq!((tally.pair_points(0, 0), tally.pair_points(1, 1)), (Some(3), Some(2)));
        let one = &tally.players[0];
        assert_eq!(one.all, Wdl { wins: 2, draws: 1, losses: 1 });
        assert_eq!((one.by_side[0].wins, one.by_side[1].draws), (2, 1));
        assert_eq!((one.pairs, one.split_pairs), ([0, 0, 1, 1, 0], 1));
        assert_eq!(tally.players[1].pairs, [0, 1, 1, 0, 0]);
        assert_eq!(tally.met_pairs[1][0], [0, 1, 1, 0, 0]);
        assert_eq!(tally.points_in(0..2, [1, 0]), [3, 5]);
        assert_eq!(tally.rated_pairs().len(), 2);
        assert_eq!(tally.first_mover, Wdl { wins: 3, draws: 1, losses: 0 });
    }

    #[test]
    fn notes_count_for_the_player_who_moved() {
        let mut tally = Tally::new(&names());
        // The opening has one move, so the second player makes the first move after it.
        tally.add(&game(0, [0, 1], GameScore::First));
        assert_eq!(tally.players[1].stats.times, [10, 30]);
        assert_eq!(tally.players[0].stats.times, [20]);
        assert_eq!(tally.players[1].stats.time_at(0.99), Some(30));
        assert_eq!(tally.players[0].stats.least_left, Some(100));
    }

    #[test]
    fn the_clock_share_is_used_time_over_given_time() {
        let mut tally = Tally::new(&names());
        assert_eq!(tally.players[0].stats.clock.value(), None);
        let note = |millis: u64, left| MoveNote {
            micros: 1000 * millis,
            left_millis: Some(left),
            ..MoveNote::default()
        };
        // An increment of 100 ms before each move: 400 ms were given, 300 ms were used.
        let mut one = game(0, [0, 1], GameScore::First);
        one.opening_plies = 0;
        one.notes = vec![note(200, 100), note(0, 500), note(100, 100)];
        tally.add(&one);
        assert_eq!(tally.players[0].stats.clock.value(), Some(0.75));
        assert_eq!(tally.players[1].stats.clock.value(), Some(0.0));
    }

    #[test]
    fn short_lines_in_old_journals_are_no_warnings() {
        let mut tally = Tally::new(&names());
        let warning =
            |what: &str| Warning { player: 1, what: what.to_owned(), line: String::new() };
        let mut one = game(0, [0, 1], GameScore::First);
        one.warnings = vec![warning(Warning::SHORT_LINE), warning("no score")];
        tally.add(&one);
        assert_eq!(tally.players[1].stats.warnings.get(Warning::SHORT_LINE), None);
        assert_eq!(tally.warnings(), 1);
    }

    #[test]
    fn forfeits_give_points_until_the_game_is_played() {
        let mut tally = Tally::new(&names());
        let forfeit = Forfeit { id: 1, players: [1, 0], winner: Some(0) };
        tally.add_record(&JournalRecord::Forfeit(forfeit));
        assert_eq!((tally.points_in(0..1, [0, 1]), tally.games()), ([2, 0], 0));
        tally.add(&game(1, [1, 0], GameScore::First));
        assert_eq!(tally.points_in(0..1, [0, 1]), [0, 2]);
    }

    #[test]
    fn a_test_counts_pairs_in_order() {
        let mut progress = TestProgress::new(Sprt::default(), false);
        let mut tally = Tally::new(&names());
        for id in [2, 3, 1] {
            tally.add(&game(id, if id % 2 == 0 { [0, 1] } else { [1, 0] }, GameScore::Draw));
            progress.advance(&tally);
        }
        assert_eq!((progress.next_pair, progress.counts), (0, [0; 5]));
        tally.add(&game(0, [0, 1], GameScore::First));
        progress.advance(&tally);
        assert_eq!((progress.next_pair, progress.counts), (2, [0, 0, 1, 1, 0]));
    }

    #[test]
    fn the_order_of_games_does_not_change_a_decision() {
        let test = Sprt { elo: [0.0, 100.0], ..Sprt::default() };
        let games: Vec<GameRecord> = (0..400)
            .map(|id| {
                let players = if id % 2 == 0 { [0, 1] } else { [1, 0] };
                let score = if (id / 2) % 3 == 0 {
                    GameScore::Draw
                } else {
                    GameScore::won_by((id % 2) as usize)
                };
                game(id, players, score)
            })
            .collect();
        let decided = |order: &[usize]| {
            let (mut tally, mut progress) = (Tally::new(&names()), TestProgress::new(test, false));
            for &place in order {
                tally.add(&games[place]);
                progress.advance(&tally);
            }
            (progress.decision, progress.counts, progress.llr.to_bits())
        };
        let in_order: Vec<usize> = (0..games.len()).collect();
        let mut shuffled = in_order.clone();
        fastrand::Rng::with_seed(5).shuffle(&mut shuffled);
        assert!(decided(&in_order).0.is_some());
        assert_eq!(decided(&in_order), decided(&shuffled));
    }
}
