//! What the games of a run add up to: points, pairs, colours, ends, warnings, and what engines did.
//!
//! It is fed with records, in any order, and knows no file.

use std::collections::{BTreeMap, HashMap};

use crate::record::{EndKind, GameRecord, Warning};
use crate::stats::Results;
use crate::stats::ratings::RatedPair;
use crate::stats::sprt::{Decision, Sprt};

/// Wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wdl {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

impl Wdl {
    /// How many games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Half points.
    pub const fn half_points(&self) -> u64 {
        2 * self.wins + self.draws
    }

    /// The share of points, from 0 to 1; a half without games.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => self.half_points() as f64 / (2 * games) as f64,
        }
    }

    /// As counts of games.
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

/// What one engine did in all its games.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EngineFigures {
    /// The time of each move, in microseconds.
    pub times: Vec<u32>,
    /// The sum of depths, and of how many moves.
    pub depth: (u64, u64),
    /// The sum of the longest lines, and of how many moves.
    pub seldepth: (u64, u64),
    /// Nodes, and the microseconds in which they were searched.
    pub nodes: (u64, u64),
    /// Our time less the engine's own, in microseconds, and of how many moves.
    pub latency: (i64, u64),
    /// Replies that were the ones pondered on.
    pub ponder_hits: u64,
    /// The least time left after a move, in milliseconds.
    pub least_left: Option<i64>,
    /// In games with a clock, the time used and the time given with all increments, in milliseconds.
    pub clock: (u64, u64),
    /// The largest overrun, in microseconds.
    pub overrun: u64,
    /// CPU time while the opponent thought, in microseconds.
    pub waiting_cpu: u64,
    /// The most memory, in bytes.
    pub peak_memory: u64,
    /// Processes that were started.
    pub starts: u64,
    /// Processes that were started in place of an earlier one.
    pub restarts: u64,
    /// Games lost by a failure.
    pub failures: u64,
    /// Warnings, by what was odd.
    pub warnings: BTreeMap<String, u64>,
}

/// A player of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlayerTally {
    /// Its name.
    pub name: String,
    /// All games.
    pub all: Wdl,
    /// Games by colour: moving first, and second.
    pub by_side: [Wdl; 2],
    /// Whole pairs, by points: LL, LD, DD, WD, WW.
    pub pairs: [u64; 5],
    /// Drawn pairs in which each player won once; the others among them are two draws.
    pub split_pairs: u64,
    /// How its games ended.
    pub ends: BTreeMap<EndKind, u64>,
    /// What its engine did.
    pub figures: EngineFigures,
}

impl PlayerTally {
    /// The results that its strength is computed from: pairs, where all games belong to pairs.
    pub fn results(&self) -> Results {
        let pairs: u64 = self.pairs.iter().sum();
        match 2 * pairs == self.all.games() && pairs > 0 {
            true => Results::Pairs(self.pairs),
            false => self.all.results(),
        }
    }
}

/// A game of a pair, as far as it counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Half {
    players: [usize; 2],
    half_points: [u32; 2],
}

/// What the games of a run add up to.
#[derive(Clone, Debug)]
pub struct Tally {
    /// The players.
    pub players: Vec<PlayerTally>,
    /// Games of one player against another, by both numbers.
    pub met: Vec<Vec<Wdl>>,
    /// Whole pairs of one player against another, by points.
    pub met_pairs: Vec<Vec<[u64; 5]>>,
    /// How all games ended.
    pub ends: BTreeMap<EndKind, u64>,
    /// Wins of the player who moved first, and so on.
    pub first_mover: Wdl,
    /// Games that are marked as suspect.
    pub suspects: u64,
    /// Games that were played on after a proof, and of those the ones in which the proof did not come
    /// true.
    pub checked_proofs: (u64, u64),
    /// Games that ended by proof.
    pub proofs: u64,
    /// By pair: its games.
    halves: HashMap<u64, [Option<Half>; 2]>,
}

impl Tally {
    /// Nothing was played yet.
    pub fn new(names: &[String]) -> Self {
        let count = names.len();
        let player = |name: &String| PlayerTally { name: name.clone(), ..PlayerTally::default() };
        Self {
            players: names.iter().map(player).collect(),
            met: vec![vec![Wdl::default(); count]; count],
            met_pairs: vec![vec![[0; 5]; count]; count],
            ends: BTreeMap::new(),
            first_mover: Wdl::default(),
            suspects: 0,
            checked_proofs: (0, 0),
            proofs: 0,
            halves: HashMap::new(),
        }
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.ends.values().sum()
    }

    /// Counts the warnings of all players for which `-strict` fails: all but [`Warning::SHORT_LINE`].
    pub fn faults(&self) -> u64 {
        let warnings = self.players.iter().flat_map(|player| &player.figures.warnings);
        warnings.filter(|(what, _)| *what != Warning::SHORT_LINE).map(|(_, count)| count).sum()
    }

    /// Counts a game.
    pub fn add(&mut self, game: &GameRecord) {
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
            player.figures.add(game, side);
            self.met[me][opponent].add(half_points);
        }
        self.add_half(game, half_points);
    }

    fn add_half(&mut self, game: &GameRecord, half_points: [u32; 2]) {
        let halves = self.halves.entry(game.pair()).or_default();
        halves[(game.id % 2) as usize] = Some(Half { players: game.players, half_points });
        let [Some(one), Some(other)] = *halves else { return };
        for me in one.players {
            let points = |half: &Half| {
                let side = usize::from(half.players[1] == me);
                half.half_points[side]
            };
            let sum = points(&one) + points(&other);
            self.players[me].pairs[sum as usize] += 1;
            self.players[me].split_pairs += u64::from(sum == 2 && points(&one) != 1);
            let opponent = one.players[usize::from(one.players[0] == me)];
            self.met_pairs[me][opponent][sum as usize] += 1;
        }
    }

    /// The points that a pair was worth to a player, in half points; `None` while it is not complete.
    pub fn pair_points(&self, pair: u64, player: usize) -> Option<u32> {
        let [Some(one), Some(other)] = self.halves.get(&pair)? else { return None };
        let points = |half: &Half| half.half_points[usize::from(half.players[1] == player)];
        Some(points(one) + points(other))
    }

    /// The half points that both players of an encounter made in its pairs so far.
    pub fn points_in(&self, pairs: std::ops::Range<u64>, players: [usize; 2]) -> [u32; 2] {
        let mut points = [0; 2];
        for half in pairs.filter_map(|pair| self.halves.get(&pair)).flatten().flatten() {
            for (place, player) in players.into_iter().enumerate() {
                points[place] += half.half_points[usize::from(half.players[1] == player)];
            }
        }
        points
    }

    /// The pairs as the ratings take them.
    pub fn rated_pairs(&self) -> Vec<RatedPair> {
        let result = |half: Half, first: usize| {
            use crate::stats::ratings::GameResult::{Draw, Loss, Win};
            let side = usize::from(half.players[0] != first);
            match half.half_points[side] {
                2 => Win,
                1 => Draw,
                _ => Loss,
            }
        };
        let mut pairs: Vec<(&u64, &[Option<Half>; 2])> = self.halves.iter().collect();
        pairs.sort_by_key(|(number, _)| **number);
        let mut rated = Vec::new();
        for (_, halves) in pairs {
            match *halves {
                // Colours exchanged: one observation of two games.
                [Some(one), Some(other)] if one.players[0] == other.players[1] => {
                    let [first, second] = one.players;
                    let games = [Some(result(one, first)), Some(result(other, second))];
                    rated.push(RatedPair { players: one.players, games });
                }
                halves => rated.extend(halves.into_iter().flatten().map(|half| RatedPair {
                    players: half.players,
                    games: [Some(result(half, half.players[0])), None],
                })),
            }
        }
        rated
    }
}

impl EngineFigures {
    fn add(&mut self, game: &GameRecord, side: usize) {
        let usage = &game.usage[side];
        self.overrun = self.overrun.max(usage.overrun_micros);
        self.waiting_cpu += usage.waiting_cpu_micros;
        self.peak_memory = self.peak_memory.max(usage.peak_memory);
        self.starts += u64::from(usage.started);
        self.restarts += u64::from(usage.restarted);
        self.failures += u64::from(game.failed_side() == Some(side));
        for warning in game.warnings.iter().filter(|warning| warning.player == game.players[side]) {
            *self.warnings.entry(warning.what.clone()).or_default() += 1;
        }
        // The first note belongs to the side that moved first after the opening.
        let first = game.first_to_note();
        let (mut used, mut last_left) = (0, None);
        for (place, note) in game.notes.iter().enumerate() {
            if (first + place) % 2 != side {
                continue;
            }
            self.times.push(u32::try_from(note.micros).unwrap_or(u32::MAX));
            let add = |sum: &mut (u64, u64), value: Option<u64>| {
                if let Some(value) = value {
                    *sum = (sum.0 + value, sum.1 + 1);
                }
            };
            add(&mut self.depth, note.depth.map(u64::from));
            add(&mut self.seldepth, note.seldepth.map(u64::from));
            if let Some(nodes) = note.nodes {
                let micros = note.own_millis.map_or(note.micros, |millis| 1000 * millis);
                self.nodes = (self.nodes.0 + nodes, self.nodes.1 + micros);
            }
            if let Some(millis) = note.own_millis {
                let late = note.micros as i64 - 1000 * millis as i64;
                self.latency = (self.latency.0 + late, self.latency.1 + 1);
            }
            used += note.micros / 1000;
            if let Some(left) = note.left_millis {
                last_left = Some(left);
                self.least_left = Some(self.least_left.map_or(left, |least| least.min(left)));
            }
            self.ponder_hits += u64::from(note.ponder_hit);
        }
        if let Some(left) = last_left {
            self.clock = (self.clock.0 + used, self.clock.1 + used.saturating_add_signed(left));
        }
    }

    /// The share of its clocks that it used, from 0 to 1.
    pub fn clock_share(&self) -> Option<f64> {
        (self.clock.1 > 0).then(|| self.clock.0 as f64 / self.clock.1 as f64)
    }

    /// The mean time of a move, in microseconds.
    pub fn mean_time(&self) -> Option<f64> {
        let sum: u64 = self.times.iter().copied().map(u64::from).sum();
        (!self.times.is_empty()).then(|| sum as f64 / self.times.len() as f64)
    }

    /// The time that so large a share of moves did not exceed, in microseconds.
    pub fn time_at(&self, share: f64) -> Option<u32> {
        let mut times = self.times.clone();
        times.sort_unstable();
        let place = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len().max(1));
        times.get(place - 1).copied()
    }
}

/// A sequential test while games are played: it looks at pairs in the order of their numbers, over a
/// prefix without gaps.
#[derive(Clone, Debug)]
pub struct TestProgress {
    test: Sprt,
    /// Whether games may end by proof.
    has_proofs: bool,
    /// The pairs that count, by points of the first player.
    pub counts: [u64; 5],
    /// The first pair that is not counted yet.
    pub next_pair: u64,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// The decision, once it fell, and the pair that decided.
    pub decision: Option<(Decision, u64)>,
}

impl TestProgress {
    /// Nothing was played yet. `has_proofs`: whether games may end by proof.
    pub fn new(test: Sprt, has_proofs: bool) -> Self {
        Self { test, has_proofs, counts: [0; 5], next_pair: 0, llr: 0.0, decision: None }
    }

    /// The test.
    pub fn test(&self) -> &Sprt {
        &self.test
    }

    /// Whether games may end by proof.
    pub fn has_proofs(&self) -> bool {
        self.has_proofs
    }

    /// Looks at the pairs that have become complete.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameScore, MoveNote};

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
    fn moves_belong_to_whoever_made_them() {
        let mut tally = Tally::new(&names());
        // One move of an opening: the second player moves first behind it.
        tally.add(&game(0, [0, 1], GameScore::First));
        assert_eq!(tally.players[1].figures.times, [10, 30]);
        assert_eq!(tally.players[0].figures.times, [20]);
        assert_eq!(tally.players[1].figures.time_at(0.99), Some(30));
        assert_eq!(tally.players[0].figures.least_left, Some(100));
    }

    #[test]
    fn the_share_of_a_clock_counts_what_was_used_and_what_was_left() {
        let mut tally = Tally::new(&names());
        assert_eq!(tally.players[0].figures.clock_share(), None);
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
        assert_eq!(tally.players[0].figures.clock_share(), Some(0.75));
        assert_eq!(tally.players[1].figures.clock_share(), Some(0.0));
    }

    #[test]
    fn a_line_that_breaks_off_is_a_warning_and_no_fault() {
        let mut tally = Tally::new(&names());
        let warning =
            |what: &str| Warning { player: 1, what: what.to_owned(), line: String::new() };
        let mut one = game(0, [0, 1], GameScore::First);
        one.warnings = vec![warning(Warning::SHORT_LINE)];
        tally.add(&one);
        assert_eq!(tally.players[1].figures.warnings[Warning::SHORT_LINE], 1);
        assert_eq!(tally.faults(), 0);
        one.id = 1;
        one.warnings.push(warning("no score"));
        tally.add(&one);
        assert_eq!(tally.faults(), 1);
    }

    #[test]
    fn a_test_waits_for_the_pair_that_is_next() {
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
