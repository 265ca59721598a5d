//! Levels: play below full strength, with the same move in the same position every time.
//!
//! A level is a small search that ranks many moves, and a choice among them. A win or a loss
//! further away than the level's limit counts like any advantage. Every score has an error that
//! depends on the position, the move and a seed. So a weak level overlooks long threats first, and
//! a line that is one stone short last. The search itself does not know of levels.

use crate::hash::mix64;
use crate::limits::Limits;
use crate::score::Score;

/// How strong to play, as a client sets it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Strength {
    /// The level, from 0 to [`Strength::FULL`].
    pub skill: u8,
    /// The rating to play at, on the scale of [`Strength::ELO`]; `None` for no limit.
    pub elo: Option<u16>,
    /// The seed of the errors: another seed gives other games at the same level.
    pub seed: u32,
    /// Whether the client analyses: then the strength is full.
    pub analyses: bool,
}

impl Default for Strength {
    fn default() -> Self {
        Self { skill: Self::FULL, elo: None, seed: 0, analyses: false }
    }
}

impl Strength {
    /// Sets the skill, from 0 to [`Strength::FULL`].
    #[must_use]
    pub fn with_skill(mut self, skill: u8) -> Self {
        self.skill = skill;
        self
    }

    /// Sets the rating to play at; `None` for no limit.
    #[must_use]
    pub fn with_elo(mut self, elo: Option<u16>) -> Self {
        self.elo = elo;
        self
    }

    /// Sets the seed of a level.
    #[must_use]
    pub fn with_seed(mut self, seed: u32) -> Self {
        self.seed = seed;
        self
    }

    /// Sets whether the client analyses: then the strength is full.
    #[must_use]
    pub fn with_analysis(mut self, analyses: bool) -> Self {
        self.analyses = analyses;
        self
    }

    /// The skill of full strength.
    pub const FULL: u8 = 10;

    /// The rating of each skill below full strength, from matches of neighbours. The weakest is 1000
    /// by definition, and the steps are scaled so that the strongest is 2420.
    pub const ELO: [u16; Self::FULL as usize] =
        [1000, 1185, 1385, 1540, 1725, 1965, 2060, 2190, 2330, 2420];

    /// Returns the level to play at; `None` at full strength.
    pub(crate) fn level(&self) -> Option<Level> {
        let rated = self.elo.map_or(Self::FULL, |elo| {
            let reached = Self::ELO.iter().filter(|&&rating| rating <= elo).count();
            reached.saturating_sub(1) as u8
        });
        let skill = self.skill.min(rated);
        let limits = STRENGTH_LIMITS.get(usize::from(skill)).filter(|_| !self.analyses)?;
        Some(Level { limits: *limits, seed: self.seed })
    }
}

/// How deep and how exactly a level plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct StrengthLimits {
    /// Plies searched.
    depth: u32,
    /// Nodes searched, at most.
    nodes: u64,
    /// Wins and losses this many plies away are seen.
    plies: u32,
    /// The largest error of a score, in per cent of the score that makes a winner likely.
    error: i64,
    /// Among how many moves it chooses.
    moves: usize,
    /// Whether it has a solver of forced wins.
    solves: bool,
}

const fn limits(depth: u32, nodes: u64, plies: u32, error: i64, moves: usize) -> StrengthLimits {
    StrengthLimits { depth, nodes, plies, error, moves, solves: plies >= 7 }
}

/// The limits of each skill below full strength.
const STRENGTH_LIMITS: [StrengthLimits; Strength::FULL as usize] = [
    limits(1, 20_000, 2, 2400, 30),
    limits(1, 20_000, 2, 1450, 26),
    limits(1, 20_000, 2, 900, 24),
    limits(1, 20_000, 2, 560, 22),
    limits(1, 20_000, 3, 320, 18),
    limits(2, 30_000, 4, 210, 16),
    limits(2, 30_000, 4, 80, 12),
    limits(3, 50_000, 5, 48, 10),
    limits(4, 60_000, 8, 19, 6),
    limits(6, 100_000, 13, 8, 4),
];

/// A strength below full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Level {
    limits: StrengthLimits,
    seed: u32,
}

impl Level {
    /// Returns what the level searches where full strength would search under `limits`.
    pub(crate) fn narrow(&self, limits: &Limits) -> Limits {
        let StrengthLimits { depth, nodes, .. } = self.limits;
        Limits {
            depth: Some(limits.depth.map_or(depth, |asked| asked.min(depth))),
            nodes: Some(limits.nodes.map_or(nodes, |asked| asked.min(nodes))),
            ..limits.clone()
        }
    }

    /// Returns how many moves it ranks.
    pub(crate) fn moves(&self) -> usize {
        self.limits.moves
    }

    /// Returns whether books and solvers are asked.
    pub(crate) fn solves(&self) -> bool {
        self.limits.solves
    }

    /// Returns the index in `ranked` of the move to play. `ranked` has moves by their codes, with
    /// their scores for the side to move in the position with this `key`. `unit` is the score that
    /// makes a winner likely. `None` only when there is nothing to choose from.
    pub(crate) fn choose(&self, ranked: &[(u32, Score)], key: u64, unit: i64) -> Option<usize> {
        let impression = |&(code, score): &(u32, Score)| self.impression(key, code, score, unit);
        let mut best = None;
        for (place, found) in ranked.iter().map(impression).enumerate() {
            if best.is_none_or(|(_, most)| found > most) {
                best = Some((place, found));
            }
        }
        best.map(|(place, _)| place)
    }

    /// Returns the score of a move with its error.
    fn impression(&self, key: u64, code: u32, score: Score, unit: i64) -> i64 {
        /// A win or loss beyond the limit counts like this advantage, in units.
        const BEYOND: i64 = 5;
        let value = match score.plies() {
            Some(plies) if plies <= self.limits.plies => return i64::from(score.raw()) << 16,
            _ => i64::from(score.raw()).clamp(-BEYOND * unit, BEYOND * unit),
        };
        let noise = mix64(key ^ mix64(u64::from(self.seed) << 32 | u64::from(code)));
        // The sum of two dice: small errors are more likely than large ones.
        let (one, two) = ((noise & 0xFFFF) as i64, (noise >> 16 & 0xFFFF) as i64);
        value + (one + two - 0xFFFF) * unit * self.limits.error / (100 * 0xFFFF)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(skill: u8, seed: u32) -> Level {
        Strength { skill, seed, ..Strength::default() }.level().expect("below full strength")
    }

    #[test]
    fn full_strength_and_analysis_hold_nothing_back() {
        assert_eq!(Strength::default().level(), None);
        let analysis = Strength { skill: 0, elo: Some(0), analyses: true, ..Strength::default() };
        assert_eq!(analysis.level(), None);
    }

    #[test]
    fn a_rating_is_the_best_skill_that_is_no_better() {
        for (elo, skill) in [(0, 0), (Strength::ELO[0], 0), (Strength::ELO[4], 4), (u16::MAX, 9)] {
            let rated = Strength { elo: Some(elo), ..Strength::default() };
            assert_eq!(rated.level(), Some(level(skill, 0)), "{elo}");
        }
        let both = Strength { elo: Some(u16::MAX), skill: 2, ..Strength::default() };
        assert_eq!(both.level(), Some(level(2, 0)));
        assert!(Strength::ELO.is_sorted_by(|weak, strong| weak < strong));
    }

    #[test]
    fn no_level_overlooks_a_win_at_once_or_a_loss_next() {
        for skill in 0..Strength::FULL {
            for key in 0..2000 {
                let level = level(skill, key as u32 % 3);
                let ranked =
                    [(0, Score::heuristic(900)), (1, Score::win_in(1)), (2, Score::loss_in(2))];
                assert_eq!(level.choose(&ranked, key, 50), Some(1));
                let ranked = [(0, Score::loss_in(2)), (1, Score::heuristic(-900))];
                assert_eq!(level.choose(&ranked, key, 50), Some(1));
            }
        }
    }

    #[test]
    fn weaker_levels_err_more_often_and_long_threats_are_overlooked_first() {
        let errs = |skill, bad: Score, good: Score| {
            let level = level(skill, 7);
            let wrong = |key| level.choose(&[(0, bad), (1, good)], key, 50) == Some(0);
            (0..2000_u64).filter(|&key| wrong(key)).count()
        };
        let quiet = |skill| errs(skill, Score::DRAW, Score::heuristic(20));
        let counts: Vec<_> = (0..Strength::FULL).map(quiet).collect();
        assert!(counts.is_sorted_by(|weak, strong| weak >= strong), "{counts:?}");
        assert!(counts[0] > 800 && counts[9] == 0, "{counts:?}");
        // A loss in four is overlooked by the weakest now and then, one in two never.
        assert!(errs(0, Score::loss_in(4), Score::DRAW) > 100);
        assert_eq!(errs(0, Score::loss_in(2), Score::DRAW), 0);
        assert_eq!(errs(5, Score::loss_in(4), Score::DRAW), 0);
        assert!(errs(4, Score::loss_in(12), Score::heuristic(-145)) > 0);
    }

    #[test]
    fn the_same_position_and_seed_make_the_same_choice_and_others_others() {
        let ranked: Vec<_> = (0..9).map(|code| (code, Score::heuristic(code as i32))).collect();
        let choices = |seed| -> Vec<_> {
            (0..100).map(|key| level(0, seed).choose(&ranked, key, 50)).collect()
        };
        assert_eq!(choices(3), choices(3));
        assert_ne!(choices(3), choices(4));
        assert_eq!(level(0, 0).choose(&[], 1, 50), None);
    }
}
