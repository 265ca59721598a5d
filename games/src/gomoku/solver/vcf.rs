//! VCF, victory by continuous fours: the attacker makes one four after another, until a five cannot
//! be stopped. The defender must answer each four immediately.
//!
//! A win found here is proven against every defence. [`SolverResult::NoWin`] only means that there
//! is no win within the limits: a longer win, or one outside a local scope, may exist.
// CITE: Allis, van den Herik and Huntjens, "Go-Moku and threat-space search", 1993 (forced replies
// make deep threat searches cheap); Rapfi, https://github.com/dhbloo/rapfi (in the search, later
// fours are near the attacker's last stones, and make something else).

use std::borrow::Cow;

use tengen_engine::hash::mix64;
use tengen_engine::{Cell, Context, Game, Interrupt};

use crate::gomoku::pattern::Class;
use crate::gomoku::pattern::threat::{Group, Threat};
use crate::gomoku::solver::PlayUndo;
use crate::gomoku::solver_memory::scope::VcfScope;
use crate::gomoku::solver_memory::vcf_table::{MAX_FOURS, NoVcfTable, VcfResult};
use crate::gomoku::{Board, GomokuEvaluator};

/// The reason why a solver stopped early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SolverStop {
    /// The main search was stopped.
    Interrupted(Interrupt),
    /// The node limit is reached.
    NodeLimit,
}

impl From<Interrupt> for SolverStop {
    fn from(interrupt: Interrupt) -> Self {
        Self::Interrupted(interrupt)
    }
}

/// The limits of a VCF search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VcfLimits {
    /// The largest number of fours before the last four. A win takes up to two more moves of the
    /// attacker.
    pub(crate) fours: u32,
    /// The node limit.
    pub(crate) nodes: u64,
    pub(crate) scope: VcfScope,
    /// The first four must be near this stone; anywhere when `None`.
    pub(crate) near: Option<Cell>,
}

impl VcfLimits {
    /// Returns limits with a node limit only.
    pub(crate) const fn new(scope: VcfScope, nodes: u64) -> Self {
        Self { fours: MAX_FOURS, nodes, scope, near: None }
    }

    /// Returns limits with a node limit and a first four near `stone`.
    pub(crate) const fn near(stone: Option<Cell>, scope: VcfScope, nodes: u64) -> Self {
        Self { near: stone, ..Self::new(scope, nodes) }
    }
}

/// The maximum limit on the number of fours. A search that reaches it continues without a limit.
const MAX_LIMIT: u32 = 8;

/// The result of a search for a win.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverResult<W> {
    /// A win.
    Win(W),
    /// There is no win within the limits on its length.
    NoWin,
    /// No win was found, but there may be one: the node limit was reached, or not all fours were
    /// tried.
    Unknown,
}

/// Searches a VCF for the side to move. Returns its line, from the first move to the five against
/// the longest defence, and the number of nodes. `evaluator` must be up to date with `board`.
pub(crate) fn search_vcf(
    evaluator: &mut GomokuEvaluator,
    board: &Board,
    limits: VcfLimits,
    ctx: &mut Context,
) -> Result<(SolverResult<Vec<Cell>>, u64), Interrupt> {
    let VcfLimits { nodes, scope, near, .. } = limits;
    let key = salted_key(board, None, near);
    if let Some(known) = evaluator.memory.no_vcf_table(scope).probe_root(key, nodes) {
        let is_proven = known == VcfResult::NoWin;
        return Ok((if is_proven { SolverResult::NoWin } else { SolverResult::Unknown }, 0));
    }
    let board = Cow::Borrowed(board);
    let mut search = VcfSearch { board, evaluator, ctx, nodes_left: nodes, scope, near };
    let result = match search.deepen(limits.fours) {
        Ok(result) => result,
        Err(SolverStop::NodeLimit) => {
            if scope == VcfScope::Local {
                search.no_vcf_table().store_ran_out(key, nodes);
            }
            SolverResult::Unknown
        }
        Err(SolverStop::Interrupted(interrupt)) => return Err(interrupt),
    };
    Ok((result, nodes - search.nodes_left))
}

/// Returns the key of `board` in the table of its scope. The key depends on the four `previous`, or
/// for the first four, on the stone `near`.
fn salted_key(board: &Board, previous: Option<Cell>, near: Option<Cell>) -> u64 {
    let (key, ()) = board.key();
    match (previous, near) {
        (Some(four), _) => key ^ mix64(four.index() as u64),
        (None, Some(stone)) => key ^ mix64(!(stone.index() as u64)),
        (None, None) => key,
    }
}

struct VcfSearch<'a> {
    /// Borrowed until a move is played, because many searches play none.
    board: Cow<'a, Board>,
    evaluator: &'a mut GomokuEvaluator,
    ctx: &'a mut Context,
    nodes_left: u64,
    scope: VcfScope,
    near: Option<Cell>,
}

impl PlayUndo for VcfSearch<'_> {
    fn board_and_evaluator(&mut self) -> (&mut Board, &mut GomokuEvaluator) {
        (self.board.to_mut(), self.evaluator)
    }
}

impl VcfSearch<'_> {
    /// Searches a win of the side to move by iterative deepening on the number of fours before the
    /// last, up to `max_fours`.
    // Small limits find short wins. There are few limits, because each repeats the work of the one
    // before.
    fn deepen(&mut self, max_fours: u32) -> Result<SolverResult<Vec<Cell>>, SolverStop> {
        let mut fours = max_fours.min(2);
        loop {
            match self.win(fours, None)? {
                VcfResult::Win(mut line) => {
                    line.reverse();
                    return Ok(SolverResult::Win(line));
                }
                VcfResult::LimitReached if fours < max_fours => {
                    fours = if fours < MAX_LIMIT { (2 * fours).min(max_fours) } else { max_fours };
                }
                _ => return Ok(SolverResult::NoWin),
            }
        }
    }

    /// Searches a win of the attacker, who is to move, with at most `fours` fours before the last
    /// one. In a local scope, `previous` is the four before.
    fn win(&mut self, fours: u32, previous: Option<Cell>) -> Result<VcfResult, SolverStop> {
        self.nodes_left = self.nodes_left.checked_sub(1).ok_or(SolverStop::NodeLimit)?;
        self.ctx.enter()?;
        let side = self.board.turn();
        if let Some(five) = self.evaluator.fives(&self.board, side).next() {
            return Ok(VcfResult::Win(vec![five]));
        }
        let key = salted_key(&self.board, previous, self.near);
        if let Some(found) = self.no_vcf_table().probe(key, fours) {
            return Ok(found);
        }
        let attacks = self.attacks(previous);
        if fours == 0 && !attacks.is_empty() && self.makes(attacks[0]) < Threat::OpenFour {
            return Ok(VcfResult::LimitReached);
        }
        let mut found = VcfResult::NoWin;
        for mv in attacks {
            match self.with_move(mv, |attack| attack.defend(fours.saturating_sub(1), mv))? {
                VcfResult::Win(mut line) => {
                    line.push(mv);
                    return Ok(VcfResult::Win(line));
                }
                VcfResult::LimitReached => found = VcfResult::LimitReached,
                VcfResult::NoWin => {}
            }
        }
        self.no_vcf_table().store(key, &found, fours);
        Ok(found)
    }

    fn no_vcf_table(&mut self) -> &mut NoVcfTable {
        self.evaluator.memory.no_vcf_table(self.scope)
    }

    fn are_near(&self, one: Cell, other: Cell) -> bool {
        let grid = self.board.grid();
        let columns = grid.column(one).abs_diff(grid.column(other));
        VcfScope::is_near(columns, grid.row(one).abs_diff(grid.row(other)))
    }

    /// Returns whether a four on `cell` also makes at least a two on another line.
    fn makes_second_line(&self, cell: Cell) -> bool {
        let classes = self.evaluator.points.classes(self.board.turn(), cell);
        classes.iter().filter(|&&class| class >= Class::Two).count() >= 2
    }

    fn makes(&self, cell: Cell) -> Threat {
        self.evaluator.points.threat(self.board.turn(), cell)
    }

    /// Returns the fours to try after the four `previous`, the most promising first. If the
    /// defender threatens a five, only fours that stop the five.
    fn attacks(&self, previous: Option<Cell>) -> Vec<Cell> {
        let (board, evaluator) = (&self.board, &*self.evaluator);
        let side = board.turn();
        let mut attacks = Vec::new();
        if evaluator.fives(board, side.other()).next().is_some() {
            evaluator.push_answers(board, side, &mut attacks);
            attacks.retain(|&mv| self.makes(mv) >= Threat::Four);
        } else if let Some(point) = evaluator.decisive_point(board, side) {
            attacks.push(point);
        } else {
            let is_tried = |&mv: &Cell| match (previous, self.near) {
                (Some(four), _) => self.are_near(four, mv) && self.makes_second_line(mv),
                (None, Some(stone)) => self.are_near(stone, mv),
                (None, None) => self.scope == VcfScope::Full || self.makes_second_line(mv),
            };
            let fours = evaluator.cells(board, side, Group::Fours).filter(is_tried);
            attacks.extend(
                fours.filter(|&mv| {
                    evaluator.may_play(board, side, mv) && !self.ends_with_answer(mv)
                }),
            );
        }
        attacks.sort_by_key(|&mv| {
            std::cmp::Reverse((self.makes(mv), evaluator.move_score(board, mv)))
        });
        attacks
    }

    /// Returns whether no four can follow a four on `cell` and its answer, so that neither needs a
    /// search: the stone makes no three or four on another line, and there is no other four.
    // A new four needs a three that this stone makes. The answer makes none, but in renju it can
    // allow a point that was forbidden; such points are in `Group::Fours`.
    fn ends_with_answer(&self, cell: Cell) -> bool {
        let (board, points) = (&self.board, &self.evaluator.points);
        let side = board.turn();
        let classes = points.classes(side, cell);
        let mut lines = (0..classes.len()).filter(|&line| classes[line] >= Class::Three);
        let (Some(direction), None) = (lines.next(), lines.next()) else { return false };
        if board.rule().closes_ends() || self.makes(cell) != Threat::Four {
            return false;
        }
        let answer = board.lines.answer_to_four(cell, direction, side);
        let Some((answer, false)) = answer else { return false };
        if !self.is_plain_answer(answer) {
            return false;
        }
        let may_follow = |next: Cell| {
            // Local VCF can continue anywhere with an open four, and a forbidden point may become
            // one.
            let is_in_every_scope =
                matches!(self.makes(next), Threat::Forbidden | Threat::OpenFour);
            let is_in_scope = self.scope == VcfScope::Full || self.are_near(cell, next);
            (is_in_scope || is_in_every_scope) && next != cell && next != answer
        };
        let groups = [Group::Fours, Group::OpenFours].into_iter();
        !groups.flat_map(|group| self.evaluator.cells(board, side, group)).any(may_follow)
    }

    /// Returns whether the answer to a four is surely allowed and does not threaten a five.
    fn is_plain_answer(&self, answer: Cell) -> bool {
        let defender = self.board.turn().other();
        match self.evaluator.points.threat(defender, answer) {
            Threat::Quiet | Threat::Three => true,
            Threat::DoubleThree => !self.board.rule().forbids(defender),
            _ => false,
        }
    }

    /// Tries every answer to `four`, which was just made. Returns the longest line if the attacker
    /// wins against all answers.
    fn defend(&mut self, fours: u32, four: Cell) -> Result<VcfResult, SolverStop> {
        if self.board.outcome().is_some() {
            return Ok(VcfResult::NoWin);
        }
        let side = self.board.turn();
        debug_assert!(self.evaluator.fives(&self.board, side).next().is_none());
        let mut answers = Vec::new();
        self.evaluator.push_answers(&self.board, side, &mut answers);
        if answers.is_empty() {
            return Ok(self.last_moves());
        }
        let previous = (self.scope == VcfScope::Local).then_some(four);
        let mut longest = Vec::new();
        for mv in answers {
            match self.with_move(mv, |attack| attack.win(fours, previous))? {
                VcfResult::Win(mut line) => {
                    line.push(mv);
                    if line.len() > longest.len() {
                        longest = line;
                    }
                }
                other => return Ok(other),
            }
        }
        Ok(VcfResult::Win(longest))
    }

    /// Returns the last two moves of a won line, last move first: an answer and the five, which no
    /// answer stops.
    fn last_moves(&mut self) -> VcfResult {
        let side = self.board.turn();
        let attacker = side.other();
        let block = self
            .evaluator
            .fives(&self.board, attacker)
            .find(|&five| self.evaluator.may_play(&self.board, side, five));
        let Some(mv) = block.or_else(|| self.evaluator.any_move(&self.board)) else {
            return VcfResult::NoWin;
        };
        self.with_move(mv, |attack| {
            let five = attack.evaluator.fives(&attack.board, attacker).next();
            five.map_or(VcfResult::NoWin, |five| VcfResult::Win(vec![five, mv]))
        })
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::grid_game::GridGame;
    use tengen_engine::{Evaluator, Notation, Placement, Side};

    use super::*;
    use crate::gomoku::Rule;

    /// Plays a game of random candidates and calls `look` with each position.
    fn play_random_candidates(
        rule: Rule,
        seed: u64,
        mut look: impl FnMut(&Board, &mut GomokuEvaluator),
    ) {
        let mut board = Board::new(rule, 11, 11).unwrap();
        let mut evaluator = GomokuEvaluator::new(&board);
        let mut mv = board.grid().cell(5, 5);
        for ply in 0..50 {
            board.play(mv);
            evaluator.played(&board, mv);
            if board.outcome().is_some() {
                return;
            }
            look(&board, &mut evaluator);
            let mut near = Vec::new();
            evaluator.push_near(&board, &mut near);
            mv = near[(mix64(seed << 8 | ply) % near.len() as u64) as usize];
        }
    }

    #[test]
    fn no_four_follows_a_four_that_ends_with_its_answer() {
        for rule in [Rule::Freestyle, Rule::Standard, Rule::Renju] {
            let (mut ends, mut goes_on) = (0, 0);
            for seed in 0..60 {
                play_random_candidates(rule, seed, |board, evaluator| {
                    let side = board.turn();
                    let has_five = |side| evaluator.fives(board, side).next().is_some();
                    if has_five(side) || has_five(side.other()) {
                        return;
                    }
                    let fours: Vec<Cell> = evaluator.playable(board, side, Group::Fours).collect();
                    let mut search = VcfSearch {
                        board: Cow::Borrowed(board),
                        evaluator,
                        ctx: &mut Context::unlimited(),
                        nodes_left: u64::MAX,
                        scope: VcfScope::Full,
                        near: None,
                    };
                    for four in fours {
                        if !search.ends_with_answer(four) {
                            goes_on += 1;
                            continue;
                        }
                        ends += 1;
                        search.with_move(four, |search| {
                            let mut answers = Vec::new();
                            search.evaluator.push_answers(
                                &search.board,
                                side.other(),
                                &mut answers,
                            );
                            assert_eq!(answers.len(), 1, "{rule:?}, {seed}: {four:?}");
                            search.with_move(answers[0], |search| {
                                let (board, evaluator) = (&search.board, &search.evaluator);
                                for group in [Group::Fours, Group::OpenFours, Group::Fives] {
                                    let next = evaluator.playable(board, side, group).next();
                                    assert_eq!(next, None, "{rule:?}, {seed}: {four:?}");
                                }
                            });
                        });
                    }
                });
            }
            assert!(ends > 100 && goes_on > 100, "{rule:?}: {ends} end, {goes_on} go on");
        }
    }

    /// Black: d8 f8 g8, h9 h10 h11, i12 j12 k12. The four on e8 is answered on h8. The answer
    /// breaks the column, so that h12 is an open four and no longer forbidden.
    #[test]
    fn an_answer_that_allows_a_forbidden_point_does_not_end_the_attack() {
        let start = Board::new(Rule::Renju, 15, 15).unwrap();
        let cells = |points: &str| -> Vec<Cell> {
            points.split(' ').map(|point| start.read_move(point).unwrap()).collect()
        };
        let black = cells("d8 f8 g8 h9 h10 h11 i12 j12 k12");
        let white = cells("c8 i8 h7 h13 m12 g9 g10 i10 a15");
        let stone = |cell| match cell {
            cell if black.contains(&cell) => Some(Side::First),
            cell if white.contains(&cell) => Some(Side::Second),
            _ => None,
        };
        let stones = start.grid().all().map(stone).collect();
        let board = start.with(&Placement { stones, turn: Side::First }).unwrap();
        let mut evaluator = GomokuEvaluator::new(&board);
        let limits = VcfLimits::near(Some(black[0]), VcfScope::Local, 200);
        let found = search_vcf(&mut evaluator, &board, limits, &mut Context::unlimited()).unwrap();
        let SolverResult::Win(line) = found.0 else { panic!("{found:?}") };
        assert_eq!(line[..3], cells("e8 h8 h12"));
    }
}
