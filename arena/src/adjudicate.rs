//! Games that end by the scores of the engines, or by their length. All off unless asked for.

use tengen_engine::Side;
use tengen_protocol::client::EngineScore;

use crate::config::{Config, DrawRule, ResignRule};
use crate::record::{EndKind, GameEnd, GameScore};

/// The rules of a run, and what the scores of one game have said so far.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    draw: Option<DrawRule>,
    resign: Option<ResignRule>,
    max_moves: Option<u32>,
    draw_after: Option<u32>,
    /// Moves of both sides in a row whose scores are near 0.
    level: u32,
    /// By side: moves in a row whose scores say that it loses.
    losing: [u32; 2],
    /// By side: moves in a row whose scores say that it wins.
    winning: [u32; 2],
}

impl Adjudicator {
    /// The rules of a run, before the first move.
    pub fn new(config: &Config) -> Self {
        Self {
            draw: config.draw,
            resign: config.resign,
            max_moves: config.max_moves,
            draw_after: config.draw_after,
            level: 0,
            losing: [0; 2],
            winning: [0; 2],
        }
    }

    /// Counts a move by `side` with its score, after which `plies` moves of the game were played and
    /// `stones` lie on the board. Returns the end where a rule says so.
    pub fn judge(
        &mut self,
        side: Side,
        score: Option<EngineScore>,
        plies: usize,
        stones: usize,
    ) -> Option<(GameScore, GameEnd)> {
        let side = side.index();
        let value = score.map(EngineScore::value);
        self.count(side, value);
        if let Some(end) = self.resigned(side) {
            return Some(end);
        }
        let drawn = |kind, text: String| Some((GameScore::Draw, GameEnd { kind, text }));
        if let Some(rule) = self.draw
            && plies >= 2 * rule.move_number as usize
            && self.level >= 2 * rule.move_count
        {
            let text =
                format!("both sides scored within {} for {} moves", rule.score, rule.move_count);
            return drawn(EndKind::DrawScores, text);
        }
        if let Some(most) = self.max_moves.filter(|most| plies >= 2 * *most as usize) {
            return drawn(EndKind::Length, format!("{most} moves were played"));
        }
        if let Some(most) = self.draw_after.filter(|most| stones >= *most as usize) {
            return drawn(EndKind::Length, format!("{most} stones lie on the board"));
        }
        None
    }

    /// Counts a score; a move without one begins all counts anew.
    fn count(&mut self, side: usize, value: Option<i64>) {
        let next = |counts: bool, count: u32| if counts { count + 1 } else { 0 };
        let near = |rule: DrawRule| value.is_some_and(|value| value.abs() <= i64::from(rule.score));
        self.level = next(self.draw.is_some_and(near), self.level);
        let Some(rule) = self.resign else { return };
        let score = i64::from(rule.score);
        self.losing[side] = next(value.is_some_and(|value| value <= -score), self.losing[side]);
        self.winning[side] = next(value.is_some_and(|value| value >= score), self.winning[side]);
    }

    /// The end where one side sees itself lost, and the other agrees where that is asked for.
    fn resigned(&self, side: usize) -> Option<(GameScore, GameEnd)> {
        let rule = self.resign?;
        let loses = |loser: usize| {
            let agrees = !rule.two_sided || self.winning[1 - loser] >= rule.move_count;
            self.losing[loser] >= rule.move_count && agrees
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

    /// The ply, from 1, at which a game with these scores ends; first side first.
    fn ends(mut rules: Adjudicator, scores: &[Option<i64>]) -> Option<(usize, GameScore, EndKind)> {
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
        assert_eq!(ends(rule(true), &agreed), Some((4, GameScore::Second, EndKind::Resign)));
        assert_eq!(ends(rule(false), &agreed), Some((3, GameScore::Second, EndKind::Resign)));
        let doubted = [Some(-950), Some(100), Some(-1000), Some(1000), Some(-1000)];
        assert_eq!(ends(rule(true), &doubted), None);
        // A move without a score begins the count anew.
        let silent = [Some(-950), Some(1), None, Some(1), Some(-950), Some(1)];
        assert_eq!(ends(rule(false), &silent), None);
    }

    #[test]
    fn level_scores_end_a_game_after_some_moves() {
        let rule = || {
            adjudicator(|config| {
                config.draw = Some(DrawRule { move_number: 3, move_count: 2, score: 10 });
            })
        };
        let level = [Some(5), Some(-5), Some(9), Some(0), Some(1), Some(10), Some(0)];
        assert_eq!(ends(rule(), &level), Some((6, GameScore::Draw, EndKind::DrawScores)));
        let tense = [Some(0), Some(0), Some(0), Some(0), Some(11), Some(0), Some(0), Some(0)];
        assert_eq!(ends(rule(), &tense), None);
    }

    #[test]
    fn long_games_are_drawn() {
        let moves = adjudicator(|config| config.max_moves = Some(2));
        assert_eq!(ends(moves, &[None; 9]), Some((4, GameScore::Draw, EndKind::Length)));
        let stones = adjudicator(|config| config.draw_after = Some(6));
        assert_eq!(ends(stones, &[None; 9]), Some((3, GameScore::Draw, EndKind::Length)));
        assert_eq!(ends(adjudicator(|_| {}), &[Some(-100_000); 50]), None);
    }
}
