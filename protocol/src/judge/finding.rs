//! [`Finding`]: the result of a search of a position of a game.

use tengen_engine::{Answer, Move, Outcome, Position, Score, Side, Style, Wdl};

use super::wdl_of_end;

/// The result of a search of a position of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The side to move.
    pub turn: Side,
    /// The score for the side to move.
    pub score: Score,
    /// The chances of the side to move.
    pub wdl: Wdl,
    /// Whether a draw is proven. The score alone does not tell a draw from an evaluation of 0.
    pub is_drawn: bool,
    /// The best line; empty when the game is over.
    pub line: Vec<String>,
    /// The moves of `line`.
    pub moves: Vec<Move>,
}

impl Finding {
    /// Returns the finding of a search of `position` that ended with `answer`; `None` in a finished
    /// game. Moves are written in `style`.
    pub fn of(position: &dyn Position, answer: Option<&Answer<Move>>, style: Style) -> Self {
        let turn = position.turn();
        let Some(answer) = answer else {
            return Self::over(turn, position.outcome().unwrap_or(Outcome::Draw));
        };
        let report = &answer.report;
        let is_drawn = answer.settled.is_some_and(|settled| settled.winner.is_none());
        let book = answer.settled.filter(|settled| !settled.is_of_move);
        if let Some(score) = book.and_then(|proven| proven.score(turn)) {
            // The score is that of the position, and no move is known to reach it.
            let (line, moves) = (Vec::new(), Vec::new());
            return Self { turn, score, wdl: wdl_of_end(score), is_drawn, line, moves };
        }
        let wdl = report.wdl.unwrap_or(Wdl::DRAWN);
        let line = position.write_line(&report.pv, style);
        let moves = report.pv[..line.len()].to_vec();
        Self { turn, score: report.score, wdl, is_drawn, line, moves }
    }

    /// Returns the finding of a finished game, with `turn` to move.
    pub(super) fn over(turn: Side, outcome: Outcome) -> Self {
        let score = outcome.score(turn, 0);
        let (wdl, is_drawn) = (wdl_of_end(score), outcome == Outcome::Draw);
        Self { turn, score, wdl, is_drawn, line: Vec::new(), moves: Vec::new() }
    }

    /// Returns the expected points of the first player, in per mille. A draw counts half.
    pub fn expected_by_first(&self) -> u16 {
        match self.turn {
            Side::First => self.wdl.expected(),
            Side::Second => self.wdl.flipped().expected(),
        }
    }

    /// Returns score and chances for the player who has just moved, counted from before the move.
    pub(super) fn for_mover(&self) -> (Score, Wdl) {
        (-self.score.to_root(1), self.wdl.flipped())
    }
}
