//! Judges the moves of a game, by the results of searches before and after each move.
//!
//! The caller searches the positions.

use tengen_engine::{Answer, Grade, Move, Outcome, Position, Score, Side, Style, Wdl};

/// The result of a search of a position of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The side to move.
    pub turn: Side,
    /// The score for the side to move.
    pub score: Score,
    /// The chances of the side to move.
    pub wdl: Wdl,
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
        let book = answer.settled.filter(|settled| !settled.is_of_move);
        if let Some(score) = book.and_then(|proven| proven.score(turn)) {
            // The score is that of the position, and no move is known to reach it.
            let (line, moves) = (Vec::new(), Vec::new());
            return Self { turn, score, wdl: wdl_of_end(score), line, moves };
        }
        let wdl = report.wdl.unwrap_or(Wdl::DRAWN);
        let line = position.write_line(&report.pv, style);
        let moves = report.pv[..line.len()].to_vec();
        Self { turn, score: report.score, wdl, line, moves }
    }

    /// Returns the finding of a finished game, with `turn` to move.
    fn over(turn: Side, outcome: Outcome) -> Self {
        let score = outcome.score(turn, 0);
        Self { turn, score, wdl: wdl_of_end(score), line: Vec::new(), moves: Vec::new() }
    }

    /// Returns the expected points of the first player, in per mille. A draw counts half.
    pub fn expected_by_first(&self) -> u16 {
        match self.turn {
            Side::First => self.wdl.expected(),
            Side::Second => self.wdl.flipped().expected(),
        }
    }

    /// Returns score and chances for the player who has just moved, counted from before the move.
    fn for_mover(&self) -> (Score, Wdl) {
        (-self.score.to_root(1), self.wdl.flipped())
    }
}

/// Returns the chances in a finished game with this score.
pub fn wdl_of_end(score: Score) -> Wdl {
    match score {
        score if score.is_win() => Wdl::WON,
        score if score.is_loss() => Wdl::LOST,
        _ => Wdl::DRAWN,
    }
}

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
    /// The chances before the move.
    pub chances: Wdl,
    /// How good the move was.
    pub grade: Grade,
    /// The best line instead of the move; empty if unknown.
    pub best: Vec<String>,
    /// The moves of `best`.
    pub best_moves: Vec<Move>,
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
            chances: before.wdl,
            grade: if is_best { Grade::Fine } else { grade },
            best: before.line.clone(),
            best_moves: before.moves.clone(),
        }
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

/// The judged moves of a game. The findings of its positions come in any order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameJudge {
    moves: Vec<String>,
    /// The findings by turn; `None` until the position is searched.
    findings: Vec<Option<Finding>>,
    judged: Vec<Judged>,
}

impl GameJudge {
    /// Creates the judge of a game with these moves.
    pub fn new(moves: Vec<String>) -> Self {
        Self { findings: vec![None; moves.len() + 1], moves, judged: Vec::new() }
    }

    /// Adds the finding of the position after `turn` moves. Returns the moves that can be judged
    /// now, in order.
    pub fn add(&mut self, turn: usize, finding: Finding) -> &[Judged] {
        let known = self.judged.len();
        self.findings[turn] = Some(finding);
        while let [Some(before), Some(after), ..] = &self.findings[self.judged.len()..] {
            let index = self.judged.len();
            self.judged.push(Judged::of(index + 1, &self.moves[index], before, after));
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
    use super::*;

    fn finding(turn: Side, score: Score, wdl: Wdl, line: &[&str]) -> Finding {
        let line = line.iter().map(|mv| (*mv).to_owned()).collect();
        Finding { turn, score, wdl, line, moves: Vec::new() }
    }

    #[test]
    fn a_game_is_judged_in_order_whatever_the_order_of_the_findings() {
        let mut game = GameJudge::new(vec!["a1".to_owned(), "b2".to_owned()]);
        let finding = |turn| finding(turn, Score::heuristic(5), Wdl::DRAWN, &["a1"]);
        assert!(game.add(1, finding(Side::Second)).is_empty());
        assert!(game.add(2, finding(Side::First)).is_empty());
        assert!(game.chances().is_empty());
        let judged = game.add(0, finding(Side::First));
        let numbers: Vec<usize> = judged.iter().map(|judged| judged.number).collect();
        assert_eq!((numbers, game.chances()), (vec![1, 2], vec![500; 3]));
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
