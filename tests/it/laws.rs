//! The real games keep the laws of [`tengen_engine::laws`], and implementations of the same rules
//! agree.

use crate::support::boards::{falling, gomoku, mnk, moves_of, random_position};
use fastrand::Rng;
use tengen_engine::{Game, Notation, Outcome, SearchEvaluator, Side, Style, laws};
use tengen_games::cfour::{AnySize, Board, CfourEvaluator, Classic, MisereEvaluator, Shape};
use tengen_games::gomoku::Rule;
use tengen_games::tree::{TreeEvaluator, TreeGame};

/// Checks the laws on `count` random walks from `start`.
fn walks<G: Notation, E: SearchEvaluator<G>>(start: &G, evaluator: &E, count: u64) {
    for seed in 0..count {
        walk(start, evaluator, seed);
    }
}

fn walk<G: Notation, E: SearchEvaluator<G>>(start: &G, evaluator: &E, seed: u64) {
    laws::check_walk(start, evaluator, seed).unwrap_or_else(|broken| panic!("{broken}"));
}

#[test]
fn cfour_keeps_the_laws() {
    walks(&Board::new(Classic), &CfourEvaluator::new(), 40);
    for (width, height, connect) in [(4, 4, 4), (1, 6, 3), (6, 1, 3), (8, 7, 5), (2, 2, 3)] {
        walks(&falling::<u64>(width, height, connect), &CfourEvaluator::new(), 10);
    }
    for (width, height, connect) in [(9, 7, 5), (16, 7, 4), (26, 3, 6), (4, 26, 7), (5, 5, 3)] {
        walks(&falling::<u128>(width, height, connect), &CfourEvaluator::new(), 4);
    }
}

#[test]
fn misere_cfour_keeps_the_laws() {
    walks(&Board::misere(Classic), &MisereEvaluator::default(), 40);
    for (width, height, connect) in [(4, 4, 4), (1, 6, 3), (6, 1, 3), (8, 7, 5), (2, 2, 3)] {
        let shape = AnySize::<u64>::new(width, height, connect).expect("the board fits");
        walks(&Board::misere(shape), &MisereEvaluator::default(), 10);
    }
    for (width, height, connect) in [(9, 7, 5), (16, 7, 4), (26, 3, 6), (4, 26, 7)] {
        let shape = AnySize::<u128>::new(width, height, connect).expect("the board fits");
        walks(&Board::misere(shape), &MisereEvaluator::default(), 4);
    }
}

#[test]
fn the_plain_board_keeps_the_laws() {
    for overline in [false, true] {
        for falls in [false, true] {
            for (width, height, connect) in [(3, 3, 3), (4, 3, 2), (2, 2, 1), (5, 4, 4), (1, 7, 3)]
            {
                let (game, evaluator) = mnk(width, height, connect, falls, overline);
                walks(&game, &evaluator, 10);
            }
            let (game, evaluator) = mnk(9, 8, 5, falls, overline);
            walks(&game, &evaluator, 3);
        }
    }
    let (game, evaluator) = mnk(15, 15, 5, false, true);
    walks(&game, &evaluator, 1);
    let (game, evaluator) = mnk(13, 11, 6, true, true);
    walks(&game, &evaluator, 1);
}

#[test]
fn five_in_a_row_keeps_the_laws() {
    for rule in Rule::ALL {
        for (width, height) in [(5, 5), (7, 6), (5, 9)] {
            let (board, evaluator) = gomoku(rule, width, height);
            walks(&board, &evaluator, 6);
        }
    }
    for rule in [Rule::Standard, Rule::Renju] {
        let (board, evaluator) = gomoku(rule, 15, 15);
        walks(&board, &evaluator, 1);
    }
    let (board, evaluator) = gomoku(Rule::Freestyle, 22, 9);
    walks(&board, &evaluator, 1);
}

#[test]
fn the_explicit_tree_keeps_the_laws() {
    walks(&TreeGame::example(), &TreeEvaluator, 10);
}

#[test]
fn random_positions_keep_the_laws() {
    let mut rng = Rng::with_seed(7);
    for seed in 0..60 {
        let (game, evaluator) = mnk(5, 5, 4, false, true);
        let empties = rng.usize(..25);
        if let Ok(game) = game.read_position(&random_position(5, 5, false, empties, &mut rng)) {
            walk(&game, &evaluator, seed);
        }
        for rule in Rule::ALL {
            let (board, evaluator) = gomoku(rule, 7, 6);
            let text = random_position(7, 6, false, 8 + rng.usize(..30), &mut rng);
            if let Ok(board) = board.read_position(&text) {
                walk(&board, &evaluator, seed);
            }
        }
        let text = random_position(7, 6, true, 5 + rng.usize(..30), &mut rng);
        if let Ok(board) = Board::new(Classic).read_position(&text) {
            walk(&board, &CfourEvaluator::new(), seed);
        }
        if let Ok(board) = Board::misere(Classic).read_position(&text) {
            walk(&board, &MisereEvaluator::default(), seed);
        }
    }
}

/// The public view of a position, for comparisons of two implementations.
#[derive(PartialEq, Debug)]
struct PositionView {
    position: String,
    pocket: String,
    drawing: String,
    moves: Vec<String>,
    turn: Side,
    outcome: Option<Outcome>,
    plies_left: u32,
    rules: String,
}

fn position_view<G: Notation>(game: &G) -> PositionView {
    PositionView {
        position: game.write_position(false),
        pocket: game.write_position(true),
        drawing: game.draw(),
        moves: moves_of(game).iter().map(|&mv| game.write_move(mv, Style::Plain)).collect(),
        turn: game.turn(),
        outcome: game.outcome(),
        plies_left: game.plies_left(),
        rules: Notation::rules(game),
    }
}

/// Plays the same random moves on both boards and compares their views.
fn compare_with_plain_board<S: Shape>(shape: S, rng: &mut Rng) {
    let mut fast = Board::new(shape);
    let (mut plain, _) = mnk(shape.width(), shape.height(), shape.connect(), true, true);
    loop {
        let (mut a, mut b) = (position_view(&fast), position_view(&plain));
        a.moves.sort();
        b.moves.sort();
        assert_eq!(a, b);
        let Some(text) = b.moves.get(rng.usize(..b.moves.len().max(1))) else { return };
        fast.play(fast.read_move(text).unwrap_or_else(|error| panic!("{error}")));
        plain.play(plain.read_move(text).unwrap_or_else(|error| panic!("{error}")));
    }
}

#[test]
fn five_in_a_row_agrees_with_the_plain_board_where_the_rules_are_the_same() {
    for (rule, overline) in [(Rule::Freestyle, true), (Rule::Standard, false)] {
        for seed in 0..30 {
            let mut rng = Rng::with_seed(seed);
            let (mut fast, _) = gomoku(rule, 9, 8);
            let (mut plain, _) = mnk(9, 8, 5, false, overline);
            loop {
                let (a, b) = (position_view(&fast), position_view(&plain));
                assert_eq!(a, b);
                let Some(text) = b.moves.get(rng.usize(..b.moves.len().max(1))) else { break };
                fast.play(fast.read_move(text).unwrap_or_else(|error| panic!("{error}")));
                plain.play(plain.read_move(text).unwrap_or_else(|error| panic!("{error}")));
            }
        }
    }
}

#[test]
fn the_bitboard_agrees_with_the_plain_board_on_every_size() {
    let mut rng = Rng::with_seed(5);
    for _ in 0..50 {
        compare_with_plain_board(Classic, &mut rng);
    }
    for width in 1..=26 {
        for height in 1..=26 {
            for connect in [3, 4, 5, 3 + rng.u32(..24)] {
                if let Some(shape) = AnySize::<u128>::new(width, height, connect) {
                    compare_with_plain_board(shape, &mut rng);
                }
                if let Some(shape) = AnySize::<u64>::new(width, height, connect) {
                    compare_with_plain_board(shape, &mut rng);
                }
            }
        }
    }
}
