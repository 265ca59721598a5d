//! An independent solver that holds claimed wins of five in a row against every defence by the rules
//! alone: it knows what wins and what is forbidden, and nothing of threats or patterns. Only the
//! attacker's moves are the claimant's.

use std::collections::HashMap;

use tengen_engine::Cell;
use tengen_engine::search::Context;
use tengen_engine::{Evaluator, Game, Notation, Side};
use tengen_engine::{Outcome, Probe};
use tengen_games::gomoku::{
    Board, Class, GomokuEvaluator, Rule, SolverResult, VcfScope, VctLimits,
};

use super::boards::moves_of;

/// Holds the claims of one evaluator.
pub(crate) struct Referee {
    evaluator: GomokuEvaluator,
    /// By position, in how many plies the attacker, who is to move, was seen to win at most.
    held: HashMap<u64, u32>,
}

impl Referee {
    pub(crate) fn new(board: &Board) -> Self {
        Self { evaluator: GomokuEvaluator::new(board), held: HashMap::new() }
    }

    /// Finds a win of the side to move within `left` plies and plays it against every defence.
    pub(crate) fn hold_win(&mut self, board: &mut Board, left: u32) {
        self.attack(board, &[], left);
    }

    /// Plays a claimed win against every defence; it must not take more than `left` plies.
    pub(crate) fn hold(&mut self, board: &mut Board, line: &[Cell], left: u32) {
        let key = board.key().0;
        if self.held.get(&key).is_some_and(|&plies| plies <= left) {
            return;
        }
        assert!(left % 2 == 1 && board.is_allowed(line[0]), "{}", picture(board));
        let attacker = board.turn();
        board.play(line[0]);
        if board.outcome() != Some(Outcome::Win(attacker)) {
            assert!(board.outcome().is_none() && left > 1, "{}", picture(board));
            self.defend(board, &line[1..], left - 1);
        }
        board.undo(line[0], ());
        self.held.insert(key, left);
    }

    /// Every defence. Where the attacker wins at once unless its row is stopped, those that do not
    /// touch the row are not tried one by one.
    fn defend(&mut self, board: &mut Board, line: &[Cell], left: u32) {
        let side = board.turn();
        assert!(fives(board, side).is_empty(), "{}", picture(board));
        let threats = fives(board, side.other());
        let mut defences = moves_of(board);
        if let Some(&five) = threats.first() {
            assert!(left >= 2 && defences.len() > 1, "{}", picture(board));
            defences.retain(|&cell| is_felt(board, cell, five));
        }
        for mv in defences {
            board.play(mv);
            assert_eq!(board.outcome(), None, "{}", picture(board));
            if left < 2 || fives(board, side.other()).is_empty() {
                self.attack(
                    board,
                    if line.first() == Some(&mv) { &line[1..] } else { &[] },
                    left - 1,
                );
            }
            board.undo(mv, ());
        }
    }

    /// A win within `left` plies.
    fn seek(&mut self, board: &Board, quiet: u32, left: u32) -> Option<Probe<Cell>> {
        let moves = Some(left.div_ceil(2));
        let vcf_scope = VcfScope::Full;
        let limits =
            VctLimits { moves, quiet, nodes: 1_000_000, vcf_scope, ..VctLimits::default() };
        match self.evaluator.vct(board, limits, &mut Context::unlimited()) {
            Ok(SolverResult::Win(win)) => Some(win),
            _ => None,
        }
    }

    /// The attacker goes on, with `line` if there is one.
    fn attack(&mut self, board: &mut Board, line: &[Cell], left: u32) {
        if self.held.get(&board.key().0).is_some_and(|&plies| plies <= left) {
            return;
        }
        if !line.is_empty() {
            return self.hold(board, line, left);
        }
        self.evaluator.reset(board);
        let win = (1..=MAX_QUIET).find_map(|quiet| self.seek(board, quiet, left));
        let Some(win) = win else { panic!("no win within {left} plies: {}", picture(board)) };
        let plies = win.score.plies().expect("a win has a length");
        assert!(plies <= left, "{plies} plies and not {left}: {}", picture(board));
        self.hold(board, &win.line, plies);
    }
}

/// How many moves of a claimed win by threats may be neither a four nor a three.
const MAX_QUIET: u32 = 4;

/// Where a stone of `side` wins.
fn fives(board: &Board, side: Side) -> Vec<Cell> {
    let empty = board.grid().all().filter(|&cell| board.stone(cell).is_none());
    empty.filter(|&cell| board.classes(cell, side).contains(&Class::Five)).collect()
}

/// Whether a stone on `cell` can matter to a row through `five`.
fn is_felt(board: &Board, cell: Cell, five: Cell) -> bool {
    if matches!(board.rule(), Rule::Freestyle | Rule::Standard | Rule::Renju) {
        return cell == five;
    }
    let grid = board.grid();
    let across = grid.column(cell).abs_diff(grid.column(five));
    let up = grid.row(cell).abs_diff(grid.row(five));
    across.max(up) <= 5 && (across == 0 || up == 0 || across == up)
}

pub(crate) fn picture(board: &Board) -> String {
    format!("{}, {:?} to move\n{}", board.rules(), board.turn(), board.draw())
}
