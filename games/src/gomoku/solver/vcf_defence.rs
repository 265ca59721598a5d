//! The moves that can refute a VCF of the opponent. The line of the VCF is played through once, and
//! every cell that it depends on is collected. A stone on any other cell does not change the VCF.
//!
//! This file looks at one VCF. It searches no better one and evaluates no move.

use tengen_engine::{Cell, Context, Game, Interrupt};

use crate::gomoku::pattern::forbidden::{forbidden, may_be_forbidden};
use crate::gomoku::pattern::lines::PointSet;
use crate::gomoku::pattern::threat::Group;
use crate::gomoku::solver::PlayUndo;
use crate::gomoku::solver::vcf::{SolverResult, VcfLimits, search_vcf};
use crate::gomoku::solver_memory::scope::VcfScope;
use crate::gomoku::{Board, GomokuEvaluator};

/// The moves that can refute a VCF of the opponent, and the number of plies in which all others
/// lose.
#[derive(Clone, Debug)]
pub(crate) struct VcfDefence {
    /// The cells where a stone may stop the VCF, and the fours of the side to move. Some are taken
    /// or forbidden.
    pub(crate) cells: PointSet,
    /// An upper bound on the number of plies in which every other move loses.
    pub(crate) others_lose_in: u32,
}

/// Returns the moves of the side to move that can refute `line`, a VCF that its opponent threatens;
/// `None` if they are unknown. `evaluator` must be up to date with `board`.
pub(crate) fn vcf_defence(
    evaluator: &mut GomokuEvaluator,
    board: &Board,
    line: &[Cell],
    ctx: &mut Context,
) -> Result<Option<VcfDefence>, Interrupt> {
    let cells = PointSet::NONE;
    let mut walk = LineWalk { board: board.passed(), evaluator, ctx, cells, longest: 0 };
    let is_complete = walk.attack(line, 0)?;
    let defence = VcfDefence { cells: walk.cells, others_lose_in: walk.longest + 1 };
    Ok(is_complete.then_some(defence))
}

struct LineWalk<'a> {
    board: Board,
    evaluator: &'a mut GomokuEvaluator,
    ctx: &'a mut Context,
    cells: PointSet,
    /// The number of plies of the longest line.
    longest: u32,
}

impl PlayUndo for LineWalk<'_> {
    fn board_and_evaluator(&mut self) -> (&mut Board, &mut GomokuEvaluator) {
        (&mut self.board, self.evaluator)
    }
}

impl LineWalk<'_> {
    /// Plays through a win of the side to move, which begins `ply` plies after the first move.
    /// Returns whether all cells that the win depends on are known.
    // A stone of the defender on any other cell changes no five and no four, so the VCF still
    // works.
    fn attack(&mut self, line: &[Cell], ply: u32) -> Result<bool, Interrupt> {
        // Four empty cells: for the extra stone, the four, the answer and the five.
        const ROOM: u32 = 4;
        let Some((&mv, rest)) = line.split_first() else { return Ok(false) };
        if self.board.plies_left() < ROOM {
            return Ok(false);
        }
        let attacker = self.board.turn();
        for group in [Group::Fours, Group::OpenFours, Group::Fives] {
            self.cells.unite(self.evaluator.points.group(attacker.other(), group));
        }
        self.cells.insert(mv.index());
        // A stone of the second player can allow a forbidden point, and so make a three of the
        // first player real.
        let can_be_forbidden = self.board.rule().forbids(attacker);
        if can_be_forbidden && may_be_forbidden(&self.evaluator.points.classes(attacker, mv)) {
            self.collect_forbidden(mv);
        }
        if rest.is_empty() {
            self.longest = self.longest.max(ply + 1);
            return Ok(true);
        }
        self.with_move(mv, |walk| walk.defend(rest, ply + 1))
    }

    fn defend(&mut self, line: &[Cell], ply: u32) -> Result<bool, Interrupt> {
        let side = self.board.turn();
        let fives: Vec<Cell> = self.evaluator.fives(&self.board, side.other()).collect();
        fives.iter().for_each(|five| self.cells.insert(five.index()));
        if self.board.rule().forbids(side) {
            if !self.evaluator.has_room(&self.board, 1) {
                return Ok(false);
            }
            if let [five] = fives[..]
                && !self.evaluator.may_play(&self.board, side, five)
            {
                self.collect_forbidden(five);
            }
        }
        if self.board.rule().closes_ends() {
            for &five in &fives {
                self.board.setting().add_reach(five, &mut self.cells);
            }
        }
        let mut answers = Vec::new();
        self.evaluator.push_answers(&self.board, side, &mut answers);
        if answers.is_empty() {
            self.longest = self.longest.max(ply + 2);
        }
        for mv in answers {
            if !self.with_move(mv, |walk| walk.attack_after(line, mv, ply + 1))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Plays through the win after `answer`: along `line` if its next move is `answer`, otherwise
    /// along a new VCF.
    fn attack_after(&mut self, line: &[Cell], answer: Cell, ply: u32) -> Result<bool, Interrupt> {
        if line.first() == Some(&answer) {
            return self.attack(&line[1..], ply);
        }
        const LIMITS: VcfLimits = VcfLimits::new(VcfScope::Full, 1_000);
        match search_vcf(self.evaluator, &self.board, LIMITS, self.ctx)?.0 {
            SolverResult::Win(line) => self.attack(&line, ply),
            SolverResult::NoWin | SolverResult::Unknown => Ok(false),
        }
    }

    /// Collects the cells that decide whether the first player may play on `cell`.
    fn collect_forbidden(&mut self, cell: Cell) {
        let (lines, cells) = (&self.board.lines, &mut self.cells);
        forbidden(lines, cell, &mut |seen| lines.setting.add_reach(seen, cells));
    }
}
