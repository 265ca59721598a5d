//! VCF, victory by continuous fours: the attacker makes one four after the other, each of which the
//! defender must answer at once, until a five cannot be stopped.
//!
//! A win found here is proven against every defence. [`Sought::Nothing`] means that there is no win
//! within the limits; a longer one may exist.
// CITE: Allis, van den Herik and Huntjens, "Go-Moku and threat-space search", 1993 (forced replies
// make deep threat searches cheap).

use tengen_engine::Game;
use tengen_engine::{Context, Interrupt};

use super::threat::{Group, Threat};
use super::vcf_table::Found;
use super::walk::Walk;
use super::{Board, GomokuEvaluator};
use tengen_engine::Cell;

/// Why a search ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    /// The main search was stopped.
    Interrupted(Interrupt),
    /// The node limit is reached.
    Spent,
}

impl From<Interrupt> for Halt {
    fn from(interrupt: Interrupt) -> Self {
        Self::Interrupted(interrupt)
    }
}

/// The most fours of a line. No board has room for more.
pub(super) const MOST_FOURS: u32 = 240;

/// The limits of a VCF search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Fours before the last: a win takes up to two moves of the attacker more.
    pub(super) fours: u32,
    pub(super) nodes: u64,
}

/// The result of a search for a win.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sought<W> {
    /// A win.
    Win(W),
    /// There is no win within the limits on its length.
    Nothing,
    /// The limit on nodes came first.
    Unknown,
}

/// Searches a VCF for the side to move. Returns its line from the first move to the five, against
/// the longest defence, and the number of nodes. `evaluator` describes `board`.
pub(super) fn search_vcf(
    evaluator: &mut GomokuEvaluator,
    board: Board,
    effort: Effort,
    ctx: &mut Context,
) -> Result<(Sought<Vec<Cell>>, u64), Interrupt> {
    let mut attack = Attack { board, evaluator, ctx, nodes_left: effort.nodes };
    let mut fours = effort.fours.min(2);
    let sought = loop {
        match attack.win(fours) {
            Ok(Found::Win(mut line)) => {
                line.reverse();
                break Sought::Win(line);
            }
            Ok(Found::Short) if fours < effort.fours => fours = (2 * fours).min(effort.fours),
            Ok(_) => break Sought::Nothing,
            Err(Halt::Spent) => break Sought::Unknown,
            Err(Halt::Interrupted(interrupt)) => return Err(interrupt),
        }
    };
    Ok((sought, effort.nodes - attack.nodes_left))
}

struct Attack<'a> {
    board: Board,
    evaluator: &'a mut GomokuEvaluator,
    ctx: &'a mut Context,
    nodes_left: u64,
}

impl Walk for Attack<'_> {
    fn ground(&mut self) -> (&mut Board, &mut GomokuEvaluator) {
        (&mut self.board, self.evaluator)
    }
}

impl Attack<'_> {
    /// Searches a win of the attacker, who is to move, with at most `fours` fours before the last
    /// one.
    fn win(&mut self, fours: u32) -> Result<Found, Halt> {
        self.nodes_left = self.nodes_left.checked_sub(1).ok_or(Halt::Spent)?;
        self.ctx.enter()?;
        let side = self.board.turn();
        if let Some(five) = self.evaluator.fives(&self.board, side).next() {
            return Ok(Found::Win(vec![five]));
        }
        let (key, ()) = self.board.key();
        if let Some(found) = self.evaluator.failures.fails(key, fours) {
            return Ok(found);
        }
        let attacks = self.attacks();
        if fours == 0 && !attacks.is_empty() && self.makes(attacks[0]) < Threat::OpenFour {
            return Ok(Found::Short);
        }
        let mut found = Found::Nothing;
        for mv in attacks {
            match self.after(mv, |attack| attack.defend(fours.saturating_sub(1)))? {
                Found::Win(mut line) => {
                    line.push(mv);
                    return Ok(Found::Win(line));
                }
                Found::Short => found = Found::Short,
                Found::Nothing => {}
            }
        }
        self.evaluator.failures.remember(key, &found, fours);
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
    fn defend(&mut self, fours: u32) -> Result<Found, Halt> {
        if self.board.outcome().is_some() {
            return Ok(Found::Nothing);
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
            match self.after(mv, |attack| attack.win(fours))? {
                Found::Win(mut line) => {
                    line.push(mv);
                    if line.len() > longest.len() {
                        longest = line;
                    }
                }
                other => return Ok(other),
            }
        }
        Ok(Found::Win(longest))
    }

    /// Returns the last two moves of a line in which no answer stops the five: an answer, then the
    /// five.
    fn end(&mut self) -> Found {
        let side = self.board.turn();
        let attacker = side.other();
        let block = self
            .evaluator
            .fives(&self.board, attacker)
            .find(|&five| self.evaluator.may_play(&self.board, side, five));
        let Some(mv) = block.or_else(|| self.evaluator.any_move(&self.board)) else {
            return Found::Nothing;
        };
        self.after(mv, |attack| {
            let five = attack.evaluator.fives(&attack.board, attacker).next();
            five.map_or(Found::Nothing, |five| Found::Win(vec![five, mv]))
        })
    }
}
