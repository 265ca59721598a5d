//! Proofs in a search of five in a row: static bounds without a search, and wins by VCF and VCT
//! within a node limit.

mod proof_parts;
pub(crate) mod vcf;
mod vcf_defence;
pub(crate) mod vct;

use tengen_engine::{
    Cell, Context, Defences, Game, Interrupt, LosingMoves, Probe, ProofEffort, Prover, Score, Side,
    Window,
};

use crate::gomoku::eval::GomokuEvaluator;
use crate::gomoku::pattern::threat::{Group, Threat};
use crate::gomoku::solver::vcf::{SolverResult, VcfLimits, search_vcf};
use crate::gomoku::solver::vct::{VctLimits, search_vct, vct_attack, vct_within};
use crate::gomoku::solver_memory::scope::{VcfScope, VctStage};
use crate::gomoku::{Board, Rule};

/// A win that a search in a node found, if any.
type Found = Result<Option<Probe<Cell>>, Interrupt>;

/// The node limit of a VCF search at a node of the main search.
const PROBE_NODES: u64 = 200;

/// The node limit of a VCF search at the horizon.
const HORIZON_NODES: u64 = 50;

/// VCT gets the nodes divided by this, halved for each extra quiet move.
const VCT_SHARE: u64 = 10;

/// The divisor of the nodes for VCT in renju. With 10 the engine misses more published wins.
const VCT_SHARE_RENJU: u64 = 3;

/// The node limit of a VCT search after a move that is not a candidate.
const UNLISTED_VCT_NODES: u64 = 2_000;

/// All VCT searches after unlisted moves get the nodes of the thread divided by this.
const UNLISTED_VCT_SHARE: u64 = 8;

/// The minimum number of nodes for VCT.
const MIN_VCT_NODES: u64 = 4_000;

/// In `solve`, the minimum is at most the allowed nodes divided by this.
const MIN_VCT_SHARE: u64 = 8;

/// A solver that plays and undoes moves.
pub(crate) trait PlayUndo: Sized {
    /// Returns the board and its evaluator.
    fn board_and_evaluator(&mut self) -> (&mut Board, &mut GomokuEvaluator);

    /// Plays `mv`, calls `body`, undoes `mv` and returns the result of `body`.
    fn with_move<R>(&mut self, mv: Cell, body: impl FnOnce(&mut Self) -> R) -> R {
        let (board, evaluator) = self.board_and_evaluator();
        board.play(mv);
        evaluator.points.played(board, mv);
        let result = body(self);
        let (board, evaluator) = self.board_and_evaluator();
        board.undo(mv, ());
        evaluator.points.undone();
        result
    }
}

impl PlayUndo for (Board, &mut GomokuEvaluator) {
    fn board_and_evaluator(&mut self) -> (&mut Board, &mut GomokuEvaluator) {
        (&mut self.0, self.1)
    }
}

impl GomokuEvaluator {
    /// Returns whether `side` makes a four or more on some point, allowed or not.
    fn has_fours(&self, side: Side) -> bool {
        let groups = [Group::Fours, Group::OpenFours, Group::Fives];
        groups.iter().any(|&group| !self.points.group(side, group).is_empty())
    }

    /// Searches a VCF for the side to move. Returns its line, or `None` when none is found within
    /// `limits`.
    pub(crate) fn vcf(
        &mut self,
        board: &Board,
        limits: VcfLimits,
        ctx: &mut Context,
    ) -> Result<Option<Vec<Cell>>, Interrupt> {
        if !self.has_fours(board.turn()) {
            return Ok(None);
        }
        let (result, _) = search_vcf(self, board, limits, ctx)?;
        Ok(if let SolverResult::Win(line) = result { Some(line) } else { None })
    }

    /// Searches a VCF for the side to move. Returns its line and score, or `None` when none is
    /// found.
    fn vcf_probe(&mut self, board: &Board, limits: VcfLimits, ctx: &mut Context) -> Found {
        let line = self.vcf(board, limits, ctx)?;
        Ok(line.map(|line| Probe { score: Score::win_in(line.len() as u32), line }))
    }

    /// Searches a win by threats for the side to move, after a move that is not a candidate: a VCF,
    /// and with high effort a VCT. Returns the maximum number of plies of the win.
    fn win_by_threats(
        &mut self,
        board: &Board,
        effort: ProofEffort,
        ctx: &mut Context,
    ) -> Result<Option<u32>, Interrupt> {
        let limits = VcfLimits::new(VcfScope::Full, PROBE_NODES);
        if let Some(line) = self.vcf(board, limits, ctx)? {
            return Ok(Some(line.len() as u32));
        }
        if effort == ProofEffort::Low {
            return Ok(None);
        }
        let before = ctx.own_nodes();
        let allowed = (before / UNLISTED_VCT_SHARE).max(MIN_VCT_NODES);
        let nodes = allowed.saturating_sub(self.memory.unlisted_vct_nodes).min(UNLISTED_VCT_NODES);
        if nodes == 0 {
            return Ok(None);
        }
        let found = search_vct(self, board, VctLimits { nodes, ..VctLimits::default() }, ctx);
        self.memory.unlisted_vct_nodes += ctx.own_nodes() - before;
        let (result, _) = found?;
        Ok(if let SolverResult::Win(win) = result { win.score.plies() } else { None })
    }

    /// Searches a VCT for the side to move. `self` must be up to date with `board`.
    pub fn vct(
        &mut self,
        board: &Board,
        limits: VctLimits,
        ctx: &mut Context,
    ) -> Result<SolverResult<Probe<Cell>>, Interrupt> {
        Ok(self.counted_vct(board, limits, ctx)?.0)
    }

    /// Searches a VCT by [`search_vct`], and adds its nodes to `vct_nodes`.
    fn counted_vct(
        &mut self,
        board: &Board,
        limits: VctLimits,
        ctx: &mut Context,
    ) -> Result<(SolverResult<Probe<Cell>>, bool), Interrupt> {
        let before = ctx.own_nodes();
        let result = search_vct(self, board, limits, ctx);
        self.memory.vct_nodes += ctx.own_nodes() - before;
        result
    }
}

impl Prover<Board> for GomokuEvaluator {
    const SOLVER_NAME: &'static str = "threat search (VCF or VCT)";

    const KEEPS_WINS: bool = true;

    fn static_bounds(&self, board: &Board, _wanted: Window) -> (Score, Score) {
        let side = board.turn();
        if self.fives(board, side).next().is_some() {
            return (Score::win_in(1), Score::win_in(1));
        }
        if self.fives(board, side.other()).next().is_some() {
            let mut answers = Vec::new();
            self.push_answers(board, side, &mut answers);
            if answers.is_empty() {
                return (Score::loss_in(2), Score::loss_in(2));
            }
        } else if self.decisive_point(board, side).is_some() {
            return (Score::win_in(3), Score::win_in(3));
        }
        // Neither side has a four, so the earliest ends are a win in 3 and a loss in 4.
        (Score::loss_in(4), Score::win_in(3))
    }

    fn solve(&mut self, board: &Board, nodes: u64, ctx: &mut Context) -> Found {
        if let Some(win) = self.vcf_probe(board, VcfLimits::new(VcfScope::Full, nodes), ctx)? {
            return Ok(Some(win));
        }
        // Only searches at the root advance the stage.
        let is_root = board.key().0 == self.memory.root_key;
        let stage = if is_root { self.memory.vct_stage } else { VctStage::FIRST };
        let more = self.memory.vct_stage.quiet - VctStage::FIRST.quiet;
        let divisor = if board.rule() == Rule::Renju { VCT_SHARE_RENJU } else { VCT_SHARE };
        let least = MIN_VCT_NODES.min(nodes / MIN_VCT_SHARE);
        let share = ((ctx.own_nodes().min(nodes) / divisor) >> more).max(least);
        if share <= self.memory.vct_nodes {
            return Ok(None);
        }
        let VctStage { quiet, vcf_scope } = stage;
        let nodes = share - self.memory.vct_nodes;
        let limits = VctLimits { nodes, quiet, vcf_scope, ..VctLimits::default() };
        let (result, has_ended) = self.counted_vct(board, limits, ctx)?;
        if let SolverResult::Win(win) = result {
            return Ok(Some(win));
        }
        if is_root && has_ended {
            self.memory.vct_stage = stage.next();
        }
        Ok(None)
    }

    fn probe(&mut self, board: &Board, _window: Window, ctx: &mut Context) -> Found {
        // Unless this side had to stop a five two plies ago, it had no such win then, so a new win
        // begins near its last stone.
        let was_forced = self.points.made(board.turn().other(), 3) >= Threat::Four;
        let last = self.points.last_cell(2).filter(|_| !was_forced);
        let near = last.and_then(|index| board.grid().at(index));
        self.vcf_probe(board, VcfLimits::near(near, VcfScope::Local, PROBE_NODES), ctx)
    }

    // Most of `others` are far from the other stones. The first one is like a pass: if it does not
    // lose to threats, few of the others do.
    fn others_lose(
        &mut self,
        board: &Board,
        others: &[Cell],
        effort: ProofEffort,
        ctx: &mut Context,
    ) -> Result<LosingMoves, Interrupt> {
        let mut line = (board.clone(), self);
        let mut losing = LosingMoves::NONE;
        for &mv in others {
            let won = line.with_move(mv, |(board, evaluator)| match board.outcome() {
                None => evaluator.win_by_threats(board, effort, ctx),
                Some(_) => Ok(None),
            });
            let Some(plies) = won? else { break };
            losing = LosingMoves { count: losing.count + 1, plies: losing.plies.max(plies + 1) };
        }
        Ok(losing)
    }

    fn win_within(&mut self, board: &Board, plies: u32, nodes: u64, ctx: &mut Context) -> Found {
        self.vcf_within(board, plies, nodes, ctx)
    }

    fn attack_within(
        &mut self,
        board: &Board,
        plies: u32,
        effort: ProofEffort,
        nodes: u64,
        ctx: &mut Context,
    ) -> Result<Option<Cell>, Interrupt> {
        if effort == ProofEffort::Low {
            return vct_attack(self, board, plies, nodes, ctx);
        }
        match self.vcf_within(board, plies, nodes, ctx)? {
            Some(win) => Ok(win.line.first().copied()),
            None => vct_within(self, board, plies, nodes, ctx),
        }
    }

    fn defences(
        &mut self,
        board: &Board,
        plies: u32,
        ctx: &mut Context,
    ) -> Result<Option<Defences<Cell>>, Interrupt> {
        self.defences_within(board, plies, ctx)
    }

    fn probe_horizon(&mut self, board: &Board, _window: Window, ctx: &mut Context) -> Found {
        self.vcf_probe(board, VcfLimits::new(VcfScope::Local, HORIZON_NODES), ctx)
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::{Evaluator, Notation};

    use super::*;
    use crate::gomoku::tests::evaluated_after;

    /// The four on o12 is stopped on k12, far from the VCF that begins on f3.
    #[test]
    fn a_vcf_far_from_a_stone_that_had_to_stop_a_five_is_found() {
        let moves = "c3 b3 d3 l12 e3 m12 f4 n12 f5 o12 k12 a15";
        let (board, mut evaluator) = evaluated_after(moves);
        let found = evaluator.probe(&board, Window::FULL, &mut Context::unlimited()).unwrap();
        let first = found.and_then(|probe| probe.line.first().copied());
        assert_eq!(first, Some(board.read_move("f3").unwrap()));
    }

    /// Few stones, far apart: VCT soon has no more moves to try.
    const QUIET: &str = "h8 a15 a1 o15";

    /// Solves the position after `mv`, or `root` itself, in a search from `root`. Returns the stage
    /// of VCT afterwards.
    fn stage_after_solve(root: &str, mv: Option<&str>) -> VctStage {
        let (mut board, mut evaluator) = evaluated_after(root);
        evaluator.reset(&board);
        if let Some(mv) = mv.map(|name| board.read_move(name).unwrap()) {
            board.play(mv);
            evaluator.played(&board, mv);
        }
        let found = evaluator.solve(&board, 100_000, &mut Context::unlimited()).unwrap();
        assert!(found.is_none(), "{found:?}");
        evaluator.memory.vct_stage
    }

    #[test]
    fn only_a_finished_vct_of_the_root_advances_the_stage() {
        assert_eq!(stage_after_solve(QUIET, None), VctStage::FIRST.next());
        let child = format!("{QUIET} h7");
        assert_eq!(stage_after_solve(&child, None), VctStage::FIRST.next());
        assert_eq!(stage_after_solve(QUIET, Some("h7")), VctStage::FIRST, "below the root");
        let stopped_by_nodes = stage_after_solve("h8 i9 h10 h9 g9 i10", None);
        assert_eq!(stopped_by_nodes, VctStage::FIRST);
    }
}
