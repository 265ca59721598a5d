//! Levels: play below full strength. A level always plays the same move in the same position.
//!
//! A level is a small search with many lines, and a choice among them. A win or a loss further away
//! than the level's limit counts as a large advantage only. Every score gets an error that depends
//! on the position, the move and a seed. So a weak level overlooks long threats more often than
//! short ones. The search itself does not use levels.

use crate::game::hash::mix64;
use crate::game::score::Score;
use crate::search::limits::Limits;

/// The playing strength that a client sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Strength {
    /// The level, from 0 to [`Strength::FULL`].
    pub skill: u8,
    /// The rating to play at, on the scale of [`Strength::ELO`]; `None` for no limit.
    pub elo: Option<u16>,
    /// The seed of the errors. Another seed gives other games at the same level.
    pub seed: u32,
    /// Whether the client analyses. If so, the strength is full.
    pub analyses: bool,
}

impl Default for Strength {
    fn default() -> Self {
        Self { skill: Self::FULL, elo: None, seed: 0, analyses: false }
    }
}

impl Strength {
    setters! {
        /// Sets the skill, from 0 to [`Strength::FULL`].
        with_skill(skill: u8) => skill = skill;
        /// Sets the rating to play at; `None` for no limit.
        with_elo(elo: Option<u16>) => elo = elo;
        /// Sets the seed of the errors.
        with_seed(seed: u32) => seed = seed;
        /// Sets whether the client analyses. If so, the strength is full.
        with_analysis(analyses: bool) => analyses = analyses;
    }

    /// The skill of full strength.
    pub const FULL: u8 = 10;

    /// The rating of each skill below full strength, from matches between neighbouring skills. The
    /// weakest has 1000 by definition. The steps are scaled so that the strongest has 2420.
    pub const ELO: [u16; Self::FULL as usize] =
        [1000, 1185, 1385, 1540, 1725, 1965, 2060, 2190, 2330, 2420];

    /// Returns the lower one of the skill and the skill with the rating.
    pub(crate) fn effective_skill(&self) -> u8 {
        let rated = self.elo.map_or(Self::FULL, |elo| {
            let reached = Self::ELO.iter().filter(|&&rating| rating <= elo).count();
            reached.saturating_sub(1) as u8
        });
        self.skill.min(rated)
    }

    /// Returns the level to play at; `None` at full strength.
    pub(crate) fn level(&self) -> Option<Level> {
        let skill = self.effective_skill();
        let limits = STRENGTH_LIMITS.get(usize::from(skill)).filter(|_| !self.analyses)?;
        Some(Level { limits: *limits, seed: self.seed })
    }
}

/// The parameters of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct StrengthLimits {
    /// The depth of the search, in plies.
    depth: u32,
    /// The node limit of the search.
    nodes: u64,
    /// The maximum distance in plies at which a win or a loss is seen.
    plies: u32,
    /// The maximum error of a score, in per cent of the unit of `choose`.
    error: i64,
    /// The number of moves to choose from.
    moves: usize,
    /// Whether the search uses books and solvers.
    uses_solvers: bool,
}

const fn limits(depth: u32, nodes: u64, plies: u32, error: i64, moves: usize) -> StrengthLimits {
    StrengthLimits { depth, nodes, plies, error, moves, uses_solvers: plies >= 7 }
}

/// The parameters of each skill below full strength.
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

/// A level below full strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Level {
    limits: StrengthLimits,
    seed: u32,
}

impl Level {
    /// Returns `limits` restricted to the depth and the nodes of the level.
    pub(crate) fn restrict(&self, limits: &Limits) -> Limits {
        let StrengthLimits { depth, nodes, .. } = self.limits;
        Limits {
            depth: Some(limits.depth.map_or(depth, |asked| asked.min(depth))),
            nodes: Some(limits.nodes.map_or(nodes, |asked| asked.min(nodes))),
            ..limits.clone()
        }
    }

    /// Returns the number of moves to choose from.
    pub(crate) fn moves(&self) -> usize {
        self.limits.moves
    }

    /// Returns whether the search uses books and solvers.
    pub(crate) fn uses_solvers(&self) -> bool {
        self.limits.uses_solvers
    }

    /// Returns the index in `ranked` of the move to play; `None` if `ranked` is empty. `ranked` has
    /// the codes of moves and their scores for the side to move, in the position with this `key`.
    /// `unit` is the score that multiplies the odds of a win by e.
    pub(crate) fn choose(&self, ranked: &[(u32, Score)], key: u64, unit: i64) -> Option<usize> {
        let score_with_error =
            |&(code, score): &(u32, Score)| self.score_with_error(key, code, score, unit);
        let mut best = None;
        for (place, found) in ranked.iter().map(score_with_error).enumerate() {
            if best.is_none_or(|(_, most)| found > most) {
                best = Some((place, found));
            }
        }
        best.map(|(place, _)| place)
    }

    /// Returns the score of a move with its error.
    fn score_with_error(&self, key: u64, code: u32, score: Score, unit: i64) -> i64 {
        /// The advantage in units that a win or loss beyond the limit counts as.
        const BEYOND: i64 = 5;
        let value = match score.plies() {
            Some(plies) if plies <= self.limits.plies => return i64::from(score.raw()) << 16,
            _ => i64::from(score.raw()).clamp(-BEYOND * unit, BEYOND * unit),
        };
        let noise = mix64(key ^ mix64(u64::from(self.seed) << 32 | u64::from(code)));
        // The sum of two random numbers: small errors are more likely than large ones.
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
    fn full_strength_and_analysis_have_no_level() {
        assert_eq!(Strength::default().level(), None);
        let analysis = Strength { skill: 0, elo: Some(0), analyses: true, ..Strength::default() };
        assert_eq!(analysis.level(), None);
    }

    #[test]
    fn a_rating_gives_the_best_skill_that_does_not_exceed_it() {
        for (elo, skill) in [(0, 0), (Strength::ELO[0], 0), (Strength::ELO[4], 4), (u16::MAX, 9)] {
            let rated = Strength { elo: Some(elo), ..Strength::default() };
            assert_eq!(rated.level(), Some(level(skill, 0)), "{elo}");
        }
        let both = Strength { elo: Some(u16::MAX), skill: 2, ..Strength::default() };
        assert_eq!(both.level(), Some(level(2, 0)));
        assert!(Strength::ELO.is_sorted_by(|weak, strong| weak < strong));
    }

    #[test]
    fn no_level_overlooks_a_win_in_one_or_a_loss_in_two() {
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
        // The weakest level overlooks some losses in four plies, but no loss in two plies.
        assert!(errs(0, Score::loss_in(4), Score::DRAW) > 100);
        assert_eq!(errs(0, Score::loss_in(2), Score::DRAW), 0);
        assert_eq!(errs(5, Score::loss_in(4), Score::DRAW), 0);
        assert!(errs(4, Score::loss_in(12), Score::heuristic(-145)) > 0);
    }

    #[test]
    fn choices_depend_only_on_position_and_seed() {
        let ranked: Vec<_> = (0..9).map(|code| (code, Score::heuristic(code as i32))).collect();
        let choices = |seed| -> Vec<_> {
            (0..100).map(|key| level(0, seed).choose(&ranked, key, 50)).collect()
        };
        assert_eq!(choices(3), choices(3));
        assert_ne!(choices(3), choices(4));
        assert_eq!(level(0, 0).choose(&[], 1, 50), None);
    }
}
