//! Adjudication: ends games by the engines' scores or by length. Every rule is off by default.

use tengen_engine::Position;
use tengen_protocol::client::EngineScore;

use crate::config::{Config, DrawRule};
use crate::game::referee::{Ending, loss};
use crate::record::{EndKind, GameEnd, GameScore};

/// The score counts of one game.
#[derive(Clone, Debug, Default)]
pub struct Adjudicator {
    /// Consecutive moves of both sides with a score near 0.
    level_moves: u32,
    /// By side: consecutive moves with a losing score.
    losing_moves: [u32; 2],
    /// By side: consecutive moves with a winning score.
    winning_moves: [u32; 2],
}

impl Adjudicator {
    /// Counts a move of `side` and returns the end of the game if a rule of `config` applies.
    ///
    /// `score` is the score that the engine gave with the move. `plies` and `stones` are the
    /// numbers of moves played and of stones on the board after the move.
    pub fn judge(
        &mut self,
        config: &Config,
        side: usize,
        score: Option<EngineScore>,
        plies: usize,
        stones: usize,
    ) -> Option<Ending> {
        self.count(config, side, score.map(EngineScore::value));
        if let Some(end) = self.resigned(config, side) {
            return Some(end);
        }
        let drawn = |kind, text: String| Some((GameScore::Draw, GameEnd { kind, text }));
        if let Some(rule) = config.draw
            && plies >= 2 * rule.move_number as usize
            && self.level_moves >= 2 * rule.move_count
        {
            let text =
                format!("both sides scored within {} for {} moves", rule.score, rule.move_count);
            return drawn(EndKind::DrawScores, text);
        }
        if let Some(limit) = config.max_moves.filter(|limit| plies >= 2 * *limit as usize) {
            return drawn(EndKind::Length, format!("{limit} moves were played"));
        }
        if let Some(limit) = config.draw_after.filter(|limit| stones >= *limit as usize) {
            return drawn(EndKind::Length, format!("{limit} stones lie on the board"));
        }
        None
    }

    /// Counts a move of `side`, after which `board` stands. `has_start` is whether the game began with
    /// stones.
    pub fn judge_board(
        &mut self,
        config: &Config,
        side: usize,
        score: Option<EngineScore>,
        board: &dyn Position,
        has_start: bool,
    ) -> Option<Ending> {
        let plies = board.played().len();
        // The stones of the starting position count too.
        let placed = has_start.then(|| board.placement()).flatten();
        let stones = placed.map_or(plies, |placed| placed.count());
        self.judge(config, side, score, plies, stones)
    }

    /// Counts a score. A move without a score resets the counts.
    fn count(&mut self, config: &Config, side: usize, value: Option<i64>) {
        let next = |counts: bool, count: u32| if counts { count + 1 } else { 0 };
        let near = |rule: DrawRule| value.is_some_and(|value| value.abs() <= i64::from(rule.score));
        self.level_moves = next(config.draw.is_some_and(near), self.level_moves);
        let Some(rule) = config.resign else { return };
        let score = i64::from(rule.score);
        self.losing_moves[side] =
            next(value.is_some_and(|value| value <= -score), self.losing_moves[side]);
        self.winning_moves[side] =
            next(value.is_some_and(|value| value >= score), self.winning_moves[side]);
    }

    /// Returns the end of the game if a side resigned by its scores. With `two_sided`, the scores
    /// of the other side must agree.
    fn resigned(&self, config: &Config, side: usize) -> Option<Ending> {
        let rule = config.resign?;
        let loses = |loser: usize| {
            let agrees = !rule.two_sided || self.winning_moves[1 - loser] >= rule.move_count;
            self.losing_moves[loser] >= rule.move_count && agrees
        };
        let loser = [side, 1 - side].into_iter().find(|loser| loses(*loser))?;
        let text = format!("scored {} below zero for {} moves", rule.score, rule.move_count);
        Some(loss(loser, EndKind::Resign, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ResignRule;

    fn rules(set: impl Fn(&mut Config)) -> Config {
        let mut config = Config::default();
        set(&mut config);
        config
    }

    /// Returns the ply, from 1, at which a game with these scores ends. The first side moves first.
    fn end_of(rules: Config, scores: &[Option<i64>]) -> Option<(usize, GameScore, EndKind)> {
        let mut adjudicator = Adjudicator::default();
        for (place, score) in scores.iter().enumerate() {
            let (side, score) = (place % 2, score.map(EngineScore::Units));
            if let Some((score, end)) = adjudicator.judge(&rules, side, score, place + 1, place + 4)
            {
                return Some((place + 1, score, end.kind));
            }
        }
        None
    }

    #[test]
    fn both_sides_have_to_agree_that_a_game_is_lost() {
        let rule = |two_sided| {
            rules(|config| {
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
            rules(|config| {
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
        let moves = rules(|config| config.max_moves = Some(2));
        assert_eq!(end_of(moves, &[None; 9]), Some((4, GameScore::Draw, EndKind::Length)));
        let stones = rules(|config| config.draw_after = Some(6));
        assert_eq!(end_of(stones, &[None; 9]), Some((3, GameScore::Draw, EndKind::Length)));
        assert_eq!(end_of(rules(|_| {}), &[Some(-100_000); 50]), None);
    }
}
