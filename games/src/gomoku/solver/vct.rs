//! VCT, victory by continuous threats (threes and fours): after every move the attacker threatens a
//! VCF, until the defender has no move that stops it.
//!
//! A win found here is proven against every defence. The result that there is no win holds for this
//! kind of win only.
// CITE: Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002 (the
// depth-first proof-number search); Thomsen, "Lambda-search in game trees", 2000 (a threat is a win
// after a pass of the opponent, and its proof gives the defences).

mod proof_number;

use tengen_engine::{Cell, Context, Game, Interrupt, Probe, Score, Side};

use crate::gomoku::pattern::threat::{Group, Threat};
use crate::gomoku::solver::PlayUndo;
use crate::gomoku::solver::proof_parts::Answers;
use crate::gomoku::solver::vcf::{SolverResult, SolverStop, VcfLimits, search_vcf};
use crate::gomoku::solver::vcf_defence::vcf_defence;
use crate::gomoku::solver_memory::proof_table::Numbers;
use crate::gomoku::solver_memory::scope::{VcfScope, VctStage};
use crate::gomoku::solver_memory::vcf_table::MAX_FOURS;
use crate::gomoku::{Board, GomokuEvaluator};
use tengen_engine::hash::mix64;

use proof_number::{Child, Sum, Thresholds, all_defences, best_attack};

/// The node limit for building the line of a proven win, in addition to the nodes of the proof.
const LINE_NODES: u64 = 20_000;

/// The estimated number of leaves to prove after a three.
const THREE_LEAVES: u32 = 8;

/// The estimated number of leaves to prove after a quiet move.
const QUIET_LEAVES: u32 = 30;

/// The estimated number of leaves to prove after a four. A VCF was tried before, and most other
/// fours lead nowhere.
const FOUR_LEAVES: u32 = 80;

/// The difference in ordering score of two moves that counts as one leaf.
const SCORE_PER_LEAF: i32 = 20;

/// The limits of a VCT search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VctLimits {
    /// The maximum number of moves of the attacker, the five included; no limit when `None`.
    pub moves: Option<u32>,
    /// The maximum number of quiet moves among them: neither a four nor a three, but with a VCF as
    /// the threat.
    pub quiet: u32,
    /// The node limit of the whole search.
    pub nodes: u64,
    /// The node limit of each VCF search inside.
    pub vcf_nodes: u64,
    /// The scope of these VCF searches. A search with [`Local`](VcfScope::Local) scope that finds
    /// no VCF where fours are possible makes the result [`Unknown`](SolverResult::Unknown).
    pub vcf_scope: VcfScope,
}

impl Default for VctLimits {
    fn default() -> Self {
        let VctStage { quiet, vcf_scope } = VctStage::FIRST;
        Self { moves: None, quiet, nodes: 10_000, vcf_nodes: 60, vcf_scope }
    }
}

/// Returns a salt for keys, so that a position has other numbers for the other attacker and for
/// other VCF limits or scopes.
fn search_salt(attacker: Side, limits: VctLimits) -> u64 {
    let is_local = u64::from(limits.vcf_scope == VcfScope::Local);
    mix64(limits.vcf_nodes) ^ mix64(0x20_0000 + 2 * attacker.index() as u64 + is_local)
}

/// Searches a VCT for the side to move. Returns the result, and whether the search ended before the
/// node limit. `evaluator` must be up to date with `board`.
pub(crate) fn search_vct(
    evaluator: &mut GomokuEvaluator,
    board: &Board,
    limits: VctLimits,
    ctx: &mut Context,
) -> Result<(SolverResult<Probe<Cell>>, bool), Interrupt> {
    let mut search = VctSearch::new(evaluator, board, limits, ctx);
    let bounds = Bounds { moves: limits.moves, quiet: limits.quiet };
    let found = search.attack(Thresholds::NONE, bounds).and_then(|numbers| {
        if !numbers.is_won() {
            // Numbers at their cap are not proof.
            let is_proven = numbers.is_settled() && !search.evaluator.memory.has_unsure_proofs;
            return Ok(if is_proven { SolverResult::NoWin } else { SolverResult::Unknown });
        }
        search.nodes_left += LINE_NODES;
        let mut line = Vec::new();
        search.append_win(&mut line, bounds)?;
        let plies = u32::from(numbers.plies).max(line.len() as u32);
        Ok(SolverResult::Win(Probe { score: Score::win_in(plies), line }))
    });
    match found {
        Ok(result) => Ok((result, true)),
        Err(SolverStop::NodeLimit) => Ok((SolverResult::Unknown, false)),
        Err(SolverStop::Interrupted(interrupt)) => Err(interrupt),
    }
}

/// Returns the first move of a VCT that takes at most `plies` plies: one that a search by `evaluator`
/// has found before, or that a search with `nodes` nodes finds.
pub(crate) fn vct_attack(
    evaluator: &mut GomokuEvaluator,
    board: &Board,
    plies: u32,
    nodes: u64,
    ctx: &mut Context,
) -> Result<Option<Cell>, Interrupt> {
    for VctStage { quiet, vcf_scope } in VctStage::all() {
        let limits = VctLimits { quiet, vcf_scope, ..VctLimits::default() };
        let bounds = Bounds { moves: None, quiet };
        let key = board.key().0 ^ bounds.salt() ^ search_salt(board.turn(), limits);
        let is_known = |numbers: Numbers| numbers.is_won() && u32::from(numbers.plies) <= plies;
        if evaluator.memory.proofs.get(key).is_some_and(is_known)
            && let Some(mv) = VctSearch::new(evaluator, board, limits, ctx).known_attack(bounds)
        {
            return Ok(Some(mv));
        }
    }
    let limits = VctLimits { nodes, ..VctLimits::default() };
    Ok(first_in_time(search_vct(evaluator, board, limits, ctx)?.0, plies))
}

/// Returns the first move of a VCT that takes at most `plies` plies, by searches of each stage that
/// try no longer ones. Together they have about `nodes` nodes.
pub(crate) fn vct_within(
    evaluator: &mut GomokuEvaluator,
    board: &Board,
    plies: u32,
    nodes: u64,
    ctx: &mut Context,
) -> Result<Option<Cell>, Interrupt> {
    let end = ctx.own_nodes().saturating_add(nodes);
    let moves = Some(plies.div_ceil(2));
    for VctStage { quiet, vcf_scope } in VctStage::all() {
        let nodes = end.saturating_sub(ctx.own_nodes());
        let limits = VctLimits { moves, quiet, nodes, vcf_scope, ..VctLimits::default() };
        let (result, has_ended) = search_vct(evaluator, board, limits, ctx)?;
        let first = first_in_time(result, plies);
        if first.is_some() || !has_ended {
            return Ok(first);
        }
    }
    Ok(None)
}

/// Returns the first move of a win that takes at most `plies` plies.
fn first_in_time(result: SolverResult<Probe<Cell>>, plies: u32) -> Option<Cell> {
    let SolverResult::Win(win) = result else { return None };
    let is_in_time = win.score >= Score::win_in(plies);
    win.line.first().copied().filter(|_| is_in_time)
}

/// The move budget of the attacker: the remaining moves.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// The number of moves; no limit when `None`.
    moves: Option<u32>,
    /// The number of quiet moves among them.
    quiet: u32,
}

impl Bounds {
    fn suffice(self, needed: u32) -> bool {
        self.moves.is_none_or(|left| left >= needed)
    }

    fn less_one(self) -> Self {
        Self { moves: self.moves.map(|left| left.saturating_sub(1)), ..self }
    }

    /// Returns a salt for keys, so that searches with other bounds have other keys.
    fn salt(self) -> u64 {
        let moves = self.moves.map_or(0, |left| left + 1);
        mix64(0x10_0000 + (u64::from(moves) << 8) + u64::from(self.quiet))
    }

    /// Returns the maximum number of fours before the last one. The last four and the five take two
    /// moves more.
    fn fours(self) -> u32 {
        self.moves.map_or(MAX_FOURS, |left| left.saturating_sub(2)).min(MAX_FOURS)
    }
}

/// The options of the attacker.
enum Attacks {
    /// A win by this VCF.
    Won(Vec<Cell>),
    /// These moves, each with the bounds after it.
    Moves(Vec<(Cell, Bounds)>),
}

struct VctSearch<'a> {
    /// A salt for keys, see [`search_salt`].
    salt: u64,
    board: Board,
    evaluator: &'a mut GomokuEvaluator,
    ctx: &'a mut Context,
    limits: VctLimits,
    nodes_left: u64,
    /// For each cell of the defender's last move, the move that won after it the last time.
    replies: Vec<Option<Cell>>,
    last: Option<Cell>,
}

impl PlayUndo for VctSearch<'_> {
    fn board_and_evaluator(&mut self) -> (&mut Board, &mut GomokuEvaluator) {
        (&mut self.board, self.evaluator)
    }
}

impl<'a> VctSearch<'a> {
    fn new(
        evaluator: &'a mut GomokuEvaluator,
        board: &Board,
        limits: VctLimits,
        ctx: &'a mut Context,
    ) -> Self {
        Self {
            salt: search_salt(board.turn(), limits),
            board: board.clone(),
            evaluator,
            ctx,
            limits,
            nodes_left: limits.nodes,
            replies: vec![None; board.grid().cells()],
            last: None,
        }
    }

    fn enter(&mut self) -> Result<(), SolverStop> {
        self.nodes_left = self.nodes_left.checked_sub(1).ok_or(SolverStop::NodeLimit)?;
        Ok(self.ctx.enter()?)
    }

    fn key(&self, bounds: Bounds) -> u64 {
        self.board.key().0 ^ bounds.salt() ^ self.salt
    }

    /// Searches the position with the attacker to move until a threshold of `limit`. Returns its
    /// numbers.
    fn attack(&mut self, limit: Thresholds, bounds: Bounds) -> Result<Numbers, SolverStop> {
        let known = self.evaluator.memory.proofs.get(self.key(bounds));
        if let Some(settled) = known.filter(|numbers| numbers.is_settled()) {
            return Ok(settled);
        }
        self.expand(limit, bounds, known.is_none())
    }

    /// Searches the position with the attacker to move, without reading its entry in the table. If
    /// it `is_new`, searches a VCF first.
    fn expand(
        &mut self,
        limit: Thresholds,
        bounds: Bounds,
        is_new: bool,
    ) -> Result<Numbers, SolverStop> {
        self.enter()?;
        let key = self.key(bounds);
        let before = self.nodes_left;
        let numbers = match self.attacks(is_new, bounds)? {
            Attacks::Won(line) => Numbers::won(line.len() as u32),
            Attacks::Moves(list) => {
                let mut children = self.children(&list);
                let last = self.last;
                let numbers = self.search_best_child(
                    &mut children,
                    limit,
                    best_attack,
                    |search, child, limit| {
                        search.with_move(child.mv, |search| search.defend(limit, child.bounds))
                    },
                )?;
                let win = children.iter().find(|child| child.numbers.is_won());
                if let (Some(win), Some(last)) = (win, last) {
                    self.replies[last.index()] = Some(win.mv);
                }
                self.last = last;
                numbers
            }
        };
        self.evaluator.memory.proofs.put(key, numbers, before - self.nodes_left + 1);
        Ok(numbers)
    }

    /// Searches the position with the defender to move until a threshold of `limit`. Returns its
    /// numbers.
    fn defend(&mut self, limit: Thresholds, bounds: Bounds) -> Result<Numbers, SolverStop> {
        self.enter()?;
        let key = self.key(bounds);
        let before = self.nodes_left;
        let numbers = match self.defences(bounds)? {
            Answers::Free => Numbers::REFUTED,
            Answers::Moves(list, others) => {
                let mut children = self.answers(&list, bounds);
                let sum = |children: &[Child]| all_defences(children, others);
                self.search_best_child(&mut children, limit, sum, |search, child, limit| {
                    search.last = Some(child.mv);
                    search.with_move(child.mv, |search| search.attack(limit, child.bounds))
                })?
            }
        };
        self.evaluator.memory.proofs.put(key, numbers, before - self.nodes_left + 1);
        Ok(numbers)
    }

    /// Searches the most promising child by `visit` until a threshold of `limit`. `sum` gives the
    /// numbers of the node and the most promising child, which may change on the way.
    fn search_best_child(
        &mut self,
        children: &mut [Child],
        limit: Thresholds,
        sum: impl Fn(&[Child]) -> Sum,
        visit: impl Fn(&mut Self, &Child, Thresholds) -> Result<Numbers, SolverStop>,
    ) -> Result<Numbers, SolverStop> {
        loop {
            let total = sum(children);
            if limit.are_reached(total.numbers) {
                return Ok(total.numbers);
            }
            let limit = total.limit_of_best(children, limit);
            children[total.best].numbers = visit(self, &children[total.best], limit)?;
        }
    }

    /// Returns the children by the moves of the attacker in `list`.
    fn children(&self, list: &[(Cell, Bounds)]) -> Vec<Child> {
        let best = self.best_score(list.iter().map(|&(mv, _)| mv));
        let child = |&(mv, bounds): &(Cell, Bounds)| {
            self.child(mv, bounds, || self.estimate_attack(mv, best))
        };
        list.iter().map(child).collect()
    }

    /// Returns the children by the moves of the defender in `list`. A defence with a better
    /// ordering score gets a smaller disproof number, so that it is searched first.
    fn answers(&self, list: &[Cell], bounds: Bounds) -> Vec<Child> {
        let best = self.best_score(list.iter().copied());
        let estimate = |mv| Numbers::open(1, 1 + self.score_penalty(mv, best));
        list.iter().map(|&mv| self.child(mv, bounds, || estimate(mv))).collect()
    }

    fn best_score(&self, moves: impl Iterator<Item = Cell>) -> i32 {
        moves.map(|mv| self.evaluator.move_score(&self.board, mv)).max().unwrap_or(0)
    }

    /// Returns the number of leaves to add because a move scores below `best`.
    fn score_penalty(&self, mv: Cell, best: i32) -> u32 {
        let score = self.evaluator.move_score(&self.board, mv);
        ((best - score) / SCORE_PER_LEAF).unsigned_abs()
    }

    fn child(&self, mv: Cell, bounds: Bounds, estimate: impl Fn() -> Numbers) -> Child {
        let key = self.board.key_after(mv) ^ bounds.salt() ^ self.salt;
        Child {
            mv,
            bounds,
            numbers: self.evaluator.memory.proofs.get(key).unwrap_or_else(estimate),
        }
    }

    /// Returns the move that won the last time after the defender's last move.
    fn hint(&self) -> Option<Cell> {
        self.last.and_then(|last| self.replies[last.index()])
    }

    /// Returns estimated numbers for a move of the attacker that is not in the table. `best` is the
    /// best ordering score of the attacker's moves in this position.
    fn estimate_attack(&self, mv: Cell, best: i32) -> Numbers {
        if self.hint() == Some(mv) {
            return Numbers::open(1, 1);
        }
        let leaves = match self.evaluator.points.threat(self.board.turn(), mv) {
            Threat::Three | Threat::DoubleThree => THREE_LEAVES,
            Threat::Quiet => QUIET_LEAVES,
            _ => FOUR_LEAVES,
        };
        Numbers::open(leaves + self.score_penalty(mv, best), 1)
    }

    /// Returns the options of the attacker. `is_new`: no VCF was searched in this position yet.
    fn attacks(&mut self, is_new: bool, bounds: Bounds) -> Result<Attacks, SolverStop> {
        let none = Attacks::Moves(Vec::new());
        if self.board.outcome().is_some() || !bounds.suffice(1) {
            return Ok(none);
        }
        let (board, side) = (&self.board, self.board.turn());
        if let Some(five) = self.evaluator.fives(board, side).next() {
            return Ok(Attacks::Won(vec![five]));
        }
        if !bounds.suffice(2) {
            return Ok(none);
        }
        if is_new && let Some(line) = self.fours(self.board.clone(), bounds)? {
            return Ok(Attacks::Won(line));
        }
        let (board, evaluator) = (&self.board, &*self.evaluator);
        let (after, mut list) = (bounds.less_one(), Vec::new());
        let with = |list: Vec<Cell>| list.into_iter().map(|mv| (mv, after)).collect();
        if evaluator.fives(board, side.other()).next().is_some() {
            evaluator.push_answers(board, side, &mut list);
            return Ok(Attacks::Moves(with(list)));
        }
        for group in [Group::Fours, Group::Threes] {
            list.extend(evaluator.playable(board, side, group));
        }
        let mut list: Vec<(Cell, Bounds)> = with(list);
        if after.quiet > 0 {
            let after = Bounds { quiet: after.quiet - 1, ..after };
            list.extend(evaluator.builders(board, side).map(|mv| (mv, after)));
        }
        Ok(Attacks::Moves(list))
    }

    fn defences(&mut self, bounds: Bounds) -> Result<Answers, SolverStop> {
        if !bounds.suffice(1) {
            return Ok(Answers::Free);
        }
        match self.evaluator.direct_defences(&self.board, bounds.suffice(2)) {
            Some(answers) => Ok(answers),
            None => self.defences_to_fours(bounds),
        }
    }

    /// Returns the defences to the VCF that the attacker threatens.
    fn defences_to_fours(&mut self, bounds: Bounds) -> Result<Answers, SolverStop> {
        let passed = self.board.passed();
        let Some(line) = self.fours(passed, bounds)? else {
            return Ok(Answers::Free);
        };
        let Some(defence) = vcf_defence(self.evaluator, &self.board, &line, self.ctx)? else {
            self.evaluator.memory.has_unsure_proofs = true;
            return Ok(Answers::Free);
        };
        let (board, evaluator, side) = (&self.board, &*self.evaluator, self.board.turn());
        let cells = defence.cells.iter().filter_map(|index| board.grid().at(index));
        let list = cells.filter(|&cell| evaluator.may_play(board, side, cell)).collect();
        Ok(Answers::Moves(list, defence.others_lose_in))
    }

    /// Searches a VCF for the side to move on `board`, which has the stones of this position.
    /// Returns its line, or `None` when none is found.
    fn fours(&mut self, board: Board, bounds: Bounds) -> Result<Option<Vec<Cell>>, SolverStop> {
        if !self.evaluator.has_fours(board.turn()) {
            return Ok(None);
        }
        let VctLimits { vcf_nodes, vcf_scope: scope, .. } = self.limits;
        let allowed = vcf_nodes.min(self.nodes_left);
        let vcf_limits = VcfLimits { fours: bounds.fours(), ..VcfLimits::new(scope, allowed) };
        let (result, entered) = search_vcf(self.evaluator, &board, vcf_limits, self.ctx)?;
        self.nodes_left -= entered;
        match result {
            SolverResult::Win(line) => {
                Ok(bounds.suffice(line.len().div_ceil(2) as u32).then_some(line))
            }
            SolverResult::NoWin if scope == VcfScope::Full => Ok(None),
            // A later search may have more nodes than this one, so this is no refutation.
            SolverResult::Unknown if allowed < vcf_nodes => Err(SolverStop::NodeLimit),
            SolverResult::NoWin | SolverResult::Unknown => {
                self.evaluator.memory.has_unsure_proofs = true;
                Ok(None)
            }
        }
    }

    /// Returns the quickest win among the moves of `list` by the table.
    fn quickest_win(&self, list: &[(Cell, Bounds)]) -> Option<Child> {
        let won = self.children(list).into_iter().filter(|child| child.numbers.is_won());
        won.min_by_key(|child| child.numbers.plies)
    }

    /// Returns the quickest winning move of this position by the table.
    fn known_attack(&mut self, bounds: Bounds) -> Option<Cell> {
        match self.attacks(false, bounds).ok()? {
            Attacks::Won(line) => line.first().copied(),
            Attacks::Moves(list) => Some(self.quickest_win(&list)?.mv),
        }
    }

    /// Appends the moves of a proven win, from the attacker's move to the five.
    fn append_win(&mut self, line: &mut Vec<Cell>, bounds: Bounds) -> Result<(), SolverStop> {
        let list = match self.attacks(true, bounds)? {
            Attacks::Won(rest) => {
                line.extend(rest);
                return Ok(());
            }
            Attacks::Moves(list) => list,
        };
        if self.quickest_win(&list).is_none() {
            // The table has lost the entry of the winning move.
            self.expand(Thresholds::NONE, bounds, true)?;
        }
        let Child { mv, bounds, .. } = self.quickest_win(&list).ok_or(SolverStop::NodeLimit)?;
        line.push(mv);
        self.with_move(mv, |search| search.append_defence(line, bounds))
    }

    /// Appends the longest known defence, and the win against it.
    fn append_defence(&mut self, line: &mut Vec<Cell>, bounds: Bounds) -> Result<(), SolverStop> {
        let Answers::Moves(list, _) = self.defences(bounds)? else {
            return Err(SolverStop::NodeLimit);
        };
        let children = self.answers(&list, bounds);
        let longest = children.iter().max_by_key(|child| child.numbers.plies).map(|child| child.mv);
        let mv = longest.or_else(|| self.evaluator.any_move(&self.board));
        let mv = mv.ok_or(SolverStop::NodeLimit)?;
        line.push(mv);
        self.with_move(mv, |search| search.append_win(line, bounds))
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::{Evaluator, Notation};

    use super::*;
    use crate::gomoku::tests::evaluated_after;

    /// The first player wins by a double-three on i8.
    const DOUBLE_THREE: &str = "g8 a1 h8 o1 i9 a15 i10 o15";

    fn vct(evaluator: &mut GomokuEvaluator, board: &Board) -> SolverResult<Probe<Cell>> {
        let limits = VctLimits { vcf_scope: VcfScope::Full, ..VctLimits::default() };
        evaluator.vct(board, limits, &mut Context::unlimited()).unwrap()
    }

    #[test]
    fn a_proof_number_at_its_cap_proves_nothing() {
        let (board, mut evaluator) = evaluated_after(DOUBLE_THREE);
        let limits = VctLimits { vcf_scope: VcfScope::Full, ..VctLimits::default() };
        let salt = search_salt(board.turn(), limits);
        for mv in board.grid().all().filter(|&mv| board.is_allowed(mv)) {
            for quiet in 0..=limits.quiet {
                let key = board.key_after(mv) ^ Bounds { moves: None, quiet }.salt() ^ salt;
                evaluator.memory.proofs.put(key, Numbers::open(Numbers::NEVER, 1), 1);
            }
        }
        assert_eq!(vct(&mut evaluator, &board), SolverResult::Unknown);
    }

    #[test]
    fn a_win_of_one_side_is_not_taken_for_the_other() {
        let (mut board, mut evaluator) = evaluated_after(DOUBLE_THREE);
        assert!(matches!(vct(&mut evaluator, &board), SolverResult::Win(_)));
        let mv = board.read_move("i8").unwrap();
        board.play(mv);
        evaluator.played(&board, mv);
        assert_eq!(vct(&mut evaluator, &board), SolverResult::NoWin);
    }
}
