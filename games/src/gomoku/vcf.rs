//! VCF, victory by continuous fours: the attacker makes one four after the other until a five
//! cannot be stopped. The defender must answer each four at once.
//!
//! A win found here is proven against every defence. [`SolverResult::NoWin`] means that there is no
//! win within the limits. A longer win may exist.
// CITE: Allis, van den Herik and Huntjens, "Go-Moku and threat-space search", 1993 (forced replies
// make deep threat searches cheap).

use tengen_engine::Game;
use tengen_engine::{Context, Interrupt};

use super::play_undo::PlayUndo;
use super::threat::{Group, Threat};
use super::vcf_table::VcfResult;
use super::{Board, GomokuEvaluator};
use tengen_engine::Cell;

/// Why a search ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SolverStop {
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

/// The most fours of a line. No board has room for more.
pub(super) const MAX_FOURS: u32 = 240;

/// The limits of a VCF search.
#[derive(Clone, Copy, Debug)]
pub(super) struct VcfLimits {
    /// Fours before the last: a win takes up to two moves of the attacker more.
    pub(super) fours: u32,
    pub(super) nodes: u64,
}

/// The result of a search for a win.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverResult<W> {
    /// A win.
    Win(W),
    /// There is no win within the limits on its length.
    NoWin,
    /// The limit on nodes came first.
    Unknown,
}

/// Searches a VCF for the side to move. Returns its line from the first move to the five, against
/// the longest defence, and the number of nodes. `evaluator` describes `board`.
pub(super) fn search_vcf(
    evaluator: &mut GomokuEvaluator,
    board: Board,
    limits: VcfLimits,
    ctx: &mut Context,
) -> Result<(SolverResult<Vec<Cell>>, u64), Interrupt> {
    let mut attack = VcfSearch { board, evaluator, ctx, nodes_left: limits.nodes };
    let mut fours = limits.fours.min(2);
    let result = loop {
        match attack.win(fours) {
            Ok(VcfResult::Win(mut line)) => {
                line.reverse();
                break SolverResult::Win(line);
            }
            Ok(VcfResult::LimitReached) if fours < limits.fours => {
                fours = (2 * fours).min(limits.fours)
            }
            Ok(_) => break SolverResult::NoWin,
            Err(SolverStop::NodeLimit) => break SolverResult::Unknown,
            Err(SolverStop::Interrupted(interrupt)) => return Err(interrupt),
        }
    };
    Ok((result, limits.nodes - attack.nodes_left))
}

struct VcfSearch<'a> {
    board: Board,
    evaluator: &'a mut GomokuEvaluator,
    ctx: &'a mut Context,
    nodes_left: u64,
}

impl PlayUndo for VcfSearch<'_> {
    fn board_and_evaluator(&mut self) -> (&mut Board, &mut GomokuEvaluator) {
        (&mut self.board, self.evaluator)
    }
}

impl VcfSearch<'_> {
    /// Searches a win of the attacker, who is to move, with at most `fours` fours before the last
    /// four.
    fn win(&mut self, fours: u32) -> Result<VcfResult, SolverStop> {
        self.nodes_left = self.nodes_left.checked_sub(1).ok_or(SolverStop::NodeLimit)?;
        self.ctx.enter()?;
        let side = self.board.turn();
        if let Some(five) = self.evaluator.fives(&self.board, side).next() {
            return Ok(VcfResult::Win(vec![five]));
        }
        let (key, ()) = self.board.key();
        if let Some(found) = self.evaluator.no_vcf.probe(key, fours) {
            return Ok(found);
        }
        let attacks = self.attacks();
        if fours == 0 && !attacks.is_empty() && self.makes(attacks[0]) < Threat::OpenFour {
            return Ok(VcfResult::LimitReached);
        }
        let mut found = VcfResult::NoWin;
        for mv in attacks {
            match self.with_move(mv, |attack| attack.defend(fours.saturating_sub(1)))? {
                VcfResult::Win(mut line) => {
                    line.push(mv);
                    return Ok(VcfResult::Win(line));
                }
                VcfResult::LimitReached => found = VcfResult::LimitReached,
                VcfResult::NoWin => {}
            }
        }
        self.evaluator.no_vcf.store(key, &found, fours);
        Ok(found)
    }

    fn makes(&self, cell: Cell) -> Threat {
        self.evaluator.threat(self.board.turn(), cell)
    }

    /// Returns the fours worth trying, the most promising first. If the defender has a five to
    /// make, only fours that stop it count.
    fn attacks(&self) -> Vec<Cell> {
        let (board, evaluator) = (&self.board, &*self.evaluator);
        let side = board.turn();
        let mut attacks = Vec::new();
        if evaluator.fives(board, side.other()).next().is_some() {
            evaluator.push_answers(board, side, &mut attacks);
            attacks.retain(|&mv| self.makes(mv) >= Threat::Four);
        } else if let Some(point) = evaluator.decisive_point(board, side) {
            attacks.push(point);
        } else {
            attacks.extend(evaluator.playable(board, side, Group::Fours));
        }
        attacks.sort_by_key(|&mv| {
            std::cmp::Reverse((self.makes(mv), evaluator.move_score(board, mv)))
        });
        attacks
    }

    /// Tries every answer to the four just made. Returns the longest line if the attacker wins
    /// against all.
    fn defend(&mut self, fours: u32) -> Result<VcfResult, SolverStop> {
        if self.board.outcome().is_some() {
            return Ok(VcfResult::NoWin);
        }
        let side = self.board.turn();
        debug_assert!(self.evaluator.fives(&self.board, side).next().is_none());
        let mut answers = Vec::new();
        self.evaluator.push_answers(&self.board, side, &mut answers);
        if answers.is_empty() {
            return Ok(self.end());
        }
        let mut longest = Vec::new();
        for mv in answers {
            match self.with_move(mv, |attack| attack.win(fours))? {
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

    /// Returns the last two moves of a won line, an answer and the five. No answer stops the five.
    fn end(&mut self) -> VcfResult {
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
