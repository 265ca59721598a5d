//! An independent check of claimed wins of five in a row against every defence. It uses the rules
//! alone, which say what wins and what is forbidden, and no threats or patterns. Only the
//! attacker's moves come from the claim.

use std::collections::HashMap;

use tengen_engine::Cell;
use tengen_engine::search::Context;
use tengen_engine::{Evaluator, Game, Notation, Side};
use tengen_engine::{Outcome, Probe};
use tengen_games::gomoku::{
    Board, Class, GomokuEvaluator, Rule, SolverResult, VcfScope, VctLimits,
};

use super::boards::moves_of;

/// Checks the claims of one evaluator.
pub(crate) struct Referee {
    evaluator: GomokuEvaluator,
    /// For each position with the attacker to move, the fewest plies within which a win was
    /// confirmed.
    confirmed: HashMap<u64, u32>,
}

impl Referee {
    pub(crate) fn new(board: &Board) -> Self {
        Self { evaluator: GomokuEvaluator::new(board), confirmed: HashMap::new() }
    }

    /// Finds a win of the side to move within `left` plies and checks it against every defence.
    pub(crate) fn check_win(&mut self, board: &mut Board, left: u32) {
        self.attack(board, &[], left);
    }

    /// Checks a claimed win against every defence. It must take at most `left` plies.
    pub(crate) fn check(&mut self, board: &mut Board, line: &[Cell], left: u32) {
        let key = board.key().0;
        if self.confirmed.get(&key).is_some_and(|&plies| plies <= left) {
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
        self.confirmed.insert(key, left);
    }

    /// Tries every defence. If the attacker threatens to win immediately, defences that cannot stop
    /// the threat are skipped.
    fn defend(&mut self, board: &mut Board, line: &[Cell], left: u32) {
        let side = board.turn();
        assert!(fives(board, side).is_empty(), "{}", picture(board));
        let threats = fives(board, side.other());
        let mut defences = moves_of(board);
        if let Some(&five) = threats.first() {
            assert!(left >= 2 && defences.len() > 1, "{}", picture(board));
            defences.retain(|&cell| may_stop(board, cell, five));
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

    /// Returns a win within `left` plies.
    fn find_win(&mut self, board: &Board, quiet: u32, left: u32) -> Option<Probe<Cell>> {
        let moves = Some(left.div_ceil(2));
        let vcf_scope = VcfScope::Full;
        let limits =
            VctLimits { moves, quiet, nodes: 1_000_000, vcf_scope, ..VctLimits::default() };
        match self.evaluator.vct(board, limits, &mut Context::unlimited()) {
            Ok(SolverResult::Win(win)) => Some(win),
            _ => None,
        }
    }

    /// Continues the attack with `line`, or with a new win if `line` is empty.
    fn attack(&mut self, board: &mut Board, line: &[Cell], left: u32) {
        if self.confirmed.get(&board.key().0).is_some_and(|&plies| plies <= left) {
            return;
        }
        if !line.is_empty() {
            return self.check(board, line, left);
        }
        self.evaluator.reset(board);
        let win = (1..=MAX_QUIET).find_map(|quiet| self.find_win(board, quiet, left));
        let Some(win) = win else { panic!("no win within {left} plies: {}", picture(board)) };
        let plies = win.score.plies().expect("a win has a length");
        assert!(plies <= left, "{plies} plies and not {left}: {}", picture(board));
        self.check(board, &win.line, plies);
    }
}

/// The maximum number of moves of a claimed win by threats that are neither a four nor a three.
const MAX_QUIET: u32 = 4;

/// Returns the points where a stone of `side` wins.
fn fives(board: &Board, side: Side) -> Vec<Cell> {
    let empty = board.grid().all().filter(|&cell| board.stone(cell).is_none());
    empty.filter(|&cell| board.classes(cell, side).contains(&Class::Five)).collect()
}

/// Returns whether a stone on `cell` can matter to a row through `five`.
fn may_stop(board: &Board, cell: Cell, five: Cell) -> bool {
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
