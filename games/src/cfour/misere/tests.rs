//! Compares the rules of misère four in a row, and the search, with plain minimax on every position
//! of small boards.

use tengen_engine::search::{Context, Search, Task};
use tengen_engine::table::Table;
use tengen_engine::{Evaluator, Limits, Outcome, Side};

use super::super::tests::minimax::Minimax;
use super::super::{AnySize, Classic};
use tengen_engine::{Notation, Style};

use super::*;

type Small = Misere<AnySize<u64>>;

fn board(width: u32, height: u32, connect: u32) -> Small {
    Board::misere(AnySize::new(width, height, connect).unwrap())
}

struct Solver(Minimax<Small>);

impl Solver {
    fn of_board(width: u32, height: u32, connect: u32) -> Self {
        let mut solver = Self(Minimax::new(|game: &Small| (game.own, game.all)));
        solver.0.value(&mut board(width, height, connect));
        solver
    }

    fn check_all(&mut self) {
        for mut game in std::mem::take(&mut self.0.positions) {
            let value = self.0.value(&mut game);
            if game.outcome().is_none() {
                self.check(&mut game, value);
            }
        }
    }

    fn check(&mut self, game: &mut Small, value: Score) {
        let mut evaluator = MisereEvaluator::default();
        evaluator.reset(game);
        let (low, high) = evaluator.static_bounds(game, Window::FULL);
        assert!(low <= value && value <= high, "{low:?} <= {value:?} <= {high:?} in {game:?}");
        let is_near = value.plies().is_some_and(|plies| plies <= 2);
        assert!(!is_near || low == high, "the nearest ends are exact: {game:?}");
        let mut candidates = Vec::new();
        assert_eq!(evaluator.candidates(game, &mut candidates), Coverage::Complete);
        let best = candidates.iter().map(|&mv| self.0.value_after(game, mv)).max();
        assert_eq!(best, Some(value), "the candidates keep the value: {game:?}");
        if let Some(only) = evaluator.only_move(game) {
            assert_eq!(candidates, [only], "{game:?}");
        }
        assert!(!evaluator.evaluate(game).is_decisive());
    }
}

/// Solves a board, checks the number of its positions, and every rule in every position.
fn check_board(width: u32, height: u32, positions: usize) {
    let mut solver = Solver::of_board(width, height, 4);
    assert_eq!(solver.0.positions.len(), positions);
    solver.check_all();
}

// CITE: the numbers of positions, which are those of normal play, are John Tromp's,
// https://tromp.github.io/c4/c4.html.
#[test]
fn every_rule_holds_on_every_position_of_4x4() {
    check_board(4, 4, 161_029);
}

#[test]
fn every_rule_holds_on_every_position_of_4x5() {
    check_board(4, 5, 1_706_255);
}

#[test]
fn every_rule_holds_on_every_position_of_5x4() {
    check_board(5, 4, 3_945_711);
}

#[test]
fn every_rule_holds_for_lines_of_three_and_of_five() {
    for (width, height, connect) in
        [(3, 3, 3), (4, 4, 3), (5, 3, 3), (3, 6, 3), (3, 7, 3), (4, 5, 3), (4, 4, 5), (6, 2, 5)]
    {
        Solver::of_board(width, height, connect).check_all();
    }
}

/// Checks for every `stride`-th position that the search finds its value and a line that ends with
/// this value.
fn check_search(width: u32, height: u32, connect: u32, stride: usize) {
    let mut solver = Solver::of_board(width, height, connect);
    let mut table = Table::new(4).unwrap();
    let positions = std::mem::take(&mut solver.0.positions);
    for mut game in positions.into_iter().step_by(stride) {
        if game.outcome().is_some() {
            continue;
        }
        let value = solver.0.value(&mut game);
        let (view, context) = (table.view(), Context::unlimited());
        let mut search = Search::new(game, MisereEvaluator::default(), view, context);
        let report = search.run(&Task::new(Limits::default()), &mut |_| ()).report;
        assert_eq!(report.score, value, "{game:?}");
        if let Some(plies) = value.plies() {
            assert_eq!(report.pv.len(), plies as usize, "{game:?}");
            let loser = if value.is_loss() { game.turn() } else { game.turn().other() };
            report.pv.iter().for_each(|&mv| game.play(mv));
            assert_eq!(game.outcome(), Some(Outcome::Win(loser.other())));
        }
    }
}

#[test]
fn the_search_finds_every_value_and_a_line_to_it() {
    check_search(3, 3, 3, 1);
    check_search(4, 4, 3, 7);
    check_search(4, 4, 4, 41);
    check_search(5, 4, 4, 3_001);
    check_search(4, 5, 4, 3_001);
}

fn after(moves: &str) -> Misere<Classic> {
    let mut game = Board::misere(Classic);
    for text in moves.split_whitespace() {
        let mv = game.read_move(text).unwrap();
        game.play(mv);
    }
    game
}

#[test]
fn completing_a_line_loses() {
    let game = after("a b a b a b a");
    assert_eq!((game.turn(), game.outcome()), (Side::Second, Some(Outcome::Win(Side::Second))));
    assert_eq!(game.rules(), "7x6 board, 4 in a row, stones fall, a line loses");
}

#[test]
fn a_line_is_completed_only_if_all_moves_do() {
    let game = after("a b a b a b");
    let mut evaluator = MisereEvaluator::default();
    evaluator.reset(&game);
    let mut moves = Vec::new();
    evaluator.candidates(&game, &mut moves);
    let names: Vec<String> =
        moves.into_iter().map(|mv| game.write_move(mv, Style::Plain)).collect();
    assert_eq!(names.join(" "), "g1 f1 b4 e1 c1 d1");
}

#[test]
fn terms_add_up_to_the_evaluation() {
    let game = after("a b a b a b d d");
    let mut evaluator = MisereEvaluator::default();
    evaluator.reset(&game);
    let sum: i32 = evaluator.terms(&game).iter().map(|term| term.value).sum();
    assert_eq!(Score::heuristic(sum), evaluator.evaluate(&game));
    assert_eq!(evaluator.terms(&game)[0].value, 0, "each side has one losing cell");
}
