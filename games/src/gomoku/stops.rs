//! Which moves can stop a win by fours: the line of the win is gone through once, and every cell
//! that it rests on is noted. A stone on any other cell changes nothing of it.
//!
//! It knows one win, and neither looks for better ones nor judges the moves.

use tengen_engine::Game;
use tengen_engine::{Context, Interrupt};

use super::forbidden::{forbidden_seeing, may_be_forbidden};
use super::lines::CellSet;
use super::threat::Group;
use super::vcf::{Effort, MOST_FOURS, Sought, win_by_fours};
use super::{Board, GomokuEvaluator};
use tengen_engine::Cell;

/// What a win by fours of the opponent leaves to the side to move.
#[derive(Clone, Debug)]
pub(super) struct Stops {
    /// The cells on which a stone may stop it, fours of the side to move among them. Some are taken
    /// or forbidden.
    pub(super) cells: CellSet,
    /// In how many plies every other move loses at most.
    pub(super) others_lose_in: u32,
}

/// What the side to move can do about `line`, a win by fours of its opponent, were it to move.
/// `judge` describes `board`. `None` when that cannot be said.
pub(super) fn stops_of(
    judge: &mut GomokuEvaluator,
    board: &Board,
    line: &[Cell],
    ctx: &mut Context,
) -> Result<Option<Stops>, Interrupt> {
    let cells = CellSet::NONE;
    let mut trace = Trace { board: board.passed(), judge, ctx, cells, longest: 0 };
    let is_told = trace.attack(line, 0)?;
    let stops = Stops { cells: trace.cells, others_lose_in: trace.longest + 1 };
    Ok(is_told.then_some(stops))
}

struct Trace<'a> {
    board: Board,
    judge: &'a mut GomokuEvaluator,
    ctx: &'a mut Context,
    cells: CellSet,
    /// The plies of the longest line.
    longest: u32,
}

impl Trace<'_> {
    /// Goes through a win of the side to move, `ply` plies after the first move. Whether all that
    /// it rests on could be told.
    // One stone more of the defender's, elsewhere: it is no part of a five of the attacker's, stops
    // none, and makes no four with the stones that the defender has put down so far, so that every
    // move stays as forced as it is.
    fn attack(&mut self, line: &[Cell], ply: u32) -> Result<bool, Interrupt> {
        // The stone more, a four, an answer and the five.
        const ROOM: u32 = 4;
        let Some((&mv, rest)) = line.split_first() else { return Ok(false) };
        if self.board.plies_left() < ROOM {
            return Ok(false);
        }
        let attacker = self.board.turn();
        for group in [Group::Fours, Group::OpenFours, Group::Fives] {
            self.cells.unite(self.judge.points.group(attacker.other(), group));
        }
        self.cells.insert(mv.index());
        // A stone of the second player can free a point that keeps a three of the first player's
        // from being one.
        let is_bound = self.board.rule().forbids(attacker);
        if is_bound && may_be_forbidden(&self.judge.points.classes(attacker, mv)) {
            self.see_forbidden(mv);
        }
        if rest.is_empty() {
            self.longest = self.longest.max(ply + 1);
            return Ok(true);
        }
        self.board.play(mv);
        self.judge.points.played(&self.board, mv);
        let told = self.defend(rest, ply + 1);
        self.board.undo(mv, ());
        self.judge.points.undone();
        told
    }

    fn defend(&mut self, line: &[Cell], ply: u32) -> Result<bool, Interrupt> {
        let side = self.board.turn();
        let fives: Vec<Cell> = self.judge.fives(&self.board, side.other()).collect();
        fives.iter().for_each(|five| self.cells.insert(five.index()));
        if self.board.rule().forbids(side) {
            if !self.judge.has_room(&self.board, 1) {
                return Ok(false);
            }
            if let [five] = fives[..]
                && !self.judge.may_play(&self.board, side, five)
            {
                self.see_forbidden(five);
            }
        }
        if self.board.rule().closes_ends() {
            for &five in &fives {
                self.judge.points.add_reach(five, &mut self.cells);
            }
        }
        let mut answers = Vec::new();
        self.judge.push_answers(&self.board, side, &mut answers);
        if answers.is_empty() {
            self.longest = self.longest.max(ply + 2);
        }
        for mv in answers {
            self.board.play(mv);
            self.judge.points.played(&self.board, mv);
            let told = self.go_on(line, mv, ply + 1);
            self.board.undo(mv, ());
            self.judge.points.undone();
            if !told? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The attack after an answer: along `line` where that foresees it.
    fn go_on(&mut self, line: &[Cell], answer: Cell, ply: u32) -> Result<bool, Interrupt> {
        if line.first() == Some(&answer) {
            return self.attack(&line[1..], ply);
        }
        const EFFORT: Effort = Effort { fours: MOST_FOURS, nodes: 1_000 };
        match win_by_fours(self.judge, self.board.clone(), EFFORT, self.ctx)?.0 {
            Sought::Win(line) => self.attack(&line, ply),
            Sought::Nothing | Sought::Unknown => Ok(false),
        }
    }

    /// Notes whatever decides whether the first player may play on `cell`.
    fn see_forbidden(&mut self, cell: Cell) {
        let (setting, points, cells) = (&self.board.setting, &self.judge.points, &mut self.cells);
        let mut see = |seen| points.add_reach(seen, cells);
        forbidden_seeing(&setting.layout, setting.patterns, &self.board.lines, cell, &mut see);
    }
}
