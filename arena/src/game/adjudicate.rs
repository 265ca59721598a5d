//! Adjudication: ends games by the engines' scores or by length. Every rule is off by default.

use tengen_engine::Side;
use tengen_protocol::client::EngineScore;

use crate::config::{Config, DrawRule, ResignRule};
use crate::game::referee::Ending;
use crate::tournament::record::{EndKind, GameEnd, GameScore};

/// The adjudication rules of a run, with the score counts of one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    draw: Option<DrawRule>,
    resign: Option<ResignRule>,
    max_moves: Option<u32>,
    draw_after: Option<u32>,
    /// Consecutive moves of both sides with a score near 0.
    level_moves: u32,
    /// By side: consecutive moves with a losing score.
    losing_moves: [u32; 2],
    /// By side: consecutive moves with a winning score.
    winning_moves: [u32; 2],
}

impl Adjudicator {
    /// Creates the adjudicator of a new game.
    pub fn new(config: &Config) -> Self {
        Self {
            draw: config.draw,
            resign: config.resign,
            max_moves: config.max_moves,
            draw_after: config.draw_after,
            level_moves: 0,
            losing_moves: [0; 2],
            winning_moves: [0; 2],
        }
    }

    /// Counts a move of `side` and returns the end of the game if a rule applies.
    ///
    /// `score` is the score that the engine gave with the move. `plies` and `stones` are the
    /// numbers of moves played and of stones on the board after the move.
    pub fn judge(
        &mut self,
        side: Side,
        score: Option<EngineScore>,
        plies: usize,
        stones: usize,
    ) -> Option<Ending> {
        let side = side.index();
        let value = score.map(EngineScore::value);
        self.count(side, value);
        if let Some(end) = self.resigned(side) {
            return Some(end);
        }
        let drawn = |kind, text: String| Some((GameScore::Draw, GameEnd { kind, text }));
        if let Some(rule) = self.draw
            && plies >= 2 * rule.move_number as usize
            && self.level_moves >= 2 * rule.move_count
        {
            let text =
                format!("both sides scored within {} for {} moves", rule.score, rule.move_count);
            return drawn(EndKind::DrawScores, text);
        }
        if let Some(limit) = self.max_moves.filter(|limit| plies >= 2 * *limit as usize) {
            return drawn(EndKind::Length, format!("{limit} moves were played"));
        }
        if let Some(limit) = self.draw_after.filter(|limit| stones >= *limit as usize) {
            return drawn(EndKind::Length, format!("{limit} stones lie on the board"));
        }
        None
    }

    /// Counts a score. A move without a score resets the counts.
    fn count(&mut self, side: usize, value: Option<i64>) {
        let next = |counts: bool, count: u32| if counts { count + 1 } else { 0 };
        let near = |rule: DrawRule| value.is_some_and(|value| value.abs() <= i64::from(rule.score));
        self.level_moves = next(self.draw.is_some_and(near), self.level_moves);
        let Some(rule) = self.resign else { return };
        let score = i64::from(rule.score);
        self.losing_moves[side] =
            next(value.is_some_and(|value| value <= -score), self.losing_moves[side]);
        self.winning_moves[side] =
            next(value.is_some_and(|value| value >= score), self.winning_moves[side]);
    }

    /// Returns the end of the game if a side resigned by its scores. With `two_sided`, the scores
    /// of the other side must agree.
    fn resigned(&self, side: usize) -> Option<Ending> {
        let rule = self.resign?;
        let loses = |loser: usize| {
            let agrees = !rule.two_sided || self.winning_moves[1 - loser] >= rule.move_count;
            self.losing_moves[loser] >= rule.move_count && agrees
        };
        let loser = [side, 1 - side].into_iter().find(|loser| loses(*loser))?;
        let text = format!("scored {} below zero for {} moves", rule.score, rule.move_count);
        Some((GameScore::won_by(1 - loser), GameEnd { kind: EndKind::Resign, text }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adjudicator(set: impl Fn(&mut Config)) -> Adjudicator {
        let mut config = Config::default();
        set(&mut config);
        Adjudicator::new(&config)
    }

    /// Returns the ply, from 1, at which a game with these scores ends. The first side moves first.
    fn end_of(
        mut rules: Adjudicator,
        scores: &[Option<i64>],
    ) -> Option<(usize, GameScore, EndKind)> {
        for (place, score) in scores.iter().enumerate() {
            let side = if place % 2 == 0 { Side::First } else { Side::Second };
            let score = score.map(EngineScore::Units);
            if let Some((score, end)) = rules.judge(side, score, place + 1, place + 4) {
                return Some((place + 1, score, end.kind));
            }
        }
        None
    }

    #[test]
    fn both_sides_have_to_agree_that_a_game_is_lost() {
        let rule = |two_sided| {
            adjudicator(|config| {
                config.resign = Some(ResignRule { move_count: 2, score: 900, two_sided });
            })
        };
        let agreed = [Some(-950), Some(920), Some(-1000), Some(1000)];
        assert_eq!(end_of(rule(true), &agreed), Some((4, GameScore::Second, EndKind::Resign)));
        assert_eq!(end_of(rule(false), &agreed), Some((3, GameScore::Second, EndKind::Resign)));
        let doubted = [Some(-950), Some(100), Some(-1000), Some(1000), Some(-1000)];
        assert_eq!(end_of(rule(true), &doubted), None);
        // A move without a score resets the count.
        let without_score = [Some(-950), Some(1), None, Some(1), Some(-950), Some(1)];
        assert_eq!(end_of(rule(false), &without_score), None);
    }

    #[test]
    fn level_scores_end_a_game_after_some_moves() {
        let rule = || {
            adjudicator(|config| {
                config.draw = Some(DrawRule { move_number: 3, move_count: 2, score: 10 });
            })
        };
        let level = [Some(5), Some(-5), Some(9), Some(0), Some(1), Some(10), Some(0)];
        assert_eq!(end_of(rule(), &level), Some((6, GameScore::Draw, EndKind::DrawScores)));
        let tense = [Some(0), Some(0), Some(0), Some(0), Some(11), Some(0), Some(0), Some(0)];
        assert_eq!(end_of(rule(), &tense), None);
    }

    #[test]
    fn long_games_are_drawn() {
        let moves = adjudicator(|config| config.max_moves = Some(2));
        assert_eq!(end_of(moves, &[None; 9]), Some((4, GameScore::Draw, EndKind::Length)));
        let stones = adjudicator(|config| config.draw_after = Some(6));
        assert_eq!(end_of(stones, &[None; 9]), Some((3, GameScore::Draw, EndKind::Length)));
        assert_eq!(end_of(adjudicator(|_| {}), &[Some(-100_000); 50]), None);
    }
}
