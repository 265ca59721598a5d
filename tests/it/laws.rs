//! The laws that every game and every evaluator keeps, on random walks over many boards.
//!
//! The walks are random but the same in every run. What a law compares, it compares as a whole:
//! [`Portrait`] of a game, [`Opinion`] of an evaluator.

use crate::support::boards::{Dice, falling, gomoku, mnk, moves_of, random_position};
use tengen_engine::{Coverage, MAX_MOVE_CODE};
use tengen_engine::{Game, Notation, Outcome, Score, SearchEvaluator, Side, Style, Window};
use tengen_games::cfour::{
    AnySize, Board, CfourEvaluator, Classic, Misere, MisereEvaluator, Shape,
};
use tengen_games::gomoku::Rule;
use tengen_games::tree::{TreeEvaluator, TreeGame};

const STYLES: [Style; 3] = [Style::Plain, Style::Drop, Style::Column];

/// Everything a game says of its position.
#[derive(PartialEq, Debug)]
struct Portrait {
    position: String,
    pocket: String,
    drawing: String,
    key: u64,
    moves: Vec<String>,
    turn: Side,
    outcome: Option<Outcome>,
    plies_left: u32,
}

fn portrait<G: Notation>(game: &G) -> Portrait {
    Portrait {
        position: game.write_position(false),
        pocket: game.write_position(true),
        drawing: game.draw(),
        key: game.key().0,
        moves: moves_of(game).iter().map(|&mv| game.write_move(mv, Style::Plain)).collect(),
        turn: game.turn(),
        outcome: game.outcome(),
        plies_left: game.plies_left(),
    }
}

/// Everything an evaluator says of a game that goes on.
#[derive(PartialEq, Debug)]
struct Opinion<M> {
    score: Score,
    bounds: (Score, Score),
    coverage: Coverage,
    candidates: Vec<M>,
    noisy: Vec<M>,
    ranks: Vec<i32>,
    terms: Vec<i32>,
}

fn opinion<G: Game, E: SearchEvaluator<G>>(
    game: &G,
    evaluator: &mut E,
) -> Option<Opinion<G::Move>> {
    if game.outcome().is_some() {
        return None;
    }
    let (mut candidates, mut noisy) = (Vec::new(), Vec::new());
    let coverage = evaluator.candidates(game, &mut candidates);
    evaluator.noisy(game, &mut noisy);
    Some(Opinion {
        score: evaluator.evaluate(game),
        bounds: evaluator.static_bounds(game, Window::FULL),
        coverage,
        candidates,
        noisy,
        ranks: moves_of(game).iter().map(|&mv| evaluator.rank(game, mv)).collect(),
        terms: evaluator.terms(game).iter().map(|term| term.value).collect(),
    })
}

/// Plays random moves from `start` and checks every law in every position on the way.
fn walk<G: Notation, E: SearchEvaluator<G>>(start: &G, evaluator: &E, dice: &mut Dice) {
    let mut game = start.clone();
    let mut evaluator = evaluator.clone();
    evaluator.reset(&game);
    let mut texts = Vec::new();
    loop {
        check_game(&game, dice);
        check_notation(&game);
        check_opinion(&game, &mut evaluator);
        check_undo(&mut game, &mut evaluator);
        let moves = moves_of(&game);
        assert_eq!(moves.is_empty(), game.outcome().is_some(), "only a finished game has no move");
        assert_eq!(moves.is_empty(), game.plies_left() == 0);
        if moves.is_empty() {
            break;
        }
        let mv = moves[dice.below(moves.len())];
        texts.push(game.write_move(mv, Style::Plain));
        let plies_left = game.plies_left();
        game.play(mv);
        evaluator.played(&game, mv);
        assert!(game.plies_left() < plies_left);
    }
    check_other_path(start, &game, &texts, dice);
}

/// A move played and taken back leaves no trace, in the game or in the evaluator; and an evaluator
/// that followed the moves says the same as one that sees the position for the first time.
fn check_undo<G: Notation, E: SearchEvaluator<G>>(game: &mut G, evaluator: &mut E) {
    let before = (portrait(game), opinion(game, evaluator));
    for mv in moves_of(game) {
        let undo = game.play(mv);
        let judged = evaluator.played(game, mv);
        let mut fresh = evaluator.clone();
        fresh.reset(game);
        assert_eq!(opinion(game, evaluator), opinion(game, &mut fresh), "{}", game.draw());
        game.undo(mv, undo);
        evaluator.undone(game, mv, judged);
        assert_eq!((portrait(game), opinion(game, evaluator)), before);
    }
}

/// What the table and the history store of a move comes back.
fn check_game<G: Game>(game: &G, dice: &mut Dice) {
    let (_, symmetry) = game.key();
    let moves = moves_of(game);
    for (place, &mv) in moves.iter().enumerate() {
        assert!(!moves[..place].contains(&mv), "{mv:?} is listed twice");
        let code = game.pack(mv, symmetry);
        assert!(code <= MAX_MOVE_CODE);
        assert_eq!(game.unpack(code, symmetry), Some(mv));
        assert!(game.history_slot(mv) < game.history_slots());
    }
    for code in (0..40).chain([MAX_MOVE_CODE, u32::MAX]).chain((0..9).map(|_| dice.roll() as u32)) {
        let back = game.unpack(code, symmetry);
        assert!(back.is_none_or(|mv| moves.contains(&mv)), "{code} is read as {back:?}");
    }
}

/// Moves and positions survive their text in every form.
fn check_notation<G: Notation>(game: &G) {
    for mv in moves_of(game) {
        for style in STYLES {
            let text = game.write_move(mv, style);
            assert_eq!(game.read_move(&text), Ok(mv), "{text}");
        }
    }
    let shown = portrait(game);
    for pocket in [false, true] {
        let text = game.write_position(pocket);
        let read = game.read_position(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Portrait { key: shown.key, ..portrait(&read) }, shown);
        let followed = format!("{text} moves");
        assert_eq!(game.position_end(&followed, "moves"), text.len() + 1);
    }
    if let Ok(flipped) = game.flipped() {
        assert_eq!(flipped.turn(), game.turn().other());
        let back = flipped.flipped().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(portrait(&back), shown);
    }
}

/// What an evaluator says is in range and agrees with itself.
fn check_opinion<G: Notation, E: SearchEvaluator<G>>(game: &G, evaluator: &mut E) {
    let Some(opinion) = opinion(game, evaluator) else { return };
    let legal = moves_of(game);
    assert!(!opinion.score.is_decisive());
    assert_eq!(opinion.terms.iter().sum::<i32>(), opinion.score.raw());
    assert!(opinion.bounds.0 <= opinion.bounds.1);
    assert!(!opinion.candidates.is_empty());
    assert!(!evaluator.exact() || opinion.coverage == Coverage::Complete);
    for (place, mv) in opinion.candidates.iter().enumerate() {
        assert!(legal.contains(mv) && !opinion.candidates[..place].contains(mv));
    }
    assert!(opinion.noisy.iter().all(|mv| legal.contains(mv)));
    assert!(opinion.ranks.iter().all(|&rank| i16::try_from(rank).is_ok()));
}

/// The same moves in another order, where that is possible, lead to the same position in every
/// respect.
fn check_other_path<G: Notation>(start: &G, end: &G, texts: &[String], dice: &mut Dice) {
    let (mut first, mut second): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
    for (ply, text) in texts.iter().enumerate() {
        if ply % 2 == 0 { first.push(text) } else { second.push(text) }
    }
    dice.shuffle(&mut first);
    dice.shuffle(&mut second);
    let mut game = start.clone();
    for ply in 0..texts.len() {
        let text = if ply % 2 == 0 { first[ply / 2] } else { second[ply / 2] };
        let Ok(mv) = game.read_move(text) else { return };
        game.play(mv);
    }
    if game.write_position(true) == end.write_position(true) {
        assert_eq!(portrait(&game), portrait(end));
    }
}

fn walks<G: Notation, E: SearchEvaluator<G>>(start: &G, evaluator: &E, count: u64) {
    for seed in 0..count {
        walk(start, evaluator, &mut Dice(seed));
    }
}

#[test]
fn four_in_a_row_keeps_the_laws() {
    walks(&Board::new(Classic), &CfourEvaluator::new(), 40);
    for (width, height, connect) in [(4, 4, 4), (1, 6, 3), (6, 1, 3), (8, 7, 5), (2, 2, 3)] {
        walks(&falling::<u64>(width, height, connect), &CfourEvaluator::new(), 10);
    }
    for (width, height, connect) in [(9, 7, 5), (16, 7, 4), (26, 3, 6), (4, 26, 7), (5, 5, 3)] {
        walks(&falling::<u128>(width, height, connect), &CfourEvaluator::new(), 4);
    }
}

#[test]
fn misere_four_in_a_row_keeps_the_laws() {
    walks(&Misere::new(Classic), &MisereEvaluator::new(), 40);
    for (width, height, connect) in [(4, 4, 4), (1, 6, 3), (6, 1, 3), (8, 7, 5), (2, 2, 3)] {
        let shape = AnySize::<u64>::new(width, height, connect).expect("the board fits");
        walks(&Misere::new(shape), &MisereEvaluator::new(), 10);
    }
    for (width, height, connect) in [(9, 7, 5), (16, 7, 4), (26, 3, 6), (4, 26, 7)] {
        let shape = AnySize::<u128>::new(width, height, connect).expect("the board fits");
        walks(&Misere::new(shape), &MisereEvaluator::new(), 4);
    }
}

#[test]
fn the_plain_board_keeps_the_laws() {
    for overline in [false, true] {
        for falls in [false, true] {
            for (width, height, connect) in [(3, 3, 3), (4, 3, 2), (2, 2, 1), (5, 4, 4), (1, 7, 3)]
            {
                let (game, lines) = mnk(width, height, connect, falls, overline);
                walks(&game, &lines, 10);
            }
            let (game, lines) = mnk(9, 8, 5, falls, overline);
            walks(&game, &lines, 3);
        }
    }
    let (game, lines) = mnk(15, 15, 5, false, true);
    walk(&game, &lines, &mut Dice(1));
    let (game, lines) = mnk(13, 11, 6, true, true);
    walk(&game, &lines, &mut Dice(1));
}

#[test]
fn five_in_a_row_keeps_the_laws() {
    for rule in Rule::ALL {
        for (width, height) in [(5, 5), (7, 6), (5, 9)] {
            let (board, judge) = gomoku(rule, width, height);
            walks(&board, &judge, 6);
        }
    }
    for rule in [Rule::Standard, Rule::Renju] {
        let (board, judge) = gomoku(rule, 15, 15);
        walk(&board, &judge, &mut Dice(1));
    }
    let (board, judge) = gomoku(Rule::Freestyle, 22, 9);
    walk(&board, &judge, &mut Dice(2));
}

#[test]
fn the_explicit_tree_keeps_the_laws() {
    walks(&TreeGame::example(), &TreeEvaluator, 10);
}

#[test]
fn positions_that_no_play_led_to_keep_the_laws() {
    let mut dice = Dice(7);
    for _ in 0..60 {
        let (game, lines) = mnk(5, 5, 4, false, true);
        let empties = dice.below(25);
        if let Ok(game) = game.read_position(&random_position(5, 5, false, empties, &mut dice)) {
            walk(&game, &lines, &mut dice);
        }
        for rule in Rule::ALL {
            let (board, judge) = gomoku(rule, 7, 6);
            let text = random_position(7, 6, false, 8 + dice.below(30), &mut dice);
            if let Ok(board) = board.read_position(&text) {
                walk(&board, &judge, &mut dice);
            }
        }
        let text = random_position(7, 6, true, 5 + dice.below(30), &mut dice);
        if let Ok(board) = Board::new(Classic).read_position(&text) {
            walk(&board, &CfourEvaluator::new(), &mut dice);
        }
        if let Ok(board) = Misere::new(Classic).read_position(&text) {
            walk(&board, &MisereEvaluator::new(), &mut dice);
        }
    }
}

/// Plays the same random moves on both boards and compares all they say.
fn check_against_oracle<S: Shape>(shape: S, dice: &mut Dice) {
    let mut fast = Board::new(shape);
    let (mut plain, _) = mnk(shape.width(), shape.height(), shape.connect(), true, true);
    loop {
        let (mut a, mut b) = (portrait(&fast), portrait(&plain));
        a.moves.sort();
        b.moves.sort();
        assert_eq!(Portrait { key: b.key, ..a }, b);
        assert_eq!(fast.rules(), Notation::rules(&plain));
        let Some(text) = b.moves.get(dice.below(b.moves.len().max(1))) else { return };
        fast.play(fast.read_move(text).unwrap_or_else(|error| panic!("{error}")));
        plain.play(plain.read_move(text).unwrap_or_else(|error| panic!("{error}")));
    }
}

#[test]
fn five_in_a_row_agrees_with_the_plain_board_where_the_rules_are_the_same() {
    for (rule, overline) in [(Rule::Freestyle, true), (Rule::Standard, false)] {
        for seed in 0..30 {
            let mut dice = Dice(seed);
            let (mut fast, _) = gomoku(rule, 9, 8);
            let (mut plain, _) = mnk(9, 8, 5, false, overline);
            loop {
                let (a, b) = (portrait(&fast), portrait(&plain));
                assert_eq!(a, b);
                assert_eq!(Notation::rules(&fast), Notation::rules(&plain));
                let Some(text) = b.moves.get(dice.below(b.moves.len().max(1))) else { break };
                fast.play(fast.read_move(text).unwrap_or_else(|error| panic!("{error}")));
                plain.play(plain.read_move(text).unwrap_or_else(|error| panic!("{error}")));
            }
        }
    }
}

#[test]
fn the_bitboard_agrees_with_the_plain_board_on_every_size() {
    let mut dice = Dice(5);
    for _ in 0..50 {
        check_against_oracle(Classic, &mut dice);
    }
    for width in 1..=26 {
        for height in 1..=26 {
            for connect in [3, 4, 5, 3 + dice.below(24) as u32] {
                if let Some(shape) = AnySize::<u128>::new(width, height, connect) {
                    check_against_oracle(shape, &mut dice);
                }
                if let Some(shape) = AnySize::<u64>::new(width, height, connect) {
                    check_against_oracle(shape, &mut dice);
                }
            }
        }
    }
}
