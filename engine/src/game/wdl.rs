//! Win, draw and loss chances of a score.

use crate::game::score::Score;
use crate::game::side::Side;

/// The win, draw and loss chances of the side to move, in per mille. Their sum is 1000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl {
    /// The chance of winning.
    pub win: u16,
    /// The chance of a draw.
    pub draw: u16,
    /// The chance of losing.
    pub loss: u16,
}

impl Wdl {
    /// A certain win of the side to move.
    pub const WON: Self = Self { win: 1000, draw: 0, loss: 0 };
    /// A certain draw.
    pub const DRAWN: Self = Self { win: 0, draw: 1000, loss: 0 };
    /// A certain loss of the side to move.
    pub const LOST: Self = Self { win: 0, draw: 0, loss: 1000 };

    /// Returns the expected score in per mille. A draw counts half.
    pub const fn expected(self) -> u16 {
        self.win + self.draw / 2
    }

    /// Returns the chances of the opponent.
    pub const fn flipped(self) -> Self {
        Self { win: self.loss, draw: self.draw, loss: self.win }
    }
}

/// A model of win, draw and loss chances: two logistic curves, for the win and for the loss. The
/// rest is the draw. Its parameters are fitted on games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WdlModel {
    /// The score with a win chance of one half on an empty board, without the bonus `first`; at
    /// least 0.
    pub even: f64,
    /// The amount by which the score with a win chance of one half has risen when the board is
    /// full; at least 0. It rises with the square of the filled share.
    pub full: f64,
    /// The bonus that is added to scores of the first player and subtracted from scores of the
    /// second; below 0 if the second player has better chances.
    pub first: f64,
    /// The rise of the score that multiplies the odds of a win by e; above 0.
    pub spread: f64,
}

impl WdlModel {
    /// Returns the chances of `turn`, the side to move, at `score`. `filled` is the filled share of
    /// the board, from 0 to 1. Only a decisive score has a
    /// chance of 1000.
    pub fn wdl(&self, score: Score, turn: Side, filled: f64) -> Wdl {
        if score.is_win() {
            return Wdl::WON;
        }
        if score.is_loss() {
            return Wdl::LOST;
        }
        let (win, loss) = self.win_and_loss(score.raw().into(), turn, filled);
        let win = unproven(win);
        match unproven(loss).min(1000 - win) {
            // A draw is not proven either.
            0 if win == 0 => Wdl { win: 1, draw: 998, loss: 1 },
            loss => Wdl { win, draw: 1000 - win - loss, loss },
        }
    }

    /// Returns the probabilities of a win and of a loss at a score that is not decisive. The
    /// parameters are those of [`wdl`](Self::wdl).
    pub fn win_and_loss(&self, score: f64, turn: Side, filled: f64) -> (f64, f64) {
        let for_turn = if turn == Side::First { self.first } else { -self.first };
        let even = self.even + self.full * filled * filled;
        let chance = |value: f64| logistic((value - even) / self.spread);
        (chance(score + for_turn), chance(-score - for_turn))
    }
}

/// Returns the logistic function of `x`: from 0 to 1, a half at 0.
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns a probability in per mille, at most 999.
fn unproven(share: f64) -> u16 {
    ((1000.0 * share).round() as u16).min(999)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: WdlModel = WdlModel { even: 40.0, full: 1000.0, first: -30.0, spread: 60.0 };

    #[test]
    fn chances_are_consistent_and_rise_with_the_score() {
        for filled in [0.0, 0.1, 0.5, 1.0] {
            let mut before = Wdl::LOST;
            for value in (-3000..=3000).step_by(10) {
                let wdl = MODEL.wdl(Score::heuristic(value), Side::First, filled);
                assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
                assert!(wdl.win < 1000 && wdl.draw < 1000 && wdl.loss < 1000, "{wdl:?}");
                let mirrored = MODEL.wdl(Score::heuristic(-value), Side::Second, filled);
                assert_eq!(wdl.flipped(), mirrored);
                assert!(wdl.win >= before.win && wdl.loss <= before.loss, "{value}");
                before = wdl;
            }
            assert_eq!(before, Wdl { win: 999, draw: 1, loss: 0 });
        }
    }

    #[test]
    fn the_score_with_a_win_chance_of_one_half_depends_on_side_and_stones() {
        let win = |value, turn, filled| MODEL.wdl(Score::heuristic(value), turn, filled).win;
        assert_eq!(win(40 + 30, Side::First, 0.0), 500);
        assert_eq!(win(40 - 30, Side::Second, 0.0), 500);
        assert_eq!(win(40 + 250 + 30, Side::First, 0.5), 500);
        assert_eq!(win(40 + 1000 - 30, Side::Second, 1.0), 500);
    }

    #[test]
    fn decisive_scores_have_certain_chances() {
        assert_eq!(MODEL.wdl(Score::win_in(7), Side::First, 0.9), Wdl::WON);
        assert_eq!(MODEL.wdl(Score::loss_in(2), Side::First, 0.9), Wdl::LOST);
        assert_eq!(Wdl::WON.expected(), 1000);
        assert_eq!(Wdl::DRAWN.expected(), 500);
    }

    #[test]
    fn a_model_may_predict_no_draw() {
        let narrow = WdlModel { even: 0.0, full: 0.0, first: 0.0, spread: 1.0 };
        let level = narrow.wdl(Score::DRAW, Side::Second, 0.5);
        assert_eq!(level, Wdl { win: 500, draw: 0, loss: 500 });
    }
}
