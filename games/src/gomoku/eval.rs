//! Evaluation of five in a row: the score of a position and the threats of its points. VCF means
//! victory by continuous fours, VCT victory by continuous threats (threes and fours).
//!
//! It reads what every point makes from [`points`], and knows no search.

mod candidates;
pub(crate) mod eval_file;
pub(crate) mod net;
pub(crate) mod point_score;
mod points;
mod rule_weights;
mod selectivity;
pub(crate) mod side_weights;
pub(crate) mod weights;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use tengen_engine::text::quotable;
use tengen_engine::{Cell, Evaluator, Game, Score, Side, Term};

use crate::gomoku::eval::eval_file::EvalFile;
use crate::gomoku::eval::net::NetAccumulator;
use crate::gomoku::eval::points::Points;
use crate::gomoku::eval::rule_weights::RuleWeights;
use crate::gomoku::pattern::Class;
use crate::gomoku::pattern::threat::{Group, Threat};
use crate::gomoku::solver_memory::SolverMemory;
use crate::gomoku::{Board, Rule};

/// An evaluator for positions of one rule and board size.
#[derive(Clone, Debug)]
pub struct GomokuEvaluator {
    pub(crate) points: Points,
    net: NetAccumulator,
    rule: Rule,
    weights: Arc<RuleWeights>,
    /// The name of the file that the weights come from, with its checksum.
    source: Arc<str>,
    /// What the threat solvers know.
    pub(crate) memory: SolverMemory,
}

impl GomokuEvaluator {
    /// Creates an evaluator for `board` and other boards of its rule and size.
    pub fn new(board: &Board) -> Self {
        let rule = board.rule();
        let (weights, source) = built_in(rule);
        let points = Points::new(board, &weights.scores);
        Self {
            net: NetAccumulator::new(weights.net.clone(), board, &points),
            rule,
            weights,
            source,
            points,
            memory: SolverMemory::new(board.key().0),
        }
    }

    /// Uses the weights of `file` from now on. `name` is the source shown to people. Call
    /// [`reset`](Evaluator::reset) next.
    pub fn use_eval_file(&mut self, file: &EvalFile, name: &str) {
        let weights = Arc::new(RuleWeights::of(file, self.rule));
        self.use_weights(weights, source(name, file));
    }

    fn use_weights(&mut self, weights: Arc<RuleWeights>, source: Arc<str>) {
        self.points.scores = weights.scores.clone();
        self.net.net = weights.net.clone();
        (self.weights, self.source) = (weights, source);
    }

    /// Returns whether `side` may play on `cell`.
    pub(crate) fn may_play(&self, board: &Board, side: Side, cell: Cell) -> bool {
        // The exact rule is slow. Only points that make two open threes need it.
        match self.points.threat(side, cell) {
            Threat::Taken | Threat::Forbidden => false,
            Threat::Quiet | Threat::Three | Threat::Four | Threat::Five => true,
            _ => !board.rule().forbids(side) || board.forbidden(cell).is_none(),
        }
    }

    /// Returns the points in `group` of `side`, as cells of `board`.
    pub(crate) fn cells(
        &self,
        board: &Board,
        side: Side,
        group: Group,
    ) -> impl Iterator<Item = Cell> {
        self.points.group(side, group).iter().filter_map(|index| board.grid().at(index))
    }

    /// Returns the points where `side` can win at once.
    pub(crate) fn fives(&self, board: &Board, side: Side) -> impl Iterator<Item = Cell> {
        self.cells(board, side, Group::Fives)
    }

    /// Returns the points in `group` where `side` may play.
    pub(crate) fn playable(
        &self,
        board: &Board,
        side: Side,
        group: Group,
    ) -> impl Iterator<Item = Cell> {
        self.cells(board, side, group).filter(move |&cell| self.may_play(board, side, cell))
    }

    /// Returns the points near stones where `side` makes neither a four nor an open three, but may
    /// prepare fours.
    pub(crate) fn builders(&self, board: &Board, side: Side) -> impl Iterator<Item = Cell> {
        let near = self.points.neighbourhood().iter().filter_map(|index| board.grid().at(index));
        near.filter(move |&cell| {
            let classes = || self.points.classes(side, cell).into_iter();
            self.points.threat(side, cell) == Threat::Quiet
                && (classes().any(|class| class >= Class::Three)
                    || classes().filter(|&class| class >= Class::Two).count() >= 2)
        })
    }

    /// Returns the ordering score of a move of the side to move. A move that is chosen e times as
    /// often in games scores 100 more.
    pub(crate) fn move_score(&self, board: &Board, cell: Cell) -> i32 {
        self.points.rank_of(board.turn(), cell)
    }

    /// Returns the parts of the evaluation: own points, the opponent's points, the situation, the
    /// net.
    fn parts(&mut self, board: &Board) -> [i32; 4] {
        let [own, other, situation] = self.parts_without_net(board);
        [own, other, situation, self.net.value(board, &self.points, board.turn())]
    }

    fn parts_without_net(&self, board: &Board) -> [i32; 3] {
        let side = board.turn();
        let [own, other] = [side, side.other()].map(|side| self.points.total_value(side));
        let situations = &self.weights.situations[side.index()];
        [own, -other, i32::from(situations[self.points.situation(side)])]
    }

    /// Returns the evaluation without the net.
    pub(crate) fn without_net(&self, board: &Board) -> i32 {
        self.parts_without_net(board).iter().sum()
    }

    fn lazy_margin(&self) -> i32 {
        match self.rule {
            Rule::Renju => weights::LAZY_MARGIN_RENJU,
            _ => weights::LAZY_MARGIN,
        }
    }

    /// Returns the threat that a stone of the side to move makes on `mv`, and the threat that a
    /// stone of the opponent would make there.
    pub(crate) fn threats(&self, board: &Board, mv: Cell) -> (Threat, Threat) {
        let side = board.turn();
        (self.points.threat(side, mv), self.points.threat(side.other(), mv))
    }
}

impl Evaluator<Board> for GomokuEvaluator {
    const OWN_EVAL: fn() -> Option<String> = || Some(built_in_source().to_string());

    type Undo = ();

    fn reset(&mut self, board: &Board) {
        self.memory.begin(board.key().0);
        self.points.reset(board);
        self.net.reset(board, &self.points);
    }

    fn played(&mut self, board: &Board, mv: Cell) {
        self.points.played(board, mv);
    }

    fn undone(&mut self, _board: &Board, _mv: Cell, (): ()) {
        self.points.undone();
        self.net.undo_to(&self.points);
    }

    fn evaluate(&mut self, board: &Board) -> Score {
        Score::heuristic(self.parts(board).iter().sum())
    }

    fn lazy_evaluate(&self, board: &Board, bound: i32) -> Option<Score> {
        let low = self.without_net(board) - self.lazy_margin();
        (low >= bound).then(|| Score::heuristic(low))
    }

    fn terms(&mut self, board: &Board) -> Vec<Term> {
        let names = ["own points", "opponent's points", "the move", "the net"];
        names.iter().zip(self.parts(board)).map(|(name, value)| Term { name, value }).collect()
    }

    fn open_eval_file(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        let Some(path) = file else {
            let (weights, source) = built_in(self.rule);
            self.use_weights(weights, source);
            return Ok(());
        };
        let name = quotable(&path.display().to_string());
        self.use_eval_file(&eval_file::load(path)?, &name);
        Ok(())
    }

    fn eval_source(&self) -> Option<String> {
        Some(self.source.to_string())
    }
}

/// Returns the built-in weights and their source.
fn built_in(rule: Rule) -> (Arc<RuleWeights>, Arc<str>) {
    (RuleWeights::built_in(rule).clone(), built_in_source())
}

fn built_in_source() -> Arc<str> {
    source("built in", EvalFile::built_in())
}

/// Returns the source of the weights of `file`: `name` and the checksum of the file.
fn source(name: &str, file: &EvalFile) -> Arc<str> {
    format!("{name}, checksum {:08X}", file.checksum()).into()
}

#[cfg(test)]
mod tests {
    use tengen_engine::MoveOrdering;
    use tengen_engine::hash::mix64;

    use super::*;

    #[test]
    fn a_lazy_evaluation_reaches_its_bound_and_is_rarely_wrong() {
        for rule in Rule::ALL {
            let (mut lazy, mut wrong) = (0, 0);
            for seed in 0..40 {
                let mut board = Board::new(rule, 15, 15).unwrap();
                let mut evaluator = GomokuEvaluator::new(&board);
                for ply in 0..40 {
                    let mut moves = Vec::new();
                    let _ = evaluator.candidates(&board, &mut moves);
                    moves.sort_by_key(|&mv| -evaluator.move_score(&board, mv));
                    moves.truncate(5);
                    let mv = moves[(mix64(seed << 8 | ply) % moves.len() as u64) as usize];
                    board.play(mv);
                    evaluator.played(&board, mv);
                    if board.outcome().is_some() {
                        break;
                    }
                    let without_net = evaluator.without_net(&board);
                    let most = without_net - evaluator.lazy_margin();
                    assert_eq!(evaluator.lazy_evaluate(&board, most + 1), None);
                    assert_eq!(evaluator.lazy_evaluate(&board, most), Some(Score::heuristic(most)));
                    if evaluator.lazy_evaluate(&board, 0).is_some() {
                        lazy += 1;
                        wrong += u32::from(evaluator.evaluate(&board).raw() < 0);
                    }
                }
            }
            assert!(lazy > 100 && wrong * 25 < lazy, "{rule:?}: {wrong} of {lazy}");
        }
    }
}
