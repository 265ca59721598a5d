//! The parts of a proof that is kept with a game: short wins by fours, and the defences to them.
//!
//! This file proves one position. The engine puts the parts together.

use tengen_engine::{Cell, Context, Defences, Game, Interrupt, Probe, Score};

use crate::gomoku::pattern::threat::Group;
use crate::gomoku::solver::vcf::VcfLimits;
use crate::gomoku::solver::vcf_defence::vcf_defence;
use crate::gomoku::solver_memory::scope::VcfScope;
use crate::gomoku::solver_memory::vcf_table::MAX_FOURS;
use crate::gomoku::{Board, GomokuEvaluator};

/// The node limit of the VCF search for a threat.
const THREAT_NODES: u64 = 1_000;

/// The options of the defender.
pub(super) enum Answers {
    /// Any move: nothing is threatened, or the defender wins.
    Free,
    /// These moves; every other move loses within this number of plies.
    Moves(Vec<Cell>, u32),
}

impl GomokuEvaluator {
    /// Searches a VCF of the side to move that takes at most `plies` plies.
    pub(super) fn vcf_within(
        &mut self,
        board: &Board,
        plies: u32,
        nodes: u64,
        ctx: &mut Context,
    ) -> Result<Option<Probe<Cell>>, Interrupt> {
        // The last four and the five are the last two moves of the attacker.
        let fours = plies.div_ceil(2).saturating_sub(2).min(MAX_FOURS);
        // If the answer to the last four can be forbidden, the search may count that four, too.
        let extra = u32::from(board.rule().forbids(board.turn().other()));
        for fours in fours..=fours + extra {
            let limits = VcfLimits { fours, ..VcfLimits::new(VcfScope::Full, nodes) };
            let line = self.vcf(board, limits, ctx)?;
            if let Some(line) = line.filter(|line| line.len() <= plies as usize) {
                return Ok(Some(Probe { score: Score::win_in(line.len() as u32), line }));
            }
        }
        Ok(None)
    }

    /// Returns the moves that may stop a five, an open four or a VCF that the opponent threatens,
    /// so that all others lose within `plies` plies; `None` if every move may.
    pub(super) fn defences_within(
        &mut self,
        board: &Board,
        plies: u32,
        ctx: &mut Context,
    ) -> Result<Option<Defences<Cell>>, Interrupt> {
        let known = match self.direct_defences(board, plies >= 4) {
            Some(Answers::Free) => None,
            Some(Answers::Moves(moves, others_lose_in)) => Some(Defences { moves, others_lose_in }),
            None => self.defences_to_vcf(board, plies, ctx)?,
        };
        Ok(known.filter(|known| known.others_lose_in <= plies))
    }

    fn defences_to_vcf(
        &mut self,
        board: &Board,
        plies: u32,
        ctx: &mut Context,
    ) -> Result<Option<Defences<Cell>>, Interrupt> {
        let threat = self.vcf_within(&board.passed(), plies - 1, THREAT_NODES, ctx)?;
        let Some(threat) = threat else { return Ok(None) };
        let Some(found) = vcf_defence(self, board, &threat.line, ctx)? else { return Ok(None) };
        let cells = found.cells.iter().filter_map(|index| board.grid().at(index));
        let moves = cells.filter(|&cell| self.may_play(board, board.turn(), cell)).collect();
        Ok(Some(Defences { moves, others_lose_in: found.others_lose_in }))
    }

    /// Returns the moves that may stop a five, or with `open_fours` an open four, that the opponent
    /// threatens; `None` if there is no such threat.
    pub(super) fn direct_defences(&self, board: &Board, open_fours: bool) -> Option<Answers> {
        let side = board.turn();
        if board.outcome().is_some() || self.fives(board, side).next().is_some() {
            return Some(Answers::Free);
        }
        let mut list = Vec::new();
        if self.fives(board, side.other()).next().is_some() {
            self.push_answers(board, side, &mut list);
            // The attacker wins with its next stone, unless the game is drawn before.
            let goes_on = !list.is_empty() || board.plies_left() > 1;
            return Some(if goes_on { Answers::Moves(list, 2) } else { Answers::Free });
        }
        if !open_fours || self.decisive_point(board, side).is_some() {
            return Some(Answers::Free);
        }
        let has_open_four = !self.points.group(side, Group::OpenFours).is_empty();
        let is_stopped = !has_open_four && self.push_defences(board, &mut list);
        is_stopped.then_some(Answers::Moves(list, 4))
    }
}
