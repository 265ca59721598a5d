//! Checks every pruning rule of four in a row against plain minimax, on every position of small
//! boards.

use tengen_engine::search::{Context, Search, Task};
use tengen_engine::table::Table;
use tengen_engine::{
    Coverage, Evaluator, Game, Limits, MoveOrdering, Outcome, Prover, Score, Window,
};

use super::minimax::Minimax;
use crate::cfour::parity::{Controller, parity_bound};
use crate::cfour::{AnySize, Board, CfourEvaluator};

type Small = Board<AnySize<u64>>;

struct Solver {
    minimax: Minimax<Small>,
    /// The number of positions that the parity rule proved to be won.
    wins_by_parity: usize,
    /// The number of positions with a single candidate, from `only_move`.
    only_moves: usize,
}

impl Solver {
    fn new() -> Self {
        let minimax = Minimax::new(|board: &Small| (board.own, board.all));
        Self { minimax, wins_by_parity: 0, only_moves: 0 }
    }

    fn of_board(width: u32, height: u32, connect: u32) -> Self {
        let shape = AnySize::new(width, height, connect).unwrap();
        let mut solver = Self::new();
        solver.minimax.value(&mut Board::new(shape));
        solver
    }

    /// Solves the positions with `left` empty cells from `games` random games, and every position
    /// after them.
    fn of_late_positions(shape: AnySize<u64>, left: u32, games: usize) -> Self {
        let mut solver = Self::new();
        let mut rng = fastrand::Rng::with_seed(2);
        let mut moves = Vec::new();
        for _ in 0..games {
            let mut board = Board::new(shape);
            while board.outcome().is_none() && board.plies_left() > left {
                moves.clear();
                board.moves(&mut moves);
                board.play(moves[rng.usize(..moves.len())]);
            }
            if board.outcome().is_none() {
                solver.minimax.value(&mut board);
            }
        }
        solver
    }

    fn check_all(&mut self) {
        for mut board in std::mem::take(&mut self.minimax.positions) {
            let value = self.minimax.value(&mut board);
            if board.outcome().is_none() {
                self.check(&mut board, value);
            }
        }
    }

    fn check(&mut self, board: &mut Small, value: Score) {
        let mut threats = CfourEvaluator::new();
        threats.reset(board);
        self.check_bounds(board, &threats, value);
        self.check_parity(board, &threats, value);
        self.check_moves(board, &threats, value);
        assert!(!threats.evaluate(board).is_decisive());
    }

    /// Checks the bounds for a full window and for null windows at the draw and at the value.
    fn check_bounds(&self, board: &Small, threats: &CfourEvaluator<AnySize<u64>>, value: Score) {
        let (low, high) = threats.static_bounds(board, Window::FULL);
        let is_near = value.plies().is_some_and(|plies| plies <= 2);
        assert!(!is_near || low == high, "the nearest ends are exact: {board:?}");
        let below = [Score::DRAW.previous(), Score::DRAW, value.previous(), value];
        let scouts = below.into_iter().filter(|&alpha| alpha < Score::HIGHEST).map(Window::scout);
        for wanted in scouts.chain([Window::FULL]) {
            let (low, high) = threats.static_bounds(board, wanted);
            assert!(
                low <= value && value <= high,
                "{low:?} <= {value:?} <= {high:?} in {board:?} when asked {wanted:?}"
            );
        }
    }

    /// Checks that the bound of the parity rule is at most the value, whatever bound is needed.
    fn check_parity(
        &mut self,
        board: &Small,
        threats: &CfourEvaluator<AnySize<u64>>,
        value: Score,
    ) {
        let ours = |needed| parity_bound(board, Controller::Mover, threats.own, needed);
        let theirs = |needed| parity_bound(board, Controller::Opponent, threats.theirs, needed);
        let (draw, win) = (Score::DRAW, Score::DRAW.next());
        for needed in [draw, win, value, value.next()] {
            let bound = ours(needed);
            assert!(bound <= value, "{bound:?} {value:?} in {board:?}, {needed:?} needed");
        }
        for needed in [draw, win, -value, (-value).next()] {
            let bound = theirs(needed);
            assert!(bound <= -value, "{bound:?} {value:?} in {board:?}, {needed:?} needed");
        }
        self.wins_by_parity += usize::from(ours(win).is_win() || theirs(win).is_win());
    }

    /// Checks that the candidates and the only move keep the value.
    fn check_moves(
        &mut self,
        board: &mut Small,
        threats: &CfourEvaluator<AnySize<u64>>,
        value: Score,
    ) {
        let mut candidates = Vec::new();
        assert_eq!(threats.candidates(board, &mut candidates), Coverage::Complete);
        let best = candidates.iter().map(|&mv| self.minimax.value_after(board, mv)).max();
        assert_eq!(best, Some(value), "the candidates keep the value: {board:?}");
        if value != Score::win_in(1)
            && let Some(only) = threats.only_move(board)
        {
            assert_eq!(candidates, [only], "{board:?}");
            self.only_moves += 1;
        }
    }

    /// Checks for every `stride`-th position that the search finds its value and a line that ends
    /// with this value.
    fn check_search(&mut self, stride: usize) {
        let mut table = Table::new(4).unwrap();
        for mut board in std::mem::take(&mut self.minimax.positions).into_iter().step_by(stride) {
            if board.outcome().is_some() {
                continue;
            }
            let value = self.minimax.value(&mut board);
            table.age();
            let (view, context) = (table.view(), Context::unlimited());
            let mut search = Search::new(board, CfourEvaluator::new(), view, context);
            let report = search.run(&Task::new(Limits::default()), &mut |_| ()).report;
            assert_eq!(report.score, value, "{board:?}");
            let winner = if value.is_win() { board.turn() } else { board.turn().other() };
            report.pv.iter().for_each(|&mv| board.play(mv));
            if let Some(plies) = value.plies() {
                assert_eq!(report.pv.len(), plies as usize, "{board:?}");
                assert_eq!(board.outcome(), Some(Outcome::Win(winner)), "{board:?}");
            }
        }
    }
}

/// Solves a board, checks the number of its positions, its value, and every rule in every position.
fn check_board(width: u32, height: u32, connect: u32, positions: usize, value: Score) {
    let mut solver = Solver::of_board(width, height, connect);
    assert_eq!(solver.minimax.positions.len(), positions);
    let mut start = Board::new(AnySize::new(width, height, connect).unwrap());
    assert_eq!(solver.minimax.value(&mut start), value);
    solver.check_all();
    assert!(solver.only_moves > positions / 100, "{}", solver.only_moves);
}

// CITE: the numbers of positions are John Tromp's, https://tromp.github.io/c4/c4.html.
#[test]
fn every_rule_holds_on_every_position_of_4x4() {
    check_board(4, 4, 4, 161_029, Score::DRAW);
}

#[test]
fn every_rule_holds_on_every_position_of_4x5() {
    check_board(4, 5, 4, 1_706_255, Score::DRAW);
}

#[test]
fn every_rule_holds_on_every_position_of_5x4() {
    check_board(5, 4, 4, 3_945_711, Score::DRAW);
}

#[test]
fn every_rule_holds_for_lines_of_three_and_of_five() {
    for (width, height, connect) in
        [(3, 3, 3), (4, 4, 3), (5, 3, 3), (3, 6, 3), (3, 7, 3), (4, 5, 3), (4, 4, 5), (6, 2, 5)]
    {
        Solver::of_board(width, height, connect).check_all();
    }
}

#[test]
fn every_rule_holds_late_on_larger_boards() {
    for (width, height, connect, left, games) in [
        (5, 5, 4, 13, 20),
        (6, 5, 4, 13, 20),
        (5, 6, 4, 13, 20),
        (7, 5, 4, 13, 20),
        (7, 6, 4, 13, 20),
        (6, 7, 4, 13, 20),
        (5, 5, 3, 16, 40),
        (4, 7, 4, 13, 40),
        (7, 4, 5, 11, 20),
    ] {
        let shape = AnySize::new(width, height, connect).unwrap();
        let mut solver = Solver::of_late_positions(shape, left, games);
        assert!(solver.minimax.positions.len() > 1_000, "{shape:?}");
        solver.check_all();
        assert!(solver.wins_by_parity > 0, "{shape:?}");
    }
}

#[test]
fn the_search_finds_every_value_and_a_line_to_it() {
    for (width, height, connect, stride) in
        [(3, 3, 3, 1), (4, 4, 3, 7), (4, 4, 4, 13), (5, 4, 4, 331), (4, 5, 4, 331)]
    {
        Solver::of_board(width, height, connect).check_search(stride);
    }
}

#[test]
fn the_search_finds_values_late_on_larger_boards() {
    for (width, height) in [(5, 5), (6, 5), (7, 6)] {
        let shape = AnySize::new(width, height, 4).unwrap();
        Solver::of_late_positions(shape, 13, 20).check_search(41);
    }
}
