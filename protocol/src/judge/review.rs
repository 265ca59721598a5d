//! Judges the moves of a game, by the results of searches before and after each move.
//!
//! The caller searches the positions.

use tengen_engine::backend::Catalog;
use tengen_engine::{Grade, Move, Position, Score, Side, Style, Wdl};

pub use super::finding::Finding;
use super::language::Language;
pub use super::reason::Explainer;
use super::reason::Reason;

/// A judged move of the game. Scores are for the player of the move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// The number of the move, from 1.
    pub number: usize,
    /// The player of the move.
    pub side: Side,
    /// The move.
    pub mv: String,
    /// The score before the move.
    pub before: Score,
    /// The score after the move.
    pub after: Score,
    /// Whether a draw is proven before the move.
    pub was_drawn: bool,
    /// Whether a draw is proven after the move.
    pub is_drawn: bool,
    /// The chances before the move.
    pub chances: Wdl,
    /// How good the move was.
    pub grade: Grade,
    /// The best line instead of the move; empty if unknown.
    pub best: Vec<String>,
    /// The moves of `best`.
    pub best_moves: Vec<Move>,
    /// Why the move is bad; `None` for a fine move, unless all moves are explained.
    pub reason: Option<Box<Reason>>,
}

impl Judged {
    /// Judges the move `mv` with this number by the findings before and after the move. The best
    /// move is always fine.
    pub fn of(number: usize, mv: &str, before: &Finding, after: &Finding) -> Self {
        let (after_score, after_wdl) = after.for_mover();
        let is_best = before.line.first().is_some_and(|best| best.eq_ignore_ascii_case(mv));
        let grade = Grade::of(before.wdl.expected(), after_wdl.expected());
        Self {
            number,
            side: before.turn,
            mv: mv.to_owned(),
            before: before.score,
            after: after_score,
            was_drawn: before.is_drawn,
            is_drawn: after.is_drawn,
            chances: before.wdl,
            grade: if is_best { Grade::Fine } else { grade },
            best: before.line.clone(),
            best_moves: before.moves.clone(),
            reason: None,
        }
    }

    /// Returns the scores before and after the move in words. A proven draw is no evaluation of 0.
    pub fn scores(&self, language: Language) -> [String; 2] {
        let words = |score, is_drawn| match is_drawn {
            true => language.text("draw", &[]),
            false => language.score(score),
        };
        [words(self.before, self.was_drawn), words(self.after, self.is_drawn)]
    }

    /// Returns whether another move is better by its score.
    pub fn has_better(&self) -> bool {
        let is_other = self.best.first().is_some_and(|best| !best.eq_ignore_ascii_case(&self.mv));
        is_other && self.after < self.before
    }

    /// Returns whether the move counts as a mistake.
    pub fn is_mistake(&self) -> bool {
        self.grade >= Grade::Mistake
    }
}

impl Explainer<'_> {
    /// Judges the move `mv` in `position`, which has this number, by the findings before and after it.
    pub fn judge(
        self,
        position: &dyn Position,
        number: usize,
        mv: Move,
        (before, after): (&Finding, &Finding),
    ) -> Judged {
        let text = position.write_move(mv, self.style);
        let mut judged = Judged::of(number, &text, before, after);
        if judged.grade > Grade::Fine || self.explains_all {
            let lost = before.wdl.expected().saturating_sub(after.for_mover().1.expected());
            let reason = self.reason(position, mv, (before, after), lost);
            judged.reason = Some(Box::new(reason));
        }
        judged
    }
}

/// The judged moves of a game. The findings of its positions come in any order.
pub struct GameJudge {
    /// The game before the next move to judge.
    position: Box<dyn Position>,
    moves: Vec<Move>,
    explainer: Explainer<'static>,
    /// The findings by turn; `None` until the position is searched.
    findings: Vec<Option<Finding>>,
    judged: Vec<Judged>,
}

impl GameJudge {
    /// Creates the judge of the game that was played up to `last`. Moves are written in `style`, and `catalog` knows
    /// the game.
    pub fn new(last: &dyn Position, style: Style, catalog: &'static dyn Catalog) -> Self {
        let (mut position, moves) = (last.duplicate(), last.played().to_vec());
        position.undo_to(0);
        let findings = vec![None; moves.len() + 1];
        Self {
            position,
            moves,
            explainer: Explainer { catalog, style, explains_all: false },
            findings,
            judged: Vec::new(),
        }
    }

    /// Gives good moves a reason, too, if `all`.
    pub fn explain_all(mut self, all: bool) -> Self {
        self.explainer.explains_all = all;
        self
    }

    /// Adds the finding of the position after `turn` moves. Returns the moves that can be judged
    /// now, in order.
    pub fn add(&mut self, turn: usize, finding: Finding) -> &[Judged] {
        let known = self.judged.len();
        self.findings[turn] = Some(finding);
        while let [Some(before), Some(after), ..] = &self.findings[self.judged.len()..] {
            let index = self.judged.len();
            let (position, mv) = (&mut *self.position, self.moves[index]);
            self.judged.push(self.explainer.judge(position, index + 1, mv, (before, after)));
            // Every move of a game can be played.
            let _ = position.play(mv);
        }
        &self.judged[known..]
    }

    /// Returns the moves that are judged so far.
    pub fn judged(&self) -> &[Judged] {
        &self.judged
    }

    /// Returns the expected points of the first player in each turn, in per mille.
    pub fn chances(&self) -> Vec<u16> {
        self.findings.iter().map_while(Option::as_ref).map(Finding::expected_by_first).collect()
    }
}

/// Returns the number of mistakes and blunders of `side`.
pub fn mistakes<'a>(moves: impl IntoIterator<Item = &'a Judged>, side: Side) -> usize {
    moves.into_iter().filter(|judged| judged.side == side && judged.is_mistake()).count()
}

#[cfg(test)]
mod tests {
    use tengen_engine::Outcome;

    use super::*;

    fn finding(turn: Side, score: Score, wdl: Wdl, line: &[&str]) -> Finding {
        let line = line.iter().map(|mv| (*mv).to_owned()).collect();
        Finding { turn, score, wdl, is_drawn: false, line, moves: Vec::new() }
    }

    #[test]
    fn a_move_is_judged_by_the_positions_before_and_after_it() {
        let before = finding(Side::Second, Score::win_in(3), Wdl::WON, &["h8", "h9"]);
        let even = Wdl { win: 600, draw: 0, loss: 400 };
        let after = finding(Side::First, Score::heuristic(50), even, &["a1"]);
        let judged = Judged::of(4, "b2", &before, &after);
        assert_eq!((judged.side, judged.grade), (Side::Second, Grade::Blunder));
        assert_eq!((judged.before, judged.after), (Score::win_in(3), Score::heuristic(-50)));
        assert_eq!((after.expected_by_first(), before.expected_by_first()), (600, 0));
        assert_eq!(mistakes([&judged], Side::Second), 1);
        assert!(judged.has_better());
        // Plies count from before the move, and the best move is never a mistake.
        let lost = Finding::over(Side::First, Outcome::Win(Side::Second));
        let judged = Judged::of(4, "H8", &before, &lost);
        assert_eq!((judged.after, judged.grade), (Score::win_in(1), Grade::Fine));
        assert!(!judged.has_better());
    }
}
